"""Notebooks: reading, and messages for unreadable ones."""

import json

import pytest

from explorer.program import CellSource, Unusable, read_program
from explorer.text import LANGUAGES, say
from explorer.trace import Note


def book(*cells: tuple[str, str | list[str]], **extra) -> bytes:
    made = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": [{"a": 1}]} for kind, source in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | extra, indent=1).encode()


def unusable(data: bytes) -> Unusable:
    with pytest.raises(Unusable) as caught:
        read_program("a.ipynb", data)
    for lang in LANGUAGES:
        assert say(lang, f"unusable-{caught.value.kind}", **caught.value.values)
        assert say(lang, f"unusable-{caught.value.kind}", **caught.value.values | {"given": "text"})
    return caught.value


def test_code_cells_become_cells_and_text_cells_notes():
    program = read_program(
        "a.ipynb", book(("markdown", "# Add\n"), ("code", "1 + 1"), ("code", ["x = 2\n", "x"]), ("markdown", ["*End*"]))
    )
    assert program.cells == [CellSource("1 + 1"), CellSource("x = 2\nx")]
    assert program.notes == [Note(0, "# Add"), Note(2, "*End*")]
    assert program.kind == "ipynb"


def test_empty_code_cells_count_and_empty_text_does_not():
    program = read_program("a.ipynb", book(("code", ""), ("markdown", " \n"), ("code", [])))
    assert (program.cells, program.notes) == ([CellSource(""), CellSource("")], [])


def test_a_raw_cell_is_shown_verbatim():
    assert read_program("a.ipynb", book(("raw", "a ``` b"))).notes == [Note(0, "````\na ``` b\n````")]


def test_lines_of_a_cell_count_from_its_own_first_line():
    program = read_program("a.ipynb", book(("code", "a\r\nb"), ("code", "c")))
    assert [(cell.text, cell.first_line) for cell in program.cells] == [("a\nb", 1), ("c", 1)]


def test_pictures_written_into_the_text_are_left_out():
    note = read_program("a.ipynb", book(("markdown", f"![a](data:image/png;base64,{'A' * 400_000})"))).notes[0]
    assert note.markdown == "![a](data:image/png;base64,…)"


def test_nan_in_outputs_does_not_invalidate_a_notebook():
    assert read_program("a.ipynb", book(("code", "x")).replace(b'"a": 1', b'"a": NaN')).cells == [CellSource("x")]


@pytest.mark.parametrize(
    "metadata",
    [{}, {"kernelspec": {"name": "python3"}}, {"language_info": {"name": "python"}}, {"kernelspec": None, "colab": {}}],
)
def test_python_and_unnamed_languages_are_read(metadata):
    assert read_program("a.ipynb", book(("code", "x"), metadata=metadata)).cells == [CellSource("x")]


@pytest.mark.parametrize(
    "metadata", [{"language_info": {"name": "R"}}, {"kernelspec": {"language": "R", "name": "ir"}}]
)
def test_other_languages_are_named(metadata):
    problem = unusable(book(("code", "x <- 1"), metadata=metadata))
    assert (problem.kind, problem.values["language"]) == ("other-language", "R")


def test_an_older_format_is_named():
    problem = unusable(b'{"nbformat": 3, "worksheets": [{"cells": []}]}')
    assert (problem.kind, problem.values["version"]) == ("notebook-format", 3)


@pytest.mark.parametrize(
    "data, line, column",
    [(b"", 1, 1), (b'{\n "cells": [', 2, 12), (b'{\n "cells": [}', 2, 12), (b'{"cells": []}\n!', 2, 1)],
)
def test_broken_json_has_a_place(data, line, column):
    problem = unusable(data)
    assert (problem.kind, problem.values["line"], problem.values["column"]) == ("broken-json", line, column)


@pytest.mark.parametrize(
    "data, place",
    [
        (b"[]", "$"),
        (b'{"a": 1}', "$"),
        (b'{"nbformat": 4}', "$.cells"),
        (b'{"nbformat": 4, "cells": {}}', "$.cells"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}', "$.cells[0].source"),
        (b'{"nbformat": 4, "a": NaN, "cells": 3}', "$.cells"),
    ],
)
def test_other_json_has_a_place_too(data, place):
    problem = unusable(data)
    assert (problem.kind, problem.values["place"]) == ("not-a-notebook", place)


@pytest.mark.parametrize("nest", [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_unusable(nest):
    deep = nest[0] * 500_000 + b"1" + nest[1] * 500_000
    assert unusable(book(("code", "x")).replace(b'"a": 1', b'"a": ' + deep)).kind == "too-deep"
    assert unusable(b'{"a": NaN, "b": ' + deep + b"}").kind == "too-deep"


@pytest.mark.parametrize("character, name", [("\0", "U+0000"), ("\ud800", "U+D800")])
def test_a_character_that_no_program_can_hold_has_a_place(character, name):
    problem = unusable(book(("markdown", ""), ("code", f"a\n'{character}'")))
    assert problem.kind == "character"
    assert {"cell": 2, "line": 2, "character": name}.items() <= problem.values.items()


def test_a_binary_file_is_unusable():
    assert unusable(b"\x89PNG\r\n\x1a\n\0\0").kind == "undecodable"
    assert unusable(b"PK\x03\x04\0\0").kind == "nul"


def test_sizes_are_limited():
    assert unusable(b" " * 5_000_001).kind == "too-large"
    problem = unusable(book(("code", "#" * 150_000), ("code", "#" * 50_001)))
    assert (problem.kind, problem.values["part"], problem.values["size"]) == ("notebook-too-large", "code", 200_001)
    problem = unusable(book(("markdown", "a" * 300_001)))
    assert (problem.kind, problem.values["part"]) == ("notebook-too-large", "notes")
    assert unusable(book(*[("code", "")] * 2001)).kind == "too-many-cells"


def test_large_outputs_do_not_count():
    data = book(("code", "x")).replace(b'"a": 1', b'"a": "' + b"A" * 4_000_000 + b'"')
    assert read_program("a.ipynb", data).cells == [CellSource("x")]
