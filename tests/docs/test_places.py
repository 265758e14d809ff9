"""What documents and comments name exists: files, folders and modules."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP = ("deploy", "examples", "explorer", "pages", "tests", "tools", "benchmarks", "docs", "lessons")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])
SOURCES = sorted(ROOT.glob("explorer/**/*.py"))
KINDS = r"py\.txt|py|js|css|md|ftl|json|png"
SPOKEN = re.compile(rf"(?<![\w/.:])(?:\w+/)+[\w*]+\.(?:{KINDS})\b")  # as in drawing/graph/svg.py
QUOTED = re.compile(rf"`((?:[\w*]+/)*[\w*]+\.(?:{KINDS})|(?:\w+/)+)`")  # also `told.py` and `explorer/trace/`
MADE = {"explorer/ui/pages/sizes/", "pages/sizes.py", "sizes.css", "explorer/text/fr/", "de.md"}  # by the recipes
DOTTED = re.compile(r"\bexplorer(?:\.[a-z]\w*)+")


@cache
def known() -> list[str]:
    """Every file and folder of the project, folders with a slash at the end."""
    found = [*ROOT.glob("*.*"), *(path for room in TOP for path in ROOT.glob(f"{room}/**/*")), *map(ROOT.joinpath, TOP)]
    return [path.relative_to(ROOT).as_posix() + "/" * path.is_dir() for path in found]


@cache
def exists(place: str) -> bool:
    """Whether there is such a file or folder, also when the beginning of its path is left out."""
    pattern = re.compile(r"(?:.*/)?" + re.escape(place).replace(r"\*", "[^/]*"))
    return any(map(pattern.fullmatch, known()))


def names_a_module(name: str) -> bool:
    """Whether explorer.room.file is one, or a name in one."""
    parts = name.split(".")
    for depth in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:depth])
        if place.is_dir() or place.with_suffix(".py").exists():
            return depth == len(parts) or hasattr(import_module(".".join(parts[:depth])), parts[depth])
    return False


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_names_places_that_exist(path):
    text = path.read_text(encoding="utf-8")
    strange = {place for place in [*SPOKEN.findall(text), *QUOTED.findall(text)] if not exists(place)}
    assert strange - MADE == set()


def test_comments_and_docstrings_name_places_that_exist():
    strange = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        strange += [(path.name, place) for place in SPOKEN.findall(text) if not exists(place)]
        strange += [(path.name, name) for name in DOTTED.findall(text) if not names_a_module(name)]
    assert strange == []
