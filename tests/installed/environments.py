"""Fresh environments with exactly the wheel's requirements for an extra.

Packages installed for the tests are linked into them one by one, as the wheel's metadata names them, which takes a
second. Others are not available. Then pip installs the wheel and checks that nothing is missing.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path

from filelock import FileLock
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXTRAS = {"core": "", "draw": "draw", "app": "app", "cluster": "app,cluster"}


def called(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return a command's output. Raises AssertionError if it failed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


class Environments:
    """The built files, the unpacked sdist and an environment for each extra, created on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def built(self) -> tuple[Path, Path, Path]:
        """Return the sdist, the wheel built from it, and the wheel built from the checkout."""
        sdists, direct = self.folder / "dist", self.folder / "direct"
        with FileLock(self.folder / "build.lock"):
            if not direct.exists():
                called(sys.executable, "-m", "build", "--no-isolation", "--outdir", sdists)
                called(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", direct)
        (sdist,), (wheel,), (other,) = sdists.glob("*.tar.gz"), sdists.glob("*.whl"), direct.glob("*.whl")
        return sdist, wheel, other

    def project(self, copy: Path) -> Path:
        """Return the project's folder as the sdist has it, unpacked."""
        with tarfile.open(self.built()[0]) as file:
            file.extractall(copy, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # from 3.11.4 on
        (folder,) = copy.iterdir()
        return folder

    def python(self, extra: str, of: str = "") -> Path:
        """Return the interpreter of an extra's environment, which all share, or of one `of` a name."""
        _, wheel, _ = self.built()
        place = self.folder / f"{extra}{of}"
        interpreter = place / "bin" / "python"
        with FileLock(self.folder / f"{extra}{of}.lock"):
            if not (place / "ready").exists():
                venv.create(place)
                site = Path(sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)}))
                for name in {"pip", *closure(wheel, set(EXTRAS[extra].split(",")))}:
                    link(name, site)
                called(interpreter, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
                called(interpreter, "-m", "pip", "check")
                (place / "ready").touch()
        return interpreter


def closure(wheel: Path, extras: set[str]) -> set[str]:
    """Return the names of all that has to be installed for some extras of a wheel."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (one for one in file.namelist() if one.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(file.read(name))
    own, found = metadata["Name"], set()
    waiting = [(own, extra) for extra in {"", *extras}]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        lines = metadata.get_all("Requires-Dist") if name == own else distribution(name).requires
        for asked in map(Requirement, lines or []):
            if asked.marker is None or asked.marker.evaluate({"extra": extra}):
                waiting += [(asked.name, further) for further in {"", *asked.extras}]
    return {name for name, _ in found} - {own}


def link(name: str, site: Path) -> None:
    """Link an installed package's files, compiled ones included, into another environment."""
    found = distribution(name)
    for file in found.files or ():
        if file.parts[0] == "..":  # a command; `python -m` does the same
            continue
        source, target = Path(str(found.locate_file(file))), site / file
        pairs = [(source, target)]
        if file.suffix == ".py":
            pairs.append(
                (Path(importlib.util.cache_from_source(source)), Path(importlib.util.cache_from_source(target)))
            )
        for here, there in pairs:
            if here.exists() and not there.exists():
                there.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(here, there)
                except OSError:  # on another disk
                    shutil.copy2(here, there)
