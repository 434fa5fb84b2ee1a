"""A text through the user's editor: out to a private file, back as bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.services import ServiceError

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


def edit_bytes(app: MemtuiApp, data: bytes, name: str) -> bytes:
    """What the editor makes of `data`; `name` is the file's. Raises ServiceError.

    The file lies in a folder that only this user can read, and goes when the editor is left.
    """
    with tempfile.TemporaryDirectory(prefix="memtui-edit-") as folder:
        file = Path(folder) / Path(name).name
        try:
            file.write_bytes(data)
            app.editor.edit(app, file)
            return file.read_bytes()
        except OSError as error:
            raise ServiceError(f"the edited text cannot be read back: {error}") from error
