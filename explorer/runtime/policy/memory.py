"""What reaches memory inside numpy and torch, closed where it lies: whatever way a program calls it, this answers.

A check of what a program writes sees its own calls; these functions are also called by a library that was handed one of
them with its arguments. So the closed form stands in the libraries themselves while a program runs.
"""

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any


def closed_functions(guards) -> dict[tuple[str, str], Callable]:
    """The closed forms of functions that the libraries call themselves too, by module and name."""
    import torch

    from_numpy = torch.from_numpy
    functions = {
        ("torch", "from_numpy"): _own_memory(from_numpy),
        ("torch", "as_tensor"): _own_memory(torch.as_tensor),
        ("torch", "asarray"): _no_buffers(guards, torch.asarray),
        ("torch", "ctc_loss"): _labels_in_range(torch.ctc_loss),
        ("torch", "embedding"): _with_own(torch.embedding, place=1, switch=4, name="sparse"),
        ("torch", "embedding_bag"): _weighted(_with_own(torch.embedding_bag, place=1, switch=5, name="sparse")),
        ("torch.nn.functional", "interpolate"): _plain_numbers(torch.nn.functional.interpolate),
        ("torch", "histogramdd"): _plain_numbers(torch.histogramdd),
        ("torch", "gather"): _with_own(torch.gather, place=2, switch=3, name="sparse_grad", called="index"),
    }
    for name in ("coo", "csr", "csc", "bsr", "bsc", "compressed"):
        tensor = f"sparse_{name}_tensor"
        functions["torch", tensor] = _with_invariants(guards, getattr(torch, tensor))
    pools = [("torch", "max_pool1d_with_indices"), ("torch", "adaptive_max_pool1d")]
    pools += [("torch._C._nn", f"{kind}max_pool{n}d{rest}") for kind, rest in _POOLS for n in (2, 3)]
    for module, name in pools:
        functions[module, name] = _copied_places(getattr(library(module), name))
    functions["pandas.core.indexes.multi", "_coerce_indexer_frozen"] = _codes_in_range()
    return functions


_POOLS = (("", "_with_indices"), ("adaptive_", ""))


def library(name: str):
    """A module or a class of a library by its name."""
    import torch

    first, *parts = name.split(".")
    return functools.reduce(getattr, parts, torch if first == "torch" else importlib.import_module(first))


def close_tensor() -> None:
    """`torch.Tensor(cdata=...)` is the tensor at an address."""
    import torch

    if "__new__" in vars(torch.Tensor):
        return
    made = torch.Tensor.__new__

    def __new__(*args, **kwargs):  # torch compares signatures, and takes this one for any
        if "cdata" in kwargs:
            raise TypeError("Tensor() takes no address")
        return made(*args, **kwargs)

    torch.Tensor.__new__ = __new__


# ---- memory that is not to be written ------------------------------------------------------------------------------


def _own_memory(function: Callable) -> Callable:
    """torch writes into arrays that NumPy protects, such as the codes of a column; they are copied instead."""
    import numpy

    def made(data, *arguments, **keywords):
        if isinstance(data, numpy.ndarray) and not data.flags.writeable:
            warnings.warn(
                "The given NumPy array is not writable: the tensor has a copy of it.", UserWarning, stacklevel=2
            )
            data = data.copy()
        return function(data, *arguments, **keywords)

    return made


def _no_buffers(guards, function: Callable) -> Callable:
    """`torch.asarray` would lie in the memory of any object that has some: bytes cannot change, a bytearray moves."""
    import numpy
    import torch

    protected = _own_memory(function)

    def asarray(obj, *arguments, **keywords):
        if not isinstance(obj, torch.Tensor | numpy.ndarray | numpy.generic) and _has_memory(obj):
            guards.refuse(f"torch.asarray({type(obj).__name__})", "memory")
        return protected(obj, *arguments, **keywords)

    return asarray


def _has_memory(thing: Any) -> bool:
    try:
        memoryview(thing)
    except TypeError:
        return False
    return True


# ---- numbers that are used as places, unchecked --------------------------------------------------------------------


def _with_invariants(guards, function: Callable) -> Callable:
    """The places of a sparse tensor are checked when it is made, and nobody else has them."""

    def sparse(*arguments, **keywords):
        if not keywords.get("check_invariants", True) and keywords["check_invariants"] is not None:
            guards.refuse("check_invariants=", "keyword")
        keywords = {name: copied(value) for name, value in keywords.items()}
        return function(*map(copied, arguments), **keywords)

    return sparse


def _labels_in_range(function: Callable) -> Callable:
    def ctc_loss(log_probs, targets, input_lengths, target_lengths, *arguments, **keywords):
        import torch

        with torch._C.DisableTorchFunction():
            classes, used = log_probs.size(-1), targets
            if targets.dim() == 2:  # rows are filled up behind their length with anything
                lengths = torch.as_tensor(target_lengths).reshape(-1, 1)
                used = targets[torch.arange(targets.size(1)) < lengths]
            low, high = (int(used.min()), int(used.max())) if used.numel() else (0, 0)
        if not 0 <= low <= high < classes:
            raise IndexError(f"ctc_loss: labels from {low} to {high}, but {classes} classes, 0 to {classes - 1}")
        given = targets, input_lengths, target_lengths  # the way back reads them again
        return function(log_probs, *map(copied, given), *arguments, **keywords)

    return ctc_loss


def _with_own(function: Callable, place: int, switch: int, name: str, called: str = "indices") -> Callable:
    """A sparse gradient is made of the places as they are then, so nobody else may hold them."""

    def looked_up(*arguments, **keywords):
        if keywords.get(name) or (len(arguments) > switch and arguments[switch]):
            if called in keywords:
                keywords[called] = copied(keywords[called])
            elif len(arguments) > place:
                arguments = (*arguments[:place], copied(arguments[place]), *arguments[place + 1 :])
        return function(*arguments, **keywords)

    return looked_up


def _weighted(function: Callable) -> Callable:
    """A bag with weights of its own, whose way back reads the places again."""

    def embedding_bag(weight, indices, offsets, *arguments, **keywords):
        if (len(arguments) > 3 and arguments[3] is not None) or keywords.get("per_sample_weights") is not None:
            indices, offsets = copied(indices), copied(offsets)
        return function(weight, indices, offsets, *arguments, **keywords)

    return embedding_bag


def _plain_numbers(function: Callable) -> Callable:
    """A list of numbers is read item by item; an object asked for its own could change the list meanwhile."""

    def plain(given):
        if not isinstance(given, list):
            return given
        known = (int, float, str, type(None))
        return [one if isinstance(one, known) or hasattr(one, "dtype") else float(one) for one in list(given)]

    def called(*arguments, **keywords):
        return function(*map(plain, arguments), **{name: plain(value) for name, value in keywords.items()})

    return called


def gather(self, dim, index, *, sparse_grad=False):
    """The method: what is closed in the function is closed in it."""
    return self.gather(dim, copied(index) if sparse_grad else index, sparse_grad=sparse_grad)


def _copied_places(function: Callable) -> Callable:
    """The way back of a pooling writes where its indices say; the program gets its own."""

    def pooled(*arguments, **keywords):
        value, places = function(*arguments, **keywords)
        return value, copied(places)

    return pooled


def copied(value):
    """A copy of a tensor of integers, or of each in a tuple; what can have a gradient stays the tensor that it is."""
    import torch

    if isinstance(value, tuple):
        return tuple(map(copied, value))
    if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.is_complex():
        return value
    with torch._C.DisableTorchFunction():
        return value.clone()


def saved_hooks(pack: Callable, unpack: Callable) -> tuple[Callable, Callable]:
    """Hooks for saved tensors, whose result the way back uses unchecked: of the same form, the same places."""

    def checked_pack(tensor):
        copy = copied(tensor)
        return pack(tensor), tensor.shape, tensor.dtype, None if copy is tensor else copy

    def checked_unpack(packed):
        import torch

        held, shape, dtype, before = packed
        tensor = unpack(held)
        if not isinstance(tensor, torch.Tensor) or (tensor.shape, tensor.dtype) != (shape, dtype):
            raise RuntimeError(
                f"an unpack hook must return a tensor of shape {tuple(shape)} and {dtype}, as was packed"
            )
        with torch._C.DisableTorchFunction():
            if before is not None and not torch.equal(tensor, before):
                raise RuntimeError("an unpack hook must return the same integers that were packed")
        return tensor

    return checked_pack, checked_unpack


def _codes_in_range() -> Callable:
    """The codes of a MultiIndex are places among its levels, used unchecked; nobody else may hold them."""
    import pandas

    coerce = pandas.core.indexes.multi._coerce_indexer_frozen

    def coerced(array_like, categories, copy=False):
        codes = coerce(array_like, categories, copy=True)
        if codes.size and not -1 <= codes.min() <= codes.max() < len(categories):
            raise ValueError(f"codes from {codes.min()} to {codes.max()}, but {len(categories)} levels")
        return codes

    return coerced


# ---- names that a program chooses ----------------------------------------------------------------------------------


# ---- the class of arrays -------------------------------------------------------------------------------------------


def array_class(guards) -> type:
    """`numpy.ndarray` as a program sees it: instances, names and annotations, but nothing laid over other memory."""
    from types import GenericAlias

    import numpy

    class Kind(type):
        def __instancecheck__(cls, thing) -> bool:
            return isinstance(thing, numpy.ndarray)

        def __subclasscheck__(cls, kind) -> bool:
            return kind is cls or issubclass(kind, numpy.ndarray)

        def __repr__(cls) -> str:
            return repr(numpy.ndarray)

        def _repr_pretty_(cls, printer, cycle) -> None:
            printer.pretty(numpy.ndarray)

        def __call__(cls, shape, dtype=float, *over, order=None, **keywords):
            if over or keywords:
                guards.refuse("numpy.ndarray(shape, dtype, buffer)", "forged")
            return numpy.empty(shape, dtype, order or "C")

    class ndarray(metaclass=Kind):
        __doc__ = numpy.ndarray.__doc__
        __class_getitem__: Any = classmethod(GenericAlias)

    ndarray.__module__, ndarray.__qualname__ = "numpy", "ndarray"
    return ndarray


# Modules whose objects a program gets, and does not make: what makes them takes their insides unchecked.
UNMADE = ("explorer.", "pandas.api.typing", "pandas.core.groupby", "pandas.core.window", "pandas.core.resample")


def unmade(guards, kind: type) -> type:
    """A class as a program sees it: instances and names, but no new objects."""

    class Kind(type):
        def __instancecheck__(cls, thing) -> bool:
            return isinstance(thing, kind)

        def __subclasscheck__(cls, other) -> bool:
            return other is cls or issubclass(other, kind)

        def __repr__(cls) -> str:
            return repr(kind)

        def _repr_pretty_(cls, printer, cycle) -> None:
            printer.pretty(kind)

        def __call__(cls, *arguments, **keywords):
            guards.refuse(f"{kind.__name__}()", "internals")

    shown = Kind(kind.__name__, (), {"__doc__": kind.__doc__, "__module__": kind.__module__})
    shown.__qualname__ = kind.__qualname__
    return shown


class ShownObject:
    """What is read in place of an object: its class, its attributes by name."""

    def __init__(self, kind: type | None = None, names: dict | None = None) -> None:
        self._kind, self._names = kind, names

    def __getattribute__(self, name: str) -> object:
        return object.__getattribute__(self, {"__class__": "_kind", "__dict__": "_names"}[name])


def base_of(array):
    """The array whose memory an array uses; not the tensor that keeps the memory alive for NumPy alone."""
    import torch

    base = array.base
    return base.detach() if isinstance(base, torch.Tensor) else base


def random_state(state: Any) -> tuple:
    """The state of NumPy's first generator, read once into plain values. Raises ValueError for what is none."""
    import numpy

    if type(state) is dict:
        state = state["bit_generator"], *state["state"].values(), state["has_gauss"], state["gauss"]
    name, keys, place, *normal = tuple(state)
    keys = numpy.array(keys, dtype=numpy.uint32)
    place, name = int(place), str(name)
    if name != "MT19937" or keys.shape != (624,) or not 0 <= place <= 624 or len(normal) not in (0, 2):
        raise ValueError("not a state of MT19937: its name, 624 numbers, a place in 0 to 624")
    return ("MT19937", keys, place, *((int(normal[0]), float(normal[1])) if normal else ()))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """NumPy reckons the shape of what it lays over an array with these numbers; they are plain ones."""
    import numpy

    def whole(given):
        return tuple(map(int, given)) if numpy.iterable(given) else int(given)

    axis = None if axis is None else whole(axis)
    view = numpy.lib.stride_tricks.sliding_window_view
    return view(x, whole(window_shape), axis, subok=subok, writeable=writeable)
