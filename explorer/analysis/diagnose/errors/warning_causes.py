"""Explanations of warnings.

Messages are looked up and nothing of the program is read, so unlike explanations of errors this needs no child.
"""

from dataclasses import dataclass, field

from explorer.safe_regex import plain
from explorer.text import Message, Part
from explorer.text.numbers import shape_text

MOST_READ = 2_000  # characters searched for warnings
_HEAD = plain(r"(?m)^[A-Za-z]{1,40}Warning: ")
_SIZES = plain(r"torch\.Size\(\[([\d, ]{0,60}+)\]\)")
_DIMENSION = plain(r"choice for (\w{1,40}+) has been")
_OTHER = plain(r"`([\w.]{1,60}+)` is now deprecated in favor of `([\w.]{1,60}+)`")

# The message of each kind of warning. Its sentences are warning-<kind>, .cause and .repair.
_KNOWN = {
    "grad-of-result": "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",
    "scheduler-first": "Detected call of `lr_scheduler.step()` before `optimizer.step()`",
    "scheduler-epoch": "The epoch parameter in `scheduler.step()` was not necessary",
    "rate-asked": "To get the last learning rate computed by the scheduler",
    "tensor-of-tensor": "To copy construct from a tensor, it is recommended to use",
    "loss-broadcasts": "that is different to the input size",
    "hook-in-part": "Using a non-full backward hook when",
    "hook-without-inputs": "Full backward hook is firing when gradients are computed with respect to module outputs",
    "imaginary-dropped": "Casting complex values to real discards the imaginary part",
    "turned-around": "The use of `x.T` on tensors of dimension other than 2",
    "deviation-of-one": "degrees of freedom is <= 0",
    "number-with-gradient": "Converting a tensor with requires_grad=True to a scalar",
    "dim-implied": "Implicit dimension choice for",
    "dropout-of-one-layer": "dropout option adds dropout after all but last recurrent layer",
    "reduction-renamed": "size_average and reduce args will be deprecated",
    "kl-mean": "reduction: 'mean' divides the total loss by both the batch size and the support size",
    "meshgrid-indexing": "torch.meshgrid: in an upcoming release, it will be required to pass the indexing",
    "arrays-in-list": "Creating a tensor from a list of numpy.ndarrays is extremely slow",
    "gradient-with-graph": "Using backward() with create_graph=True will create a reference cycle",
    "result-resized": "An output with one or more elements was resized since it had shape",
    "range-inclusive": "torch.range is deprecated and will be removed",
    "cross-axis": "Using torch.cross without specifying the dim arg",
    "mask-of-bytes": "indexing with dtype torch.uint8 is now deprecated",
    "parameter-twice": "optimizer contains a parameter group with duplicate parameters",
    "checkpoint-of-data": "None of the inputs have requires_grad=True. Gradients will be None",
    "renamed": "is now deprecated in favor of",
    "divided-by-zero": "divide by zero encountered in",
    "no-number": "invalid value encountered in",
}

# Findings and explained errors that repeat a warning on the same line.
_SAID_BY = {
    "loss-broadcasts": ("loss_broadcast",),
    "scheduler-first": ("schedule_first",),
    "grad-of-result": (
        "grad_of_result",
        "leaf_rebound",
        "asked_too_late",
        "step-made-a-new-tensor",
        "gradient-of-a-result",
    ),
    "tensor-of-tensor": ("gradient_cut", "data_lost"),
    "number-with-gradient": ("gradient_cut",),
    "checkpoint-of-data": ("gradient_cut",),
    "dim-implied": ("softmax_axis",),
    "gradient-with-graph": ("graph_kept",),
    "mask-of-bytes": ("byte_inverted",),
    **dict.fromkeys(("deviation-of-one", "divided-by-zero", "no-number"), ("nan_forward", "nan_given", "nan_backward")),
}


@dataclass(frozen=True)
class Warned:
    """A warning: id of its sentences ("" if unknown), and the original message."""

    kind: str
    words: str
    values: dict[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[str, ...]:
        """Kinds of findings and errors that repeat the warning if they are on its line."""
        return _SAID_BY.get(self.kind, ())

    def messages(self, part: Part) -> tuple[Message]:
        """Return the warning as a message, if its kind is known."""
        return (Message(f"warning-{self.kind}", self.values).part(part),)


def warned(text: str) -> list[Warned]:
    r"""Find the warnings in a program's warning output.

    >>> [one.kind for one in warned("UserWarning: degrees of freedom is <= 0.\nUserWarning: mine")]
    ['deviation-of-one', '']
    """
    starts = [match.start() for match in _HEAD.finditer(text[: 50 * MOST_READ])] or [0]
    if starts[0]:
        starts.insert(0, 0)
    parts = (text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True))
    return [_one(part) for part in parts if part]


def _one(text: str) -> Warned:
    head = text[:MOST_READ]
    kind = next((kind for kind, words in _KNOWN.items() if words in head), "")
    values = _values(kind, head)
    return Warned("" if values is None else kind, text, values or {})


def _values(kind: str, head: str) -> dict[str, str] | None:
    """Return the values of a kind's sentences, None if the warning lacks one."""
    match kind:
        case "loss-broadcasts":
            shapes = [shape_text(tuple(map(int, hit[1].replace(",", " ").split()))) for hit in _SIZES.finditer(head)]
            return {"target": shapes[0] or "()", "input": shapes[1] or "()"} if len(shapes) == 2 else None
        case "dim-implied":
            return {"call": hit[1]} if (hit := _DIMENSION.search(head)) else None
        case "renamed":
            return {"old": hit[1], "new": hit[2]} if (hit := _OTHER.search(head)) else None
    return {}
