"""view and reshape to another number of entries, and wrong numbers of rows that one of them made."""

import math
import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import WrittenCall, called, items, numbers, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import shapes, subject

RESHAPES = ("view", "reshape", "flatten", "unflatten", "_unsafe_view")


@rule("RuntimeError", r"shape '(\[.*?\])' is invalid for input of size (\d+)")
def reshape_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """view or reshape to another number of entries."""
    wanted, count, call = numbers(found.group(1)), int(found.group(2)), called(stopped.code)
    given = shapes(stopped)
    own = sizes(given[0]) if given else "?"
    values = {"tensor": shown(subject(stopped, call)) or "?", "entries": str(count), "shape": sizes(wanted)}
    if -1 in wanted:
        rest = math.prod(size for size in wanted if size != -1)
        return changed(stopped, "reshape-not-divisible", {**values, "rest": str(rest), "own": own})
    values |= {"places": str(math.prod(wanted)), "own": own}
    written = _sizes(call)
    if written is None or len(written) != len(wanted):
        return changed(stopped, "reshape-entries", values)
    if remainder := _remainder(written, wanted, count, given[0] if given else ()):
        return changed(stopped, "reshape-remainder", values | remainder)
    return changed(stopped, "reshape-entries", values, _fitting(call, written, wanted, count, given))


def _own(call: WrittenCall) -> list[str]:
    return list(call.arguments[1:] if call.is_function else call.arguments)


def _sizes(call: WrittenCall | None) -> list[str] | None:
    """The sizes as the program writes them."""
    if call is None or call.name not in ("view", "reshape"):
        return None
    own = _own(call)
    return list(items(own[0])) or own if len(own) == 1 else own


def _remainder(written: list[str], wanted: tuple[int, ...], count: int, own: tuple[int, ...]) -> dict[str, str] | None:
    """For a size written as C // H: C, if an axis of the tensor leaves a remainder."""
    for i, text in enumerate(written):
        divided = re.fullmatch(r"([\w.]+) ?// ?([\w.]+)", text)
        known = [wanted[k] for k, other in enumerate(written) if divided and other == divided[2]]
        if not divided or not (known or divided[2].isdigit()):
            continue
        part = known[0] if known else int(divided[2])
        whole = [size for size in own if part and size // part == wanted[i] and size % part]
        if whole and count * part * wanted[i] == math.prod(wanted) * whole[0]:
            return {"whole": divided[1], "part": divided[2], "size": str(whole[0]), "by": str(part), "written": text}
    return None


def _fitting(
    call: WrittenCall | None, written: list[str], wanted: tuple[int, ...], count: int, given: list[tuple[int, ...]]
) -> str | None:
    """The call with one size corrected, if only one of the sizes written as numbers can change.

    A named size stays, and so does a size that the tensor has at the same position.
    """
    own = given[0] if given else ()
    fitting = {}
    for i, text in enumerate(written):
        others = math.prod(wanted[:i] + wanted[i + 1 :])
        if text.isdigit() and others > 0 and count % others == 0 and own[i : i + 1] != (wanted[i],):
            fitting[i] = count // others
    if call is None or len(fitting) != 1:
        return None
    [(at, size)] = fitting.items()
    inner = ", ".join(str(size) if i == at else text for i, text in enumerate(written))
    first = _own(call)[0]
    if len(_own(call)) == 1 and first[:1] in ("(", "["):
        inner = f"{first[0]}{inner}{',' if len(written) == 1 and first[0] == '(' else ''}{first[-1]}"
    return call.with_arguments(*call.arguments[:1], inner) if call.is_function else call.with_arguments(inner)


def rows_made(stopped: Stopped, tensor: int, rows: int, examples: int) -> dict[str, str] | None:
    """The view or reshape that changed the number of rows from the number of examples, or None."""
    trace, operations = stopped.trace, stopped.trace.operations
    for _ in range(len(operations)):
        maker = stopped.maker(tensor)
        if maker is None or not operations.inputs[maker]:
            return None
        before = operations.inputs[maker][0]
        name, shape = trace.string(operations.name[maker]), stopped.shape(before)
        if name in RESHAPES and shape[:1] == (examples,) and stopped.shape(tensor)[:1] == (rows,):
            span, each = operations.span[maker], math.prod(shape[1:])
            values = {"made": shown(trace.text(span)), "line": str(trace.line(span)), "before": sizes(shape)}
            return values | {"each": str(each), "wide": str(math.prod(stopped.shape(tensor)[1:]))}
        tensor = before
    return None


RULES = (reshape_size,)
