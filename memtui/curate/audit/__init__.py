"""The audit: everything that memtui stores, looked at again under the redaction rules as they are now."""
