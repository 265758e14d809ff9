"""Detours through objects that two parts of the ring hand to each other: none leads anywhere."""

import pytest

from explorer.trace import Printed, Trace
from tests.traces import trace_of


def printed(trace: Trace) -> str:
    return "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))


LAID = "{'data': (id(len), True), 'shape': (1,), 'typestr': '<f8', 'version': 3}"


def liar(held: str, said: str) -> str:
    """A text of the program's own class, which holds one thing and answers another."""
    return f"""
import argparse, enum, numpy as np, pandas as pd, types
class Liar(enum.StrEnum):
    A = {held!r}
    def __str__(self): return {said!r}
    def __hash__(self): return hash({held!r})
    def startswith(self, *begin): return False
LIE, LAID = Liar.A, {LAID}
"""


@pytest.mark.parametrize(
    "held, said, then",
    [
        ("__array_interface__", "x", "types.SimpleNamespace(**{LIE: LAID})"),
        ("__array_interface__", "x", "enum.Enum('E', [(LIE, LAID), ('B', 2)])"),
        ("__array_interface__", "x", "argparse.ArgumentParser().add_argument('--x', dest=LIE)"),
        ("__array_interface__", "x", "torch.nn.Linear(1, 1).register_buffer(LIE, torch.ones(1))"),
        ("__array_interface__", "x", "torch.nn.Linear(1, 1)._parameters[LIE] = torch.ones(1)"),
        ("to_json", "sum", "pd.DataFrame({'a': [1]}).agg(LIE)"),
    ],
)
def test_a_text_means_what_it_holds(held, said, then):
    trace = trace_of(f"{liar(held, said)}\n{then}\nprint('REACHED')")
    assert trace.status == "refused" and not printed(trace)


def test_a_text_that_answers_a_special_name_does_not_become_one():
    """As the key of a part it is the name that it holds."""
    trace = trace_of(
        liar("x", "__array_interface__")
        + "p = torch.nn.ParameterDict()\np[LIE] = LAID\nprint('x' in p, np.array(p).dtype.kind)"
    )
    assert printed(trace) == "True U\n"


def test_arguments_are_read_into_a_namespace_of_their_own():
    """Anything else would get attributes set under names that the program chooses."""
    parser = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--forward', default=1)\n"
    for thing in ("torch.nn.Linear", "torch.ones(2)", "torch.nn.Linear(1, 1)"):
        assert trace_of(f"{parser}p.parse_args(['--forward', '2'], {thing})").status == "refused"
    trace = trace_of(f"{parser}print(p.parse_args(['--forward', '2'], argparse.Namespace(a=1)))")
    assert printed(trace) == "Namespace(a=1, forward='2')\n"


def test_what_lays_out_the_help_is_argparses_own():
    start = "import argparse\np = argparse.ArgumentParser(formatter_class="
    assert trace_of(f"{start}lambda prog: print('REACHED'))\np.print_help()").status == "refused"
    assert "usage" in printed(trace_of(f"{start}argparse.RawTextHelpFormatter)\np.print_help()"))


RINGS = {
    "vars(A())": "dict",
    "torch.nn.Linear(1, 1)._parameters": "Parts",
    "get_ipython()": "Shell",
    "pd.DataFrame({'a': [1]}).groupby('a')": "DataFrameGroupBy",
    "pd.DataFrame({'a': [1]}).rolling(1)": "Rolling",
}


@pytest.mark.parametrize("thing, name", RINGS.items())
def test_a_class_known_by_an_object_alone_makes_no_others(thing, name):
    start = f"import pandas as pd\nclass A: pass\nx = {thing}\n"
    trace = trace_of(f"{start}print(type(x).__name__, isinstance(x, type(x)), type(x) is x.__class__)")
    assert printed(trace) == f"{name} True True\n"
    trace = trace_of(f"{start}print('REACHED', type(x)(None, object))")
    assert trace.status in ("refused", "error") and not printed(trace)


@pytest.mark.parametrize("name", ["compile", "set_submodule", "share_memory", "to_empty"])
def test_a_model_of_the_book_shows_no_more_than_any_module(name):
    for model in ("d2l.LinearRegression(0.1)", "M()"):
        trace = trace_of(f"from d2l import torch as d2l\nclass M(d2l.Module): pass\n{model}.{name}")
        assert trace.status == "refused"


PRUNING = """
import numpy as np
from torch.nn.utils import prune
class Thing:
    got, _forward_pre_hooks, _parameters = [], {}, {'__getattribute__': 1}
    def register_parameter(name, value): print('REACHED')
class Method(prune.BasePruningMethod):
    def compute_mask(self, tensor, mask): return mask
    def apply_mask(self, module): return {}
method = Method()
"""


@pytest.mark.parametrize(
    "then",
    [
        "prune.identity(Thing, '__getattribute__')",
        "method._tensor_name = '__array_interface__'\nmethod(Thing(), ())\nprint('REACHED')",
        "method._tensor_name = '_parameters'\nmethod(torch.nn.Linear(1, 1), ())\nprint('REACHED')",
        "method._tensor_name = '__doc__'\nmethod.remove(Thing)\nprint('REACHED')",
    ],
)
def test_pruning_touches_parameters_of_modules_alone(then):
    trace = trace_of(PRUNING + then)
    assert trace.status == "error" and not printed(trace)


def test_pruning_prunes():
    trace = trace_of(
        "from torch.nn.utils import prune\nm = torch.nn.Linear(4, 4)\nprune.l1_unstructured(m, 'weight', 8)\n"
        "m(torch.ones(4))\nprint(int((m.weight == 0).sum()))\nprune.remove(m, 'weight')\nprint(prune.is_pruned(m))"
    )
    assert printed(trace) == "8\nFalse\n"


def test_a_window_over_an_array_stays_inside():
    trace = trace_of(
        "import numpy as np\nclass W(int):\n    def __gt__(self, other): return False\n"
        "    def __sub__(self, other): return -10**9\n"
        "print(np.lib.stride_tricks.sliding_window_view(np.arange(4.), W(2)).shape)"
    )
    assert printed(trace) == "(3, 2)\n"


def test_the_codes_of_a_multiindex_are_its_own_and_among_its_levels():
    """Code that sorts and shows them takes them for places in memory."""
    start = "import numpy as np, pandas as pd\ncodes = np.zeros(2, 'int8')\n"
    trace = trace_of(f"{start}m = pd.MultiIndex([['a', 'b']], [codes[:]])\ncodes[0] = 100\nprint(m.to_list())")
    assert printed(trace) == "[('a',), ('a',)]\n"
    trace = trace_of(f"{start}codes[0] = 100\npd.MultiIndex([['a', 'b']], [codes], verify_integrity=False)")
    assert trace.status == "error"


@pytest.mark.parametrize("call", ["hist(*[None] * 12, 10, 'this')", "boxplot('a', *[None] * 8, 'this')"])
def test_pandas_draws_with_no_module_a_program_names(call):
    trace = trace_of(f"import pandas as pd\npd.DataFrame({{'a': [1, 2]}}).{call}")
    assert trace.status == "refused" and not printed(trace)


def test_only_tensors_are_swapped():
    trace = trace_of(
        "class A:\n    def _use_count(self): return 1\ntorch.utils.swap_tensors(A(), A())\nprint('REACHED')"
    )
    assert trace.status == "error" and not printed(trace)


def test_every_keyword_of_an_aggregation_names_a_function():
    trace = trace_of("import pandas as pd\npd.DataFrame({'a': [1], 'b': [2]}).groupby('a')['b'].agg(x='obj')")
    assert trace.status == "refused"


def test_what_is_logged_has_no_special_names():
    handler = "class Handler:\n    level = 0\n    def handle(self, record): print('REACHED')\n"
    trace = trace_of(
        f"import logging\n{handler}logging.getLogger('a').addHandler(Handler())\n"
        f"logging.getLogger('a').warning('x', extra={{'__array_interface__': {LAID}}})"
    )
    assert trace.status == "refused" and not printed(trace)


CHECK = """
class Check(torch.distributions.constraints.Constraint):
    def check(self, value):
        print(type(value).__name__)
        N.arg_constraints.pop("loc", None)
        N.arg_constraints["__dict__"] = Check()
        return torch.tensor(True)
class N(torch.distributions.Distribution):
    arg_constraints = {%r: Check(), "scale": Check()}
    def __init__(self):
        self.loc = self.scale = torch.ones(1)
        super().__init__(validate_args=True)
N()
"""


def test_a_distribution_checks_its_parameters_and_nothing_else():
    assert trace_of(CHECK % "__dict__").status == "refused"
    assert printed(trace_of(CHECK % "loc")) == "Tensor\nTensor\n"
