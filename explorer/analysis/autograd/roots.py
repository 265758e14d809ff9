"""The possible roots of a program: outputs whose gradient a user may choose."""

from msgspec import Struct

from explorer.trace import Trace

MOST = 200  # names that are offered

_REAL = ("float64", "float32", "float16", "bfloat16")


class Root(Struct, frozen=True):
    """A name whose tensor can be differentiated, and the tensor's shape."""

    name: str
    shape: tuple[int, ...]


def possible_roots(trace: Trace) -> tuple[Root, ...]:
    """The names bound at the end to tensors that autograd made, in the order of the program; the last MOST of them."""
    tensors = trace.tensors
    last: dict[str, int] = {}
    for binding in trace.bindings:
        last.pop(binding.name, None)
        last[binding.name] = binding.tensor
    found = [
        Root(name, tuple(trace.shapes[tensors.shape[i]]))
        for name, i in last.items()
        if tensors.requires_grad[i]
        and not tensors.is_leaf[i]
        and trace.string(tensors.dtype[i]) in _REAL
        and name.isidentifier()
    ]
    return tuple(found[-MOST:])
