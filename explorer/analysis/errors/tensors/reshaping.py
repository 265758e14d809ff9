"""view, reshape, padding and resizing to sizes that do not fit, and wrong numbers of rows that one of them made."""

import re
from math import prod

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, numbers, sizes
from explorer.analysis.source import Call, items, shorten_code

RESHAPES = ("view", "reshape", "flatten", "unflatten", "_unsafe_view")

RULES = Rules()


@RULES.rule("RuntimeError", r"shape '(?P<shape>\[.*?\])' is invalid for input of size (?P<entries>\d+)")
def reshape_size(at: FailureContext) -> Explanation:
    """view or reshape to another number of entries."""
    wanted, count, call = numbers(at["shape"]), int(at["entries"]), at.call
    given = at.shapes[0] if at.shapes else ()
    values = {"tensor": at.subject, "own": sizes(given) if at.shapes else "?"}
    if -1 in wanted:
        return at.explain("reshape-not-divisible", **values, rest=str(prod(size for size in wanted if size != -1)))
    values |= {"places": str(prod(wanted))}
    written = _sizes(call) if call and call.name in ("view", "reshape") else []
    if len(written) != len(wanted):
        return at.explain("reshape-entries", **values)
    if remainder := _remainder(written, wanted, count, given):
        return at.explain("reshape-remainder", **values | remainder)
    return at.explain("reshape-entries", _fitting(call, written, wanted, count, given), **values)


def _own(call: Call) -> list[str]:
    return list(call.arguments[1:] if call.is_function else call.arguments)


def _sizes(call: Call) -> list[str]:
    """The sizes as the program writes them."""
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
        if whole and count * part * wanted[i] == prod(wanted) * whole[0]:
            return {"whole": divided[1], "part": divided[2], "size": str(whole[0]), "by": str(part), "written": text}
    return None


def _fitting(call: Call, written: list[str], wanted: tuple[int, ...], count: int, own: tuple[int, ...]) -> str | None:
    """The call with one size corrected, if only one of the sizes written as numbers can change.

    A named size stays, and so does a size that the tensor has at the same position.
    """
    fitting = {}
    for i, text in enumerate(written):
        others = prod(wanted[:i] + wanted[i + 1 :])
        if text.isdigit() and others > 0 and count % others == 0 and own[i : i + 1] != (wanted[i],):
            fitting[i] = str(count // others)
    if len(fitting) != 1:
        return None
    inner = ", ".join(fitting.get(i, text) for i, text in enumerate(written))
    first = _own(call)[0]
    if len(_own(call)) == 1 and first[:1] in ("(", "["):
        inner = f"{first[0]}{inner}{',' if len(written) == 1 and first[0] == '(' else ''}{first[-1]}"
    return call.with_arguments(*(call.arguments[:1] if call.is_function else ()), inner)


def rows_made(at: FailureContext, tensor: int, rows: int, examples: int) -> dict[str, str] | None:
    """The view or reshape that changed the number of rows from the number of examples, or None."""
    trace, operations = at.trace, at.trace.operations
    for _ in range(len(operations)):
        maker = at.maker(tensor)
        if maker is None or not operations.inputs[maker]:
            return None
        before = operations.inputs[maker][0]
        shape, after = at.shape(before), at.shape(tensor)
        if at.operation_names(maker) in RESHAPES and shape[:1] == (examples,) and after[:1] == (rows,):
            line = str(trace.line(operations.span[maker]))
            values = {"made": shorten_code(at.written(maker)), "line": line, "before": sizes(shape)}
            return values | {"each": str(prod(shape[1:])), "wide": str(prod(after[1:]))}
        tensor = before
    return None


@RULES.rule(
    "RuntimeError",
    r"Padding length should be less than or equal to two times the input dimension "
    r"but got padding length (?P<count>\d+) and input of dimension (?P<axes>\d+)",
)
def pad_of_more_axes(at: FailureContext) -> Explanation:
    """More numbers of padding than two for each axis."""
    return at.explain("pad-of-more-axes", most=2 * int(at["axes"]))


@RULES.rule("NotImplementedError", r"Padding size (?P<count>\d+) is not supported for (?P<axes>\d)D input tensor")
def pad_without_channels(at: FailureContext) -> Explanation:
    """Padding by reflection needs a channel axis before the padded axes."""
    padded, axes = int(at["count"]) // 2, int(at["axes"])
    raised = at.change_argument(0, ".unsqueeze(0)") if axes == padded and at.call and at.call.is_function else None
    new = f"{raised}.squeeze(0)" if raised else None
    return at.explain("pad-without-channels", new, padded=str(padded), least=str(padded + 1))


@RULES.rule("NotImplementedError", r"Only 3D, 4D and 5D input Tensors supported \(got (?P<axes>\d)D\)")
def resized_without_channels(at: FailureContext) -> Explanation:
    """interpolate of an image without the axes of examples and channels."""
    fits = at["axes"] == "2" and at.call and at.call.name == "interpolate"
    raised = at.change_argument(0, "[None, None]") if fits else None
    shape = str(at.shapes[0]) if at.shapes else ""
    return at.explain("resize-without-channels", f"{raised}[0, 0]" if raised else None, shape=shape)


@RULES.rule(
    "ValueError|NotImplementedError",
    r"Got (?P<axes>\d)D input, but (?P<mode>\w+) mode needs (?P<wanted>\d)D input"
    r"|Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
    r"\[(?P<own>.*?)\] and output size of (?P<size>\(.*?\))",
)
def resized_axes(at: FailureContext) -> Explanation:
    """interpolate of an image whose axes are fewer, or more, than the mode or the size want."""
    if at["axes"]:
        return at.explain("resize-mode-axes")
    own = at["own"]
    return at.explain("resize-size-axes", spatial=f"({own})" if "," in own else f"({own},)", count=own.count(",") + 1)


RULES.message_rules(
    {
        r"RuntimeError: Padding length must be divisible by 2": "pad-odd",
        r"RuntimeError: Padding size should be less than the corresponding input dimension, but got: "
        r"padding \((?P<first>\d+), (?P<second>\d+)\) at dimension (?P<axis>\d+) of input "
        r"\[(?P<shape>[\d, ]+)\]": "pad-reflects-too-much",
        r"ValueError: either size or scale_factor should be defined": "resize-without-size",
        r"ValueError: only one of size or scale_factor should be defined": "resize-of-two-sizes",
    }
)
