"""The graph as a picture has it: cards, wires, and what they carry. Plain records, no sizes, no positions."""

from typing import Literal

from msgspec import Struct

from explorer.trace import Span, Value

CardKind = Literal["op", "leaf", "data", "out"]
BackwardKind = Literal["backward", "grad", "implicit", "asked", "failed", "none"]
WireKind = Literal["plain", "data", "detach", "data_attribute", "no_grad", "item"]


class SavedTag(Struct, frozen=True):
    """Something kept for backward. Attributes: name is torch's; text the program's word for it; value its entries."""

    name: str
    text: str
    value: Value | None = None


class Fold(Struct, frozen=True):
    """What a folded card stands for.

    Attributes:
        count: how many executions.
        loop: whether they are rounds of a loop.
        values, gradients: of at most 12 executions, spread evenly, first and last included (None: nothing there).
        executions: the nodes of every execution, in forward order.
    """

    count: int
    loop: bool
    values: tuple[Value | None, ...] = ()
    gradients: tuple[Value | None, ...] = ()
    executions: tuple[tuple[int, ...], ...] = ()


class NonfiniteNote(Struct, frozen=True):
    """Not-a-number or infinity starts at this card.

    Attributes:
        kind: nan or inf.
        backward: whether it starts in the gradient; otherwise in the value.
        place: the entry, such as x[0], or "".
        product: whether it is 0 times infinity.
    """

    kind: Literal["nan", "inf"]
    backward: bool
    place: str = ""
    product: bool = False


class Card(Struct, frozen=True):
    """One box of the picture.

    Attributes:
        id: letters, digits and _ only; equal programs give equal ids.
        kind: op (an operation), leaf, data (asks for no gradient), out (the root of the backward).
        name: what the program calls the result, or "".
        expression: the program's text that made it, on one line, or "".
        torch: torch's own names, such as "MulBackward0" or "LogSoftmax + NllLoss", or "".
        shape, dtype: of its value, () and "" when unknown.
        value, gradient: None when there is none; reason says why there is no gradient: one of `gradients.Reason`, or
            not_taken where no backward ran, stopped of an operation that raised.
        saved: what is kept for backward.
        notes: where NaN or infinity starts.
        fold: what it stands for when it is several executions.
        stored: of a leaf, its `.grad` before and after this backward; None when the backward did not touch it.
        copies: into how many cards this leaf was split, one per use (1: not split).
        failed: whether a backward stopped here, or the program at this very operation.
        layer: the backward (from 1) that made its nodes, with create_graph; 0: the program itself.
        span, line: where the program says it (Trace.spans, or -1; line from 1, or 0).
        place: that span itself, None without one.
        nodes, tensors: what it shows, as ids of the Trace; of a folded card those of its last execution.
        main: the node and the output of it that value and gradient belong to; None when no node made it.
    """

    id: str
    kind: CardKind
    name: str
    expression: str
    torch: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    value: Value | None = None
    gradient: Value | None = None
    reason: str | None = None
    saved: tuple[SavedTag, ...] = ()
    notes: tuple[NonfiniteNote, ...] = ()
    fold: Fold | None = None
    stored: tuple[Value | None, Value | None] | None = None
    copies: int = 1
    failed: bool = False
    layer: int = 0
    span: int = -1
    line: int = 0
    place: Span | None = None
    nodes: tuple[int, ...] = ()
    tensors: tuple[int, ...] = ()
    main: tuple[int, int] | None = None

    @property
    def stored_more(self) -> bool:
        """Whether a leaf's gradient was added to one that was there: `.grad` then holds more than what arrived."""
        before = self.stored[0] if self.stored else None
        return before is not None and self.stored[1] is not None and (bool(before.norm) or before.nonfinite > 0)

    @property
    def title(self) -> str:
        """The first line: the name for leaves and plain data, otherwise `name = expression` or what there is of it."""
        if self.name and self.expression and self.kind != "leaf":
            return f"{self.name} = {self.expression}"
        return self.name or self.expression or self.torch


class Wire(Struct, frozen=True):
    """A value running from the card that made it into the card that uses it.

    Attributes:
        source, target: ids of cards; port: position among the wires into the target, in argument order, from 0.
        kind: plain, data (no gradient asked for), or what cuts the gradient off here.
        contribution: what the target adds to the gradient of the source; of a folded wire, the last execution's.
        count: how many edges it stands for.
        again: whether it runs from one round of a loop into the next (against the order of the picture).
    """

    id: str
    source: str
    target: str
    port: int
    kind: WireKind = "plain"
    contribution: Value | None = None
    count: int = 1
    again: bool = False


class FollowedEntry(Struct, frozen=True):
    """The entry of a gradient that a reader follows.

    Attributes:
        card: id of the card whose gradient it is of.
        position: among the entries at hand of that gradient.
    """

    card: str
    position: int


class GraphView(Struct, frozen=True):
    """What one picture shows.

    Attributes:
        cards, wires: in forward order.
        roots: ids of the cards that were differentiated.
        of: what was differentiated, as the program calls it where it asks for the gradient, or "".
        backward: the backward shown (index in Trace.backwards), None when there is none.
        kind: backward, grad, implicit (the program called none), asked (a reader asked for the gradient of a name),
            failed (none succeeded), or none.
        folded: whether loops or repeated modules became one card.
        left_out: how many cards the limits of a picture left out.
        dropped: how many nodes the recording counted but did not keep.
        lost: how many things it could not write down, by a fault of its own.
        stopped: the operation that raised and is drawn all the same, -1 for none.
        entry: the entry that a reader follows, None where none was chosen.
        altered: whether the gradients may be no derivatives: a hook, a Function's own backward, or a write that torch
            did not see.
    """

    cards: tuple[Card, ...]
    wires: tuple[Wire, ...]
    roots: tuple[str, ...] = ()
    of: str = ""
    backward: int | None = None
    kind: BackwardKind = "none"
    folded: bool = False
    left_out: int = 0
    dropped: int = 0
    lost: int = 0
    stopped: int = -1
    entry: FollowedEntry | None = None
    altered: bool = False

    def followed(self, card: Card) -> int | None:
        """The position of the chosen entry among those of a card's gradient; a leaf's copies have one gradient."""
        if self.entry is None or card.gradient is None or self.entry.position >= len(card.gradient.entries):
            return None
        if card.id == self.entry.card:
            return self.entry.position
        of = next((one for one in self.cards if one.id == self.entry.card), None)
        same = of is not None and card.kind == of.kind == "leaf" and card.tensors == of.tensors
        return self.entry.position if same else None
