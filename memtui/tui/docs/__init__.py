"""What the screen draws, as lines of toned spans: pure functions, no widgets."""
