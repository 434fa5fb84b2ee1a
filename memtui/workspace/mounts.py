"""Which file systems tell of changes that others make, and which must be asked again and again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

_SILENT = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "fakeowner", "fuse", "glusterfs",
        "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf",
        "virtiofs", "vmhgfs",
    }
)  # fmt: skip
"""File systems whose files another machine, or the host of a virtual one, changes without an event."""

_OCTAL = re.compile(r"\\([0-7]{3})")


def silent_type(path: Path, mounts: Iterable[str] | None = None) -> str:
    """The type of the file system of `path` where it gives no events, else "".

    `mounts` are the lines of `/proc/self/mountinfo`; where there is none every file system counts as
    one that gives events. `path` is absolute and resolved.
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
        except OSError:
            return ""
    best, kind = -1, ""
    for line in mounts:
        left, _, right = line.partition(" - ")
        fields, told = left.split(), right.split()
        if len(fields) < 5 or not told:
            continue
        point = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), told[0]
    silent = kind in _SILENT or kind.startswith("fuse.")
    return kind if silent else ""
