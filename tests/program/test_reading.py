"""Reading cells from files, and unusable files."""

import json

import pytest

from explorer.drawing.notebook.placeholders import cleaned_sentence
from explorer.program import (
    CellSource,
    Program,
    Unusable,
    decode_request,
    encode_request,
    load_program,
    read_pasted,
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
def test_a_file_is_read_as_cells_and_notes(name, tmp_path):
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


UNUSABLE = [  # files and their problems
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
def test_an_unusable_program_has_a_reason(path, data, kind, values):
    problem = unusable(path, data)
    assert problem.kind == kind
    assert ({"path": path, "given": "file"} | values).items() <= problem.values.items()


def test_a_lone_surrogate_is_undecodable():
    with pytest.raises(Unusable) as caught:
        read_text("x = '\ud800'")
    assert caught.value.kind == "undecodable"
    assert "byte 0xED at offset 5, line 1" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("none.py", "unreadable", {"reason": "missing"}),
        (".", "unreadable", {"reason": "folder"}),
        ("a\0.py", "unreadable", {"reason": "missing"}),
        ("large.py", "too-large", {"size": 3_000_000}),  # too large to be read
    ],
)
def test_an_unreadable_file_has_a_reason(tmp_path, name, kind, values):
    (tmp_path / "large.py").write_bytes(b"#" * 3_000_000)
    with pytest.raises(Unusable) as caught:
        load_program(str(tmp_path / name))
    assert caught.value.kind == kind and values.items() <= caught.value.values.items()
    assert str(caught.value)


def test_adversarial_markdown_is_read_quickly():
    for text in ["[" * 190_000, "`" * 190_000, "> " * 95_000, "[a]: b\n" * 27_000, "*_" * 95_000]:
        assert read_program("a.md", text.encode()).cells == []


def test_a_request_survives_encoding():
    program = read_program("a.md", "Text\n```py\nx = '梯度'\n```\n".encode())
    options = Options(seed=3, time_limit=2.5)
    assert decode_request(encode_request(program, options)) == (program, options)


def test_a_file_name_need_not_be_utf_8():
    program = read_program("a\udcff.py", b"x = 1")
    assert decode_request(encode_request(program, Options()))[0].cells == program.cells


def test_a_plain_program_is_unchanged():
    text = "def f(x):\n    '''\n    >>> f(1)\n    1\n    '''\n    return x\n\n1 + 1\n2 + 2\n3 + 3\n"
    cleaned = read_pasted(text)
    assert (cleaned.program.cells, cleaned.counts) == ([CellSource(text)], {})
    assert cleaned_sentence(cleaned, "en") == ""


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# T"},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": []},
    ],
    "nbformat": 4,
}
LOOP = "In [1]: for i in x:\n   ...:     print(i)\n   ...: \n1\n\nIn [2]: x\nOut[2]: [1]\n"
PASTED = {  # texts, their cells with first lines, notes, and removed parts
    "prompts of Python": (
        ">>> for i in x:\n...     i\n...\n1\n2\n>>> y\n",
        [("for i in x:\n    i", 1), ("y", 6)],
        [],
        {"prompts": 4, "outputs": 2},
    ),
    "each cell of a session knows its place": (
        "First we look:\n\n>>> x\n1\n\nThen we look again at it.\n\n>>> y\n",
        [("x", 3), ("y", 8)],
        [],
        {"prompts": 2, "outputs": 3},
    ),
    "prompts of IPython": (LOOP, [("for i in x:\n    print(i)", 1), ("x", 6)], [], {"prompts": 4, "outputs": 2}),
    "fences": ("Add:\n\n```python\n1 + 1\n```\n", [("1 + 1", 4)], [(0, "Add:")], {"fences": 1}),
    "a whole notebook": (json.dumps(NOTEBOOK), [("x = 1\nx", 1)], [(0, "# T")], {"notebook": 1}),
}


@pytest.mark.parametrize("name", PASTED)
def test_a_pasted_session_becomes_a_program(name):
    text, cells, notes, told = PASTED[name]
    cleaned = read_pasted(text)
    assert [(cell.text, cell.first_line) for cell in cleaned.program.cells] == cells
    assert [(note.before, note.markdown) for note in cleaned.program.notes] == notes
    assert cleaned.counts == told


def test_removed_prompts_and_outputs_are_summarised_in_a_sentence():
    cleaned = read_pasted(">>> 1 + 1\n2\n")
    assert cleaned_sentence(cleaned, "en") == "Pasted: one prompt removed, one line of output removed."


def test_a_cell_header_on_its_own_line_is_not_a_prompt():
    text = "In [1]:\nx = 1\n"
    assert read_pasted(text).counts == {} and read_pasted(text).program.cells == [CellSource(text)]


def test_limits_apply_to_pasted_text():
    for text, kind in [
        ("#" * 200_001, "too-large"),
        ("\ud800", "undecodable"),
        (">>> x\n1\n" * 2001, "too-many-cells"),
        ('{"cells": [', "broken-json"),
    ]:
        with pytest.raises(Unusable) as caught:
            read_pasted(text)
        assert caught.value.kind == kind


def read(text: str):
    program = read_program("a.py", text.encode())
    return program.cells, program.notes


def test_a_mark_begins_a_cell():
    assert read("# %%\nx = 1\n\n# %% two\nx\n") == ([CellSource("x = 1", 2), CellSource("x", 5)], [])
    assert read("#%%\nx = 1\n#%%\nx") == ([CellSource("x = 1", 2), CellSource("x", 4)], [])


def test_code_before_the_first_mark_is_a_cell():
    assert read("import a\n\n# %%\nx\n")[0] == [CellSource("import a", 1), CellSource("x", 4)]


def test_comments_before_the_first_mark_are_a_note():
    assert read("#!/usr/bin/env python\n# coding: utf-8\n# About\n\n# %%\nx\n") == (
        [CellSource("x", 6)],
        [Note(0, "About")],
    )


@pytest.mark.parametrize("body", ["# # Title\n#\n# Text", '"""\n# Title\n\nText\n"""', "# Title\n\nText"])
def test_markdown_between_cell_marks_is_a_note(body):
    cells, notes = read(f"# %% [markdown]\n{body}\n\n# %%\nx\n")
    assert [cell.text for cell in cells] == ["x"]
    assert notes in ([Note(0, "# Title\n\nText")], [Note(0, "Title\n\nText")])


@pytest.mark.parametrize("line", ["x = 1  # %%", "# %%time", "  # %%", "# %"])
def test_similar_lines_are_not_cell_marks(line):
    assert read(f"{line}\ny\n")[0] == [CellSource(f"{line}\ny\n")]


def test_a_mark_within_a_cell_is_written_with_a_backslash():
    assert read("# %%\ns = '''\n# \\%%\n'''\n")[0] == [CellSource("s = '''\n# %%\n'''", 2)]


def test_an_empty_cell_is_a_cell():
    assert read("# %%\n\n# %%\nx\n")[0] == [CellSource("", 2), CellSource("x", 4)]


def test_scripts_by_nbconvert_are_read():
    text = (
        "#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[1]:\n\n\n"
        "get_ipython().run_line_magic('matplotlib', 'inline')\nimport torch\n\n\n# Text\n# \n# more\n\n"
        "# In[ ]:\n\n\nx = 1\n\n# why\nx\n\n"
    )
    first = "get_ipython().run_line_magic('matplotlib', 'inline')\nimport torch\n\n\n# Text\n# \n# more"
    assert read(text) == ([CellSource(first, 9), CellSource("x = 1\n\n# why\nx", 20)], [Note(0, "# Title")])
