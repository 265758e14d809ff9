"""A call's arguments, as JSON and as a typed record."""

import math
from collections.abc import Iterator
from functools import lru_cache
from types import EllipsisType
from typing import Any, TypeAlias, TypeVar, Union

import msgspec
from msgspec import Struct, structs

MOST = 240  # longest text of one call, as in the recorder
DEEP = 32  # deepest nesting of lists
EXACT = 1 << 53  # integers below it are exact in every JSON reader

DROPPED = "Tensor"  # the type of a tensor that a shortened recording left out

_PLAIN = (type(None), bool, str)
_KEPT = 4_096  # most cached texts; real programs have a few hundred
_decoder = msgspec.json.Decoder(tuple[list, dict])

Default = TypeVar("Default")


class InputTensor(Struct, frozen=True):
    """A tensor among the arguments. Attributes: number: index among the operation's inputs."""

    number: int


class Dtype(Struct, frozen=True):
    """A dtype among the arguments. Attributes: name: torch's, without `torch.`."""

    name: str


class Other(Struct, frozen=True):
    """An argument that was not recorded. Attributes: type: its type's name, DROPPED for a tensor."""

    type: str


_Plain: TypeAlias = bool | int | float | str | slice | EllipsisType | InputTensor | Dtype | Other | None
Argument: TypeAlias = Union[_Plain, list["Argument"], tuple["Argument", ...]]  # noqa: UP007


class Arguments(Struct, frozen=True):
    """Arguments of a recorded call.

    Attributes:
        positional, named: the arguments by position and by name. Nobody changes their lists.
        tensors: 1 + the largest number of an InputTensor anywhere among them.
    """

    positional: tuple[Argument, ...] = ()
    named: dict[str, Argument] = {}
    tensors: int = 0

    def get(self, position: int, *names: str, default: Default) -> Argument | Default:
        """Return an argument by name or position (-1: by name only), or the default."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.positional[position] if 0 <= position < len(self.positional) else default

    @property
    def is_whole(self) -> bool:
        """Return whether the recording kept every tensor among them."""
        return Other(DROPPED) not in self.parts()

    def parts(self) -> Iterator[Argument]:
        """Yield every argument, then entries of lists and tuples and bounds of slices."""
        todo: list[Argument] = [*self.named.values(), *self.positional]
        while todo:
            part = todo.pop()
            yield part
            if isinstance(part, list | tuple):
                todo += part
            elif isinstance(part, slice):
                todo += (part.start, part.stop, part.step)


@lru_cache(_KEPT)
def read_arguments(text: str) -> Arguments:
    """Parse the arguments in a text of at most MOST characters.

    Raises ValueError unless it has the form that `runtime/recorder/calls.py` writes.

    >>> read_arguments('[[{"tensor":0},{"slice":[null,2,null]}],{"dim":1}]')
    Arguments(positional=(InputTensor(number=0), slice(None, 2, None)), named={'dim': 1}, tensors=1)
    """
    if len(text) > MOST:
        raise ValueError(f"{len(text)} characters, at most {MOST} are read")
    positional, named = _decoder.decode(text)
    given = tuple(_argument(part, DEEP) for part in positional)
    arguments = Arguments(given, {name: _argument(part, DEEP) for name, part in named.items()})
    numbers = (part.number for part in arguments.parts() if isinstance(part, InputTensor))
    return structs.replace(arguments, tensors=1 + max(numbers, default=-1))


def only_tensors(count: int) -> Arguments:
    """Return the arguments of a call with only tensors."""
    return Arguments(tuple(map(InputTensor, range(count))), {}, count)


def _argument(plain: Any, deep: int) -> Argument:
    if deep < 0:
        raise ValueError("lists too deep in one another")
    kind = type(plain)
    if kind in _PLAIN or (kind is int and -EXACT < plain < EXACT) or (kind is float and math.isfinite(plain)):
        return plain
    if kind is list:
        return [_argument(part, deep - 1) for part in plain]
    match tuple(plain.items()) if kind is dict else ():
        case (("tensor", int(number)),) if type(number) is int and 0 <= number < MOST:
            return InputTensor(number)
        case (("tuple", list(parts)),):
            return tuple(_argument(part, deep - 1) for part in parts)
        case (("slice", [start, stop, step]),):
            return slice(*(_argument(part, deep - 1) for part in (start, stop, step)))
        case (("dots", True),):
            return ...
        case (("dtype", str(name)),):
            return Dtype(name)
        case (("float", "nan" | "inf" | "-inf" as text),):
            return float(text)
        case (("other", str(name)),):
            return Other(name)
    raise ValueError("an argument of no known form")
