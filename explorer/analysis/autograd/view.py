"""The graph for a picture: cards, wires, and their content. Plain records without sizes and positions."""

from typing import Literal, NamedTuple

from msgspec import Struct

from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Span, Value

CardKind = Literal["op", "leaf", "data", "out"]
BackwardKind = Literal["backward", "grad", "implicit", "asked", "failed", "counted", "none"]
Altered = Literal["", "function", "hook", "write", "other"]
WireKind = Literal["plain", "data", "detach", "data_attribute", "no_grad", "item"]


class SavedTag(Struct, frozen=True):
    """Something saved for backward. Attributes: name: torch's; text: the program's name for it; value: its entries."""

    name: str
    text: str
    value: Value | None = None


class Fold(Struct, frozen=True):
    """The executions that a folded card represents.

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


class Result(Struct, frozen=True):
    """One of several results of a call. Attributes: main: the node and the output of it; name: in the program."""

    name: str
    main: tuple[int, int]
    value: Value | None
    gradient: Value | None


class NonfiniteNote(Struct, frozen=True):
    """NaN or infinity starts at this card.

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
    """Where the path from a tensor to the root leaves the graph.

    Attributes:
        by: what cuts the gradient, one of `gradient_cuts.By`.
        sure: whether the root surely depends on the tensor's entries; otherwise they lead there at most as numbers.
        code, line: the program's text of that operation and its line, "" and 0 if it has no place.
        span: its place (Trace.spans), or -1.
        earlier: whether it ran in an earlier round of the loop, below the line of the backward.
    """

    by: str
    sure: bool
    code: str = ""
    line: int = 0
    span: int = -1
    earlier: bool = False


class ModuleSummary(Struct, frozen=True):
    """Facts about the modules that a card represents.

    Attributes:
        path: of the module; for a stack with * in place of the number.
        members: the paths of the modules, several of a stack.
        mains: for each execution the node and the output of it that is the module's.
        inputs: shapes of the inputs, without parameters and buffers.
        keys: of results that the program holds in dictionaries, such as losses["box"].
        operations: how many ran inside.
        parameters: how many entries its parameters have, each parameter counted once.
        gradients: of how many of its parameters the gradient is known, among `leaves` that require one.
        norm: over the finite entries of those gradients; None without a finite entry.
        norms: the same of each of `members`.
        nonfinite: how many of their entries are not finite.
        inside: modules and parameters inside, by their paths from the module on: attn.proj.weight.
        shaping: whether it is no module but a row of operations that only rearrange entries.
    """

    path: str
    members: tuple[str, ...]
    mains: tuple[tuple[int, int], ...] = ()
    inputs: tuple[tuple[int, ...], ...] = ()
    keys: tuple[str, ...] = ()
    operations: int = 0
    parameters: int = 0
    leaves: int = 0
    gradients: int = 0
    norm: float | None = None
    norms: tuple[float | None, ...] = ()
    nonfinite: int = 0
    inside: tuple[str, ...] = ()
    shaping: bool = False


class ZeroReason(NamedTuple):
    """Why a gradient is 0.

    Attributes:
        kind: underflow: it is too small for its dtype; factor: a tensor of zeros multiplies it; slope: the operation
            does not change with its input; infinite: its result is not finite; hook: a
            hook gave 0; own: a Function's own backward did; drawn: the operation drew its result at random; cancelled:
            the parts that arrive add up to 0; summed: the terms that the operation's backward sums do; norm, softmax:
            it is 0 in exact arithmetic, since an operation of that kind ignores the leaf.
        code, line, module: the operation, or the hook; "" and 0 if it has no place. Of a norm or softmax torch's name.
        dtype: of the gradient.
        node: at which it became 0; came: the values that came there and are not 0.
        factor: a word for the tensor of zeros, or ""; single: whether that is a single number.
    """

    kind: Literal[
        "underflow", "factor", "slope", "infinite", "hook", "own", "drawn", "cancelled", "summed", "norm", "softmax"
    ]
    code: str
    line: int = 0
    dtype: str = ""
    module: str = ""
    node: int = -1
    came: tuple[int, ...] = ()
    factor: str = ""
    single: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether it is 0 in exact arithmetic, although rounding may leave a tiny number there."""
        return self.kind in ("norm", "softmax")

    def told(self, lang: str) -> str:
        """The reason in a few words, for each kind but those of exact arithmetic."""
        named = {"code": self.code or "none", "dtype": self.dtype, "factor": self.factor}
        of = "number" if self.factor[:1].isdigit() else "one" if self.single else "several"
        said = say(lang, "gradient-zero-since", kind=self.kind, of=of, **named)
        said += say(lang, "report-in-module", module=self.module) if self.module else ""
        return said + (say(lang, "report-at-line", line=self.line) if self.line else "")

    def sentence(self, lang: str, norm: float | None) -> str:
        """The reason as a sentence. `norm`: of what arrived."""
        if not self.is_exact:
            return say(lang, "gradient-zero", why=self.told(lang))
        rest = number(norm) if norm else "none"
        return say(lang, "gradient-exact-zero", kind=self.kind, code=self.code, rest=rest)


class Card(Struct, frozen=True):
    """One box of the picture.

    Attributes:
        id: letters, digits and _ only; equal programs give equal ids.
        kind: op (an operation), leaf, data (requires no gradient), out (the root of the backward).
        name: the result's name in the program, or "".
        also: further paths of a parameter that several modules share.
        expression: the program's text that made it, on one line, or "".
        torch: torch's own names, such as "MulBackward0" or "LogSoftmax + NllLoss", or "".
        shape, dtype: of its value, () and "" when unknown.
        value, gradient: None if there is none; reason says why there is no gradient: one of `gradients.Reason`, or
            stopped for an operation that raised.
        cut: where the gradient was lost, if known; for a leaf with a gradient, where another path to the root is
            treated as constant.
        saved: what is saved for backward.
        notes: where NaN or infinity starts.
        fold: the executions of a folded card.
        stored: for a leaf its `.grad` before and after this backward; None if the backward did not touch it.
        held: for a leaf its `.grad` at the end of the program.
        zero: for a leaf why its gradient is 0, None if that is not known.
        copies: into how many cards this leaf was split, one per use (1: not split).
        failed: whether a backward stopped here, or the program at this very operation.
        layer: the backward (from 1) that made its nodes, with create_graph; 0: the program itself.
        span, line: its place in the program (Trace.spans, or -1; line from 1, or 0).
        place: that span itself, None without one.
        nodes, tensors: what it shows, as ids of the Trace; for a folded card those of its last execution.
        main: the node and the output of it that value and gradient belong to; None if no node made it.
        results: where several results of the call got a gradient, each of these; value and gradient are the first's.
        module: for a closed module its content; None for a single operation.
        within: path of the open module around it, or "".
        kept: whether its numbers were kept; those of a counted step were not.
        call: for an unnamed leaf that a library made for itself, the program's text of the call; otherwise "".
        hidden: whether it has a gradient that the user has not been shown yet.
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
    zero: ZeroReason | None = None
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
    call: str = ""
    also: tuple[str, ...] = ()
    kept: bool = True
    results: tuple[Result, ...] = ()

    @property
    def stored_more(self) -> bool:
        """Whether a leaf's gradient was added to an existing one: `.grad` then differs from what arrived."""
        before = self.stored[0] if self.stored else None
        return before is not None and self.stored[1] is not None and (bool(before.norm) or before.nonfinite > 0)

    @property
    def executions(self) -> tuple[tuple[int, ...], ...]:
        """The nodes of each of its executions, in forward order."""
        return self.fold.executions if self.fold and self.fold.executions else (self.nodes,)

    @property
    def word(self) -> str:
        """Its name, otherwise its expression, or torch's name."""
        return self.name or self.expression or self.torch

    @property
    def title(self) -> str:
        """The first line: the name for leaves and plain data, otherwise `name = expression` or what exists of it."""
        if self.name and self.expression and self.kind != "leaf":
            return f"{self.name} = {self.expression}"
        return self.word


class Wire(Struct, frozen=True):
    """A value from the card that made it into the card that uses it.

    Attributes:
        source, target: ids of cards; port: position among the wires into the target, in argument order, from 0.
        kind: plain, data (no gradient required), or what cuts the gradient here.
        contribution: what the target adds to the gradient of the source; for a folded wire, in the last execution.
        count: how many edges it represents.
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
    """NaN or infinity that starts at no card of the picture.

    Attributes:
        kind: nan or inf.
        by: operation (one without history made it), given (it is in the program's data), or gradient (it came in
            through `.grad`, from an earlier backward).
        word, line: the program's text or name for it, and the line (0: none).
    """

    kind: Literal["nan", "inf"]
    by: Literal["operation", "given", "gradient"]
    word: str
    line: int


class FollowedEntry(Struct, frozen=True):
    """The entry of a gradient that a user follows.

    Attributes:
        card: id of the card with the gradient.
        position: index among the recorded entries of that gradient.
    """

    card: str
    position: int


class GraphView(Struct, frozen=True):
    """The content of one picture.

    Attributes:
        cards, wires: in forward order.
        roots: ids of the cards that were differentiated.
        of: the root's name in the program's call, or "".
        backward: the backward shown (index in Trace.backwards), or None.
        kind: backward, grad, implicit (the program called none), asked (a user chose the gradient of a name),
            failed (none succeeded), counted (a step of a loop with only leaves and loss kept), or none.
        folded: whether loops, modules or repeated modules became one card.
        left_out: how many cards the limits of a picture left out.
        dropped: how many nodes the recording counted but did not keep.
        call: of a backward whose place was called again after it, in rounds that were only counted: which call of that
            place it is, from 1, and how many there were; (0, 0) for any other.
        lost: how many things the recorder failed to record.
        stopped: the drawn operation that raised, -1 for none.
        limited: whether a limit ended the program.
        requested: whether the run has a tensor that requires a gradient, on a card or not.
        entry: the entry that a user follows, or None.
        altered: why the gradients may not be derivatives, or "".
        start: where NaN or infinity starts, when that is at no card.
        beside: the gradients of a picture next to it, which its colours count in: equal colours are equal numbers.
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
    call: tuple[int, int] = (0, 0)
    lost: int = 0
    stopped: int = -1
    limited: bool = False
    requested: bool = False
    entry: FollowedEntry | None = None
    altered: Altered = ""
    start: NonfiniteStart | None = None
    beside: tuple[Value, ...] = ()

    def gradients(self) -> tuple[Value, ...]:
        """All gradients on its cards."""
        folded = (gradient for card in self.cards if card.fold for gradient in card.fold.gradients)
        return tuple(one for one in (*(card.gradient for card in self.cards), *folded) if one is not None)

    def followed(self, card: Card) -> int | None:
        """The position of the followed entry in a card's gradient; copies of a leaf share one gradient."""
        if self.entry is None or card.gradient is None or self.entry.position >= len(card.gradient.entries):
            return None
        if card.id == self.entry.card:
            return self.entry.position
        of = next((card for card in self.cards if card.id == self.entry.card), None)
        same = of is not None and card.kind == of.kind == "leaf" and card.tensors == of.tensors
        return self.entry.position if same else None
