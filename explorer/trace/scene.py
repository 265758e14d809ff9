"""The scene of an error: the objects in the failing expression when it raised.

A flat list, each part after the part that holds it. It comes from the process of the run, so every field is bounded.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from explorer.trace.columns import Ids

MOST_PARTS, MOST_BASES, MOST_ENTRIES, MOST_STACK = 40, 12, 8, 20
LONGEST = 100  # longest name of a type
Short = Annotated[str, Meta(max_length=LONGEST)]
_Place = Annotated[int, Ids("spans")]
_Count = Annotated[int, Meta(ge=0, le=1 << 62)]
# maker: the callee of the call that the name was assigned from. part: an item of a tuple, a starred argument and so on
Role = Literal["whole", "callee", "receiver", "argument", "index", "operand", "part", "maker"]


class Thing(Struct, frozen=True):
    """An object, described without running its code.

    Attributes:
        type: name of its class, its own if it is a class. "" is an unknown object.
        bases: that class and those that it inherits from, with their modules, for a function only its own name.
        is_class: whether the object is itself a class.
        shape, dtype: of a tensor.
        count: number of entries of a tuple, list, dict or module.
        entries: first entries of a tuple or list (a tensor's shape or a type), or first keys of a dict.
        item: name of the class of a dict's first value.
        function: place of the program's function that a call of it runs, or -1.
    """

    type: Short = ""
    bases: Annotated[list[Short], Meta(max_length=MOST_BASES)] = []
    is_class: bool = False
    shape: Annotated[list[_Count], Meta(max_length=64)] | None = None
    dtype: Short = ""
    count: _Count = 0
    entries: Annotated[list[Short], Meta(max_length=MOST_ENTRIES)] = []
    item: Short = ""
    function: _Place = -1

    def is_a(self, *names: str) -> bool:
        """Return whether it is an object of one of these classes."""
        return not self.is_class and not set(names).isdisjoint(self.bases)

    def is_class_of(self, *names: str) -> bool:
        """Return whether it is one of these classes or a subclass."""
        return self.is_class and not set(names).isdisjoint(self.bases)

    @property
    def holds_tensors(self) -> bool:
        """Whether it is a tuple or list with a tensor, nested or not."""
        return any(entry.startswith("(") or entry == "tuple" for entry in self.entries)


class ScenePart(Struct, frozen=True):
    """A sub-expression of the failing expression.

    Attributes:
        role: its role in the part that holds it.
        within: index of that part, -1 for the whole.
        number: position among the arguments, or operands, from 0.
        keyword: name of a keyword argument, or "".
        span: its place. -1 is a place outside the program.
        thing: its value.
        assigned, value: places of the statement that assigned it and of the assigned expression, or -1.
    """

    role: Role
    within: Annotated[int, Meta(ge=-1, lt=MOST_PARTS)]
    number: Annotated[int, Meta(ge=0, lt=MOST_PARTS)]
    keyword: Short
    span: _Place
    thing: Thing
    assigned: _Place = -1
    value: _Place = -1


class Scene(Struct, frozen=True):
    """The failing expression, outermost part first, and the objects whose methods were running, innermost last."""

    parts: Annotated[list[ScenePart], Meta(min_length=1, max_length=MOST_PARTS)]
    running: Annotated[list[Thing], Meta(max_length=MOST_STACK)] = []

    def inside(self, part: int, *roles: Role) -> Iterator[int]:
        """Yield the parts that a part holds directly, in order."""
        yield from (i for i, one in enumerate(self.parts) if one.within == part and (not roles or one.role in roles))


def faulty_scene(scene: Scene) -> str:
    """Return a scene's fault, "" if each part is inside an earlier one."""
    holders = [part.within for part in scene.parts]
    return "" if all((-1 if i == 0 else 0) <= at < i for i, at in enumerate(holders)) else "a part out of place"
