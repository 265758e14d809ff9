"""The arrows between the rooms, as docs/architecture.md draws them: one direction, no way back."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

READERS = {"autograd", "explain", "tensors", "broadcasting", "calculus"}  # what a Trace says

# Which rooms a room may import from. Everything may import from itself.
ARROWS = {
    "patterns": set(),
    "derivatives": set(),
    "trace": {"patterns"},
    "told": {"trace"},
    "text": {"patterns"},
    "program": {"patterns", "trace"},
    "runtime": {"program", "told", "trace"},
    "sandbox": {"patterns", "program", "told", "trace"},
    **{room: {"derivatives", "patterns", "program", "trace", "text"} for room in READERS},
    "diagnose": {"autograd", "explain", "patterns", "trace", "text"},
    "drawing": {*READERS, "patterns", "program", "trace", "text"},
    "aside": {"diagnose", "explain", "program", "sandbox", "trace"},
    "asked": {"sandbox", "trace"},
    "explained": {"asked", "explain", "sandbox", "text", "trace"},
    "diagnosed": {"asked", "diagnose", "program", "reports", "sandbox", "trace"},
    "reports": {"diagnose", "explain", "program", "text", "trace"},
    "export": {"autograd", "diagnose", "diagnosed", "explain", "explained", "patterns", "program", "reports", "trace"},
    "notebook": {"drawing", "program", "reports", "text", "trace"},
    "saved": {"export", "trace"},
    "picture": {"autograd", "drawing", "sandbox", "trace"},
    "doctor": {"__init__", "program", "runtime", "sandbox", "text", "trace"},
    "cli": {
        *("diagnose", "diagnosed", "doctor", "explain", "explained", "export", "picture", "drawing", "program"),
        *("reports", "sandbox", "text", "trace", "__init__"),
    },
    "__main__": {"cli"},
    "recorded": {"autograd", "picture", "runtime", "trace"},
    "__init__": {"diagnosed", "export", "saved", "picture", "program", "recorded", "sandbox", "trace"},
    "ui": {
        *READERS,
        *("diagnose", "diagnosed", "drawing", "explained", "export", "notebook", "patterns", "picture", "program"),
        *("reports", "sandbox", "text", "trace"),
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
        "operations": {*_PAINT, "plots"},
        "tensors": {*_PAINT, "graph", "notebook"},
        "broadcasting": {*_PAINT, "graph"},
        "derivatives": {*_PAINT, "graph", "plots"},
    },
    "runtime": {
        "plotting": set(),
        "book": {"plotting"},
        "recording": {"notebook", "policy"},
        "policy": {"book", "notebook"},
        "notebook": {"book", "plotting", "policy", "recording"},
    },
}
TORCH = {"torch", "torchvision", "torchaudio"}


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "explorer" else parts[0]


@cache
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
    told = {
        init: ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""
        for init in ROOT.glob("explorer/*/**/__init__.py")
    }
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
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
