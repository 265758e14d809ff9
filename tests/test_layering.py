"""The arrows between the rooms, as docs/architecture.md draws them: one direction, no way back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

READERS = {"autograd", "explain", "tensors", "broadcasting", "calculus", "tabular"}  # what a Trace says

# Which rooms a room may import from. Everything may import from itself.
ARROWS = {
    "patterns": set(),
    "trace": {"patterns"},
    "told": {"trace"},
    "text": {"patterns"},
    "program": {"patterns", "trace"},
    "runtime": {"program", "told", "trace"},
    "sandbox": {"patterns", "program", "told", "trace"},
    **{room: {"patterns", "program", "trace", "text"} for room in READERS},
    "diagnose": {"autograd", "patterns", "trace", "text"},
    "drawing": {*READERS, "patterns", "program", "trace", "text"},
    "aside": {"explain", "program", "sandbox", "trace"},
    "explained": {"explain", "sandbox", "text", "trace"},
    "export": {"autograd", "explain", "explained", "patterns", "program", "trace", "text"},
    "saved": {"export", "trace"},
    "picture": {"autograd", "drawing", "sandbox", "trace"},
    "doctor": {"program", "runtime", "sandbox", "text", "trace"},
    "cli": {"doctor", "explained", "export", "picture", "drawing", "program", "sandbox", "text", "trace"},
    "__main__": {"cli"},
    "recorded": {"autograd", "picture", "runtime", "trace"},
    "__init__": {"export", "saved", "picture", "program", "recorded", "sandbox", "trace"},
    "ui": {*READERS, "explained", "export", "patterns", "picture", "drawing", "program", "sandbox", "text", "trace"},
    "pages": {"ui", "text"},
    "app": {"ui", "text", "pages"},
}
TORCH = {"torch", "torchvision", "torchaudio"}


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return _room(parts[1]) if parts[0] == "explorer" else parts[0]


def _room(name: str) -> str:
    """The data model stands in several files: trace, trace_check, …"""
    return "trace" if name.startswith("trace_") else name


def imported(path: Path) -> list[str]:
    """Every module a file imports, also inside functions, in full."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


SOURCES = sorted([*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_from_below(path):
    room = room_of(path)
    assert room in ARROWS, f"{room} is a new room: say in ARROWS what it may import"
    for module in imported(path):
        parts = module.split(".")
        if parts[0] != "explorer":
            continue
        other = _room(parts[1]) if len(parts) > 1 and _room(parts[1]) in ARROWS else "__init__"
        assert other == room or other in ARROWS[room], f"{room} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if room_of(p) != "runtime"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_only_the_runtime_imports_torch(path):
    assert not TORCH & {module.split(".")[0] for module in imported(path)}


@pytest.mark.parametrize("path", [p for p in SOURCES if room_of(p) not in ("ui", "pages", "app")], ids=str)
def test_only_pages_import_streamlit(path):
    assert "streamlit" not in {module.split(".")[0] for module in imported(path)}


def test_every_room_says_what_belongs_there():
    for init in ROOT.glob("explorer/*/__init__.py"):
        told = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
        assert re.search(r"\bnot\b", told, re.IGNORECASE), init.parent.name
