"""Every reader of a stranger's text takes linear time, whatever the text."""

import contextlib
import json
from collections.abc import Callable
from unittest import mock

import pytest
from msgspec.structs import replace

from explorer.analysis.explain.autograd import graph_view, node_formulas
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.run import model as run
from explorer.analysis.views.broadcasting.question import operand
from explorer.analysis.views.calculus.function import Function, FunctionProblem, hint
from explorer.analysis.views.data.data_steps import with_line
from explorer.analysis.views.tensors.program_lines import branches_not_run, place_of_array_write, place_of_name
from explorer.analysis.views.training.changes import changes
from explorer.drawing.graph.dot import to_dot
from explorer.drawing.graph.player_data import sentence_html
from explorer.drawing.notebook.markdown import markdown_html, with_formulas
from explorer.io.json_values import dumps
from explorer.program import (
    CellSource,
    Program,
    Unusable,
    read_pasted,
    read_program,
    read_text,
    with_cell_replaced,
    write_program,
)
from explorer.program.permalink import BadLink, from_fragment, to_fragment
from explorer.program.scanner import bound_names, scan
from explorer.sandbox import limited_trace
from explorer.sandbox.replies import place
from explorer.text import say
from explorer.text.numbers import shorten, visible
from explorer.trace import Cell, Failure, Note, Options, Trace
from explorer.ui.panels.problems import problem_html, problems
from explorer.workers.explanations import Explanations
from tests.cases import with_thorough
from tests.measured import cost, costs_at_most, grows_in_proportion, halfway, unit
from tests.traces import trace_of as run_here

TEXTS: dict[str, Callable[[int], str]] = {
    "one long name": lambda n: "x" * n,
    "one long number": lambda n: "1" * n,
    "a sum of long numbers": lambda n: "1+" + "1" * n,
    "spaces": lambda n: "y = x" + " " * n + "* 2",
    "spaces below a prompt": lambda n: "In [1]:\nx = 1\n\n" + " " * n + "a ~",
    "empty lines": lambda n: "x" + "\n" * n + "x",
    "short lines": lambda n: "x\n" * (n // 2),
    "numbered lines": lambda n: "\n".join(map(str, range(1, n // 6))) + "\nx",
    "brackets that open": lambda n: "(" * n,
    "brackets that open, and numbers": lambda n: "tensor(" + "[" * (n // 2) + "1," * (n // 4),
    "brackets that close": lambda n: "x" + ")" * n,
    "pairs of brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "open brackets, a line each": lambda n: "f(\n" * (n // 3),
    "quotes": lambda n: "'\"" * (n // 2),
    "an open text": lambda n: '"""' + "a\n" * (n // 2),
    "open texts": lambda n: "'''\"\"\"" * (n // 6) + "\\",
    "escaped quotes": lambda n: '"' + '\\"' * (n // 2) + "\\",
    "backslashes": lambda n: "\\" * n,
    "typographic quotes": lambda n: "„“‘" * (n // 3),
    "marks of cells": lambda n: "# %%\n" * (n // 5),
    "marks of cells in a line": lambda n: "#%% " * (n // 4),
    "escaped marks": lambda n: "# %%\n# " + "\\" * n + "%%",
    "commas": lambda n: "," * n,
    "names and commas": lambda n: "a, " * (n // 3) + "= 1",
    "assignments": lambda n: "a = b = " * (n // 8),
    "colons": lambda n: ": " * (n // 2),
    "a deep indentation": lambda n: "if x:\n" + " " * n + "y",
    "ever deeper": lambda n: "".join(" " * i + "if x:\n" for i in range(int((2 * n) ** 0.5))),
    "headers that lost their blocks": lambda n: "for x in y:\na = 1\n\n" * (n // 19),
    "methods that lost their class": lambda n: "class A:\n" + "def f(self):\nreturn self\n" * (n // 25),
    "a statement over many lines": lambda n: "def f(x):\ny = (\n" + "1,\n" * (n // 3) + ")\nreturn x\n",
    "sentences": lambda n: "this is a sentence of words.\n" * (n // 29),
    "sentences in Chinese": lambda n: "这是 一个句子。\n" * (n // 9),
    "words without a space": lambda n: "变量" * (n // 2),
    "combining marks": lambda n: "x" + "\u0301" * n,
    "control characters": lambda n: "\x01\u202e" * (n // 2),
    "prompts": lambda n: ">>> x\n1\n" * (n // 8),
    "a session of sentences": lambda n: ">>> x\n\n" + "this is so.\n" * (n // 12),
    "prompts of a notebook": lambda n: "In [1]:\n" + "x\n\n" * (n // 3),
    "quotations": lambda n: ">" * n,
    "quotations in lines": lambda n: "> > > > a\n" * (n // 10),
    "lists in lists": lambda n: "".join("  " * i + "- a\n" for i in range(int(n**0.5))),
    "list marks": lambda n: "- " * (n // 2),
    "fences": lambda n: "```python\nx\n```\n" * (n // 16),
    "open fences": lambda n: "````" * (n // 4),
    "backticks": lambda n: "".join("`" * (i % 60) + " " for i in range(n // 30)),
    "emphasis": lambda n: "*a **b " * (n // 7),
    "links": lambda n: "[a](" * (n // 4),
    "links in links": lambda n: "[" * (n // 2) + "](x)" * (n // 8),
    "references": lambda n: "[a]: <b\n" * (n // 8),
    "tables": lambda n: "|a|b|\n|-|-|\n" + "|1|2|\n" * (n // 6),
    "a wide table": lambda n: "a|" * (n // 4) + "\n" + "-|" * (n // 4) + "\n",
    "HTML": lambda n: "<a " * (n // 3),
    "entities": lambda n: "&#x" * (n // 3),
    "dollars": lambda n: "$$a$ " * (n // 5),
    "formulas": lambda n: "$x^2$ " * (n // 6),
    "a formula of braces": lambda n: "$" + "{" * (n // 2) + "}" * (n // 2) + "$",
    "a formula of powers": lambda n: "$" + "x^{" * (n // 4) + "}" * (n // 4) + "$",
    "fractions": lambda n: "$$" + r"\frac{" * (n // 6) + "$$",
    "formulas that open": lambda n: "\\(" * (n // 2),
    "environments": lambda n: "\\begin{align}\n" * (n // 14),
    "JSON": lambda n: '{"cells": ' + "[" * n,
    "definitions": lambda n: "def f(\n" * (n // 7),
    "arguments": lambda n: "def f(" + "x, " * (n // 3) + "):\n  return x",
    "devices": lambda n: "if torch.cuda.is_available():\n  x\n" * (n // 34),
    "devices in a line": lambda n: "if " + ".cuda.is_available() " * (n // 21),
    "writes into arrays": lambda n: "x[0] " * (n // 5) + "out=x",
    "places": lambda n: 'File "<cell ' * (n // 12),
    "properties": lambda n: "tensor(1, " + "dtype=(" * (n // 7),
    "complex numbers": lambda n: "tensor([" + "1+1" * (n // 3) + "])",
}


def program(text: str) -> Program:
    return Program([CellSource(text)], [Note(0, text)])


def trace_of(text: str, name: str = "x") -> Trace:
    """Return a Trace in which everything that a program chooses is this text."""
    trace = limited_trace(Program([CellSource(text)]), Options(), "crash", 0.0, 0, 1)
    return replace(trace, cells=[Cell(text, [Failure("SyntaxError", text, 0, []), Failure("E", text, -1, [])])])


def shown(text: str) -> None:
    trace = trace_of(text)
    # explanations are computed in a child
    with mock.patch("explorer.ui.panels.problems.explanations_of", return_value=Explanations()):
        for one in problems(trace, "en"):
            problem_html(one)


def notebook(text: str) -> bytes:
    cells = [{"cell_type": kind, "source": text} for kind in ("code", "markdown", "raw")]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()


def function(text: str) -> None:
    one = Function(text)
    one.cell(), one.prelude()


READERS: dict[str, Callable[[str], object]] = {
    "a .py file": lambda text: read_program("a.py", text.encode()),
    "a .md file": lambda text: read_program("a.md", text.encode()),
    "an .ipynb file": lambda text: read_program("a.ipynb", notebook(text)),
    "an .ipynb file of nonsense": lambda text: read_program("a.ipynb", text.encode()),
    "a text": read_text,
    "a pasted text": read_pasted,
    "lines": scan,
    "names": bound_names,
    "what changed": lambda text: changes([text], [text.replace("1", "2") + "3"]),
    "written as .py": lambda text: write_program(program(text), "py"),
    "a cell of a .md file": lambda text: with_cell_replaced(
        read_program("a.md", b"```python\nx\n```\n"), 0, text, "```python\nx\n```\n"
    ),
    "a step added to a program of data": lambda text: with_line(text, "data = data.dropna()"),
    "a link": lambda text: from_fragment(to_fragment({"program": text})),
    "a link of nonsense": from_fragment,
    "where a name is given": lambda text: (
        place_of_name(trace_of(text), "x", -1),
        place_of_name(trace_of("x"), text, -1),
    ),
    "where an array is written": lambda text: place_of_array_write(trace_of(text), ("x", "a"), -1),
    "branches for devices": lambda text: branches_not_run(trace_of(text)),
    "an operand": operand,
    "a function": function,
    "advice": lambda text: hint(text, "SyntaxError: invalid syntax"),
    "an expression on one line": run.one_line,
    "an expression as a factor": node_formulas.factor,
    "a text shortened": lambda text: shorten(text, 40),
    "a visible text": visible,
    "Markdown, as much as is read": lambda text: with_formulas(markdown_html(text[:20_000])),
    "a step": sentence_html,
    "a sentence": lambda text: say("en", "no-such-name", name=text),
    "JSON": dumps,
    "an error": shown,
    "a place": lambda text: place(text.encode()),
}


FEW, MANY = 10_000, 50_000  # characters of a text
HEAVY = (
    "where an array is written", "what changed",
)  # fmt: skip
MUCH, FREE = 30, 60  # units of work; quadratic cost exceeds the first for few characters, the second for many


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", with_thorough(READERS, HEAVY))
def test_reading_time_is_proportional_to_the_text(name):
    reader = READERS[name]

    def reads(text: str) -> Callable[[], None]:
        def read() -> None:
            with contextlib.suppress(Unusable, BadLink, FunctionProblem, ValueError):
                reader(text)

        return read

    took = {name: cost(reads(text(FEW))) for name, text in TEXTS.items()}
    fixed = unit()
    for name, once in took.items():
        if once > MUCH * fixed:
            text = TEXTS[name]
            assert costs_at_most(halfway(4), reads(text(4 * FEW)), reads(text(FEW))), name
    worst = TEXTS[max(took, key=took.__getitem__)]
    assert costs_at_most(halfway(MANY / FEW), reads(worst(MANY)), reads(worst(FEW)), FREE)


PICTURES = {
    "spaces": lambda n: f"y = x{' ' * n}* 2",
    "a long name": lambda n: f"{'y' * n} = x * 2\ny = {'y' * n} + x",
    "a long list": lambda n: f"y = x * torch.tensor([{'1, ' * (n // 3)}]).sum()",
    "many terms": lambda n: f"y = x * sum([{'1 + 1, ' * (n // 7)}])",
    "a long comment": lambda n: f"y = x * 2  {'# (' * (n // 3)}",
    "a long text": lambda n: f"y = x * len('{'(, ' * (n // 3)}')",
    "many names": lambda n: "a = " * (n // 40) + "y = x * 2",
}


@pytest.mark.thorough
@pytest.mark.parametrize("made", PICTURES.values(), ids=PICTURES)
def test_drawing_time_is_proportional_to_the_program(made):
    def run(size: int) -> Trace:
        trace = run_here(f"import torch\nx = torch.ones(3, requires_grad=True)\n{made(size)}\ny.sum().backward()\n")
        assert trace.status == "ok", trace.cells[0].outputs
        return trace

    def draw(size: int) -> None:
        trace = replace(traces[size])  # a copy without cached results
        view = graph_view(trace)
        steps(trace, view, "en"), to_dot(view)
        for row in range(len(trace.operations)):
            place_of_name(trace, "y", row)

    traces = {size: run(size) for size in (1_000, 8_000)}
    assert grows_in_proportion(draw, 1_000, free=MUCH)
