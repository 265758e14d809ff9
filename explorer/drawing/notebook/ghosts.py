"""Results at the ends of lines: up to three short texts for each line."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.autograd import GraphView, node_gradients
from explorer.analysis.autograd.cells import NamedResult, made_tensors, made_until
from explorer.analysis.autograd.entry_texts import range_text
from explorer.analysis.autograd.gradients import gradient_alone
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import cells_of, number, shape_text, visible
from explorer.trace import Echo, Result, Trace, Value

VALUE_CELLS = 22  # of a value beside a line
ECHO_CELLS = 40  # of an echoed value
TOGETHER = 3  # values that stand beside one line, as of `a, b = x`
_DEFAULT = plain(r"<(?:function|built-in|bound method|method|module|.* at 0x[0-9a-f]+>$)")  # tells no value


class Ghost(Struct, frozen=True, array_like=True):
    """The annotation at the end of a line.

    Attributes:
        line: from 1.
        shape, value: "" if there is none to show.
        label, gradient: the word before the gradient, and the gradient or why there is none.
        sign: -1, 0 or 1 of a single gradient; 2 when it is not a number; None when it has no one sign.
    """

    line: int
    shape: str
    value: str
    label: str = ""
    gradient: str = ""
    sign: int | None = None


def ghosts(trace: Trace, backward: int | None, lang: str, until: int | None = None) -> list[list[Ghost]]:
    """The annotations of every cell: tensors with the gradients of this backward (if any), and short echoes.

    Args:
        until: the operation before which it was made; None: at the end of the run.
    """
    of_nodes = node_gradients(trace, backward)
    found: list[dict[int, Ghost]] = [_echoes(trace, cell) for cell in range(len(trace.cells))]
    lines: dict[tuple[int, int], list[NamedResult]] = defaultdict(list)
    for made in made_tensors(trace) if until is None else made_until(trace, until):
        lines[made.cell, made.line].append(made)
    for (cell, line), results in lines.items():
        if line in found[cell]:
            continue  # `x.add_(1)` alone on its line: its echo says the value
        if len(results) == 1:
            value = trace.value(_gradient_of(trace, results[0], backward, of_nodes))
            found[cell][line] = ghost_of(trace, results[0], value, lang)
        else:
            values = [_short(trace.value(trace.versions.value[result.version])) for result in results[:TOGETHER]]
            text = " · ".join(filter(None, values))
            if len(results) <= TOGETHER and cells_of(text) <= VALUE_CELLS:  # a module's parameters would hide the code
                found[cell][line] = Ghost(line, "", text)
    return [[of_cell[line] for line in sorted(of_cell)] for of_cell in found]


def with_hidden(known: list[list[Ghost]], whole: list[list[Ghost]]) -> list[list[Ghost]]:
    """The annotations, with a ? for each gradient that only the whole run has."""
    asked = []
    for of_cell, all_of_cell in zip(known, whole, strict=True):
        gradients = {ghost.line: ghost.label for ghost in all_of_cell if ghost.gradient}
        asked.append(
            [
                replace(ghost, label=gradients[ghost.line], gradient="?")
                if ghost.line in gradients and not ghost.gradient
                else ghost
                for ghost in of_cell
            ]
        )
    return asked


def _gradient_of(trace: Trace, made: NamedResult, backward: int | None, of_nodes: Sequence[tuple[int, ...]]) -> int:
    """The gradient of the very version that a line made: one written in place has its own, or none."""
    node, output = trace.versions.node[made.version], max(trace.versions.output[made.version], 0)
    if node < 0:
        return gradient_alone(trace, made.tensor, backward)
    return of_nodes[node][output] if output < len(of_nodes[node]) else -1


def ghost_of(trace: Trace, made: NamedResult, gradient: Value | None, lang: str) -> Ghost:
    """What stands beside the line that made one tensor, with its gradient if that is known."""
    value = trace.value(trace.versions.value[made.version])
    dims = tuple(trace.shapes[trace.tensors.shape[made.tensor]])
    shape, shown = shape_text(dims), "" if value is None else _short(value)
    if shape and len(shown) > 10:  # shape and a long value do not fit beside a line; the card has both
        shown = ""
    if gradient is None:
        return Ghost(made.line, shape, shown)
    return Ghost(made.line, shape, shown, *_told(gradient, say(lang, "graph-gradient-short")))


def _told(gradient: Value, word: str) -> tuple[str, str, int | None]:
    """Label, words and sign of a gradient."""
    if len(gradient.entries) == 1 and gradient.data is not None:
        entry = gradient.data[0]
        sign = None if isinstance(entry, complex) else 2 if entry != entry else (entry > 0) - (entry < 0)
        return word, number(entry, True), sign
    if gradient.nonfinite:
        return word, "NaN" if gradient.nans else "∞", 2
    return word, _range(gradient), None


def _range(gradient: Value) -> str:
    """The entries of a gradient when they fit beside a line, otherwise the smallest and the largest."""
    words = "" if gradient.data is None else " ".join(number(entry, True) for entry in gradient.data)
    if words and cells_of(words) <= VALUE_CELLS:
        return words
    return range_text(gradient, True)


def _short(value: Value | None) -> str:
    """The entries if they fit beside a line, otherwise nothing."""
    if value is None or value.data is None or len(value.data) > 4:
        return ""
    text = " ".join(number(entry) for entry in value.data)
    return text if len(text) <= VALUE_CELLS else ""


def _echoes(trace: Trace, cell: int) -> dict[int, Ghost]:
    """The values of bare expressions, each on one line: all of it or its beginning."""
    source = trace.cells[cell].source
    found = {}
    for output in trace.cells[cell].outputs:
        match output:
            case Result(span=span, text=text) if span >= 0 and not _DEFAULT.match(text):
                line, text = trace.spans[span].end_line, _beginning(text)
            case Echo(text=text) if _tells(text) and len(trace.own_cells) == 1:  # of several it stands right below
                line = source.rstrip().count("\n") + 1
            case _:
                continue
        found[line] = Ghost(line, "", visible(text))
    return found


def _tells(text: str) -> bool:
    """Whether a bare expression's text is worth showing: it fits, and says more than the type."""
    return "\n" not in text and cells_of(text) <= ECHO_CELLS and not _DEFAULT.match(text)


def _beginning(text: str) -> str:
    """As much of a value as has room beside a line.

    >>> _beginning("tensor([[0, 1],\\n        [2, 3]])"), _beginning("'" + 50 * "a" + "'")
    ('tensor([[0, 1], [2, 3]])', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    words = " ".join(text.split())
    if cells_of(words) <= ECHO_CELLS:
        return words
    kept = words[:ECHO_CELLS]
    while cells_of(kept) >= ECHO_CELLS:
        kept = kept[:-1]
    return kept + "…"


def counted_ghosts(trace: Trace, view: GraphView, lang: str, until: int) -> list[list[Ghost]]:
    """The annotations for a step that was only counted.

    Args:
        until: the operation with which its loops began: what was made before stands as it was made; of the lines in the
            loop the loss is known.
    """
    found = [{ghost.line: ghost for ghost in of_cell} for of_cell in ghosts(trace, None, lang, until)]
    word = say(lang, "graph-leaf-gradient")
    for card in view.cards:
        if card.place is None or not card.kept:
            continue
        here, told = found[card.place.cell], _told(card.gradient, word) if card.gradient is not None else ()
        if card.kind == "leaf" and card.line in here:
            here[card.line] = Ghost(card.line, here[card.line].shape, here[card.line].value, *told)
        elif card.kind == "out" and card.value is not None:
            here[card.line] = Ghost(card.line, shape_text(card.shape), _short(card.value))
    return [[of_cell[line] for line in sorted(of_cell)] for of_cell in found]
