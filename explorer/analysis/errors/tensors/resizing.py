"""Padding and resizing: numbers and modes that do not fit the axes of an image."""

import re

from explorer.analysis.errors.explanations import changed, explanation, known
from explorer.analysis.errors.expressions import called, postfixed, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule


def _shape(stopped: Stopped) -> tuple[int, ...] | None:
    """The shape of what the failing call was given first."""
    return stopped.shape(stopped.inputs[0]) if stopped.inputs else None


def _shown(shape: tuple[int, ...] | None) -> str:
    return str(shape) if shape is not None else ""


@rule(
    "RuntimeError",
    r"Padding length should be less than or equal to two times the input dimension but got padding length (\d+) "
    r"and input of dimension (\d+)",
)
def pad_of_more_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """More numbers of padding than two for each axis."""
    return explanation(stopped, "pad-of-more-axes", count=found[1], axes=found[2], most=2 * int(found[2]))


@rule("NotImplementedError", r"Padding size (\d+) is not supported for (\d)D input tensor")
def pad_without_channels(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Padding by reflection needs a channel axis before the padded axes."""
    count, axes = int(found[1]), int(found[2])
    call, new = called(stopped.code), None
    if call and call.arguments and axes == count // 2 and call.is_function:
        new = call.with_argument(0, postfixed(call.value(0), ".unsqueeze(0)")) + ".squeeze(0)"
    values = {"count": str(count), "axes": str(axes), "padded": str(count // 2), "code": shown(stopped.code)}
    return changed(stopped, "pad-without-channels", values | {"least": str(count // 2 + 1)}, new)


@rule("NotImplementedError", r"Only 3D, 4D and 5D input Tensors supported \(got (\d)D\)")
def resized_without_channels(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """interpolate of an image without the axes of examples and channels."""
    call, new = called(stopped.code), None
    if found[1] == "2" and call and call.arguments and call.name == "interpolate":
        new = call.with_argument(0, postfixed(call.value(0), "[None, None]")) + "[0, 0]"
    values = {"code": shown(stopped.code), "axes": found[1], "shape": _shown(_shape(stopped))}
    return changed(stopped, "resize-without-channels", values, new)


@rule(
    "ValueError|NotImplementedError",
    r"Got (\d)D input, but (\w+) mode needs (\d)D input"
    r"|Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
    r"\[(.*?)\] and output size of (\(.*?\))",
)
def resized_axes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """interpolate of an image whose axes are fewer, or more, than the mode or the size want."""
    if found[1]:
        return explanation(stopped, "resize-mode-axes", axes=found[1], mode=found[2], wanted=found[3])
    sizes = f"({found[4]})" if "," in found[4] else f"({found[4]},)"
    count = found[4].count(",") + 1
    return explanation(stopped, "resize-size-axes", spatial=sizes, count=count, size=found[5])


RULES: tuple[Rule, ...] = (
    pad_of_more_axes,
    pad_without_channels,
    resized_without_channels,
    resized_axes,
    known("RuntimeError", r"Padding length must be divisible by 2", "pad-odd"),
    known(
        "RuntimeError",
        r"Padding size should be less than the corresponding input dimension, but got: padding \((?P<first>\d+), "
        r"(?P<second>\d+)\) at dimension (?P<axis>\d+) of input \[(?P<shape>[\d, ]+)\]",
        "pad-reflects-too-much",
    ),
    known("ValueError", r"either size or scale_factor should be defined", "resize-without-size"),
    known("ValueError", r"only one of size or scale_factor should be defined", "resize-of-two-sizes"),
)
