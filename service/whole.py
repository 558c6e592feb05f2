"""Files that are whole at any moment, however the machine stops."""

import os
import tempfile
from pathlib import Path

from engine.errors import BadInput


def write_whole(path: Path, data: bytes, what: str = "") -> None:
    """Write a file beside the old one, if there is one, then put it in its place, with the rights of the old.

    Args:
        what: the kind of file, as sentences name it before its path.

    Raises:
        BadInput: it cannot be written.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).chmod(mode)
                Path(file.name).replace(target)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        named = f"{what} {path}" if what else str(path)
        raise BadInput(
            f"{named} cannot be written ({error.strerror}): name one in a folder that is yours"
        ) from error
