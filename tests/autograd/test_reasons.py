"""Why a gradient is missing: random programs that know which leaves matter and where they are cut."""

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from explorer.analysis.explain.autograd import selected_backward, tensor_gradient
from explorer.analysis.explain.autograd.reasons import cut_of, reason_text, tensor_cut
from tests.programs import bound
from tests.traces import trace_of

INTACT = (0, "")  # a path without a cut
Ways = dict[str, frozenset[tuple[int, str]]]  # source → its paths to here: line and kind of each path's first cut


@dataclass
class Thing:
    """A variable of the program. Attributes: ways: paths from the sources; history: whether a gradient could flow."""

    name: str
    ways: Ways
    history: bool = False


@dataclass
class Maker:
    """Writes a program and knows the truth about it."""

    random: Random
    lines: list[str] = field(default_factory=lambda: ["import copy", "import numpy as np", "import torch"])
    tensors: list[Thing] = field(default_factory=list)
    numbers: list[Thing] = field(default_factory=list)
    off: set[str] = field(default_factory=set)
    loose: set[str] = field(default_factory=set)  # sources of untraceable numbers
    left: set[str] = field(default_factory=set)  # sources that became numbers

    def pick(self, things: list):
        return self.random.choice(things)

    def line(self, text: str) -> int:
        self.lines += text.split("\n")
        return len(self.lines)

    def tensor(self, text: str, *ways: Ways, history: bool) -> Thing:
        """Assign a tensor with two entries to a new name, `{}` in the text."""
        name = f"t{len(self.lines)}"
        made = Thing(name, merged(*ways), history)
        self.line(text.replace("{}", name))
        if history:
            made.ways = made.ways | {name: frozenset({INTACT})}
        self.tensors.append(made)
        return made

    def cut(self, thing: Thing, by: str, ahead: int = 1) -> Ways:
        """Return the paths through a cut in the next line (or `ahead` lines on)."""
        here = frozenset({(len(self.lines) + ahead, by)})
        return {  # if a Function's own backward cuts a path, a later cut may be reported as well
            source: (ways - {INTACT}) | (here if any(kind in ("", "backward") for _, kind in ways) else frozenset())
            for source, ways in thing.ways.items()
        }

    def number(self, text: str, ways: Ways) -> None:
        name = f"n{len(self.lines)}"
        self.line(text.replace("{}", name))
        self.left |= set(ways)
        self.numbers.append(Thing(name, ways))


def merged(*ways: Ways) -> Ways:
    return {source: frozenset().union(*(one.get(source, frozenset()) for one in ways)) for source in set().union(*ways)}


def new_leaf(m: Maker) -> None:
    name = f"t{len(m.lines)}"
    m.line(f"{name} = torch.tensor([1.5, 2.5], requires_grad=True)")
    m.tensors.append(Thing(name, {name: frozenset({INTACT})}, True))


def sums(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    ways = merged(a.ways, b.ways)
    m.tensor(f"{{}} = {a.name} * 0.5 + {b.name}.sin()", ways, history=a.history or b.history)


def gradients_off(m: Maker) -> None:
    a = m.pick(m.tensors)
    m.tensor(f"with torch.no_grad():\n    {{}} = {a.name} * 2", m.cut(a, "no_grad", 2), history=False)


def detached(m: Maker) -> None:
    a = m.pick(m.tensors)
    text = m.pick(["{a}.detach()", "{a}.data", "{a}.sin().detach()", "{a}.detach().clone()"]).replace("{a}", a.name)
    m.tensor(f"{{}} = {text}", m.cut(a, "detach"), history=False)


def indexed(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    m.tensor(f"{{}} = {a.name}[{b.name}.argmax()].expand(2)", a.ways, m.cut(b, "derivative"), history=a.history)


def compared(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    text = f"{{}} = torch.where({b.name} > 1, {a.name}, 2.0)"
    m.tensor(text, a.ways, m.cut(b, "derivative"), history=a.history)


def only_form(m: Maker) -> None:
    a = m.pick(m.tensors)
    text = m.pick(["torch.zeros_like({a})", "torch.ones({a}.shape)", "{a}.new_ones(2)", "torch.rand_like({a})"])
    m.tensor("{} = " + text.replace("{a}", a.name), history=False)


def shown(m: Maker) -> None:
    a = m.pick(m.tensors)
    m.line(m.pick(["print({a})", "print({a}.sum().item())", "{a}.sum().item()", "{a}.shape"]).replace("{a}", a.name))


def taken_out(m: Maker) -> None:
    a = m.pick(m.tensors)
    text = m.pick(["{a}.sum().item()", "float({a}[0])", "int({a}[1])", "{a}.tolist()[0]", "sum({a}.tolist())"])
    m.number("{} = " + text.replace("{a}", a.name), m.cut(a, "number"))


def as_array(m: Maker) -> None:
    a = m.pick(m.tensors)
    m.number(f"{{}} = np.exp({a.name}.detach().numpy())[0]", m.cut(a, "number"))


def computed(m: Maker) -> None:
    if m.numbers:
        a, b = m.pick(m.numbers), m.pick(m.numbers)
        m.number(f"{{}} = {a.name} * 2 + {b.name}", merged(a.ways, b.ways))


def put_back(m: Maker) -> None:
    if m.numbers:
        a = m.pick(m.numbers)
        texts = ["torch.tensor([{a}, 1.0])", "torch.full((2,), float({a}))", "torch.as_tensor(np.array([{a}, 2.0]))"]
        texts += ["torch.from_numpy(np.array([{a}, 0.5]))", "torch.tensor([{a} * i for i in range(2)])"]
        m.tensor("{} = " + m.pick(texts).replace("{a}", a.name) + ".float()", a.ways, history=False)


def scaled(m: Maker) -> None:
    if m.numbers:
        a, b = m.pick(m.tensors), m.pick(m.numbers)
        m.tensor(f"{{}} = {a.name} * {b.name}", a.ways, b.ways, history=a.history)


def listed(m: Maker) -> None:
    a = m.pick(m.tensors)
    name = f"n{len(m.lines)}"
    ways = m.cut(a, "number", 3)
    m.line(f"{name} = []\nfor i in range(2):\n    {name}.append({a.name}[i].item())")
    m.left |= set(ways)
    m.numbers.append(Thing(f"{name}[0]", ways))


def made_anew(m: Maker) -> None:
    a = m.pick(m.tensors)
    texts = ["torch.nn.Parameter({a} * 3)", "torch.tensor([{a}[0], {a}[1]], requires_grad=True)"]
    text = m.pick([*texts, "{a}.detach().requires_grad_()", "copy.deepcopy({a}.detach()).requires_grad_()"])
    by = "detach" if "detach" in text else "made"
    m.tensor("{} = " + text.replace("{a}", a.name), m.cut(a, by), history=True)


def written(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    name = f"t{len(m.lines)}"
    m.line(f"{name} = torch.zeros(2)")
    first, second = m.cut(a, "detach"), m.cut(b, "detach", 2)
    m.line(f"{name}[0] = {a.name}.detach()[0]")
    over = m.pick([True, False])
    m.line(f"{name}.copy_({b.name}.detach())" if over else f"{name}[1] = {b.name}.detach()[0]")
    m.tensors.append(Thing(name, second if over else merged(first, second), False))


def switched_off(m: Maker) -> None:
    leaf = m.tensors[0]
    if leaf.name not in m.off:
        at = m.line(f"{leaf.name}.requires_grad_(False)")
        m.off.add(leaf.name)
        leaf.ways, leaf.history = {leaf.name: frozenset({(at, "switched_off")})}, False


def branched(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    m.left |= set(a.ways)
    m.line(f"if {a.name}.sum() > 1:\n    pass")
    m.tensor(f"{{}} = {b.name} * 1.5", b.ways, history=b.history)


def renamed(m: Maker) -> None:
    if m.numbers and (a := m.pick(m.numbers)).name.isidentifier():
        m.line(f"{a.name} = 0.25")
        a.ways = {}


def in_place(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    at = m.cut(b, "detach", 2)
    kept = m.tensor(
        f"{{}} = {a.name}.detach().clone()\n{{}}.mul_(2).add_({b.name}.detach())", m.cut(a, "detach"), at, history=False
    )
    m.line(f"{kept.name} += 1")


def asked_later(m: Maker) -> None:
    a, name = m.pick(m.tensors), f"t{len(m.lines)}"
    m.line(f"{name} = torch.tensor([0.5, 1.5])")
    at = len(m.lines) + 1
    used = m.tensor(f"{{}} = {a.name} * {name}", a.ways, {name: frozenset({(at, "unasked")})}, history=a.history)
    m.line(f"{name}.requires_grad_()")
    m.tensors.append(Thing(name, {name: frozenset({INTACT})}, True))
    m.pick([used])


def through_function(m: Maker) -> None:
    """Pass a number as an argument; the function's use of it is not visible in the text."""
    a = m.pick(m.tensors)
    ways = m.cut(a, "number", 3)
    m.left |= set(ways)
    m.loose |= set(ways)
    m.tensor(f"def f(v):\n    return torch.tensor([v, v * 2])\n{{}} = f({a.name}.sum().item())", ways, history=False)


def gives_none(m: Maker) -> None:
    a, b = m.pick(m.tensors), m.pick(m.tensors)
    m.tensor(f"{{}} = First.apply({a.name}, {b.name})", a.ways, m.cut(b, "backward"), history=a.history or b.history)


FIRST = """class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2 + b
    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2, None"""
STEPS = [new_leaf, sums, sums, sums, gradients_off, detached, indexed, compared, only_form, shown, taken_out, taken_out]
STEPS += [as_array, computed, put_back, put_back, scaled, scaled, listed, made_anew, written, switched_off, branched]
STEPS += [renamed, in_place, asked_later, through_function, gives_none]


@pytest.mark.thorough
@settings(max_examples=120, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**64))
def test_every_reason_for_a_random_program_is_true(seed):
    m = Maker(Random(seed))  # if Hypothesis chose each step, nearly all programs would be short
    m.line(FIRST)
    for _ in range(3):
        new_leaf(m)
    for _ in range(m.random.randint(3, 14)):
        m.pick(STEPS)(m)
    asking = [one for one in m.tensors if one.history]
    if not asking:
        return
    summands = [m.pick(asking), *(m.pick(m.tensors[-6:]) for _ in range(2))]
    m.line("y = " + " + ".join(f"{one.name}.sum()" for one in summands))
    m.line("y.backward()")
    judged("\n".join(m.lines), merged(*(one.ways for one in summands)), m)


def judged(program: str, root: Ways, m: Maker) -> None:
    trace = trace_of(program).check()
    assert not [one for cell in trace.cells for one in cell.outputs if type(one).__name__ == "Failure"], program
    shown = selected_backward(trace)
    for thing in m.tensors:
        tensor = bound(trace, thing.name)
        value, reason = tensor_gradient(trace, tensor, shown)
        told = f"{program}\n{thing.name}: {reason_text(reason, cut_of(trace, tensor, shown), 'en') if reason else ''}"
        ways = root.get(thing.name, frozenset())
        if INTACT in ways:
            assert value >= 0, told
            continue
        if value >= 0 and any(kind == "backward" for _, kind in ways):
            assert set(trace.value(value).entries) == {0.0}, told  # torch turns None into zeros for another Function
            continue
        assert value < 0, told
        if not thing.history and thing.name not in m.off:
            assert reason == "no_grad" and tensor_cut(trace, tensor, shown) is None, told
        elif thing.name in m.off:
            assert reason == "no_grad", told
        elif not ways:
            assert reason in (("not_on_path", "left") if thing.name in m.left else ("not_on_path",)), told
        else:
            loss = tensor_cut(trace, tensor, shown)
            assert loss is not None, told
            if reason == "left" and loss.operation < 0:
                assert thing.name in m.loose, told
                continue
            place = trace.spans[trace.operations.span[loss.operation]].line, loss.by
            sure = "no_grad" if loss.by in ("no_grad", "unasked") else "cut"
            assert place in ways, f"{told} {ways}"
            assert reason == sure or (reason == "left" and thing.name in m.loose), told
