"""Real deletion: what to look for, where it lies, how each kind of place is cleaned."""
