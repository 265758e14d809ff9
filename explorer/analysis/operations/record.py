"""The record of one operation of torch, and the table of all of them: what the product knows of an operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from explorer.analysis.operations.alike import Followed, Step
from explorer.analysis.operations.call import CallPart, OperationCall, Reading
from explorer.analysis.operations.formulas import evaluated, names_in, parsed
from explorer.safe_regex import plain

_KIND = plain(r"Backward\d*$")
_SPELLED = {"CopyBackwards": "Copys"}  # nodes with another ending
ANY = object()  # of a case: the argument was given
Subject = Literal["reduce", "pick", "shape", "each", "products", "windows", "losses", "create"]
SUBJECTS: tuple[Subject, ...] = ("reduce", "pick", "shape", "each", "products", "windows", "losses", "create")
Flat = Literal["", "step", "part", "far"]
Gives = Literal["", "truth", "positions", "counts"]
Draws = Literal["", "result", "noise"]
EntryMap = Sequence[Reading] | tuple[tuple[CallPart, ...], Sequence[Reading]]
Sides = Sequence[int]
_LARGER = plain(r"[<>]|maximum|minimum|fmax|fmin")
_ORDERED = frozenset("max min argmax argmin median ordered order kth".split())  # kinds and sentences
_MOVED = ("transpose", "expand", "repeat", "flip", "split")


@dataclass(frozen=True)
class Derivative:
    """What a node passes on to one of its inputs.

    Attributes:
        formula: the local derivative; if it names G, the gradient that arrived, all that is passed on; "" if unknown.
        words: the last part of the id of the message that tells it, "" if the formula is shown itself.
        zero: where torch passes 0 although the formula has no value: 0 · ∞ and the like.
        cases: (argument, its value, what counts then) for arguments of the call; the first match counts.
    """

    formula: str = ""
    words: str = ""
    zero: str = ""
    cases: tuple[tuple[str, object, "Derivative"], ...] = ()

    @cached_property
    def is_whole(self) -> bool:
        """Whether the formula is all that is passed on, not the local derivative."""
        return "G" in names_in(parsed(self.formula or "0"))


Rule = str | Derivative


@dataclass(frozen=True)
class Offer:
    """An operator on the page about broadcasting.

    Attributes:
        symbol: between the operands in pictures.
        text: its text in a program, of {0} and {1}.
        back: the gradient of each operand in a picture, of {v} and the operands.
        chained: whether the page offers it for more than two operands.
    """

    symbol: str
    text: str
    back: tuple[str, str]
    chained: bool = True


@dataclass(frozen=True)
class Operation:
    """One operation of torch.

    Attributes:
        name: torch's short name, without the underscore of an in-place call.
        aliases: other names of torch and Python, separated by blanks; after "r:" one with the operands exchanged.
        notation: one value in mathematics, with {0}, {1} for the operands and the options by name.
        said: the same for whole tensors in a sentence, if that is not `name({0})`, or the notation of two operands.
        forward: its value, entry by entry, as a formula of the operands and options by torch's names.
        options: the numbers that it takes beside the operands, in the order of its arguments, with torch's default.
        derivative: by input, what the node of the same name passes on.
        nodes: the same by node, for those of another name, without "Backward" and its number; with them, one version.
        operator: Python's, between two operands.
        commutes: whether the two operands are interchangeable.
        straight: whether a number and a tensor make a straight line, whose curve is not worth a look.
        stretches: whether it reads its tensors entry by entry, stretched to one shape, without a formula of them.
        compares: whether it is a loss of the difference of two tensors that are stretched to one shape.
        applies: of a loss the function that it applies to its scores itself.
        offer: on the page about broadcasting.
        roles: of the node's inputs in a sentence, in order; they are numbered where it has none.
        step: the last part of the id of the message about a step of its backward; other nodes have a general one.
        units: which operand is the weight of a layer, and which axis of that counts the units.
        subject: under which the pages list it; "" if its entries have no picture.
        kind: which of its family's entry maps it has; of a reduction the rule of its readings.
        entries: the entry map of a call; raises NoEntryMap.
        sentence, back: the last part of the ids of the messages that say what it does with entries, and what its
            backward does with gradients, where its family has several.
        entrywise: whether entry i of its result depends on entry i of its operands alone.
        flat: where its slope is 0: step: everywhere but at its jumps; part: for some inputs; far: in floats, far out.
        writes: whether it writes into entries that an index or a mask chooses.
        summed: by operand that its node saves, the axis that a product of matrices sums over.
        heavy: whether it multiplies matrices in a way that has no formula here.
        gives: what it returns instead of values with a gradient: truth: truth values, or bits; positions: indices of
            entries, or classes; counts: how many entries.
        draws: what is random: result: the whole result, which has no gradient; noise: how it changes its operand, which
            gets one.
        fills: whether it overwrites all entries in place without reading them.
        keeps_examples: whether it only gives entries another shape, so that examples of a batch should stay apart.
            Others may mix them on purpose: normalization by a batch, sums, products, layers that read sequences.
        alike: what becomes of a change that is the same for all entries along some axes; None: unknown.
    """

    name: str
    aliases: str = ""
    notation: str = ""
    said: str = ""
    forward: str = ""
    options: Mapping[str, float | None] = field(default_factory=dict)
    derivative: Mapping[str, Rule] = field(default_factory=dict)
    nodes: Mapping[str, Mapping[str, Rule]] = field(default_factory=dict)
    operator: str = ""
    commutes: bool = False
    straight: bool = False
    stretches: bool = False
    compares: bool = False
    applies: str = ""
    offer: Offer | None = None
    roles: tuple[str, ...] = ()
    step: str = ""
    units: tuple[int, int] | None = None
    subject: Subject | Literal[""] = ""
    kind: str = ""
    entries: "Callable[[OperationCall, Operation], EntryMap] | None" = None
    sentence: str = ""
    back: str = "plain"
    entrywise: bool = False
    writes: bool = False
    flat: Flat = ""
    summed: Mapping[str, int] = field(default_factory=dict)
    heavy: bool = False
    gives: Gives = ""
    draws: Draws = ""
    fills: bool = False
    keeps_examples: bool = False
    alike: Callable[[Step], Followed] | None = None

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """torch's names of the operands in its formula, in order."""
        return tuple(name for name in names_in(parsed(self.forward or "0")) if name not in self.options)

    @property
    def broadcasts(self) -> bool:
        """Whether its tensors are stretched to one shape and read entry by entry."""
        return self.stretches or len(self.operands) > 1

    @property
    def only_shapes(self) -> bool:
        """Whether it changes no entry, only their shape or order."""
        return self.step in ("same", "shape", "axes", "stretched")

    @property
    def combines(self) -> bool:
        """Whether it computes each entry of a result from entries of several tensors, stretched to one shape."""
        return self.broadcasts and not (self.writes or self.gives or self.subject == "shape")

    @property
    def orders(self) -> bool:
        """Whether it asks which of two entries is larger, which complex numbers do not tell."""
        return bool(_LARGER.search(self.forward)) or not _ORDERED.isdisjoint((self.kind, self.sentence))

    @cached_property
    def is_infinite_at_zero(self) -> bool:
        """Whether its value is infinite where its last operand is 0."""
        if not self.operands or self.options:
            return False
        given = {name: np.float64(name != self.operands[-1]) for name in self.operands}
        with np.errstate(all="ignore"):
            return bool(np.isinf(evaluated(parsed(self.forward), given)))

    @property
    def moves(self) -> bool:
        """Whether its result consists of entries of its one operand, all or a part, in other places or repeated."""
        return (
            self.keeps_examples or (self.subject == "shape" and self.sentence in _MOVED) or self.name == "__getitem__"
        )

    @property
    def joins(self) -> bool:
        """Whether it joins several tensors into one."""
        return self.sentence in ("cat", "stack")

    @property
    def picks(self) -> bool:
        """Whether it reads the entries that an index or a mask names."""
        return self.subject == "pick" and not self.writes and not self.stretches and not self.gives

    @property
    def chooses(self) -> bool:
        """Whether it returns entries that it chose, and their positions."""
        words = {rule.words for rules in self.derivatives.values() for rule in rules.values()}
        return not words.isdisjoint(("chosen", "chosen-often", "sorted"))

    @cached_property
    def names(self) -> Mapping[str, bool]:
        """Its names, each with whether the operands are exchanged under it."""
        return {self.name: False} | {name.removeprefix("r:"): name[:2] == "r:" for name in self.aliases.split()}

    @cached_property
    def derivatives(self) -> Mapping[str, Mapping[str, Derivative]]:
        """By node and input what the node passes on."""
        own = {camel_case(self.name): self.derivative} if self.derivative else {}
        return {
            node: {name: rule if isinstance(rule, Derivative) else Derivative(rule) for name, rule in rules.items()}
            for node, rules in {**own, **self.nodes}.items()
        }


def camel_case(name: str) -> str:
    """torch's name of the node of an operation: Log1P of log1p, PreluKernel of _prelu_kernel."""
    return name.title().replace("_", "")


def stem_of(node: str) -> str:
    """A node's name without "Backward" and its number: Mul of MulBackward0."""
    return _SPELLED.get(node) or _KIND.sub("", node)
