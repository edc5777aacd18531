"""Make a virtual environment for one engine, once: build it, check it, stamp it.

A stamp file says which requirements and which recipe an environment was made from,
and where. It is written last, so an environment without it is half made; a marker
file written first says that it was this code that began it. Only what carries one of
the two is ever removed.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pip_command import InstallError, last_lines, report, run

OLDEST_PYTHON = (3, 11)
STAMP = ".specbench-stamp"
BEGUN = ".specbench-begun"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an environment is made from."""

    title: str
    """Name of the engine, as printed."""
    version: int
    """Raise it when the steps change, so that older environments are made again."""
    requirements: Path
    """File of pinned requirements."""
    usual_time: str
    """How long the whole takes and how much there will be of it, as printed."""
    fill: Callable[[Path], None]
    """Installs into the empty environment, and checks that the engine works."""


def fingerprint(recipe: Recipe, venv: Path) -> str:
    """Hash of all that decides whether an environment can be used as it is.

    The path is part of it because the scripts inside name their interpreter by its
    full path: an environment that was moved does not start.
    """
    parts = [recipe.title, str(recipe.version), str(venv.absolute())]
    parts += requirement_lines(recipe.requirements)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def requirement_lines(requirements: Path) -> list[str]:
    """The lines that pip acts on: a reworded comment makes nothing stale."""
    lines = (line.strip() for line in requirements.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def is_current(recipe: Recipe, venv: Path) -> bool:
    """Whether the environment is complete, up to date and has a living interpreter."""
    stamp = venv / STAMP
    return (
        stamp.is_file()
        and stamp.read_text(encoding="utf-8").strip() == fingerprint(recipe, venv)
        and python_of(venv).exists()
    )


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


def install(recipe: Recipe, venv: Path) -> bool:
    """Make the environment unless it is there already; False means it was."""
    if is_current(recipe, venv):
        return False
    remove_own(venv)
    venv.mkdir(parents=True, exist_ok=True)
    (venv / BEGUN).touch()
    version = sys.version.split()[0]
    report(f"making {venv} with Python {version} ({recipe.usual_time})")
    create(venv)
    recipe.fill(venv)
    (venv / STAMP).write_text(fingerprint(recipe, venv) + "\n", encoding="utf-8")
    (venv / BEGUN).unlink()
    return True


def remove_own(venv: Path) -> None:
    """Clear the place, but never a folder that something else made."""
    if not venv.exists() or (venv.is_dir() and not any(venv.iterdir())):
        return
    if not (venv / STAMP).exists() and not (venv / BEGUN).exists():
        raise InstallError(
            f"{venv} exists and was not made by this script\n"
            "hint: remove it yourself, or choose another folder with --venv"
        )
    report(f"removing {venv}: it is half made, or made from other requirements")
    # The marker goes last: a removal cut short must leave a folder we still own.
    (venv / BEGUN).touch()
    (venv / STAMP).unlink(missing_ok=True)
    for entry in sorted(venv.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != BEGUN:
            entry.unlink()


def create(venv: Path) -> None:
    done = run([sys.executable, "-m", "venv", str(venv)])
    if done.returncode != 0:
        raise InstallError(
            f"`{sys.executable} -m venv {venv}` failed:\n{last_lines(done, 8)}\n"
            "hint: Debian and Ubuntu keep this module in the package python3-venv"
        )


def pin(requirements: Path, name: str) -> str:
    """The pinned requirement of one package."""
    lines = requirement_lines(requirements)
    return next(line for line in lines if line.startswith(f"{name}=="))


def expect_version(venv: Path, command: str, version: str) -> None:
    """Start an engine's own command line and see that it answers with its version."""
    report(f"checking `{command} --version` (up to a minute the first time)")
    done = run([str(venv / "bin" / command), "--version"])
    if done.returncode != 0 or version not in done.stdout:
        raise InstallError(
            f"`{command} --version` exited with {done.returncode} and did not say"
            f" {version}:\n{last_lines(done, 12)}"
        )


def expect_import(
    python: Path, code: str, version: str, env: Sequence[str] = ()
) -> None:
    """Run code that ends by printing its engine's version; `env`: `NAME=value`."""
    report("checking that it imports (up to a minute the first time)")
    done = run(["env", *env, str(python), "-c", code])
    if done.returncode != 0 or done.stdout.split()[-1:] != [version]:
        raise InstallError(
            f"importing did not end with {version}:\n{last_lines(done, 12)}"
        )


def main(recipe: Recipe, default: Path, arguments: Sequence[str] | None = None) -> int:
    """The command line that the install scripts share; returns the exit status."""
    parser = argparse.ArgumentParser(description=f"Install {recipe.title}.")
    parser.add_argument(
        "--venv", type=Path, default=default, help="where (default: %(default)s)"
    )
    venv: Path = parser.parse_args(arguments).venv
    if sys.version_info < OLDEST_PYTHON:
        report(f"{recipe.title} needs Python 3.11 or newer, this is {sys.version}")
        return 1
    began = time.monotonic()
    # A request to end stops pip too, as Ctrl-C does, instead of leaving it behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        made = install(recipe, venv)
    except (InstallError, OSError) as error:
        print(f"{recipe.title}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the next call begins again", file=sys.stderr)
        return 130
    if made:
        report(f"{recipe.title} is ready in {venv} ({time.monotonic() - began:.0f} s)")
    else:
        report(f"{recipe.title} is already there: {venv}")
    return 0
