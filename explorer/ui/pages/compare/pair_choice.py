"""Choose the two programs to compare: an example pair, or the session's and another."""

from dataclasses import dataclass

import streamlit as st

from explorer.text import say
from explorer.ui.components.choice import choice
from explorer.ui.pages.compare.other import take_text
from explorer.ui.panels.lesson import lesson
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.page_state import PageState
from explorer.ui.session.state import document


@dataclass(frozen=True)
class Pair:
    """Two programs. The message comparing-pair-<name> is their title, and its `see` describes what to look for.

    Attributes:
        names: of the files, for A and B.
        program: A.
        change: texts of A and their replacements in B.
    """

    name: str
    names: tuple[str, str]
    program: str
    change: tuple[str, str]

    @property
    def other(self) -> str:
        """B."""
        return self.program.replace(*self.change)


RELU = """\
from torch.nn import functional as F

x = torch.tensor([1., 2., 3.])
w = torch.tensor([2., -1., 0.5], requires_grad=True)
z = w * x
h = F.relu(z)
loss = (h ** 2).sum()
loss.backward()
"""

SUMMED = """\
x = torch.tensor([1., 2., 3., 4.])
w = torch.tensor(0.5, requires_grad=True)
error = w * x - 2 * x
loss = (error ** 2).mean()
loss.backward()
"""

ACCUMULATED = """\
w = torch.tensor(1., requires_grad=True)
for step in range(2):
    w.grad = None
    loss = (3 * w) ** 2
    loss.backward()
    with torch.no_grad():
        update = 0.05 * w.grad
        w -= update
"""

BROADCAST = """\
prediction = torch.tensor([[0.], [1.], [2.]], requires_grad=True)
target = torch.tensor([[0.], [1.], [3.]])
error = prediction - target
loss = (error ** 2).mean()
loss.backward()
"""

OVERFLOWED = """\
x = torch.tensor([1., 100.], requires_grad=True)
total = torch.logsumexp(x, 0)
total.backward()
"""

PAIRS = (
    Pair("relu", ("relu.py", "leaky_relu.py"), RELU, ("F.relu(z)", "F.leaky_relu(z, 0.1)")),
    Pair("detach", ("through_b.py", "b_detached.py"), FIRST_SIGHT, ("a * b", "a * b.detach()")),
    Pair("sum", ("mean.py", "sum.py"), SUMMED, ("mean()", "sum()")),
    Pair("zero-grad", ("zeroed.py", "not_zeroed.py"), ACCUMULATED, ("    w.grad = None\n", "")),
    Pair("broadcast", ("same_shape.py", "broadcast.py"), BROADCAST, ("[[0.], [1.], [3.]]", "[0., 1., 3.]")),
    Pair("overflow", ("logsumexp.py", "log_of_exp.py"), OVERFLOWED, ("logsumexp(x, 0)", "log(torch.exp(x).sum())")),
)


PAGE = "compare"
STATE = PageState(PAGE)
OPENED = "_compare_pair"  # session state: the last opened pair, until it is left


def arrive() -> None:
    """Show the first pair until the user has a program."""
    if STATE["program"]:
        return
    if document().texts == (FIRST_SIGHT,):
        if (pair := st.session_state.get(OPENED)) is None:
            _open(PAIRS[0])
        else:
            STATE.put(program=pair.program, name=pair.names[0])
    elif st.session_state.get(OPENED) is not None:
        _own()


def pair_shown() -> bool:
    """Return whether A is an example pair's program."""
    return any(pair.program == STATE["program"] for pair in PAIRS)


def choose_pair(own: str, lang: str) -> None:
    """Draw the menu of pairs, with `own` last."""
    pairs = {pair.name: pair for pair in PAIRS}
    labels = {name: say(lang, f"comparing-pair-{name}") for name in pairs}
    labels["own"] = say(lang, "comparing-own", name=own)
    choice(
        say(lang, "comparing-pairs"), "cp_pairs", labels, lambda name: _open(pairs[name]) if name in pairs else _own()
    )


def pair_line(texts: tuple[str, str], lang: str) -> None:
    """Return what to look for in the opened pair while it is unchanged."""
    shown = st.session_state.get(OPENED)
    if shown is not None and begun(PAGE) == shown.name and texts == (shown.program, shown.other):
        lesson(PAGE, say(lang, f"comparing-pair-{shown.name}.see"), "", lang)


def _open(pair: Pair) -> None:
    st.session_state[OPENED] = pair
    begin(PAGE, pair.name)
    STATE.put(program=pair.program, name=pair.names[0])
    take_text(pair.other, pair.names[1])


def _own() -> None:
    st.session_state.pop(OPENED, None)
    STATE.put(program="", name="")
    take_text("", "")
