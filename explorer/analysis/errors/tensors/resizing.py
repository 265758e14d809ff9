"""Padding and resizing: numbers and modes that do not fit the axes of an image."""

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules

RULES = Rules()


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


RULES.message_rule("RuntimeError", r"Padding length must be divisible by 2", "pad-odd")
RULES.message_rule(
    "RuntimeError",
    r"Padding size should be less than the corresponding input dimension, but got: padding \((?P<first>\d+), "
    r"(?P<second>\d+)\) at dimension (?P<axis>\d+) of input \[(?P<shape>[\d, ]+)\]",
    "pad-reflects-too-much",
)
RULES.message_rule("ValueError", r"either size or scale_factor should be defined", "resize-without-size")
RULES.message_rule("ValueError", r"only one of size or scale_factor should be defined", "resize-of-two-sizes")
