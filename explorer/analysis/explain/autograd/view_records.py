"""Graph of a picture: cards, edges and content, as plain records without layout."""

from typing import Literal, NamedTuple

from msgspec import Struct

from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Span, Value

CardKind = Literal["op", "leaf", "data", "out"]
BackwardKind = Literal["backward", "grad", "implicit", "asked", "failed", "counted", "none"]
Altered = Literal["", "function", "hook", "write", "other"]
ZeroKind = Literal[
    "underflow",
    "factor",
    "slope",
    "infinite",
    "hook",
    "own",
    "empty",
    "drawn",
    "cancelled",
    "summed",
    "norm",
    "softmax",
]
EdgeKind = Literal["plain", "data", "detach", "data_attribute", "no_grad", "item"]


class SavedTag(Struct, frozen=True):
    """A value saved for backward. Attributes: name: torch's. text: the program's name. value: its entries."""

    name: str
    text: str
    value: Value | None = None


class Fold(Struct, frozen=True):
    """Parts represented by one folded card.

    Attributes:
        count: how many executions, leaves or operations.
        kind: rounds of a loop, calls of the same code, leaves, or a chain of different operations.
        values, gradients: of at most 12 executions, spread evenly, first and last included (None: nothing there).
        executions: the nodes of every execution, in forward order.
    """

    count: int
    kind: Literal["loop", "calls", "leaves", "chain"]
    values: tuple[Value | None, ...] = ()
    gradients: tuple[Value | None, ...] = ()
    executions: tuple[tuple[int, ...], ...] = ()


class CallResult(Struct, frozen=True):
    """One of several results of a call. Attributes: main: its node and output. name: in the program."""

    name: str
    main: tuple[int, int]
    value: Value | None
    gradient: Value | None


NonfiniteWhy = Literal["forward", "gradient", "tied", "zero", "grown", "overflow", "slope", "other", ""]


class NonfiniteStart(Struct, frozen=True):
    """A start of NaN or infinity, at a card or, with a word, outside the picture's cards.

    Attributes:
        kind: nan or inf.
        phase: forward, backward, given (in the program's data) or gradient (in `.grad`, from an earlier backward).
        why: the phase, or why a backward made it (`reasons`), or "".
        place: entry, such as x[0], or "".
        word, line: program text or name, and line (0: none).
    """

    kind: Literal["nan", "inf"]
    phase: Literal["forward", "backward", "given", "gradient"]
    why: NonfiniteWhy = ""
    place: str = ""
    word: str = ""
    line: int = 0


class Cut(Struct, frozen=True):
    """The place where a tensor's path to the root leaves the graph.

    Attributes:
        by: kind of cut, one of `gradient_cuts.By`.
        sure: whether the root certainly depends on the tensor's entries. Otherwise at most as numbers.
        code, line: program text and line of the operation, "" and 0 without a place.
        span: place (Trace.spans), or -1.
        earlier: whether it ran in an earlier round of the loop, below the line of the backward.
    """

    by: str
    sure: bool
    code: str = ""
    line: int = 0
    span: int = -1
    earlier: bool = False


class ModuleSummary(Struct, frozen=True):
    """Summary of the modules that a card represents.

    Attributes:
        path: path of the module, with * for the number of a stack.
        members: paths of the modules, several for a stack.
        mains: node and output of the module, for each execution.
        inputs: shapes of the inputs, without parameters and buffers.
        keys: dictionary keys of results, such as losses["box"].
        operations: number of operations inside.
        parameters: number of parameter entries, each parameter counted once.
        gradients: number of parameters with a known gradient, among `leaves` that require grad.
        norm: norm over the finite entries of those gradients, None if there are none.
        norms: the same for each of `members`.
        nonfinite: number of non-finite entries.
        inside: modules and parameters inside, by relative path: attn.proj.weight.
        shaping: whether it is a row of rearranging operations rather than a module.
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
    """The reason why a gradient is 0.

    Attributes:
        kind: underflow (too small for its dtype), factor (multiplied by zeros), slope (flat operation), infinite
            (its result is not finite), hook (a hook returned 0), own (a Function's own backward did), drawn (the
            operation drew its result at random), cancelled (arriving parts add up to 0), summed (terms summed in the
            operation's backward do), or norm, softmax (0 in exact arithmetic, because such an operation ignores the
            leaf).
        code, line, module: the operation or hook, "" and 0 without a place. torch's name for a norm or softmax.
        dtype: dtype of the gradient.
        node: node where it became 0. came: the nonzero values that arrived there.
        factor: word for the tensor of zeros, or "". single: whether that is a single number.
    """

    kind: ZeroKind
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
        """Whether it is 0 in exact arithmetic, although rounding may leave a tiny number."""
        return self.kind in ("norm", "softmax")

    def short_text(self, lang: str) -> str:
        """Return the reason in a few words, except for kinds of exact arithmetic."""
        named = {"code": self.code or "none", "dtype": self.dtype, "factor": self.factor}
        of = "number" if self.factor[:1].isdigit() else "one" if self.single else "several"
        text = say(lang, "gradient-zero-since", kind=self.kind, of=of, **named)
        text += say(lang, "report-in-module", module=self.module) if self.module else ""
        return text + (say(lang, "report-at-line", line=self.line) if self.line else "")

    def sentence(self, lang: str, norm: float | None) -> str:
        """Return the reason as a sentence. `norm`: of the arrived gradient."""
        if not self.is_exact:
            return say(lang, "gradient-zero", why=self.short_text(lang))
        rest = number(norm) if norm else "none"
        return say(lang, "gradient-exact-zero", kind=self.kind, code=self.code, rest=rest)


class Card(Struct, frozen=True):
    """One box of the picture.

    Attributes:
        id: letters, digits and _ only. Equal programs give equal ids.
        kind: op (an operation), leaf, data (requires no gradient), out (the root of the backward).
        name: name of the result in the program, or "".
        also: further paths of a parameter that several modules share.
        expression: program text that created it, on one line, or "".
        torch: torch's own names, such as "MulBackward0" or "LogSoftmax + NllLoss", or "".
        shape, dtype: of its value, () and "" if unknown.
        value, gradient: None if missing. reason: why there is no gradient, one of `reasons.Reason`, or stopped
            for an operation that raised.
        cut: place where the gradient was lost, if known. For a leaf with a gradient, where another path to the
            root is treated as constant.
        saved: values saved for backward.
        notes: starts of NaN or infinity.
        fold: the executions of a folded card.
        stored: a leaf's `.grad` before and after this backward, None if untouched.
        held: a leaf's final `.grad`.
        zero: why a leaf's gradient is 0, None if unknown.
        copies: number of cards that this leaf was split into, one for each use.
        failed: whether a backward stopped here, or the program at this very operation.
        layer: backward (from 1) that created its nodes with create_graph, 0 for the program.
        span, line: place in the program (Trace.spans or -1, line from 1 or 0).
        place: that span itself, None if there is none.
        nodes, tensors: shown ids of the Trace, for a folded card those of its last execution.
        main: node and output of value and gradient, None without a node.
        results: results, if several got a gradient. value and gradient are the first's.
        module: content of a closed module, None for an operation.
        within: path of the open module around it, or "".
        kept: whether its numbers were kept, unlike a counted step's.
        call: program text of the call, for an unnamed leaf created by a library, or "".
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
    notes: tuple[NonfiniteStart, ...] = ()
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
    results: tuple[CallResult, ...] = ()

    @property
    def stored_more(self) -> bool:
        """Whether a leaf's gradient was added to an earlier `.grad`, which then differs."""
        before = self.stored[0] if self.stored else None
        return before is not None and self.stored[1] is not None and (bool(before.norm) or before.nonfinite > 0)

    @property
    def executions(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of each of its executions, in forward order."""
        return self.fold.executions if self.fold and self.fold.executions else (self.nodes,)

    @property
    def word(self) -> str:
        """Its name, otherwise its expression, or torch's name."""
        return self.name or self.expression or self.torch

    @property
    def title(self) -> str:
        """First line: the name of leaves and plain data, otherwise `name = expression`."""
        if self.name and self.expression and self.kind != "leaf":
            return f"{self.name} = {self.expression}"
        return self.word


class DrawnEdge(Struct, frozen=True):
    """A value's edge from its creating card to a using card.

    Attributes:
        source, target: ids of cards. port: index among the target's edges in argument order, from 0.
        kind: plain, data (no gradient required), or the kind of cut.
        contribution: gradient that the target adds to the source, for a folded edge in the last execution.
        count: number of graph edges it represents.
        again: whether it runs from one loop round into the next, against the picture's order.
    """

    id: str
    source: str
    target: str
    port: int
    kind: EdgeKind = "plain"
    contribution: Value | None = None
    count: int = 1
    again: bool = False


class FollowedEntry(Struct, frozen=True):
    """The entry of a gradient that a user follows.

    Attributes:
        card: id of the card with the gradient.
        position: index among the recorded entries of that gradient.
    """

    card: str
    position: int


class GraphView(Struct, frozen=True, dict=True):
    """Content of one picture.

    Attributes:
        cards, edges: in forward order.
        roots: ids of the differentiated cards.
        of: name of the root in the program's call, or "".
        backward: shown backward (index in Trace.backwards), or None.
        kind: backward, grad, implicit (the program called none), asked (a user chose the gradient of a name),
            failed (none succeeded), counted (a step of a loop with only leaves and loss kept), or none.
        folded: whether loops, modules or repeated modules became one card.
        left_out: number of cards omitted by the picture's limits.
        dropped: number of nodes counted but not kept.
        call: if later calls at the backward's place were only counted: its call number from 1, and their total.
            Otherwise (0, 0).
        lost: number of recording failures.
        stopped: drawn operation that raised, or -1.
        limited: whether a limit ended the program.
        requested: whether any tensor of the run requires grad.
        entry: followed entry, or None.
        altered: why the gradients may not be derivatives, or "".
        start: start of NaN or infinity outside the cards.
        inner: the torch.func call that differentiates this backward once more, which is not drawn, or "".
    """

    cards: tuple[Card, ...]
    edges: tuple[DrawnEdge, ...]
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
    inner: str = ""

    def gradients(self) -> tuple[Value, ...]:
        """Return all gradients on its cards."""
        folded = (gradient for card in self.cards if card.fold for gradient in card.fold.gradients)
        return tuple(one for one in (*(card.gradient for card in self.cards), *folded) if one is not None)

    def followed(self, card: Card) -> int | None:
        """Return the followed entry's position in a card's gradient, shared by a leaf's copies."""
        if self.entry is None or card.gradient is None or self.entry.position >= len(card.gradient.entries):
            return None
        if card.id == self.entry.card:
            return self.entry.position
        of = next((card for card in self.cards if card.id == self.entry.card), None)
        same = of is not None and card.kind == of.kind == "leaf" and card.tensors == of.tensors
        return self.entry.position if same else None
