"""IPython runs the cells; places of code, skipped lines and reports are ours."""

import re

import pytest

from explorer.runtime.kernel.code_places import CellPiece, PieceAlignment
from explorer.trace import Echo, Failure, Figure, Limit, Printed, Result, Skipped
from tests.runtime.test_cells import cells, ran, texts


@pytest.mark.parametrize(
    "source",
    [
        "!pip install torch",
        "%pip install -q torch",
        "!python -m pip install torch",
        "!nvidia-smi",
        "!python train.py | tee log.txt",
        "!echo x > a",
        "!git status",
        "!cat /etc/passwd",
        "!wget https://example.org/names.txt",
        "!unzip data.zip",
        "gpu = !nvidia-smi",
        "for i in [1]:\n    !nvidia-smi\n",
        "!apt-get \\\n  install x > /dev/null",
    ],
)
def test_a_skipped_line_is_reported_and_the_cell_continues(source):
    trace = ran(source + "\nprint('on')")
    [told] = [output for output in trace.cells[0].outputs if isinstance(output, Skipped)]
    piece = trace.text(told.span)
    assert piece[0] in "!%" and piece in source and told.what == piece.split("\n")[0]
    assert trace.status == "ok" and texts(trace.cells[0].outputs, Printed) == ["on\n"]


def test_shell_output_is_empty_and_files_can_be_written():
    trace = ran("files = !ls\nprint(files)", "%%bash\necho x > a", "%%writefile a.py\nx = 1", "%run a.py\nx")
    assert texts(trace.cells[0].outputs, Printed) == ["[]\n"]
    assert [type(one) for one in trace.cells[1].outputs] == [Skipped]
    assert texts(trace.cells[2].outputs, Printed) == ["Writing a.py\n"] and texts(trace.cells[3].outputs, Echo) == ["1"]


AROUND = [  # a cell, the texts of its operations
    ("%time y = torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("if True:\n    %time y = torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    (">>> y = torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("    y = torch.ones(2) + 1\n    y", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("é = %time torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("%matplotlib inline\n\ny = torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("\n\n%config InlineBackend.figure_format = \\\n  'svg'\ny = torch.ones(2)", ["torch.ones(2)"]),
    ("%%time\n\nx = torch.ones(2)\ny = (x\n     + 1)", ["torch.ones(2)", "x\n     + 1"]),
    ("%%capture out\n%time y = torch.ones(2)\nz = y + 1", ["torch.ones(2)", "y + 1"]),
    ("%%time\n%time y = torch.ones(3)\ny.sum()", ["torch.ones(3)", "y.sum()"]),
    ("%timeit -n3 -r2 torch.ones(2) + 1", ["torch.ones(2)", "torch.ones(2) + 1"]),
    ("%%timeit -n3 -r2 k = 2\nx = torch.ones(2)\nx * k", ["torch.ones(2)", "x * k"]),
    ("for i in range(2):\n    %time torch.ones(2)", ["torch.ones(2)", "torch.ones(2)"]),
    ("get_ipython().run_cell_magic('time', '', 'y = torch.ones(2)\\n')", ["torch.ones(2)"]),
]


def test_places_refer_to_the_original_text():
    trace = ran(*(source for source, _ in AROUND))
    for number, (source, expected) in enumerate(AROUND):
        spans = [span for span in trace.operations.span if trace.spans[span].cell == number]
        assert [trace.text(span) for span in spans] == expected or source.startswith("get_ipython"), source


def test_a_magics_span_covers_its_text():
    trace = ran("%%html\n<b>x</b>\n", "x = 1; display(x)", "%%time\ndisplay(2)", "if True:\n    %nobody x")
    shown = [one.span for cell in trace.cells for one in cell.outputs if isinstance(one, Result | Failure)]
    assert list(map(trace.text, shown)) == ["%%html\n<b>x</b>", "display(x)", "display(2)", "%nobody x"]


def test_magics_keep_rounds_and_names():
    trace = ran("%%time\nx = torch.ones(1)\nfor i in range(3):\n    x = x * 2\nx")
    rounds = [
        list(trace.operations.iteration[at])
        for at, span in enumerate(trace.operations.span)
        if trace.text(span) == "x * 2"
    ]
    assert rounds == [[0], [1], [2]]
    assert {one.name for one in trace.bindings} == {"x"}


@pytest.mark.parametrize(
    "source, line, column",
    [
        ("%time x = = 1", 1, 10),
        ("%%time\nx = 1\nx = = 1", 3, 4),
        (">>> x = = 1", 1, 8),
        ("%matplotlib inline\n\nif x\n", 3, 4),
        ("%%capture\n%time 1 +", 2, 9),
        ("x = 1\n  y = 2", 2, 1),
    ],
)
def test_a_syntax_error_is_located_in_the_original_text(source, line, column):
    trace = ran(source)
    [problem] = [one for one in trace.cells[0].outputs if isinstance(one, Failure)]
    span = trace.spans[problem.span]
    assert problem.type in ("SyntaxError", "IndentationError") and (span.line, span.column) == (line, column)


def test_an_error_is_located_at_its_line_under_a_magic_too():
    source = "def f(x):\n    return 1 / x"
    trace = ran(source, "%%time\n\nf(0)", "%time f(0)", "%%capture\nf(0)", "%timeit f(0)", "%%time\n%time f(0)")
    for cell in trace.cells[1:]:
        [problem] = [one for one in cell.outputs if isinstance(one, Failure)]
        assert [trace.text(one) for one in problem.frames][-2:] == ["f(0)", "1 / x"], cell


@pytest.mark.thorough
def test_too_deeply_nested_code_is_a_syntax_error():
    deep, many = "x = " + "(" * 300 + ")" * 300, "%who\n" * 600
    outputs = cells(deep, many, "1")
    assert [one.type for [one] in outputs[:2] if isinstance(one, Failure)] == ["SyntaxError"] * 2
    assert outputs[2] == [Echo("1")]


def test_timed_code_runs_briefly_and_is_recorded_once():
    outputs = cells("n = 0", "%timeit -n2 -r2 n", "n = 1\n%timeit m = n", "m", "t = %timeit -o -q sum(range(10**6))")
    number = r"[\d.e+]+ (ns|μs|us|µs|ms|s)"
    assert re.search(rf"{number} ± {number} per loop \(.* of 2 runs, 2 loops each\)\n", texts(outputs[1], Printed)[0])
    assert texts(outputs[3], Failure) == ["name 'm' is not defined"] and outputs[4] == []
    trace = ran("x = torch.ones(1)\n%timeit x * 2\n%timeit -n5 -r1 x + 2")
    assert list(map(trace.text, trace.operations.span)) == ["torch.ones(1)", "x * 2", "x + 2"]


def test_captured_output_is_shown_again_with_figures_and_tables():
    source = """%%capture out
import matplotlib.pyplot as plt, pandas as pd
print("hidden")
plt.plot([1, 2])
display(pd.DataFrame({"a": [1]}))
5"""
    hidden, shown, again = cells(source, "out.show()", "out.stdout")
    assert hidden == [] and again == [Echo("'hidden\\n'")]
    assert [type(one) for one in shown] == [Printed, Result, Result, Figure]
    assert shown[1].table.columns == ["", "a"] and shown[2].text == "5"


def test_rich_values_are_shown_by_their_picture():
    source = """class Drawn:
    def _repr_svg_(self): return '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"></svg>'
class Broken:
    def _repr_html_(self): raise ValueError("no")
    def __repr__(self): return "broken"
Drawn(), display(Drawn())
Drawn()"""
    outputs = cells(source, "Broken()", "%%svg\n<svg/>")
    assert [(one.format, one.width, one.height) for one in outputs[0] if isinstance(one, Figure)] == [
        ("svg", 30, 20)
    ] * 2
    assert outputs[1] == [Printed("stderr", "ValueError: no\n"), Echo("broken")]
    assert isinstance(outputs[2][0], Figure)


def test_outputs_are_ordered_under_magics():
    source = "%%time\nimport sys\nprint(1)\ndisplay(2)\nprint(3, file=sys.stderr)\n4"
    order = [(type(one), one.text[:4]) for one in cells(source)[0]]
    assert order == [(Printed, "1\n"), (Result, "2"), (Printed, "3\n"), (Printed, "CPU "), (Echo, "4")]


def test_much_output_of_a_magic_is_folded():
    outputs = cells("%%time\nfor i in range(99999): print(i)", "print('on')", output_limit=8)
    assert any(isinstance(one, Limit) and one.folds for one in outputs[0]) and outputs[1] == [Printed("stdout", "on\n")]


def test_a_run_file_is_recorded_under_its_name():
    source = "%%writefile model.py\nimport torch\ndef twice(x):\n    return x * 2\ny = twice(torch.ones(1))"
    trace = ran(source, "%run model.py\ny", "from model import twice\ntwice(torch.ones(2))")
    assert [texts(cell.outputs, Echo) for cell in trace.cells[1:3]] == [["tensor([2.])"], ["tensor([2., 2.])"]]
    assert {cell.name for cell in trace.cells[3:]} == {"model.py"}
    assert [trace.text(one) for one in trace.operations.span][:2] == ["torch.ones(1)", "x * 2"]


def test_each_run_has_its_own_shell():
    first = "get_ipython().ast_node_interactivity = 'all'\nimport builtins\n%alias_magic t time\nx = 1"
    cells(first, "%config InteractiveShell.xmode = 'Verbose'", "await __import__('asyncio').sleep(0)")
    outputs = cells("1\n2", "In, Out, get_ipython().execution_count", "%t 1", "x")
    assert [type(one) for one in outputs[0]] == [Result, Echo]
    assert texts(outputs[1], Echo)[0].startswith("(['', '1\\n2',") and texts(outputs[3], Failure)
    assert texts(outputs[2], Failure) == ["Line magic function `%t` not found."]


def test_help_is_printed_in_full_up_to_a_length():
    outputs = cells('def f(x):\n    """Twice."""\n    return 2 * x', "f?", "from torch import nn\nnn.Module??")
    printed = "".join(one.text for one in outputs[1] if isinstance(one, Printed) and one.stream == "stdout")
    assert printed.startswith("Signature: f(x)\nDocstring: Twice.")
    assert [(one.what, one.reason) for one in outputs[2] if isinstance(one, Skipped)] == [("nn.Module??", "help")]


def test_exit_ends_the_program():
    trace = ran("1", "exit", "2")
    assert [one.reason for cell in trace.cells[1:] for one in cell.outputs] == [
        "ended",
        "cell",
    ] and trace.status == "ok"


def test_transformed_lines_map_to_their_original_lines():
    alignment = PieceAlignment(CellPiece(0, 3, 2, "\n%a \\\n  b\n    x = !c\n"), "get_ipython()\nx = get_ipython()\n")
    assert [alignment.place(1, 0), alignment.place(1, 5, end=True)] == [(4, 0), (5, 3)]
    assert [alignment.place(2, 0), alignment.place(2, 20, end=True)] == [(6, 0), (6, 10)]
