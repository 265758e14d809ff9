"""Losses whose scores and targets do not fit in shape or range."""

import re
from math import prod

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.diagnose.errors.tensors.reshaping import rows_made
from explorer.analysis.run.operations import RECURRENT

RULES = Rules()


def _explain(at: FailureContext, kind: str, new: str | None = None, /, **values: str) -> Explanation | None:
    """Name scores and target with their shapes, None without two tensors."""
    return at.explain(kind, new, **at.scored | values) if at.scored else None


def exchanged(at: FailureContext) -> Explanation | None:
    """Explain a loss with exchanged arguments."""
    call = at.call
    new = call.with_arguments(*reversed(call.arguments)) if call and len(call.arguments) == 2 else ""
    return _explain(at, "loss-arguments-swapped", None if "=" in new else new)


@RULES.rule(r"NotImplementedError|RuntimeError: log_softmax\w*\" not implemented for '(?:Long|Int|Byte|Short)'")
def arguments_swapped(at: FailureContext) -> Explanation | None:
    """Explain a loss that gets the class numbers before the scores."""
    floats = ["float" in dtype for dtype in at.dtypes[:2]]
    return exchanged(at) if floats == [False, True] else None


@RULES.rule(
    r"ValueError: Expected input batch_size \((?P<rows>\d+)\) to match target batch_size \((?P<targets>\d+)\)",
    operands=2,
)
def target_count(at: FailureContext) -> Explanation | None:
    """Explain targets and rows of scores that differ in number."""
    rows, targets = int(at["rows"]), int(at["targets"])
    if len(at.shapes[1]) > 1 and prod(at.shapes[1]) == rows:
        return _explain(at, "target-not-flattened", at.change_argument(1, ".reshape(-1)", "target"))
    made = rows_made(at, at.inputs[0], rows, targets)
    return _explain(at, "target-count-of-a-view", **made) if made else _explain(at, "target-count")


@RULES.rule(r"RuntimeError: Expected target size \[[\d, ]+\], got \[[\d, ]*\]")
def target_places(at: FailureContext) -> Explanation | None:
    """Explain scores of more than two axes, where axis 1 holds the classes."""
    if len(at.shapes) < 2 or len(at.shapes[0]) < 3:
        return None
    scores, target = at.shapes[:2]
    values = {"classes": str(scores[1]), "wanted": sizes(scores[:1] + scores[2:]), "last": str(scores[-1])}
    if target == scores[:-1]:
        suffix = ".movedim(-1, 1)" if len(scores) > 3 else ".transpose(1, 2)"
        return _explain(at, "target-classes-last", at.change_argument(0, suffix, "input"), **values)
    single = [d for d in range(1, len(scores)) if scores[d] == 1]
    if len(scores) == 3 and len(single) == 1 and target == scores[:1]:
        new = at.change_argument(0, f".squeeze({single[0]})", "input")
        return _explain(at, "target-beside-an-axis-of-one", new, **values, axis=str(single[0]))
    recurrent = RECURRENT & set(map(at.trace.string, at.trace.operations.name))
    if target == scores[:1] and len(scores) == 3 and recurrent:
        new = at.change_argument(0, "[:, -1]", "input")
        return _explain(at, "target-of-one-step", new, **values, steps=str(scores[1]))
    return _explain(at, "target-places", **values)


def _classes(at: FailureContext) -> str:
    """Return the number of classes, "" without scores."""
    scores = at.shapes[0] if at.shapes else ()
    return str(scores[len(scores) > 1]) if scores else ""


@RULES.rule(r"RuntimeError: 0D or 1D target tensor expected, multi-target not supported")
def target_axes(at: FailureContext) -> Explanation | None:
    """Explain class numbers in a column, or probabilities of a wrong shape."""
    if len(at.shapes) > 1 and len(at.shapes[0]) == 2 and at.shapes[1] == (at.shapes[0][0], 1):
        whole = at.dtypes[1] in ("int64", "uint8")
        new = at.change_argument(1, ".squeeze(1)" + ("" if whole else ".long()"), "target")
        return _explain(at, "target-column", new)
    return _explain(at, "target-axes")


@RULES.rule(r"RuntimeError: Expected floating point type for target with class probabilities")
def target_probabilities(at: FailureContext) -> Explanation | None:
    """Explain integers in place of probabilities, or classes in place of scores."""
    maker = at.run.makers.get(at.inputs[0]) if at.inputs else None
    if maker is not None and at.run.names[maker] == "argmax":
        chosen = at.call and re.fullmatch(r"(.*)\.argmax\([^()]*\)", at.call.argument(0, "input"))
        new = at.call.with_argument(at.call.place(0, "input"), chosen[1]) if chosen else None
        return _explain(at, "scores-are-classes", new, dtype=at.dtypes[0])
    if at.shapes and len(at.shapes[0]) == 1:
        return _explain(at, "target-one-row")
    return _explain(at, "target-probabilities", at.change_argument(1, ".float()", "target"))


@RULES.rule(r"IndexError: Target (?P<plain>-?\d+) is out of bounds")
def target_range(at: FailureContext) -> Explanation | None:
    """Explain a class number without a column of scores."""
    if len(at.shapes) < 2 or not _classes(at):
        return None
    classes, call = int(_classes(at)), at.call
    values = {"given": at["plain"].replace("-", "−"), "classes": str(classes), "last": str(classes - 1)}
    entries = at.entries(at.inputs[1])
    if entries and (min(entries), max(entries)) == (1, classes):
        place = call.place(1, "target") if call else None
        new = None if place is None else call.with_argument(place, f"{call.value(place)} - 1")
        return _explain(at, "target-from-one", new, **values)
    return _explain(at, "target-negative" if at["plain"].startswith("-") else "target-range", **values)


@RULES.rule(r"ValueError: (?:Using a target size|Target size) \(torch\.Size\(\[.*?\]\)\)", operands=2)
def binary_sizes(at: FailureContext) -> Explanation | None:
    """Explain a binary loss whose scores and targets differ in shape."""
    (scores, target), new = at.shapes[:2], None
    cast = "" if at.dtypes[1] == at.dtypes[0] else ".float()"
    if scores == (*target, 1) and target:
        new = at.change_argument(1, f".unsqueeze({len(target)}){cast}", "target")
    elif target == (*scores, 1) and scores:
        new = at.change_argument(1, f".squeeze({len(scores)}){cast}", "target")
    alike = [size for size in scores if size != 1] == [size for size in target if size != 1]
    return _explain(at, "binary-loss-shapes" if alike else "binary-loss-sizes", new)


RULES.rule(r"RuntimeError: weight tensor should be defined either for all .*classes.*\[(?P<weights>\d+)\]")(
    lambda at: _explain(at, "class-weights", classes=_classes(at)) if _classes(at) else None
)
