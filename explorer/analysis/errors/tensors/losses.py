"""Losses whose scores and targets do not fit in shape or range."""

import re
from math import prod

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import dtypes, entries, operation_name, shapes
from explorer.analysis.errors.tensors.reshaping import rows_made


def with_target(stopped: Stopped, change: str) -> str | None:
    """The call of a loss with .something behind its target."""
    call = called(stopped.code)
    at = None if call is None else call.place(1, "target")
    return None if at is None else call.with_argument(at, postfixed(call.value(at), change))


def target_of(stopped: Stopped) -> str:
    """The target as the program writes it."""
    call = called(stopped.code)
    at = None if call is None else call.place(1, "target")
    return shown(call.value(at) if at is not None else stopped.name(stopped.inputs[1]))


def _scores(stopped: Stopped) -> str:
    call = called(stopped.code)
    at = None if call is None else call.place(0, "input")
    return shown(call.value(at) if at is not None else stopped.name(stopped.inputs[0]))


def _facts(stopped: Stopped) -> dict[str, str] | None:
    given = shapes(stopped)
    if len(given) < 2:
        return None
    return {
        "scores": _scores(stopped) or "?",
        "target": target_of(stopped) or "?",
        "scores_shape": sizes(given[0]),
        "target_shape": sizes(given[1]),
    }


def pair_of_sizes(stopped: Stopped) -> Explanation | None:
    """mse_loss and the like with shapes that do not broadcast; called by the rule for broadcasts."""
    facts = _facts(stopped)
    return changed(stopped, "loss-shapes", facts) if facts else None


@rule("ValueError", r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)")
def target_count(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Another number of targets than of rows of scores."""
    facts = _facts(stopped)
    if facts is None:
        return None
    given, rows, targets = shapes(stopped), int(found.group(1)), int(found.group(2))
    if len(given[1]) > 1 and prod(given[1]) == rows:
        return changed(stopped, "target-not-flattened", facts, with_target(stopped, ".reshape(-1)"))
    made = rows_made(stopped, stopped.inputs[0], rows, targets)
    counts = {"rows": found.group(1), "targets": found.group(2)}
    if made is not None:
        return changed(stopped, "target-count-of-a-view", {**facts, **counts, **made})
    return changed(stopped, "target-count", {**facts, **counts})


@rule("RuntimeError", r"Expected target size \[([\d, ]+)\], got \[([\d, ]*)\]")
def target_places(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Scores of more than two axes: the classes are axis 1, and every other place has a target."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None or len(given[0]) < 3:
        return None
    operations = stopped.trace.operations
    scores, target = given[:2]
    values = {**facts, "classes": str(scores[1]), "wanted": sizes(scores[:1] + scores[2:])}
    if target == scores[:-1]:
        new = _with_scores(stopped, ".movedim(-1, 1)" if len(scores) > 3 else ".transpose(1, 2)")
        return changed(stopped, "target-classes-last", values | {"last": str(scores[-1])}, new)
    single = [d for d in range(1, len(scores)) if scores[d] == 1]
    if len(scores) - len(single) == 2 and len(single) == 1 and target == scores[:1]:
        new = _with_scores(stopped, f".squeeze({single[0]})")
        return changed(stopped, "target-beside-an-axis-of-one", values | {"axis": str(single[0])}, new)
    if target == scores[:1] and len(scores) == 3:
        if not any(stopped.trace.string(name) in ("lstm", "gru", "rnn_tanh", "rnn_relu") for name in operations.name):
            return changed(stopped, "target-places", values)
        steps = values | {"steps": str(scores[1]), "last": str(scores[2])}
        return changed(stopped, "target-of-one-step", steps, _with_scores(stopped, "[:, -1]"))
    return changed(stopped, "target-places", values)


def _with_scores(stopped: Stopped, change: str) -> str | None:
    """The call of a loss with a change behind its scores."""
    call = called(stopped.code)
    at = None if call is None else call.place(0, "input")
    return None if at is None else call.with_argument(at, postfixed(call.value(at), change))


@rule("RuntimeError", r"weight tensor should be defined either for all .*classes.*\[(\d+)\]")
def class_weights(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Weights of the classes, and another number of classes."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None or not given[0]:
        return None
    classes = given[0][0] if len(given[0]) == 1 else given[0][1]
    values = {**facts, "classes": str(classes), "weights": found.group(1)}
    return changed(stopped, "class-weights", values)


@rule("RuntimeError", r"0D or 1D target tensor expected, multi-target not supported")
def target_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Class numbers in a column, or scores and probabilities of different shapes."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None:
        return None
    if len(given[0]) == 2 and given[1] == (given[0][0], 1):
        whole = dtypes(stopped)[1] in ("int64", "uint8")
        return changed(
            stopped, "target-column", facts, with_target(stopped, ".squeeze(1)" + ("" if whole else ".long()"))
        )
    return changed(stopped, "target-axes", facts)


@rule("RuntimeError", r"Expected floating point type for target with class probabilities")
def target_probabilities(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Whole numbers where the shape says probabilities."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None:
        return None
    if len(given[0]) == 1:
        return changed(stopped, "target-one-row", facts)
    return changed(stopped, "target-probabilities", facts, with_target(stopped, ".float()"))


@rule("IndexError", r"Target (-?\d+) is out of bounds")
def target_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A class number that has no column of scores."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None or not given[0]:
        return None
    classes = given[0][0] if len(given[0]) == 1 else given[0][1]
    facts |= {"given": found.group(1).replace("-", "−"), "classes": str(classes), "last": str(classes - 1)}
    numbers = entries(stopped, stopped.inputs[1]) or ()
    if numbers and min(numbers) == 1 and max(numbers) == classes:
        return changed(stopped, "target-from-one", facts, _less_one(stopped))
    if found.group(1).startswith("-"):
        return changed(stopped, "target-negative", facts | {"plain": found.group(1)})
    return changed(stopped, "target-range", facts)


def _less_one(stopped: Stopped) -> str | None:
    call = called(stopped.code)
    at = None if call is None else call.place(1, "target")
    return None if at is None else call.with_argument(at, f"{call.value(at)} - 1")


@rule("ValueError", r"(?:Using a target size|Target size) \(torch\.Size\((\[.*?\])\)\)")
def binary_sizes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A binary loss whose scores and targets have different shapes."""
    facts, given = _facts(stopped), shapes(stopped)
    if facts is None:
        return None
    scores, target = given[:2]
    cast = "" if dtypes(stopped)[1] == dtypes(stopped)[0] else ".float()"
    new = None
    if scores == (*target, 1) and target:
        new = with_target(stopped, f".unsqueeze({len(target)}){cast}")
    elif target == (*scores, 1) and scores:
        new = with_target(stopped, f".squeeze({len(scores)}){cast}")
    alike = [score for score in scores if score != 1] == [size for size in target if size != 1]
    return changed(stopped, "binary-loss-shapes" if alike else "binary-loss-sizes", facts, new)


@rule("NotImplementedError|RuntimeError", r"log_softmax\w*\" not implemented for '(?:Long|Int|Byte|Short)'")
def arguments_swapped(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A loss is given the class numbers first and the scores behind them."""
    kinds = dtypes(stopped)
    return None if len(kinds) < 2 or "float" in kinds[0] or "float" not in kinds[1] else exchanged(stopped)


def exchanged(stopped: Stopped) -> Explanation | None:
    """The explanation of a loss with exchanged arguments."""
    facts, call = _facts(stopped), called(stopped.code)
    if facts is None:
        return None
    new = call.with_arguments(call.arguments[1], call.arguments[0]) if call and len(call.arguments) == 2 else None
    return changed(stopped, "loss-arguments-swapped", facts, new if new and "=" not in new else None)


@rule("RuntimeError", r"all elements of input should be between 0 and 1")
def not_probabilities(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Scores given to a loss of probabilities."""
    facts, call = _facts(stopped), called(stopped.code)
    if facts is None or operation_name(stopped) != "binary_cross_entropy":
        return None
    function = call is not None and call.name == "binary_cross_entropy"
    new = f"{call.head}_with_logits({', '.join(call.arguments)})" if function else None
    return changed(stopped, "not-probabilities", facts, new)


RULES = (
    arguments_swapped,
    target_count,
    target_places,
    class_weights,
    target_axes,
    target_probabilities,
    target_range,
    binary_sizes,
    not_probabilities,
)
