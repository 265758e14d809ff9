"""Line-end results: up to three short texts for each line."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd import GraphView
from explorer.analysis.explain.autograd.cells import (
    ModuleLine,
    NamedResult,
    made_tensors,
    mentions_name,
    module_lines,
    names_bound,
)
from explorer.analysis.explain.autograd.entry_texts import as_written, few, range_text
from explorer.analysis.explain.autograd.gradients import is_hypothetical, version_gradient
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import cells_of, number, shape_text, visible
from explorer.trace import Echo, Result, Trace, Value

VALUE_CELLS = 22  # characters of a value next to a line
ECHO_CELLS = 40  # characters of an echoed value
TOGETHER = 3  # values next to one line, such as `a, b = x`
# default reprs without a value
_DEFAULT = plain(r"<(?:function|built-in|bound method|method|module|.* at 0x[0-9a-f]+>$)")


class Ghost(Struct, frozen=True, array_like=True):
    """The annotation at the end of a line.

    Attributes:
        line: from 1.
        shape, value: texts, or "".
        label, gradient: word and text of a backward's gradient.
        held: `.grad` afterwards, if different.
        hypothetical: whether the gradient comes from an implicit backward.
    """

    line: int
    shape: str
    value: str
    label: str = ""
    gradient: str = ""
    held: str = ""
    hypothetical: bool = False


def ghosts(trace: Trace, backward: int | None, lang: str, until: int | None = None) -> list[list[Ghost]]:
    """Annotate every cell: tensors with this backward's gradients, and short echoes.

    Args:
        until: operation before which it is shown. None: the end of the run.
    """
    by_cell: list[dict[int, Ghost]] = [_echoes(trace, cell) for cell in range(len(trace.cells))]
    lines: dict[tuple[int, int], list[NamedResult]] = defaultdict(list)
    for made in made_tensors(trace, until):
        lines[made.cell, made.line].append(made)
    for (cell, line), module in module_lines(trace).items():
        by_cell[cell][line] = module_ghost(line, module, lang)
    for (cell, line), results in lines.items():
        if line in by_cell[cell] and not by_cell[cell][line].value.endswith("…"):
            continue  # the echo of a line `x.add_(1)` already shows the value
        bound = [result for result in results if not result.written] or results
        different = list({result.tensor: result for result in bound}.values())
        whole = bound[0].written or len(names_bound(trace, (cell, line))) <= len(bound)
        if len(different) == 1 and (not bound[0].written or mentions_name(trace, (cell, line), bound[0].name)):
            value = trace.value(_gradient_of(trace, different[0], backward))
            call = None if backward is None else trace.backwards[backward]
            seen = -1 if call is None else trace.index.read(bound[0].tensor, call.operations)
            later = bound[0].written and bound[0].version > seen + 1  # than the leaf's first write since the backward
            held = None if later else held_after(trace, bound[0].tensor, backward)
            ends = until is None and backward is not None and _is_last(trace, bound[0].tensor, backward)
            left = trace.versions_of(bound[0].tensor)[-1] if ends else seen  # at the end, the last update's result
            own = ghost_of(trace, different[0], value, lang, held, max(seen, left))
            by_cell[cell][line] = own if whole else of_one(own, bound[-1].name)
        elif (ghost := several(trace, different, line, named=not whole)) is not None:
            by_cell[cell][line] = ghost
    return [[of_cell[line] for line in sorted(of_cell)] for of_cell in by_cell]


def with_hidden(reached: list[list[Ghost]], whole: list[list[Ghost]]) -> list[list[Ghost]]:
    """Add a ? for each gradient that only the whole run has."""
    asked = []
    for of_cell, all_of_cell in zip(reached, whole, strict=True):
        gradients = {ghost.line: ghost.label for ghost in all_of_cell if ghost.gradient}
        asked.append(
            [
                replace(ghost, label=gradients[ghost.line], gradient="?", held="")
                if ghost.line in gradients and not ghost.gradient
                else ghost
                for ghost in of_cell
            ]
        )
    return asked


def named_value(trace: Trace, made: NamedResult, named: bool = False) -> str:
    """Write a value, named if the line lacks it."""
    text = _short(as_written(trace, trace.value(trace.versions.value[made.version])))
    unnamed = text and (named or (made.written and not mentions_name(trace, (made.cell, made.line), made.name)))
    return f"{made.name} = {text}" if unnamed else text


def of_one(ghost: Ghost, name: str) -> Ghost:
    """Name the tensor in an annotation if its line binds several."""
    value = f"{name} = {ghost.value}" if ghost.value else f"{name} {ghost.shape}".strip()
    return replace(ghost, shape=ghost.shape if ghost.value else "", value=value)


def several(trace: Trace, made: Sequence[NamedResult], line: int, named: bool = False) -> Ghost | None:
    """Annotate a line with several results, None if they don't fit.

    Args:
        named: whether to name each value, because the line binds other objects too.
    """
    texts = [named_value(trace, one, named) for one in made[: TOGETHER + 1]]
    text = " · ".join(texts)
    fits = all(texts) and len(texts) <= TOGETHER and cells_of(text) <= VALUE_CELLS
    return Ghost(line, "", text) if fits else None


def module_ghost(line: int, module: ModuleLine, lang: str) -> Ghost:
    """Annotate the line that bound a module."""
    shape = "" if module.shape is None else shape_text(module.shape)
    return Ghost(line, shape, say(lang, "code-parameters", count=module.parameters))


def held_after(trace: Trace, leaf: int, backward: int | None) -> Value | None:
    """Return a leaf's `.grad` after a backward that added to it."""
    if backward is None or leaf not in trace.backwards[backward].accumulated:
        return None
    call = trace.backwards[backward]
    return trace.value(call.after[call.accumulated.index(leaf)])


def _is_last(trace: Trace, leaf: int, backward: int) -> bool:
    """Return whether a backward was the last to reach a leaf."""
    later = any(leaf in call.accumulated for call in trace.backwards[backward + 1 :])
    return not later and trace.versions.value[trace.versions_of(leaf)[-1]] >= 0


def _gradient_of(trace: Trace, made: NamedResult, backward: int | None) -> int:
    """Return the gradient of the version that a line made."""
    if made.written and trace.versions.node[made.version] < 0:
        return -1
    return version_gradient(trace, made.version, backward)


def ghost_of(
    trace: Trace, made: NamedResult, gradient: Value | None, lang: str, held: Value | None = None, seen: int = -1
) -> Ghost:
    """Annotate the line that created a tensor, with its gradient if known.

    Args:
        held: its `.grad` then.
        seen: leaf version at the backward, or the last at the end of a run: 1 → 0.803.
    """
    alone = gradient is held is None or trace.versions.node[made.version] >= 0
    rows = (made.version,) if alone else (made.version, max(made.version, seen))
    texts = [_short(as_written(trace, trace.value(trace.versions.value[row]))) for row in rows]
    dims = tuple(trace.shapes[trace.tensors.shape[made.tensor]])
    shape, shown = shape_text(dims), _changed(*texts)
    if cells_of(shown) > VALUE_CELLS or (shape and len(texts[0]) > 10):  # the card has both
        shown = ""
    hypothetical = gradient is not None and is_hypothetical(trace)
    return replace(with_gradient(Ghost(made.line, shape, shown), gradient, held, lang), hypothetical=hypothetical)


def _changed(*texts: str) -> str:
    """Write the first and later value if different, "" if either lacks room."""
    return " → ".join(dict.fromkeys(texts)) if all(texts) else ""


def with_gradient(ghost: Ghost, gradient: Value | None, held: Value | None, lang: str) -> Ghost:
    """Add a backward's gradient, and `.grad` if different.

    The label says which of the two a number is: "grad", or ".grad" if shown alone.
    """
    if gradient is None and held is None:
        return Ghost(ghost.line, ghost.shape, ghost.value)
    if gradient is None or held is None:
        word = "graph-gradient-short" if held is None else "graph-leaf-gradient"
        return Ghost(ghost.line, ghost.shape, ghost.value, say(lang, word), _gradient_text(gradient or held))
    brought, lies = _gradient_text(gradient), _gradient_text(held)
    differs = "" if brought == lies else lies
    return Ghost(ghost.line, ghost.shape, ghost.value, say(lang, "graph-gradient-short"), brought, differs)


def _gradient_text(gradient: Value | None) -> str:
    """Write a gradient."""
    if gradient is None:
        return ""
    if len(gradient.entries) == 1 and gradient.data is not None:
        return number(gradient.data[0], True)
    return ("NaN" if gradient.nans else "∞") if gradient.nonfinite else _range(gradient)


def _range(gradient: Value) -> str:
    """Write a gradient's entries if they fit at a line's end, else its range."""
    words = few(gradient, VALUE_CELLS, True)
    return words if words and cells_of(words) <= VALUE_CELLS else range_text(gradient, True)


def _short(value: Value | None) -> str:
    """Write the entries if they fit at a line's end, otherwise ""."""
    text = "" if value is None else few(value, 4, False)
    return text if len(text) <= VALUE_CELLS else ""


def _echoes(trace: Trace, cell: int) -> dict[int, Ghost]:
    """Return single-line bare expressions' values, possibly cut."""
    source = trace.cells[cell].source
    lines = {}
    for output in trace.cells[cell].outputs:
        match output:
            case Result(span=span, text=text) if span >= 0 and not _DEFAULT.match(text):
                line, text = trace.spans[span].end_line, _beginning(text)
            case Echo(text=text) if (
                _is_informative(text) and len(trace.own_cells) == 1
            ):  # with several cells, it is right below
                line = source.rstrip().count("\n") + 1
            case _:
                continue
        lines[line] = Ghost(line, "", visible(text))
    return lines


def _is_informative(text: str) -> bool:
    """Return whether a bare expression's text fits and is more specific than the type."""
    return "\n" not in text and cells_of(text) <= ECHO_CELLS and not _DEFAULT.match(text)


def _beginning(text: str) -> str:
    r"""Return as much of a value as fits at a line's end.

    >>> _beginning("tensor([[0, 1],\n        [2, 3]])"), _beginning("'" + 50 * "a" + "'")
    ('tensor([[0, 1], [2, 3]])', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    words = " ".join(text.split())
    if cells_of(words) <= ECHO_CELLS:
        return words
    words_shown = words[:ECHO_CELLS]
    while cells_of(words_shown) >= ECHO_CELLS:
        words_shown = words_shown[:-1]
    return words_shown + "…"


def counted_ghosts(trace: Trace, view: GraphView, lang: str, until: int) -> list[list[Ghost]]:
    """Annotate a step that was only counted.

    Args:
        until: first operation of its loops. Earlier results are shown as created, and within the loop only the
            loss is known.
    """
    lines = [{ghost.line: ghost for ghost in of_cell} for of_cell in ghosts(trace, None, lang, until)]
    for card in view.cards:
        if card.place is None or not card.kept:
            continue
        here = lines[card.place.cell]
        if card.kind == "leaf" and card.line in here:
            made = here[card.line]
            value = _changed(made.value, _short(card.value))
            here[card.line] = with_gradient(replace(made, value=value), None, card.gradient, lang)
        elif card.kind == "out" and card.value is not None:
            here[card.line] = Ghost(card.line, shape_text(card.shape), _short(card.value))
    return [[of_cell[line] for line in sorted(of_cell)] for of_cell in lines]
