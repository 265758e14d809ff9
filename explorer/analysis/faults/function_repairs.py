"""Repairs that change functions: flat ones, and ones without a finite value there."""

import math
import re
from collections.abc import Iterator

from explorer.analysis.errors.expressions import WrittenCall, bracketed, called, operated, postfixed
from explorer.analysis.errors.text_edits import replaced
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.graph_repairs import is_joined, source_of, text_at
from explorer.analysis.faults.line_edits import indent_of

_TINY = "1e-8"
_METHOD = re.compile(r"(\s*)def \w+\(\s*(\w+)")
_LONGEST_LINE = 400
_MOST = 20  # brackets after a place that are searched for the end of a call


def _written(facts: Facts, found: Finding) -> WrittenCall | None:
    """The call at the place of a diagnosis, on one line."""
    place = found.place
    return called(text_at(facts, place)) if place.line == place.end_line else None


def _inner(call: WrittenCall) -> str:
    """The argument of a function: its first argument, or what is before the dot; "" for neither."""
    return call.arguments[0] if call.is_function and call.arguments else call.receiver if not call.is_function else ""


def _of(call: WrittenCall, inner: str) -> str:
    """The same call with another argument."""
    if call.is_function:
        return call.with_argument(0, inner)
    given = ", ".join(call.arguments)
    return postfixed(inner, f".{call.name}({given})")


def step_function(facts: Facts, found: Finding) -> Iterator[str | None]:
    """A straight-through gradient: x + (f(x) - x).detach()."""
    source, place = source_of(facts, found), found.place
    call = called(text_at(facts, place)) if place.line == place.end_line else None
    if call is None:
        return
    inner = call.arguments[0] if call.is_function and call.arguments else call.receiver
    if inner:
        whole = f"{bracketed(inner)} + ({text_at(facts, place)} - {bracketed(inner)}).detach()"
        yield replaced(source, place, f"({whole})" if is_joined(source, place) else whole)


def softmax_of_one(facts: Facts, found: Finding) -> Iterator[str | None]:
    """sigmoid in place of softmax."""
    source, place = source_of(facts, found), found.place
    call = called(text_at(facts, place)) if place.line == place.end_line else None
    if call is None or call.name != "softmax":
        return
    if call.is_function and call.arguments:
        yield replaced(source, place, f"torch.sigmoid({call.value(0)})")
    elif call.receiver:
        yield replaced(source, place, f"{call.receiver}.sigmoid()")


def gradient_stopped(facts: Facts, found: Finding) -> Iterator[str | None]:
    """A leaky relu, sigmoid instead of clamp(0, 1), or scaled inputs for sigmoid and tanh."""
    source, place, call = source_of(facts, found), found.place, _written(facts, found)
    if call is not None and call.name == "relu" and (inner := _inner(call)):
        head = "F." if call.head.startswith("F.") else "torch.nn.functional."
        yield replaced(source, place, f"{head}leaky_relu({inner})")
    if source.count("nn.ReLU()") == 1:
        yield source.replace("nn.ReLU()", "nn.LeakyReLU()")
    if call is None or not (inner := _inner(call)):
        return
    bounds = [float(argument) for argument in call.arguments if re.fullmatch(r"[01](?:\.0*)?", argument)]
    if call.name == "clamp" and bounds == [0, 1]:
        yield replaced(source, place, f"torch.sigmoid({inner})")
    operation = facts.trace.nodes.operation[found.node]
    if call.name in ("sigmoid", "tanh") and operation >= 0:
        given = facts.before(facts.operations.inputs[operation][0], operation)
        largest = float(abs(given).max()) if given is not None and given.size else 0.0
        if 1 < largest < math.inf:
            yield replaced(source, place, _of(call, f"({bracketed(inner)} / {float(f'{largest:.1g}'):g})"))


def softmax_of_one_class(facts: Facts, found: Finding) -> Iterator[str | None]:
    """The loss for one score instead of several; sigmoid instead of softmax."""
    yield from softmax_of_one(facts, found)
    source, place, call = source_of(facts, found), found.place, _written(facts, found)
    if call is None or len(call.arguments) != 2 or not re.search("(?i)cross_?entropy", source):
        return
    scores, target = postfixed(call.value(0), ".squeeze(-1)"), postfixed(call.value(1), ".float()")
    code = call.with_arguments(scores, target)
    code = code.replace(".cross_entropy(", ".binary_cross_entropy_with_logits(")
    yield replaced(source, place, code).replace("CrossEntropyLoss(", "BCEWithLogitsLoss(")


def _off_zero(call: WrittenCall, inner: str) -> Iterator[str]:
    """The call with its argument a little above 0, and clamped from below."""
    yield _of(call, f"{inner} + {_TINY}" if call.is_function else f"({inner} + {_TINY})")
    yield _of(call, postfixed(inner, f".clamp(min={_TINY})"))


def nan_backward(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Replace the entries that where discards before the function, not after it; a root a little above 0."""
    source, place, call = source_of(facts, found), found.place, _written(facts, found)
    if call is None or not (inner := _inner(call)):
        return
    if condition := _condition_around(source.split("\n")[place.line - 1], place.column, place.end_column):
        yield replaced(source, place, _of(call, f"torch.where({condition}, {inner}, 1.0)"))
    if call.name in ("sqrt", "log", "rsqrt"):
        yield from (replaced(source, place, code) for code in _off_zero(call, inner))


def _condition_around(line: str, begin: int, end: int) -> str:
    """The condition of the torch.where that contains a part of a line, "" for none."""
    start = line.rfind("torch.where(", 0, begin)
    closing = [at for at in range(end, len(line)) if line[at] == ")"][:_MOST]
    for at in closing if start >= 0 else ():
        around = called(line[start : at + 1])
        if around is not None and around.name == "where" and len(around.arguments) == 3:
            return around.arguments[0]
    return ""


def nan_forward(facts: Facts, found: Finding) -> Iterator[str | None]:
    """softmax instead of its definition, which overflows; logarithms, roots and quotients kept off 0."""
    source, place = source_of(facts, found), found.place
    code = text_at(facts, place) if place.line == place.end_line else ""
    pair, call = operated(code), called(code)
    if pair is not None and pair.operator == "/":
        made, summed = called(pair.left), f"{pair.left}.sum()"
        if made and made.name == "exp" and pair.right == summed:
            yield replaced(source, place, f"torch.softmax({_inner(made)}, dim=-1)")
        yield replaced(source, place, pair.made(pair.left, f"({pair.right} + {_TINY})"))
    if call is None:
        return
    inner = _inner(call)
    if call.name in ("log", "log2", "log10", "sqrt", "rsqrt") and inner:
        yield from (replaced(source, place, code) for code in _off_zero(call, inner))
    if call.name in ("std", "var"):
        yield replaced(source, place, call.with_arguments(*call.arguments, "correction=0"))
    if call.name == "softmax":
        for infinite in ("float('-inf')", 'float("-inf")', "-torch.inf", "-math.inf"):
            if source.count(infinite) == 1:
                yield source.replace(infinite, "-1e9")


def dropout_always(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Use the module's mode, in a method of it."""
    source, place, call = source_of(facts, found), found.place, _written(facts, found)
    lines = source.split("\n")
    depth = indent_of(lines[place.line - 1])
    for line in reversed(lines[: place.line]):
        method = _METHOD.match(line[:_LONGEST_LINE])
        if method and (len(method[1]) < len(depth) or line is lines[place.line - 1]):
            if call is not None and method[2] == "self":
                yield replaced(source, place, call.with_arguments(*call.arguments, "training=self.training"))
            return


CHANGES = {
    "dropout_always": dropout_always,
    "step_function": step_function,
    "gradient_stopped": gradient_stopped,
    "softmax_of_one": softmax_of_one_class,
    "nan_backward": nan_backward,
    "nan_forward": nan_forward,
}
