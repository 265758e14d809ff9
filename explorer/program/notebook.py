"""Read a Jupyter notebook of format 4: cells, Markdown and metadata. Outputs are skipped."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from explorer.program.cells import MAX_ABOUT, MAX_NOTES, MAX_TEXT, CellSource, Program, Unusable, normalised
from explorer.safe_regex import plain
from explorer.trace import Note

_UNFIT = plain(r"[\0\ud800-\udfff]")  # characters that neither a program nor UTF-8 can contain

_PLACE, _TICKS = plain(r"`(\$[^`]*)`$"), plain(r"`+")
_PICTURE = plain(r"(data:[\w/+.-]+;base64,)[\w+/=]{200,}")  # Colab writes pictures into the Markdown


class _Language(Struct):
    name: str | None = None
    language: str | None = None


class _Metadata(Struct):
    language_info: _Language | None = None
    kernelspec: _Language | None = None


class _Cell(Struct):
    cell_type: str
    source: str | list[str] = ""


class _Notebook(Struct):
    nbformat: int = 0
    metadata: _Metadata | None = None
    cells: list[_Cell] | None = None


class _CellBeside(Struct):
    cell_type: str
    id: Any = None
    metadata: Any = None


class _Beside(Struct):
    """The metadata of a notebook and of its cells: any JSON."""

    metadata: Any = None
    cells: list[_CellBeside] = []


_ID = plain(r"[a-zA-Z0-9_-]{1,64}")  # form of a cell's id in the notebook format
Kind = TypeVar("Kind")


def read_notebook(path: str, text: str) -> Program:
    """Read a notebook: code cells, with Markdown and raw cells (fenced) as notes."""
    book = _decoded(path, text, _Notebook)
    if book.nbformat != 4 and (book.nbformat or book.cells is None):
        kind = "notebook-format" if book.nbformat else "not-a-notebook"
        raise Unusable.of(kind, path, **({"version": book.nbformat} if book.nbformat else {"place": "$"}))
    if book.cells is None:
        raise Unusable.of("not-a-notebook", path, place="$.cells")
    language = _language(book.metadata)
    if language and not language.lower().startswith(("python", "ipython")):
        raise Unusable.of("other-language", path, language=language[:40])
    cells: list[CellSource] = []
    notes: list[Note] = []
    for number, cell in enumerate(book.cells, start=1):
        source = normalised(cell.source if isinstance(cell.source, str) else "".join(cell.source))
        if unfit := _UNFIT.search(source):
            line = source.count("\n", 0, unfit.start()) + 1
            raise Unusable.of("character", path, cell=number, line=line, character=f"U+{ord(unfit[0]):04X}")
        if cell.cell_type == "code":
            cells.append(CellSource(source))
        elif source.strip():
            source = _PICTURE.sub(r"\1…", source)
            notes.append(Note(len(cells), source.strip("\n") if cell.cell_type == "markdown" else _fenced(source)))
    _bound("code", path, [cell.text for cell in cells], MAX_TEXT)
    _bound("notes", path, [note.markdown for note in notes], MAX_NOTES)
    about, abouts = _beside(_decoded(path, text, _Beside))
    cells = [CellSource(cell.text, about=beside) for cell, beside in zip(cells, abouts, strict=True)]
    return Program(cells, notes, path, "ipynb", about)


def _beside(book: _Beside) -> tuple[str, list[str]]:
    """Return the metadata of the notebook and its code cells, empty beyond MAX_ABOUT."""
    about, abouts, ids = _object(book.metadata), [], set()
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        members: dict[str, Any] = (
            {"metadata": cell.metadata} if isinstance(cell.metadata, dict) and cell.metadata else {}
        )
        if isinstance(cell.id, str) and _ID.fullmatch(cell.id) and cell.id not in ids:
            ids.add(cell.id)
            members["id"] = cell.id
        abouts.append(_object(members))
    fits = len(about) + sum(map(len, abouts)) <= MAX_ABOUT
    return (about, abouts) if fits else ("", [""] * len(abouts))


def checked_about(about: str, abouts: Sequence[str]) -> tuple[str, list[str]]:
    """Check metadata from untrusted texts. Replace anything but objects with nothing."""
    try:
        fits = len(about) + sum(map(len, abouts)) <= MAX_ABOUT
        whole, *cells = [json.loads(text or "{}") if fits else {} for text in (about, *abouts)]
        book = {"metadata": whole, "cells": [{"cell_type": "code"} | cell for cell in cells]}
        return _beside(msgspec.convert(book, _Beside))
    except (ValueError, TypeError, RecursionError):
        return "", [""] * len(abouts)


def _object(value: Any) -> str:
    """Return an object as ASCII JSON, "" if empty or invalid."""
    try:
        return json.dumps(value) if isinstance(value, dict) and value else ""
    except RecursionError:
        return ""


def _bound(part: str, path: str, texts: list[str], most: int) -> None:
    size = sum(len(text.encode()) for text in texts)
    if size > most:
        raise Unusable.of("notebook-too-large", path, part=part, size=size, most=most)


def _decoded(path: str, text: str, kind: type[Kind]) -> Kind:
    try:
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            # Python's JSON reader reports line and column, and accepts the NaN that Jupyter writes.
            return msgspec.convert(json.loads(text), kind)
    except RecursionError:
        raise Unusable.of("too-deep", path) from None
    except json.JSONDecodeError as problem:
        raise Unusable.of("broken-json", path, line=problem.lineno, column=problem.colno) from None
    except msgspec.ValidationError as problem:
        place = _PLACE.search(str(problem))
        raise Unusable.of("not-a-notebook", path, place=place[1] if place else "$") from None
    except ValueError:  # a number with more digits than Python accepts
        raise Unusable.of("not-a-notebook", path, place="$") from None


def _language(metadata: _Metadata | None) -> str:
    """Return the language that a notebook names, or ""."""
    if metadata is None:
        return ""
    language, kernel = metadata.language_info or _Language(), metadata.kernelspec or _Language()
    return language.name or kernel.language or ""


def _fenced(raw: str) -> str:
    longest = max(map(len, _TICKS.findall(raw)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{raw.strip(chr(10))}\n{fence}"
