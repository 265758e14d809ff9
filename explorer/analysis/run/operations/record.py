"""The record of a torch operation, and the table of all records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from explorer.analysis.run.operations.alike import Followed, PassedCall
from explorer.analysis.run.operations.call import CallPart, OperationCall, Reading
from explorer.analysis.run.operations.formulas import evaluated, names_in, parsed
from explorer.safe_regex import plain

_KIND = plain(r"Backward\d*$")
_SPELLED = {"CopyBackwards": "Copys"}  # nodes with another ending
ANY = object()  # in a case: the argument was given
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
    """Derivative that a node applies for one of its inputs.

    Attributes:
        formula: local derivative, or the whole passed gradient if it names G, the arrived gradient. "" if
            unknown.
        words: end of the message id that describes it, "" to show the formula.
        zero: condition under which torch passes 0 although the formula is undefined, such as 0 · ∞.
        cases: (argument, value, derivative) for arguments of the call. The first match counts.
    """

    formula: str = ""
    words: str = ""
    zero: str = ""
    cases: tuple[tuple[str, object, "Derivative"], ...] = ()

    @cached_property
    def is_whole(self) -> bool:
        """Return whether the formula is the whole passed gradient, not the local derivative."""
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
        aliases: other names in torch and Python, separated by blanks. "r:" marks one with swapped operands.
        notation: mathematical notation, with {0}, {1} for operands and options by name.
        spoken: notation for whole tensors in a sentence, if different.
        forward: entrywise value as a formula of operands and options by torch's names.
        options: numeric options in argument order, with torch's defaults.
        derivative: derivative by input, for the node of the same name.
        nodes: the same for nodes of other names, without "Backward" and number. With them: one version.
        operator: Python's, between two operands.
        commutes: whether the two operands are interchangeable.
        straight: whether a number and a tensor yield a straight line, not worth a curve.
        stretches: whether it broadcasts its tensors entrywise without a formula.
        compares: whether it is a loss of the difference of two broadcast tensors.
        applies: function that a loss applies to its scores.
        offer: whether the Broadcasting page offers it.
        roles: roles of the node's inputs, in order. Otherwise they are numbered.
        step: end of the message id for its backward step. Other nodes use a general message.
        units: operand that is a layer's weight, and its axis of units.
        subject: heading on the pages, "" without a picture.
        kind: its family's entry map, or a reduction's rule.
        entries: entry map of a call. Raises NoEntryMap.
        sentence, back: ends of the message ids for its effect on entries, and its backward's on gradients.
        entrywise: whether entry i of its result depends only on entry i of its operands.
        flat: zero slope: step (everywhere except jumps), part (for some inputs), far (far out, in floats).
        writes: whether it writes to entries chosen by an index or mask.
        summed: summed axis of each saved operand of a matrix product.
        heavy: whether it multiplies matrices without a formula here.
        gives: non-differentiable results: truth (booleans or bits), positions (indices or classes), counts
            (numbers of entries).
        draws: random parts: result (the whole result, without a gradient), noise (its change of the operand,
            which gets a gradient).
        fills: whether it overwrites all entries in place without reading them.
        keeps_examples: whether it only reshapes, so that a batch's examples should stay separate. Others may mix
            them on purpose: batch norm, sums, products, sequence layers.
        alike: rule for changes that are constant along some axes. None: unknown.
    """

    name: str
    aliases: str = ""
    notation: str = ""
    spoken: str = ""
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
    alike: Callable[[PassedCall], Followed] | None = None

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """torch's names of the operands in its formula, in order."""
        return tuple(name for name in names_in(parsed(self.forward or "0")) if name not in self.options)

    @property
    def broadcasts(self) -> bool:
        """Return whether its tensors are broadcast and read entrywise."""
        return self.stretches or len(self.operands) > 1

    @property
    def only_shapes(self) -> bool:
        """Return whether only shape or order of the entries changes."""
        return self.step in ("same", "shape", "axes", "stretched")

    @property
    def combines(self) -> bool:
        """Return whether it combines entries of several broadcast tensors."""
        return self.broadcasts and not (self.writes or self.gives or self.subject == "shape")

    @property
    def orders(self) -> bool:
        """Return whether it compares sizes, which is undefined for complex numbers."""
        return bool(_LARGER.search(self.forward)) or not _ORDERED.isdisjoint((self.kind, self.sentence))

    @cached_property
    def is_infinite_at_zero(self) -> bool:
        """Return whether its value is infinite if its last operand is 0."""
        if not self.operands or self.options:
            return False
        given = {name: np.float64(name != self.operands[-1]) for name in self.operands}
        with np.errstate(all="ignore"):
            return bool(np.isinf(evaluated(parsed(self.forward), given)))

    @property
    def moves(self) -> bool:
        """Return whether its result consists of its one operand's entries, moved or repeated."""
        return (
            self.keeps_examples or (self.subject == "shape" and self.sentence in _MOVED) or self.name == "__getitem__"
        )

    @property
    def joins(self) -> bool:
        """Return whether it joins several tensors into one."""
        return self.sentence in ("cat", "stack")

    @property
    def picks(self) -> bool:
        """Return whether it reads the entries that an index or a mask names."""
        return self.subject == "pick" and not self.writes and not self.stretches and not self.gives

    @property
    def chooses(self) -> bool:
        """Return whether it returns entries that it chose, and their positions."""
        words = {rule.words for rules in self.derivatives.values() for rule in rules.values()}
        return not words.isdisjoint(("chosen", "chosen-often", "sorted"))

    @cached_property
    def names(self) -> Mapping[str, bool]:
        """Names, each with whether the operands are exchanged under it."""
        return {self.name: False} | {name.removeprefix("r:"): name[:2] == "r:" for name in self.aliases.split()}

    @cached_property
    def derivatives(self) -> Mapping[str, Mapping[str, Derivative]]:
        """Derivatives by node and input."""
        own = {camel_case(self.name): self.derivative} if self.derivative else {}
        return {
            node: {name: rule if isinstance(rule, Derivative) else Derivative(rule) for name, rule in rules.items()}
            for node, rules in {**own, **self.nodes}.items()
        }


def camel_case(name: str) -> str:
    """Return torch's node name of an operation: Log1P of log1p, PreluKernel of _prelu_kernel."""
    return name.title().replace("_", "")


def stem_of(node: str) -> str:
    """Strip "Backward" and number from a node's name: Mul of MulBackward0."""
    return _SPELLED.get(node) or _KIND.sub("", node)
