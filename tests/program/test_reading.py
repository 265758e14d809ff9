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


def test_a_py_file_is_one_cell():
    assert read_program("a.py", b"x = 1\ny = 2\n") == Program([CellSource("x = 1\ny = 2\n", 1)], [], "a.py", "py")


def test_standard_input_and_pasted_text_are_one_cell():
    assert read_program("-", b"x = 1").cells == [CellSource("x = 1")]
    assert read_text("x = 1").cells == [CellSource("x = 1")]


def test_an_empty_file_is_an_empty_cell():
    assert read_program("a.py", b"").cells == [CellSource("")]


def test_fences_of_python_are_cells_and_the_rest_is_notes():
    data = b"# Add\n\n```python\na + b\n```\n\nThen\n\n```sh\nls\n```\n\n"
    data += b"```\nplain\n```\n\n~~~ py title=x\nc\n\nd\n~~~\nEnd\n"
    program = read_program("a.md", data)
    assert program.cells == [CellSource("a + b", 4), CellSource("c\n\nd", 18)]
    assert program.notes == [
        Note(0, "# Add"),
        Note(1, "Then\n\n```sh\nls\n```\n\n```\nplain\n```"),
        Note(2, "End"),
    ]
    assert program.kind == "md"


def test_fences_as_books_write_them():
    assert read_program("a.MD", b"```{.python .input}\nx\n```\n").cells == [CellSource("x", 2)]
    assert read_program("a.md", b"- item\n\n  ```Python\n  if x:\n      y\n  ```\n").cells == [
        CellSource("if x:\n    y", 4)
    ]


def test_an_open_fence_reaches_to_the_end():
    assert read_program("a.md", b"```python\nx = 1").cells == [CellSource("x = 1", 2)]


def test_a_pasted_session_keeps_its_lines():
    session = b"```pycon\n>>> for i in x:\n...     i\n...\n1\n>>> x\n```\n"
    assert read_program("a.md", session).cells == [CellSource("for i in x:\n    i\n\n\nx", 2)]


def test_markdown_without_code_has_no_cells():
    assert read_program("a.md", b"Hello\n") == Program([], [Note(0, "Hello")], "a.md", "md")


def test_line_ends_become_one_and_a_byte_order_mark_goes():
    assert read_program("a.py", b"\xef\xbb\xbfa\r\nb\rc\n").cells[0].text == "a\nb\nc\n"
    assert read_program("a.md", b"\xef\xbb\xbf```py\r\na\r\n```\r\n").cells == [CellSource("a", 2)]


def test_other_separators_are_text():
    text = "x = 'a\u2028b\u0085c\x0cd'"
    assert read_program("a.py", text.encode()).cells[0].text == text
    assert read_program("a.md", f"```py\n{text}\n```".encode()).cells == [CellSource(text, 2)]


def test_bytes_that_are_not_utf_8_are_found():
    problem = unusable("a.py", "x = 1\r\ny = 'é'\n".encode("latin-1"))
    assert problem.kind == "undecodable"
    assert problem.values == {"path": "a.py", "given": "file", "line": 2, "offset": 12, "byte": "0xE9"}
    assert unusable("a.py", "x = 1".encode("utf-16")).kind == "undecodable"


def test_a_lone_surrogate_is_undecodable():
    with pytest.raises(Unusable) as caught:
        read_text("x = '\ud800'")
    assert caught.value.kind == "undecodable"
    assert "byte 0xED at offset 5, in line 1" in say("en", "unusable-undecodable", **caught.value.values)


def test_a_nul_is_found():
    problem = unusable("a.md", b"x\nab\0")
    assert (problem.kind, problem.values["line"], problem.values["column"]) == ("nul", 2, 3)


def test_200_kb_are_read_and_no_more():
    assert read_program("a.py", b"#" * 200_000).cells[0].text == "#" * 200_000
    problem = unusable("a.py", b"#" * 200_001)
    assert (problem.kind, problem.values["size"], problem.values["most"]) == ("too-large", 200_001, 200_000)


def test_a_program_has_a_bounded_number_of_cells():
    assert len(read_program("a.md", b"```py\n```\n" * 2000).cells) == 2000
    assert unusable("a.md", b"```py\n```\n" * 2001).kind == "too-many-cells"


@pytest.mark.parametrize("name, suffix", [("a.txt", ".txt"), ("a", "none"), ("a.py.gz", ".gz")])
def test_other_formats_are_unusable(name, suffix):
    problem = unusable(name, b"x = 1")
    assert (problem.kind, problem.values["suffix"]) == ("unknown-format", suffix)


def test_a_file_is_loaded(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    assert load_program(str(path)) == Program([CellSource("x = 1\n")], [], str(path), "py")


@pytest.mark.parametrize("name, reason", [("none.py", "missing"), (".", "folder"), ("a\0.py", "missing")])
def test_what_cannot_be_read_says_why(tmp_path, name, reason):
    with pytest.raises(Unusable) as caught:
        load_program(str(tmp_path / name))
    assert (caught.value.kind, caught.value.values["reason"]) == ("unreadable", reason)
    assert say("en", "unusable-unreadable", **caught.value.values)


def test_a_large_file_is_not_read(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"#" * 3_000_000)
    with pytest.raises(Unusable) as caught:
        load_program(str(path))
    assert (caught.value.kind, caught.value.values["size"]) == ("too-large", 3_000_000)


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
