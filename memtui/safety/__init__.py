# hashlib would load OpenSSL, for which a hook has no time: its modules take this one.
try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:  # Python 3.11
    from _sha256 import sha256  # type: ignore[import-not-found]

__all__ = ("sha256",)
