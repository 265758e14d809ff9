"""The arrows between the rooms, as docs/architecture.md draws them: one direction, no way back."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

READERS = {"autograd", "explain", "tensors", "broadcasting", "calculus", "training"}  # what a Trace says

# Which rooms a room may import from. Everything may import from itself.
ARROWS = {
    "patterns": set(),
    "site": set(),
    "derivatives": set(),
    "tracing": set(),
    "trace": {"patterns", "tracing"},
    "told": {"trace"},
    "text": {"patterns"},
    "program": {"patterns", "trace"},
    "runtime": {"program", "told", "trace", "tracing"},
    "sandbox": {"patterns", "program", "told", "trace", "tracing"},
    **{room: {"derivatives", "patterns", "program", "trace", "text"} for room in READERS},
    "training": {"autograd", "patterns", "program", "text", "trace"},
    "filmed": {"autograd", "drawing", "picture", "training"},
    "reasoning": {"autograd", "diagnose", "patterns", "tensors", "trace", "text"},
    "diagnose": {"autograd", "explain", "patterns", "trace", "text"},
    "lessons": {"autograd", "patterns", "program", "site", "text", "trace"},
    "checking": {"autograd", "diagnose", "trace"},
    "data": {"autograd", "patterns", "program", "trace", "text"},
    "drawing": {
        *READERS,
        *("comparing", "data", "health", "lessons", "reasoning", "patterns", "program", "trace", "text"),
    },
    "aside": {"diagnose", "explain", "program", "sandbox", "trace"},
    "asked": {"sandbox", "trace"},
    "trial": {"program", "sandbox", "trace"},
    "explained": {
        *("asked", "diagnose", "diagnosed", "explain", "patterns", "program", "sandbox", "text", "trace", "trial"),
    },
    "diagnosed": {"asked", "diagnose", "program", "reports", "sandbox", "trace", "trial"},
    "checked": {"checking", "program", "reports", "sandbox", "text", "trace"},
    "reports": {"checking", "diagnose", "explain", "program", "text", "trace"},
    "played": {"diagnosed", "explained", "lessons", "program", "sandbox", "text", "trace"},
    "export": {
        *(
            "autograd",
            "diagnose",
            "diagnosed",
            "explain",
            "explained",
            "patterns",
            "program",
            "reasoning",
            "reports",
            "trace",
            "training",
        ),
    },
    "notebook": {"drawing", "program", "reports", "text", "trace"},
    "saved": {"answers", "diagnosed", "export", "trace"},
    "health": {"autograd", "diagnose", "reports", "text", "trace", "training"},
    "comparing": {"autograd", "health", "patterns", "text", "trace"},
    "answers": {
        *("autograd", "comparing", "diagnose", "diagnosed", "health", "picture", "reasoning", "trace", "training"),
        "training_picture",
    },
    "training_picture": {"drawing", "text", "trace", "training"},
    "picture": {"autograd", "drawing", "sandbox", "trace", "tracing", "training"},
    "doctor": {"__init__", "program", "runtime", "sandbox", "text", "trace"},
    "commands": {
        *("answers", "comparing", "export", "program", "recorded", "reports", "runtime", "sandbox", "saved", "site"),
        *("text", "trace"),
    },
    "cli": {
        "commands",
        *("autograd", "checked", "diagnose", "diagnosed", "doctor", "drawing", "explain", "explained", "export"),
        *("picture", "played", "program", "reasoning", "reports", "sandbox", "site", "text", "trace", "__init__"),
    },
    "__main__": {"cli"},
    "testing": {"answers", "health", "runtime", "text", "trace"},
    "recorded": {"answers", "diagnose", "runtime", "trace"},
    "__init__": {
        *(
            "answers",
            "autograd",
            "comparing",
            "saved",
            "picture",
            "program",
            "recorded",
            "sandbox",
            "trace",
            "reasoning",
        ),
    },
    "ui": {
        *READERS,
        *(
            "checked",
            "checking",
            "commands",
            "comparing",
            "data",
            "diagnose",
            "diagnosed",
            "drawing",
            "explained",
            "export",
        ),
        "filmed",
        *("lessons", "notebook", "patterns", "picture", "played", "program", "reasoning", "reports", "sandbox"),
        *("site", "text", "trace", "tracing"),
    },
    "pages": {"ui", "text"},
    "app": {"ui", "text", "pages"},
}

# Within a room: which of its folders and files a folder may import from.
_PAINT = {"color", "entries", "marks", "scripts", "style", "tables", "terms"}  # what all drawings share
INNER_ARROWS = {
    "ui": {
        "components": set(),
        "session": {"components"},
        "panels": {"components", "session"},
        "editor": {"components", "session", "panels"},
        "pages": {"components", "session", "panels", "editor"},
        "frame": {"components", "session", "panels"},
    },
    "drawing": {
        "style": set(),
        "graph": _PAINT,
        "plots": _PAINT,
        "notebook": _PAINT,
        "lessons": {*_PAINT, "notebook"},
        "operations": {*_PAINT, "plots"},
        "tensors": {*_PAINT, "graph", "notebook"},
        "broadcasting": {*_PAINT, "graph"},
        "derivatives": {*_PAINT, "graph", "plots"},
        "data": _PAINT,
        "comparing": _PAINT,
        "training": {*_PAINT, "graph", "plots"},
    },
    "runtime": {
        "plotting": set(),
        "book": {"plotting"},
        "recording": {"notebook", "policy"},
        "policy": {"book", "notebook"},
        "notebook": {"book", "plotting", "policy", "recording"},
        "probing": {"notebook", "policy", "recording"},
    },
}
TORCH = {"torch", "torchvision", "torchaudio"}


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "explorer" else parts[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> list[str]:
    """Every module a file imports, also inside functions, in full."""
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


SOURCES = sorted([*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")])


def importing(files: list[Path], wrong: Callable[[str, str], bool]) -> list[str]:
    """Every import of these files that is wrong for its room."""
    return [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files
        for module in imported(path)
        if wrong(room_of(path), module)
    ]


def test_every_room_is_known():
    assert {room_of(path) for path in SOURCES} == ARROWS.keys(), "ARROWS says of every room what it may import"


def test_a_room_imports_only_from_below():
    def upward(room: str, module: str) -> bool:
        parts = module.split(".")
        other = parts[1] if len(parts) > 1 and parts[1] in ARROWS else "__init__"
        return parts[0] == "explorer" and other != room and other not in ARROWS[room]

    assert importing(SOURCES, upward) == []


def test_a_folder_imports_only_from_below_within_its_room():
    for room, arrows in INNER_ARROWS.items():
        folders = {path.name for path in (ROOT / "explorer" / room).iterdir() if (path / "__init__.py").exists()}
        assert folders == arrows.keys(), f"INNER_ARROWS says of every folder of {room} what it may import"
        wrong = [
            f"{path.relative_to(ROOT)} imports {module}"
            for path in (ROOT / "explorer" / room).glob("*/**/*.py")
            for module in imported(path)
            if module.startswith(f"explorer.{room}.")
            and module.split(".")[2] not in arrows[folder_of(path, room)] | {folder_of(path, room)}
        ]
        assert wrong == []


def folder_of(path: Path, room: str) -> str:
    return path.relative_to(ROOT / "explorer" / room).parts[0]


def test_only_the_runtime_imports_torch():
    files = [path for path in SOURCES if room_of(path) != "runtime"]
    assert importing(files, lambda _, module: module.split(".")[0] in TORCH) == []


def test_only_pages_import_streamlit():
    files = [path for path in SOURCES if room_of(path) not in ("ui", "pages", "app")]
    assert importing(files, lambda _, module: module.split(".")[0] == "streamlit") == []


def test_every_room_says_what_belongs_there_and_what_does_not():
    told = {init: ast.get_docstring(parsed(init)) or "" for init in ROOT.glob("explorer/*/**/__init__.py")}
    words = (r"\bbelongs?\b|[Ii]n here:", r"\b[Nn]ot\b")
    silent = [init.parent.name for init, text in told.items() if not all(re.search(one, text) for one in words)]
    assert silent == []


def modules_of(name: str, known: set[str]) -> str:
    """The file that an imported name stands in."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def test_no_files_import_each_other_in_a_circle():
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}
    above = {name: {modules_of(one, set(names)) for one in imported(path)} - {name, ""} for name, path in names.items()}
    while free := [name for name, needs in above.items() if not needs & above.keys()]:
        for name in free:
            del above[name]
    assert not above, "these import each other, or need some that do"


def test_no_two_classes_have_one_name():
    found: dict[str, list[str]] = defaultdict(list)
    for path in ROOT.glob("explorer/**/*.py"):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
