"""The firmware and the emulator, built once."""

from pathlib import Path

import pytest

from tests.emulator.chip import build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The firmware's ELF, and the program that runs it."""
    return build(tmp_path_factory.mktemp("firmware"))
