"""The graph as a picture has it: cards, wires, and what they carry. Plain records, no sizes, no positions."""

from typing import Literal

from msgspec import Struct

from explorer.trace import Span, Value

CardKind = Literal["op", "leaf", "data", "out"]
BackwardKind = Literal["backward", "grad", "implicit", "asked", "failed", "counted", "none"]
Altered = Literal["", "function", "hook", "write", "other"]
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
        undefined: whether the derivative there is NaN itself.
    """

    kind: Literal["nan", "inf"]
    backward: bool
    place: str = ""
    product: bool = False
    undefined: bool = False


class Cut(Struct, frozen=True):
    """Where the way from a tensor to the root leaves the graph.

    Attributes:
        by: what takes the gradient away, one of `losses.By`.
        sure: whether the root is made of the tensor's entries; otherwise they lead there at most as numbers.
        code, line: the program's text of that operation and its line, "" and 0 where it has no place.
        span: its place (Trace.spans), or -1.
    """

    by: str
    sure: bool
    code: str = ""
    line: int = 0
    span: int = -1


class ModuleSummary(Struct, frozen=True):
    """What a card says of the modules that it stands for.

    Attributes:
        path: the module's; of a stack of equal modules with * in place of their number.
        members: the paths of the modules, several of a stack.
        mains: for each execution the node and the output of it that is the module's.
        inputs: shapes of what goes in, parameters and buffers left out.
        operations: how many ran inside.
        parameters: how many entries its parameters have, each parameter counted once.
        gradients: of how many of its parameters the gradient is known, of `leaves` that ask for one.
        least, greatest, norm: over all entries of those gradients that are finite; None when there are none.
        nonfinite: how many entries of them are no finite number.
        inside: modules and parameters inside, by their paths from the module on: attn.proj.weight.
    """

    path: str
    members: tuple[str, ...]
    mains: tuple[tuple[int, int], ...] = ()
    inputs: tuple[tuple[int, ...], ...] = ()
    operations: int = 0
    parameters: int = 0
    leaves: int = 0
    gradients: int = 0
    least: float | None = None
    greatest: float | None = None
    norm: float | None = None
    nonfinite: int = 0
    inside: tuple[str, ...] = ()


class Card(Struct, frozen=True):
    """One box of the picture.

    Attributes:
        id: letters, digits and _ only; equal programs give equal ids.
        kind: op (an operation), leaf, data (asks for no gradient), out (the root of the backward).
        name: what the program calls the result, or "".
        also: further paths of a parameter that several modules share.
        expression: the program's text that made it, on one line, or "".
        torch: torch's own names, such as "MulBackward0" or "LogSoftmax + NllLoss", or "".
        shape, dtype: of its value, () and "" when unknown.
        value, gradient: None when there is none; reason says why there is no gradient: one of `gradients.Reason`, or
            stopped of an operation that raised.
        cut: where the gradient was lost, where that is known; of a leaf that has one, where a way to the root is that
            counts as constant.
        saved: what is kept for backward.
        notes: where NaN or infinity starts.
        fold: what it stands for when it is several executions.
        stored: of a leaf, its `.grad` before and after this backward; None when the backward did not touch it.
        held: of a leaf, its `.grad` at the end of the program.
        copies: into how many cards this leaf was split, one per use (1: not split).
        failed: whether a backward stopped here, or the program at this very operation.
        layer: the backward (from 1) that made its nodes, with create_graph; 0: the program itself.
        span, line: where the program says it (Trace.spans, or -1; line from 1, or 0).
        place: that span itself, None without one.
        nodes, tensors: what it shows, as ids of the Trace; of a folded card those of its last execution.
        main: the node and the output of it that value and gradient belong to; None when no node made it.
        module: of a closed module what is inside; None of a single operation.
        within: path of the open module around it, or "".
        kept: whether its numbers were kept; those of a step that was only counted were not.
        hidden: whether it has a gradient that the reader is not shown yet.
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
    cut: Cut | None = None
    saved: tuple[SavedTag, ...] = ()
    notes: tuple[NonfiniteNote, ...] = ()
    fold: Fold | None = None
    stored: tuple[Value | None, Value | None] | None = None
    held: Value | None = None
    copies: int = 1
    failed: bool = False
    layer: int = 0
    span: int = -1
    line: int = 0
    place: Span | None = None
    nodes: tuple[int, ...] = ()
    tensors: tuple[int, ...] = ()
    main: tuple[int, int] | None = None
    module: ModuleSummary | None = None
    within: str = ""
    hidden: bool = False
    also: tuple[str, ...] = ()
    kept: bool = True

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


class NonfiniteStart(Struct, frozen=True):
    """Not-a-number or infinity that starts at no card of the picture.

    Attributes:
        kind: nan or inf.
        by: operation (one without history made it), given (it is in what the program gave), or gradient (it came in by
            `.grad`, from a backward before).
        word, line: the program's text or name for it, and the line (0: none).
    """

    kind: Literal["nan", "inf"]
    by: Literal["operation", "given", "gradient"]
    word: str
    line: int


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
            failed (none succeeded), counted (a step of a loop of which only leaves and loss were kept), or none.
        folded: whether loops, modules or repeated modules became one card.
        left_out: how many cards the limits of a picture left out.
        dropped: how many nodes the recording counted but did not keep.
        lost: how many things it could not write down, by a fault of its own.
        stopped: the operation that raised and is drawn all the same, -1 for none.
        entry: the entry that a reader follows, None where none was chosen.
        altered: why the gradients may be no derivatives, or "".
        start: where NaN or infinity starts, when that is at no card.
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
    altered: Altered = ""
    start: NonfiniteStart | None = None

    def followed(self, card: Card) -> int | None:
        """The position of the chosen entry among those of a card's gradient; a leaf's copies have one gradient."""
        if self.entry is None or card.gradient is None or self.entry.position >= len(card.gradient.entries):
            return None
        if card.id == self.entry.card:
            return self.entry.position
        of = next((one for one in self.cards if one.id == self.entry.card), None)
        same = of is not None and card.kind == of.kind == "leaf" and card.tensors == of.tensors
        return self.entry.position if same else None
