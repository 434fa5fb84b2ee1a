"""Edits of a host's JSON settings that leave every byte that is not ours alone."""
