"""Extractors by rule: each looks for one kind of outcome in a session's turns."""
