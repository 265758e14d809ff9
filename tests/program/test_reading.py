"""Cells out of files, and what is no program."""

import pytest

from explorer.program import (
    CellSource,
    Program,
    Unusable,
    decode_request,
    encode_request,
    load_program,
    read_program,
    read_text,
)
from explorer.text import LANGUAGES, say
from explorer.trace import Note, Options


def unusable(path: str, data: bytes) -> Unusable:
    with pytest.raises(Unusable) as caught:
        read_program(path, data)
    for lang in LANGUAGES:
        assert say(lang, f"unusable-{caught.value.kind}", **caught.value.values)
    return caught.value


ODD = "x = 'a\u2028b\u0085c\x0cd'"
SESSION = b"```pycon\n>>> for i in x:\n...     i\n...\n1\n>>> x\n```\n"
BOOK = (
    b"# Add\n\n```python\na + b\n```\n\nThen\n\n```sh\nls\n```\n\n```\nplain\n```\n\n~~~ py title=x\nc\n\nd\n~~~\nEnd\n"
)
READ = {  # a file, its cells with their first lines, and its notes
    "a .py is one cell": ("a.py", b"x = 1\ny = 2\n", [("x = 1\ny = 2\n", 1)], []),
    "standard input is one cell": ("-", b"x = 1", [("x = 1", 1)], []),
    "an empty file is an empty cell": ("a.py", b"", [("", 1)], []),
    "fences of Python are cells, the rest is notes": (
        "a.md",
        BOOK,
        [("a + b", 4), ("c\n\nd", 18)],
        [(0, "# Add"), (1, "Then\n\n```sh\nls\n```\n\n```\nplain\n```"), (2, "End")],
    ),
    "a fence as books write it": ("a.MD", b"```{.python .input}\nx\n```\n", [("x", 2)], []),
    "a fence in a list": (
        "a.md",
        b"- item\n\n  ```Python\n  if x:\n      y\n  ```\n",
        [("if x:\n    y", 4)],
        [(0, "- item")],
    ),
    "an open fence reaches to the end": ("a.md", b"```python\nx = 1", [("x = 1", 2)], []),
    "a session keeps its lines": ("a.md", SESSION, [("for i in x:\n    i\n\n\nx", 2)], []),
    "Markdown without code has no cells": ("a.md", b"Hello\n", [], [(0, "Hello")]),
    "line ends become one, a byte order mark goes": ("a.py", b"\xef\xbb\xbfa\r\nb\rc\n", [("a\nb\nc\n", 1)], []),
    "also in a fence": ("a.md", b"\xef\xbb\xbf```py\r\na\r\n```\r\n", [("a", 2)], []),
    "other separators are text": ("a.py", ODD.encode(), [(ODD, 1)], []),
    "also in a fence of text": ("a.md", f"```py\n{ODD}\n```".encode(), [(ODD, 2)], []),
    "200 KB are read": ("a.py", b"#" * 200_000, [("#" * 200_000, 1)], []),
    "2 000 cells are read": ("a.md", b"```py\n```\n" * 2000, [("", 2 * at) for at in range(1, 2001)], []),
}


@pytest.mark.parametrize("name", READ)
def test_a_file_is_cells_and_notes(name, tmp_path):
    path, data, cells, notes = READ[name]
    wanted = Program(
        [CellSource(*cell) for cell in cells], [Note(*note) for note in notes], path, path[2:].lower() or "py"
    )
    assert read_program(path, data) == wanted
    if path != "-":
        (tmp_path / path).write_bytes(data)
        loaded = load_program(str(tmp_path / path))
        assert (loaded.cells, loaded.notes, loaded.path) == (wanted.cells, wanted.notes, str(tmp_path / path))


def test_a_pasted_text_is_one_cell():
    assert read_text("x = 1").cells == [CellSource("x = 1")]


UNUSABLE = [  # a file, and what is said of it
    ("a.py", "x = 1\r\ny = 'é'\n".encode("latin-1"), "undecodable", {"line": 2, "offset": 12, "byte": "0xE9"}),
    ("a.py", "x = 1".encode("utf-16"), "undecodable", {}),
    ("a.md", b"x\nab\0", "nul", {"line": 2, "column": 3}),
    ("a.py", b"#" * 200_001, "too-large", {"size": 200_001, "most": 200_000}),
    ("a.md", b"```py\n```\n" * 2001, "too-many-cells", {}),
    ("a.txt", b"x = 1", "unknown-format", {"suffix": ".txt"}),
    ("a", b"x = 1", "unknown-format", {"suffix": "none"}),
    ("a.py.gz", b"x = 1", "unknown-format", {"suffix": ".gz"}),
]


@pytest.mark.parametrize(("path", "data", "kind", "values"), UNUSABLE, ids=lambda one: str(one)[:20])
def test_what_is_no_program_says_why(path, data, kind, values):
    problem = unusable(path, data)
    assert problem.kind == kind
    assert ({"path": path, "given": "file"} | values).items() <= problem.values.items()


def test_a_lone_surrogate_is_undecodable():
    with pytest.raises(Unusable) as caught:
        read_text("x = '\ud800'")
    assert caught.value.kind == "undecodable"
    assert "byte 0xED at offset 5, in line 1" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("none.py", "unreadable", {"reason": "missing"}),
        (".", "unreadable", {"reason": "folder"}),
        ("a\0.py", "unreadable", {"reason": "missing"}),
        ("large.py", "too-large", {"size": 3_000_000}),  # it is not read
    ],
)
def test_what_cannot_be_read_says_why(tmp_path, name, kind, values):
    (tmp_path / "large.py").write_bytes(b"#" * 3_000_000)
    with pytest.raises(Unusable) as caught:
        load_program(str(tmp_path / name))
    assert caught.value.kind == kind and values.items() <= caught.value.values.items()
    assert str(caught.value)


def test_markdown_made_to_take_long_does_not():
    for text in ["[" * 190_000, "`" * 190_000, "> " * 95_000, "[a]: b\n" * 27_000, "*_" * 95_000]:
        assert read_program("a.md", text.encode()).cells == []


def test_a_request_comes_back_as_it_went():
    program = read_program("a.md", "Text\n```py\nx = '梯度'\n```\n".encode())
    options = Options(seed=3, time_limit=2.5)
    assert decode_request(encode_request(program, options)) == (program, options)


def test_a_file_name_need_not_be_utf_8():
    program = read_program("a\udcff.py", b"x = 1")
    assert decode_request(encode_request(program, Options()))[0].cells == program.cells
