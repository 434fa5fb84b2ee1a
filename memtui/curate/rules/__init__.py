"""Lint rules by class; each rule is a function from the bank's state to findings."""
