"""Layers of torch.nn with inputs of other sizes than they were created for: Linear, convolutions, Embedding."""

import re
from math import prod

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import entries, operation_name, shapes
from explorer.analysis.errors.text_edits import replaced
from explorer.trace import Span

_FLATTENS = ("flatten", "view", "reshape")
_BEHIND = 4  # operations before a layer that are searched, such as dropout


def features(stopped: Stopped) -> Explanation | None:
    """A Linear layer whose input has another number of features; called by the rule for products."""
    given = shapes(stopped)
    if len(given) < 2 or not given[0] or len(given[1]) != 2:
        return None
    outputs, wanted = given[1]
    values = {
        "layer": _layer(stopped),
        "wanted": str(wanted),
        "features": str(given[0][-1]),
        "shape": sizes(given[0]),
    }
    if len(given[0]) > 2 and prod(given[0][1:]) == wanted:
        call = called(stopped.code)
        first = call is not None and len(call.arguments) == 1 and is_input(stopped, call.value(0))
        new = call.with_argument(0, postfixed(call.value(0), ".flatten(1)")) if first else None
        values["factors"] = " · ".join(map(str, given[0][1:]))
        return changed(stopped, "linear-not-flattened", values, new)
    if len(given[0]) == 2 and given[0][0] == wanted:
        call = called(stopped.code)
        first = call is not None and len(call.arguments) == 1 and is_input(stopped, call.value(0))
        new = call.with_argument(0, postfixed(call.value(0), ".T")) if first else None
        return changed(stopped, "linear-transposed", values, new)
    remade = _remade(stopped, "Linear", (wanted, outputs), 0, given[0][-1])
    flat = _flattened(stopped, given[0])
    if flat:
        return _explained("linear-features-flattened", {**values, **flat}, remade)
    return _explained("linear-features", values, remade)


def _flattened(stopped: Stopped, shape: tuple[int, ...]) -> dict[str, str] | None:
    """The shape that a layer's input was flattened from, for a sentence; None if it was not."""
    operations, tensor = stopped.trace.operations, stopped.inputs[0]
    for _ in range(_BEHIND):
        maker = stopped.maker(tensor)
        if maker is None or not operations.inputs[maker]:
            return None
        tensor = operations.inputs[maker][0]
        before = stopped.shape(tensor)
        name = stopped.trace.string(stopped.trace.operations.name[maker])
        if name in _FLATTENS and len(before) > 2 and prod(before[1:]) == shape[-1]:
            return {"factors": " · ".join(map(str, before[1:])), "before": sizes(before)}
        if stopped.shape(tensor) != shape:
            return None
    return None


def _layer(stopped: Stopped) -> str:
    at = stopped.operation
    module = None if at is None else stopped.trace.string(stopped.trace.operations.module[at])
    return shown(module or stopped.code)


def _remade(stopped: Stopped, kind: str, wanted: tuple[int, ...], place: int, new: int) -> tuple[str, int] | None:
    """The cell with one number of its only matching layer replaced, and its place; None if no layer matches.

    A layer that has worked before is not changed: then its input is wrong.
    """
    operations, at = stopped.trace.operations, stopped.operation
    if at is None or operations.module[at] < 0 or operations.module[at] in operations.module[:at]:
        return None
    written = r",\s*".join(str(number) if i != place else f"(?P<n>{number})" for i, number in enumerate(wanted))
    pattern = re.compile(rf"\b{kind}\(\s*{written}\b(?!\s*[-+*/.])")
    hits = [(i, match) for i, cell in enumerate(stopped.trace.cells) for match in pattern.finditer(cell.source)]
    if len(hits) != 1:
        return None
    cell, hit = hits[0]
    source = stopped.trace.cells[cell].source
    line = source.count("\n", 0, hit.start("n")) + 1
    column = hit.start("n") - (source.rfind("\n", 0, hit.start("n")) + 1)
    return replaced(source, Span(cell, line, column, line, column + len(hit.group("n"))), str(new)), cell


def _explained(kind: str, values: dict[str, str], changed: tuple[str, int] | None) -> Explanation:
    return Explanation(kind, values, *changed) if changed else Explanation(kind, values)


@rule("RuntimeError", r"weight of size \[.*?\], expected input\[.*?\] to have (\d+) channels, but got (\d+) channels")
def channels(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A convolution whose input has another number of channels."""
    given = shapes(stopped)
    if len(given) < 2 or not operation_name(stopped).startswith("conv"):
        return None
    wanted, got = found.groups()
    image, weight, call = given[0], given[1], called(stopped.code)
    values = {"layer": _layer(stopped), "wanted": wanted, "channels": got, "shape": sizes(image)}
    first = call is not None and len(call.arguments) == 1 and call.place(0) == 0 and is_input(stopped, call.value(0))
    if len(image) == len(weight) and len(image) in (3, 4) and str(image[-1]) == wanted:
        order = ".permute(0, 3, 1, 2)" if len(image) == 4 else ".permute(0, 2, 1)"
        new = call.with_argument(0, postfixed(call.value(0), order)) if first else None
        return changed(stopped, "conv-channels-last", {**values, "order": order[1:]}, new)
    if first and wanted == "1" and len(image) == 3 and len(weight) == 4:
        return changed(
            stopped, "conv-no-channels", values, call.with_argument(0, postfixed(call.value(0), ".unsqueeze(1)"))
        )
    return _explained("conv-channels", values, _remade(stopped, r"Conv\dd", (int(wanted), weight[0]), 0, int(got)))


def is_input(stopped: Stopped, text: str) -> bool:
    """Whether a text means the first tensor of the call: a name bound to it, or the expression that made it."""
    tensor = stopped.inputs[0]
    maker = stopped.maker(tensor)
    made = "" if maker is None else stopped.trace.text(stopped.trace.operations.span[maker])
    return made == text or any(binding.name == text for binding in stopped.bindings(tensor))


@rule(
    "RuntimeError",
    r"Expected (\d)D \(unbatched\) or (\d)D \(batched\) input to (\w+), but got input of size: (\[.*?\])",
)
def conv_rank(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A convolution or pooling whose input has too few or too many axes."""
    given, call = shapes(stopped), called(stopped.code)
    values = {
        "layer": _layer(stopped),
        "fewer": found.group(1),
        "more": found.group(2),
        "shape": sizes(numbers_of(found.group(4))),
        "axes": str(len(numbers_of(found.group(4)))),
    }
    new = None
    grey = len(given) > 1 and len(given[0]) == 2 and len(given[1]) == 4 and given[1][1] == 1
    if grey and call is not None and len(call.arguments) == 1 and is_input(stopped, call.value(0)):
        new = call.with_argument(0, postfixed(call.value(0), ".unsqueeze(0)"))
    return changed(stopped, "conv-axes", values, new)


def numbers_of(text: str) -> tuple[int, ...]:
    """The sizes in torch's text of a shape."""
    return tuple(int(word) for word in re.findall(r"\d{1,18}", text)[:64])


@rule("RuntimeError", r"input size per channel: \((.*?)\)\. Kernel size: \((.*?)\)")
def conv_kernel(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A kernel that is larger than the padded input."""
    size, kernel = (group.replace("x", "×") for group in found.groups())
    return changed(stopped, "conv-kernel", {"layer": _layer(stopped), "size": size, "kernel": kernel})


@rule("IndexError", r"index out of range in self")
def lookup_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An index for Embedding or index_select that its table does not have."""
    name, given = operation_name(stopped), shapes(stopped)
    if name not in ("embedding", "index_select", "embedding_bag") or len(given) < 2:
        return None
    indices, table = (0, 1) if name != "index_select" else (1, 0)
    rows = given[table][0] if given[table] else 0
    if name == "index_select":
        return None
    wrong = [entry for entry in entries(stopped, stopped.inputs[indices]) or () if not 0 <= entry < rows]
    values = {
        "layer": _layer(stopped),
        "rows": str(rows),
        "last": str(rows - 1),
        "index": str(max(wrong)) if wrong else "?",
        "enough": str(max(wrong) + 1) if wrong else "?",
        "indices": shown(stopped.name(stopped.inputs[indices])) or "?",
    }
    if wrong and min(wrong) < 0:
        return changed(stopped, "embedding-negative", {**values, "index": f"−{-min(wrong)}"})
    if not wrong or len(given[table]) != 2:
        return changed(stopped, "embedding-range" if wrong else "embedding-range-large", values)
    return _explained("embedding-range", values, _remade(stopped, "Embedding", given[table], 0, int(max(wrong)) + 1))


RULES = (channels, conv_rank, conv_kernel, lookup_range)
