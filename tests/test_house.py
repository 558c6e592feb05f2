"""The house itself: names, imports, commands and versions agree with each other."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from service import app, cli

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LAYERS: list[str] = PROJECT["tool"]["importlinter"]["root_packages"]
COMMANDS = [
    *(
        info.name or info.callback.__name__
        for info in app.app.registered_commands
        if info.callback is not None
    ),
    *(info.name for info in app.app.registered_groups if info.name),
]


@pytest.mark.parametrize("name", LAYERS)
def test_each_import_name_is_ours_alone(name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin == str(ROOT / name / "__init__.py")
    assert set(packages_distributions().get(name, ["pitwatch"])) == {"pitwatch"}


def test_every_package_is_installed() -> None:
    found = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for layer in LAYERS
        for file in (ROOT / layer).rglob("__init__.py")
    }
    assert found == set(PROJECT["tool"]["setuptools"]["packages"])


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {file.parent for file in (ROOT / "tests").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [BIN / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_commands_of_the_readme_are_in_the_makefile() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    readme = (ROOT / "README.md").read_text() + (ROOT / "tests" / "README.md").read_text()
    named = set(re.findall(r"(?:^|`)make (\w+)", readme, re.MULTILINE))
    assert {"run", "test"} <= named <= targets


def test_the_commands_of_the_readme_are_on_the_command_line() -> None:
    named = set(re.findall(r"^\| `pitwatch (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert named == set(COMMANDS)


def test_the_links_of_the_readme_lead_somewhere() -> None:
    for readme in (ROOT / "README.md", ROOT / "tests" / "README.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", readme.read_text()):
            assert target.startswith("http") or (readme.parent / target).exists(), target


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pitwatch", command, "--help"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 0
    assert f"pitwatch {command}" in capsys.readouterr().out


def test_one_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert version("pitwatch") == PROJECT["project"]["version"]
    monkeypatch.setattr(sys, "argv", ["pitwatch", "--version"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"pitwatch {PROJECT['project']['version']}\n"


def test_the_command_line_starts_light() -> None:
    """No heavy import before a command runs: `pitwatch --help` must answer at once on a Pi."""
    heavy = ["cv2", "fastapi", "uvicorn", "gpiozero", "serial", "numpy"]
    code = f"import sys, service.app; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
