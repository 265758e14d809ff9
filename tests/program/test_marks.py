"""Lines that need a hand, and what one click makes of them."""

import pytest

from explorer.drawing.notebook.paste_notes import mark_sentence, mend_label
from explorer.program import CellSource, Program, find_marks, mend, mend_all
from explorer.program.indentation import restored


def marks(text: str) -> list[tuple[int, str, str]]:
    return [(mark.line, mark.kind, mark.mended) for mark in find_marks(Program([CellSource(text)]))]


@pytest.mark.parametrize(
    "line, mended",
    [
        ("x = （1，2）", "x = (1,2)"),
        ("print(“结果：”，x)", 'print("结果：",x)'),
        ("if x ＝＝ 1：", "if x == 1:"),
        ("x = ‘a’", "x = 'a'"),
        ("y\u00a0= 1\u200b", "y = 1"),
        ("y = 2 − 1", "y = 2 - 1"),
        ('f(“a"b”)', "f('a\"b')"),
    ],
)
def test_full_width_characters_in_code(line, mended):
    assert marks(line) == [(1, "characters", mended)]


@pytest.mark.parametrize(
    "line", ["x = '（1，2）'  # 结果：“1”", 's = """\n（，）\n"""', "变量 = 1\nprint(变量)", "f'，{x}'"]
)
def test_strings_comments_and_names_are_left_alone(line):
    assert marks(line) == []


@pytest.mark.parametrize("line", ["结果为：", "输出a,标量a的值", "First we import the library.", "    现在计算 y 的值"])
def test_a_sentence_without_a_number_sign(line):
    indent = line[: len(line) - len(line.lstrip())]
    assert marks(f"x = 1\n{line}\n") == [(2, "prose", f"{indent}# {line.lstrip()}")]


@pytest.mark.parametrize(
    "line",
    [
        "print x",
        "x if y else z",
        "not x in y",
        "%time x = f(y)",
        "!pip install a b c",
        "x?",
        "lambda x: x",
        "async def f(): pass",
    ],
)
def test_code_is_no_sentence(line):
    assert marks(line) == []


def test_words_in_brackets_and_strings_are_no_sentence():
    assert marks('f("this is a sentence", [\n  1\n])\n"""\nThis is a sentence too.\n"""') == []


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("def f(x):\nreturn x\n\ny = 1", "def f(x):\n    return x\n\ny = 1"),
        ("if x:\na = 1\nelse:\na = 2", "if x:\n    a = 1\nelse:\n    a = 2"),
        ("class A:\ndef f(self):\nself.x = 1", "class A:\n    def f(self):\n        self.x = 1"),
        ("for x in y:\nprint(\nx)", "for x in y:\n    print(\n    x)"),
    ],
)
def test_indentation_comes_back_where_one_way_is_possible(text, wanted):
    assert restored(text)[0] == wanted
    assert marks(wanted) == []


@pytest.mark.parametrize(
    "text, proposed",
    [
        ("for i in x:\na = i\nb = i", "for i in x:\n    a = i\n    b = i"),
        ("with f() as g:\ng(1)\ng(2)\n\nh = 1", "with f() as g:\n    g(1)\n    g(2)\n\nh = 1"),
        (
            "def f(x):\ny = x\nwhile y:\ny = 1\nreturn y",
            "def f(x):\n    y = x\n    while y:\n        y = 1\n    return y",
        ),
    ],
)
def test_indentation_is_proposed_where_several_ways_are_possible(text, proposed):
    assert restored(text) == (text, 0)
    assert marks(text) == [(1, "indentation", proposed)]


def test_what_follows_a_sure_part_is_sure():
    text = "def f(x):\nreturn x\nfor i in x:\na = i\nb = i"
    assert restored(text) == ("def f(x):\n    return x\nfor i in x:\na = i\nb = i", 1)
    assert [line for line, _, _ in marks(restored(text)[0])] == [3]


@pytest.mark.parametrize(
    "text", ["if x:\n  y\nz", "x = {\n'a':\n1}", "if x: y\nz", "def f():\n    '''\ntext\n'''\n", "d[x:\ny]"]
)
def test_indented_code_is_left_alone(text):
    assert restored(text) == (text, 0)
    assert marks(text) == []


def test_a_long_flat_text_is_left_to_python():
    assert restored("if x:\n" * 5000) == ("if x:\n" * 5000, 0)


def test_one_mark_is_mended_at_a_time():
    program = Program([CellSource("a = 1"), CellSource("x = （1）\n结果为：\ny", 7)])
    first, second = find_marks(program)
    assert (first.cell, first.line, second.line) == (1, 1, 2)
    assert mend(program, second).cells[1] == CellSource("x = （1）\n# 结果为：\ny", 7)
    assert mend_all(program).cells[1] == CellSource("x = (1)\n# 结果为：\ny", 7)
    assert find_marks(mend_all(program)) == []


def test_a_name_may_be_bound_in_another_cell():
    assert find_marks(Program([CellSource("结果 = 1"), CellSource("结果")])) == []


def test_marks_speak_both_languages():
    (mark,) = find_marks(Program([CellSource("x\u3000=（1）")]))
    assert mark_sentence(mark, "en") == "Line 1: U+3000 （ ） is not Python’s own character."
    assert mend_label(mark, "zh") == "换成 Python 的字符"
    (mark,) = find_marks(Program([CellSource("for i in x:\na = i\nb = i")]))
    assert mark_sentence(mark, "en").startswith("Lines 1–3 lost their indentation")
