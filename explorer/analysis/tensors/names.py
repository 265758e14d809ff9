"""Names of tensors and their current versions: small look-ups that all views of a Trace share."""

from collections.abc import Iterator

from explorer.safe_regex import is_word
from explorer.trace import Binding, Trace, Value
from explorer.trace.index import names_in


def writes_to(trace: Trace, operation: int, tensor: int) -> bool:
    """Whether an operation that made a new version of a tensor was called on it, not on another with its storage."""
    inputs, outputs = trace.operations.inputs[operation], trace.operations.outputs[operation]
    return tensor in outputs or inputs[:1] == [tensor]


def begins_with(text: str, name: str) -> bool:
    """Whether a statement is about a name: `x.data *= 2` changes x through another tensor object."""
    return text.startswith(name) and not is_word(text[len(name) : len(name) + 1])


def version_at(trace: Trace, tensor: int, operation: int) -> int:
    """The version of a tensor when an operation has run, as a row of Trace.versions.

    A version that no operation wrote has no time, so it counts only as the first.
    """
    if len(trace.versions_of(tensor)) == 1:
        return trace.tensors.version_start[tensor]
    row = trace.index.written(tensor, operation)
    return trace.tensors.version_start[tensor] if row is None else row


class TensorNames:
    """The name of a tensor: the one in the given text, otherwise its first name at the left margin."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names: dict[int, dict[str, int]] = {}  # by tensor its names, each with its place among them
        for binding in sorted(trace.bindings, key=lambda binding: _indented(trace, binding)):
            names = self._names.setdefault(binding.tensor, {})
            names.setdefault(binding.name, len(names))

    def __contains__(self, tensor: int) -> bool:
        return tensor in self._names

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._names))

    def of(self, tensor: int, text: str = "") -> str:
        """Its name, the expression that made it when it has none, otherwise ""."""
        if names := self._names.get(tensor):
            used = names.keys() & names_in(text) if text else ()
            return min(used, key=names.__getitem__) if used else next(iter(names))
        trace = self._trace
        made = trace.maker(tensor)
        return trace.text(trace.operations.span[made]) if made >= 0 else ""


def _indented(trace: Trace, binding: Binding) -> bool:
    """Whether a name was given inside a block, most often a function's."""
    if binding.span < 0:
        return False
    place = trace.spans[binding.span]
    return trace.cells[place.cell].lines[place.line - 1][:1].isspace()


def shape_of(trace: Trace, version: int) -> tuple[tuple[int, ...], str]:
    """Shape and dtype of a version; where its entries were not kept, those of its tensor."""
    value, tensors = trace.versions.value[version], trace.tensors
    if value < 0:
        tensor = trace.index.tensor_of(version)
        return tuple(trace.shapes[tensors.shape[tensor]]), trace.strings[tensors.dtype[tensor]]
    return tuple(trace.shapes[trace.values.shape[value]]), trace.strings[trace.values.dtype[value]]


def value_of(trace: Trace, version: int) -> Value:
    """The entries of a version; without any where they were not kept, as in the middle of a long run."""
    known = trace.value_at(version)
    return known or Value(*shape_of(trace, version), None, (), None, None, None, None, 0)
