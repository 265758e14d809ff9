"""What cells show: echoes, results, prints, errors, displays, in the order of a notebook."""

import pandas as pd
import pytest
import torch

from explorer.program import CellSource, Program, read_program
from explorer.runtime.execute import execute
from explorer.trace import Echo, Failure, Figure, Limit, Options, Printed, Result, Skipped, Trace, decode, encode
from tests.traces import trace_of


def cells(*sources: str, **options) -> list[list]:
    """Return the outputs of every cell, after encoding and decoding."""
    return [cell.outputs for cell in ran(*sources, **options).cells]


def ran(*sources: str, **options) -> Trace:
    program = Program([CellSource(source) for source in sources])
    return decode(encode(execute(program, Options(**options))))


def texts(outputs: list, kind: type) -> list[str]:
    return [output.text for output in outputs if isinstance(output, kind)]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("prnt(1)", "name 'prnt' is not defined. Did you mean: 'print'?"),
        ("''.joim([])", "'str' object has no attribute 'joim'. Did you mean: 'join'?"),
        ("nothing_like_it", "name 'nothing_like_it' is not defined"),
        ("nn.ReLU()", "name 'nn' is not defined"),
        ("exti()", "name 'exti' is not defined"),
    ],
)
def test_an_error_includes_pythons_suggestion_of_the_programs_names(cell, said):
    assert [one.text for one in ran(cell).cells[0].outputs] == [said]


def test_names_are_shared_between_cells():
    assert cells("x = torch.ones(2)", "y = x * 2\ny")[1] == [Echo("tensor([2., 2.])")]


@pytest.mark.parametrize(
    "source, shown",
    [
        ("1, 'a'", "(1, 'a')"),
        ("torch.ones(2), torch.zeros(2)", "(tensor([1., 1.]), tensor([0., 0.]))"),
        (
            "x = torch.arange(4.)\nx + 1, x - 1, x * 2, x / 2",
            "(tensor([1., 2., 3., 4.]),\n tensor([-1.,  0.,  1.,  2.]),\n tensor([0., 2., 4., 6.]),\n"
            " tensor([0.0000, 0.5000, 1.0000, 1.5000]))",
        ),
        ("{'b': 1, 'a': {2, 1}}", "{'b': 1, 'a': {1, 2}}"),
        ("'text'", "'text'"),
        ("    3 + 4", "7"),
    ],
)
def test_the_last_expression_is_echoed_like_in_ipython(source, shown):
    assert texts(cells(source)[0], Echo) == [shown]


@pytest.mark.parametrize("source", ["x = 1", "None", "3;", "3;  # quiet", "for i in [1]: i", "def f(): return 1", ""])
def test_statements_without_value_have_no_echo(source):
    assert texts(cells(source)[0], Echo) == []


def test_every_other_bare_expression_has_a_result_at_its_line():
    trace = ran("x = torch.ones(2)\nx\nx.shape\n'a comment'\nif True:\n    x + 1\nx.requires_grad_()\nprint(1)\nx * 2")
    results = [output for output in trace.cells[0].outputs if isinstance(output, Result)]
    assert [(trace.text(result.span), result.text) for result in results] == [
        ("x", "tensor([1., 1.])"),
        ("x.shape", "torch.Size([2])"),
        ("x + 1", "tensor([2., 2.])"),
        ("x.requires_grad_()", "tensor([1., 1.], requires_grad=True)"),
    ]


def test_results_of_a_loop_are_bounded():
    assert len(texts(cells("for i in range(1000): i\n")[0], Result)) == 10


def test_a_result_prints_nothing_and_its_repr_may_fail():
    source = (
        "class Loud:\n    def __repr__(self):\n        print('loud')\n        raise ValueError\nLoud()\nprint('on')"
    )
    assert cells(source)[0] == [Printed("stdout", "on\n")]


def test_a_failing_repr_is_printed_and_is_not_a_failure():
    source = "class Broken:\n    def __repr__(self): raise ValueError('no')\nBroken()"
    assert cells(source, "1")[0] == [Printed("stderr", "ValueError: no\n")]


def test_showing_results_records_no_operations():
    plain, shown = ran("x = torch.ones(2)\ny = x + 1\nNone"), ran("x = torch.ones(2)\nx\ny = x + 1\ny\nNone")
    assert len(shown.operations) == len(plain.operations) == 2


def test_outputs_keep_their_order():
    source = "import sys, warnings\nprint('a')\n5\nprint('b', file=sys.stderr)\nwarnings.warn('c')\nprint('d')\n6"
    assert [output.text for output in cells(source)[0]] == ["a\n", "5", "b\n", "UserWarning: c\n", "d\n", "6"]


def test_later_cells_run_after_a_failing_cell():
    first, second, third = cells("1/0", "x =", "'still here'")
    assert texts(first, Failure) == ["division by zero"]
    assert [(output.type, output.text) for output in second] == [("SyntaxError", "invalid syntax")]
    assert texts(third, Echo) == ["'still here'"]


def test_stop_on_error_skips_later_cells_with_a_note():
    outputs = cells("0", "1/0", "2", " ", stop_on_error=True)
    assert [type(one) for shown in outputs for one in shown] == [Echo, Failure, Skipped]
    assert outputs[2] == [Skipped("", -1, "cell", "2")]


def test_notebook_history_names_work():
    shown = [texts(outputs, Echo) for outputs in cells("1 + 1", "_ * 3", "Out[1], _2, In[1], __", "_ = 7", "8", "_")]
    assert shown == [["2"], ["6"], ["(2, 6, '1 + 1', 2)"], [], ["8"], ["7"]]


def test_notebook_history_names_do_not_name_tensors():
    trace = ran("torch.ones(2)", "_ + 1", "Out[1] + _2 + Out[2]")
    assert trace.bindings == []


def test_display_shows_values_in_place():
    outputs = cells("import pandas as pd\nprint(1)\ndisplay(torch.ones(1), pd.DataFrame({'a': [1]}))\nprint(2)")[0]
    assert [type(output) for output in outputs] == [Printed, Result, Result, Printed]
    assert outputs[1].text == "tensor([1.])"
    assert outputs[2].table.rows == [["0", "1"]]


# ---- tables ---------------------------------------------------------------------------------------------------------


def table(source: str):
    [echo] = cells(f"import pandas as pd\n{source}")[0]
    return echo.table


def test_a_frame_is_echoed_as_text_and_as_data():
    source = "pd.DataFrame({'a': [1.5, None], 'b': ['x', 'y']}, index=['r', 's'])"
    [echo] = cells(f"import pandas as pd\n{source}")[0]
    assert echo.text == "     a  b\nr  1.5  x\ns  NaN  y"
    assert (echo.table.columns, echo.table.rows) == (["", "a", "b"], [["r", "1.5", "x"], ["s", "NaN", "y"]])
    assert echo.table.total == 2


def test_a_long_frame_shows_its_ends_and_its_length():
    found = table("pd.DataFrame({'a': range(100)})")
    assert found.total == 100 and len(found.rows) == 11
    assert [row[0] for row in found.rows] == ["0", "1", "2", "3", "4", "...", "95", "96", "97", "98", "99"]


def test_a_wide_frame_shows_twenty_columns():
    found = table("pd.DataFrame([range(30)])")
    assert len(found.columns) == 22 and found.columns[11] == "..."


def test_an_empty_frame_has_no_rows():
    assert table("pd.DataFrame(columns=['a', 'b'])").columns == ["", "a", "b"]
    assert table("pd.DataFrame()").rows == []


def test_wide_tables_print_as_in_jupyter():
    frame = pd.DataFrame({f"column{i}": [1.5] for i in range(25)})
    with pd.option_context("display.max_columns", 20, "display.width", 80):
        expected = str(frame)
    source = "import pandas as pd\nprint(pd.DataFrame({f'column{i}': [1.5] for i in range(25)}))"
    assert texts(cells(source)[0], Printed) == [expected + "\n"]


# ---- the same again -------------------------------------------------------------------------------------------------


def test_the_process_is_restored_after_a_run():
    import builtins
    import os
    import sys

    import matplotlib.pyplot  # noqa: F401 - what a run imports stays, whichever test is the first to do so

    def watched():
        names = ("matplotlib", "matplotlib.pyplot", "d2l", "IPython.display", "__main__")
        return [
            builtins.open,
            os.stat,
            os.mkdir,
            sys.stdout,
            sys.displayhook,
            torch.save,
            torch.random.get_rng_state().sum(),
        ] + [sys.modules.get(name) for name in names]

    before = watched()
    cells(
        "import matplotlib.pyplot as plt\nplt.plot([1])\nopen('a', 'w').write('x')\nimport random; torch.rand(1)\n1/0"
    )
    assert watched() == before


def test_two_runs_leave_the_same_state():
    source = (
        "import random, numpy as np\nx = torch.rand(3, requires_grad=True)\nx\n"
        "(x * random.random()).sum().backward()\n{'a', 'b'}"
    )
    assert encode(ran(source, "np.random.rand(), x.grad")) == encode(ran(source, "np.random.rand(), x.grad"))


# ---- bounds ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "source",
    [
        "for i in range(20_000): display(i)",
        "import pandas as pd\nfor _ in range(400): display(pd.DataFrame({'a': range(50)}))",
        "import sys\nfor i in range(20_000): print(1), print(2, file=sys.stderr)",
        "print('x' * 10**6)",
        "'x' * 10**6",
    ],
)
def test_too_many_outputs_lose_their_middle_and_the_program_continues(source):
    trace = ran(source, "'reached'")
    (fold,) = [output for output in trace.cells[0].outputs if isinstance(output, Limit)]
    assert trace.status == "limited" and trace.end == "ok" and fold.limit == "output" and fold.count > 1_000
    assert len(trace.cells[0].outputs) <= 5_001 and texts(trace.cells[1].outputs, Echo) == ["'reached'"]


def test_excess_output_keeps_its_beginning_and_end():
    outputs = cells("for i in range(30_000): print(i)\n1 / 0", "print('y' * 20_000)")
    head, fold, tail, failed = outputs[0]
    assert head.text.startswith("0\n1\n2\n") and tail.text.endswith("29998\n29999\n")
    whole = "".join(f"{i}\n" for i in range(30_000))
    assert len(head.text) + fold.count + len(tail.text) == len(whole)
    assert whole.startswith(head.text) and whole.endswith(tail.text) and failed.type == "ZeroDivisionError"
    assert sum(len(one.text) for one in outputs[0][::2]) <= 64 * 1024
    assert texts(outputs[1], Printed)[0].startswith("yyy")  # a flood of output leaves room for later cells


def test_every_character_of_two_streams_is_shown_or_counted():
    (outputs,) = cells("import sys\nfor i in range(6_000): print(i), print(10 * 'e' * (i % 3), file=sys.stderr)")
    (fold,) = [output for output in outputs if isinstance(output, Limit)]
    whole = sum(len(f"{i}\n") + 10 * (i % 3) + 1 for i in range(6_000))
    assert sum(map(len, texts(outputs, Printed))) + fold.count == whole


def test_figures_and_refusals_survive_excess_output():
    loop = "for i in range(3): print('x' * 50_000), plt.plot([i]), plt.show()"
    (outputs,) = cells("import matplotlib.pyplot as plt\n" + loop)
    assert sum(isinstance(output, Figure) for output in outputs) == 3


def test_the_output_limit_is_configurable():
    assert ran("print('x' * 200_000)", output_limit=300.0).status == "ok"
    (head, fold, tail) = ran("print('x' * 9_000)", output_limit=8.0).cells[0].outputs
    assert (fold.bound, len(head.text), len(tail.text)) == (8.0, 4096, 2048)


def test_clear_output_removes_the_cells_outputs():
    clear = "from IPython.display import clear_output, display\n"
    assert texts(cells(clear + "print(1)\nclear_output()\nprint(2)")[0], Printed) == ["2\n"]
    assert texts(cells(clear + "for i in range(9):\n    clear_output(wait=True)\n    print(i)")[0], Printed) == ["8\n"]
    assert texts(cells(clear + "print(1)\nclear_output(wait=True)")[0], Printed) == ["1\n"]  # no output followed
    flood = ran(clear + "for i in range(99):\n    clear_output()\n    print('x' * 60_000)")
    assert flood.status == "ok" and len(flood.cells[0].outputs) == 1
    from_module = ran("from IPython import display\nprint(1)\ndisplay.clear_output()\nprint(2)")
    assert texts(from_module.cells[0].outputs, Printed) == ["2\n"]


@pytest.mark.thorough
def test_cleared_figures_do_not_count():
    animation = "for i in range(110):\n    clear_output(wait=True)\n    plt.plot([i])\n    plt.show()"
    (outputs,) = cells("import matplotlib.pyplot as plt\nfrom IPython.display import clear_output\n" + animation)
    assert [type(output) for output in outputs] == [Figure]


def test_displayed_values_can_be_updated():
    source = "shown = display(0, display_id=True)\nprint('between')\nfor i in range(5): shown.update(i)"
    trace = ran(source)
    assert texts(trace.cells[0].outputs, Result) == ["4"] and trace.status == "ok"
    named = "from IPython.display import display, update_display\nshown = display(1, display_id='a')\n"
    assert texts(cells(named + "update_display(2, display_id='a')")[0], Result) == ["2"]


@pytest.mark.thorough
def test_excess_results_are_dropped_silently_and_excess_figures_with_a_warning():
    outputs = cells(
        "\n".join(["1"] * 20_000), "from PIL import Image\nfor i in range(300): display(Image.new('L', (1, 1)))"
    )
    assert len(texts(outputs[0], Result)) < 3_000 and texts(outputs[0], Echo) == ["1"]
    assert sum(isinstance(output, Figure) for output in outputs[1]) == 100
    assert texts(outputs[1], Printed) == ["UserWarning: too many figures: the rest is not shown\n"]


@pytest.mark.parametrize(
    "source, shown",
    [
        (
            "%matplotlib inline\nimport matplotlib.pyplot as plt\nfrom d2l import torch as d2l\n"
            "d2l.plot([1., 2.], [3., 4.])\n1",
            "1",
        ),
        ("import os\nos.makedirs(os.path.join('..', 'data'), exist_ok=True)\nos.path.exists('../data')", "True"),
        ("import pandas as pd\nopen('a.csv', 'w').write('a\\n1\\n')\npd.read_csv('a.csv').a.sum()", "np.int64(1)"),
        ("from IPython import display\ndisplay.display(1)\n_", "''"),
        (
            "fig = 1\nfrom matplotlib import pyplot as plt\nfig, ax = plt.subplots()\nax.set_xlabel('x')",
            "Text(0.5, 0, 'x')",
        ),
    ],
)
def test_tutorials_find_a_notebook_environment(source, shown):
    trace = ran(source)
    assert texts(trace.cells[0].outputs, Echo) == [shown] and trace.status == "ok"


def test_an_exception_with_a_failing_str_is_reported():
    ((failed,),) = cells("class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E")
    assert (failed.type, failed.text) == ("E", "<exception str() failed>")


def test_terminal_colour_codes_are_removed_from_output_and_errors():
    trace = trace_of("print('\\x1b[1;31mred\\x1b[0m')\nraise ValueError('\\x1b[1mbold\\x1b[0m')")
    assert [output.text for output in trace.cells[0].outputs] == ["red\n", "bold"]


def test_a_script_knows_its_file_and_a_notebook_has_none():
    source = b"import os\nprint(os.path.abspath(__file__) == os.path.join(os.getcwd(), 'train.py'))"
    trace = execute(read_program("somewhere/train.py", source), Options())
    assert texts(trace.cells[0].outputs, Printed) == ["True\n"] and trace.bound("__file__") is None
    assert [output.type for output in cells(source.decode())[0] if isinstance(output, Failure)] == ["NameError"]
