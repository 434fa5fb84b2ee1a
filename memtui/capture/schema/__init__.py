"""The JSON Schema of what hooks leave in the spool."""
