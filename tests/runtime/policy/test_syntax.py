"""The transformer: whatever the text, it ends with a tree that compiles, or a refusal with its place."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.runtime.policy import Refused, check_text, transform
from tests.runtime.policy.tutorials import TUTORIALS

SOURCES = [source.replace("%matplotlib inline", "pass") for source in TUTORIALS.values()]
LINES = [line for source in SOURCES for line in source.split("\n")]
PIECES = [
    "__class__",
    "__x",
    "_",
    "*a",
    "**k",
    "async ",
    "match x:\n    case A(b=c): pass\n",
    "lambda: ",
    "yield ",
    ":=",
    "(",
    "]",
    "\u202e",
    ".",
    "'",
]


def outcome(source: str) -> str:
    """compiled, refused, or what the parser says."""
    try:
        check_text(source)
        tree = ast.parse(source)
    except Refused as refused:
        return refused.reason
    except (SyntaxError, ValueError) as problem:
        return type(problem).__name__
    try:
        compile(transform(tree), "<cell 0>", "exec")
    except Refused as refused:
        line, end_line, column, _ = refused.place
        assert 1 <= line <= end_line <= source.count("\n") + 1 and column >= 0 and refused.what
        return refused.reason
    except SyntaxError:  # what only the compiler finds: `return` outside a function
        return "SyntaxError"
    return "compiled"


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_mutated_programs_never_crash_it(data):
    source = data.draw(st.sampled_from(SOURCES))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(source)))
        cut = data.draw(st.integers(0, 12))
        source = source[:at] + data.draw(st.sampled_from(PIECES) | st.text(max_size=3)) + source[at + cut :]
    outcome(source)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_lines_thrown_together_never_crash_it(lines):
    outcome("\n".join(lines))


@pytest.mark.parametrize("source", SOURCES)
def test_every_tutorial_passes(source):
    assert outcome(source) == "compiled"


def test_a_long_sum_is_no_deep_recursion():
    assert outcome("x = " + " + ".join(["y.a"] * 900)) == "compiled"


def test_operations_stay_operations():
    tree = transform(ast.parse("x.data *= 100\na, b = x.T\ny[0] += 1\n[i for i in x]"))
    assert [type(node) for node in tree.body] == [ast.AugAssign, ast.Assign, ast.AugAssign, ast.Expr]
    assert ast.unparse(tree.body[0]) == "$update(x, 'data').data *= 100"
    assert ast.unparse(tree.body[1]) == "a, b = $read(x, 'T').T"


def test_private_names_are_checked_as_the_compiler_writes_them():
    assert "'_A__x'" in ast.unparse(transform(ast.parse("class A:\n    def f(self): return self.__x")))
