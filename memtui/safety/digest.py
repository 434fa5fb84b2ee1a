"""SHA-256 without hashlib, which would load OpenSSL: a hook has no time for that."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:  # Python 3.11
    from _sha256 import sha256  # type: ignore[import-not-found]

__all__ = ("sha256",)
