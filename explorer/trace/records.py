"""Rows of a Trace: operations, tensors, versions, graph nodes, backward calls.

Large tables are columns: entry i of every list belongs to row i, and -1 means "none". `Lists` is a column whose entries
are lists. Texts, spans and shapes are stored once and referenced by index.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from explorer.trace.asked import MOST_ASKED, MOST_WHOLE, AskedEntries, EntryAsked, FullTensors
from explorer.trace.columns import Along, Column, Columns, Flags, IdList, Ids, Lists
from explorer.trace.effects import Effects
from explorer.trace.loss_terms import LossTerms
from explorer.trace.outputs import Cell, Note, Span, Text, Word
from explorer.trace.slopes import Slopes
from explorer.trace.statements import Statements
from explorer.trace.steps import Steps
from explorer.trace.tables import Table, TableTensor, TableWindow
from explorer.trace.training_log import TrainingLog

SCHEMA = 1
SUFFIX = ".trace"  # suffix of a saved Trace
MAX_BYTES = 8_000_000  # bytes of an encoded Trace
MAX_OPENED = 40_000_000  # bytes of a saved Trace that the app opens, full tensors included
MOST_VALUES = 400  # most repeated calls for one entry, each with another value
EVALUATES, AUTOCAST = 1, 2  # bits of Operations.modes
MOST_MODELS = 1_000  # most models whose names are kept
MOST_DRAWS = 500  # most calls whose random numbers can be drawn again
MOST_RESULTS = 1_000  # most modules whose results have names
NAME = 10_000  # longest name of an operation, a module or a node


class InvalidTrace(ValueError):
    """Raised for a result that is not a valid Trace."""


class TooLong(InvalidTrace):
    """A Trace with more rows than a view may have."""


# Names of Moves that only request a gradient that should be 0: at padding, or from a score to the input it predicts.
PADDING, TARGET = "padding", "target"


class Move(Struct, frozen=True, array_like=True):
    """A leaf moved just before an operation reads it.

    Attributes: operand, name: the input. For PADDING the operation `pad_sequence` behind the result, -1: padding_idx.
    For TARGET the loss.
    """

    operation: int
    operand: int
    name: Word


class Probe(Struct, frozen=True, array_like=True):
    """Leaves moved along a direction to measure how a backward's root changes.

    Attributes:
        moves: the leaves. The direction has a fixed +1 or -1 for each of their entries.
        steps: distances, one run for each.
        call: number of the backward. -1: the root is read at the end.
        root: then the operation that created it, and its output index. Otherwise (-1, -1).
    """

    moves: Annotated[tuple[Move, ...], Meta(max_length=10_000)]
    steps: Annotated[tuple[float, ...], Meta(max_length=8)]
    call: int
    root: tuple[int, int] = (-1, -1)


class ProbeReading(Struct, frozen=True, array_like=True):
    """The result of a probe, in float64.

    Attributes:
        values: the root for each step: entries times starting gradients, summed. None if the run did not reach
            the backward. No values at all if its time ran out.
        slopes: for each step, autograd's gradient times the direction.
        sizes: for each step, the norm of those products.
    """

    values: Annotated[tuple[float | None, ...], Meta(max_length=MOST_VALUES)]
    slopes: Annotated[tuple[float, ...], Meta(max_length=8)] = ()
    sizes: Annotated[tuple[float, ...], Meta(max_length=8)] = ()


class Repeat(Struct, frozen=True, array_like=True):
    """Recorded calls that torch repeats for other values of a leaf's entry.

    Attributes:
        row, entry: leaf version that the first call read, and the row-major index of the entry.
        values: new values of the entry. The reading has the root and slope for each.
        operations: repeated calls, in order.
        root: their result, a tensor with one entry.
    """

    row: int
    entry: int
    values: Annotated[tuple[float, ...], Meta(max_length=MOST_VALUES)]
    operations: Annotated[tuple[int, ...], Meta(max_length=256)]
    root: int


class Options(Struct, frozen=True):
    """Options of a run.

    Attributes:
        seed: seed for torch, numpy and random.
        detail: light (value, gradient, span, name) or complete (adds versions, storage, saved tensors,
            contributions).
        time_limit: CPU seconds for the program.
        memory_limit: MB beyond PyTorch's own memory.
        output_limit: KB of printed text before the middle is left out.
        stop_on_error: whether a failing cell ends the run.
        of: name to differentiate instead of the program's own backward calls, or "".
        start: its starting gradient v in row-major order. Empty: ones.
        full: names of tensors whose final entries are all kept, "*" for every name. In `record()`: patterns, for
            gradients too, kept in Trace.full.
        probes: leaves to move. The program then runs once for each step, and nothing else is recorded.
        effects: whether further runs measure what has an effect. Nothing else is recorded then.
        tables: windows of DataFrames to keep. Empty: tables are not watched.
        statements: whether to record each statement's end and the names' values then.
        asked: gradient entries to explain. Trace.asked has their products.
        whole: ids of large values, from an earlier run, whose entries Trace.asked keeps.
    """

    seed: int = 0
    detail: Literal["light", "complete"] = "complete"
    time_limit: float = 10.0
    stop_on_error: bool = False
    of: str = ""
    start: Annotated[tuple[float, ...], Meta(max_length=10_000)] = ()
    full: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()
    memory_limit: float = 200.0
    output_limit: float = 64.0
    probes: Annotated[tuple[Probe, ...], Meta(max_length=256)] = ()
    tables: Annotated[tuple[TableWindow, ...], Meta(max_length=4)] = ()
    statements: bool = False
    asked: Annotated[tuple[EntryAsked, ...], Meta(max_length=MOST_ASKED)] = ()
    whole: Annotated[tuple[int, ...], Meta(max_length=MOST_WHOLE)] = ()
    effects: bool = False

    @property
    def patience(self) -> float:
        """Seconds after which a waiting or starved run ends."""
        return 6 * self.time_limit


class Values(Columns, Struct, frozen=True):
    """All numbers of a run.

    Attributes:
        dtype, shape: indices into Trace.strings and Trace.shapes.
        start: offset of the entries in `data`, -1 if unreadable (sparse, functorch, meta).
        summary: index into `summaries` for a sampled value above FULL entries, otherwise -1.
        summaries: minimum, maximum, mean, norm, nonfinite and nans, as in `Value`.
        sampled: `Value.sampled` of each summary, empty if all are 0.
    """

    dtype: Annotated[Column, Ids("strings", 0)]
    shape: Annotated[Column, Ids("shapes", 0)]
    start: Annotated[Column, Ids(1 << 62)]
    summary: Annotated[Column, Ids("values.summaries")]
    summaries: Annotated[
        list[tuple[float, float, float, float, int, int]], Meta(max_length=1_000_000), Along("summaries")
    ]
    data: Annotated[bytes, Meta(max_length=MAX_BYTES * 100)]
    sampled: Annotated[IdList, Along("summaries", True), Ids(1 << 62, 0)] = field(default_factory=list)


class Operations(Columns, Struct, frozen=True):
    """The torch calls in the order they began.

    Attributes:
        name, function: short and qualified name (strings).
        span: where the program called it (spans), or -1.
        iteration: counts of the enclosing loops from 0, innermost last.
        module: path of the nn.Module whose forward ran (strings) or -1.
        grad_enabled: whether gradients were recorded.
        in_backward: the backward during which it ran, or -1.
        inputs, input_versions, outputs: tensors in order, and each input's version (-1: unknown).
        error: type of the exception it raised (strings) or -1.
        frames: the calls in other files between the program and the operation (strings) or -1.
        arguments: its arguments as JSON (strings), or -1: only tensors, or not kept. `Trace.arguments` reads it.
        modes: EVALUATES if the running module is in evaluation mode, plus AUTOCAST inside autocast. Empty if all are 0.
        caller: the call of the program's function that ran it (callers), -1 at module level. Older files lack it.
    """

    name: Annotated[Column, Ids("strings", 0)]
    function: Annotated[Column, Ids("strings", 0)]
    span: Annotated[Column, Ids("spans")]
    iteration: Annotated[Lists, Along("rows"), Ids(1 << 40, 0)]
    module: Annotated[Column, Ids("strings")]
    grad_enabled: Flags
    in_backward: Annotated[Column, Ids("backwards")]
    inputs: Annotated[Lists, Along("rows"), Ids("tensors", 0)]
    input_versions: Annotated[Lists, Along("rows"), Ids(1 << 40)]
    outputs: Annotated[Lists, Along("rows"), Ids("tensors", 0)]
    error: Annotated[Column, Ids("strings")]
    frames: Annotated[Column, Ids("strings")]
    arguments: Annotated[Column, Ids("strings")]
    modes: Annotated[IdList, Along("rows", True), Ids(4, 0)] = field(default_factory=list)
    caller: Annotated[IdList, Along("rows", True), Ids("callers")] = []

    def __len__(self) -> int:
        return len(self.name)


class Tensors(Columns, Struct, frozen=True):
    """The tensors the program touched.

    Attributes:
        shape, stride: indices into Trace.shapes. offset: in entries. storage: equal numbers share memory (-1:
            unknown).
        version_start: tensor i has the versions version_start[i] to version_start[i + 1] of `versions`.
        grad: value of `.grad` at the end, or -1.
    """

    shape: Annotated[Column, Ids("shapes", 0)]
    dtype: Annotated[Column, Ids("strings", 0)]
    device: Annotated[Column, Ids("strings", 0)]
    requires_grad: Flags
    is_leaf: Flags
    is_parameter: Flags
    storage: Annotated[Column, Ids(1 << 62)]
    offset: Annotated[Column, Ids(1 << 62)]
    stride: Annotated[Column, Ids("shapes")]
    grad: Annotated[Column, Ids("values")]
    version_start: IdList

    def __len__(self) -> int:
        return len(self.shape)


class Versions(Columns, Struct, frozen=True):
    """The states of tensors, ordered by tensor, then time.

    Attributes:
        version: torch's version counter (-1: not known).
        operation: what wrote it (-1: no recorded operation).
        value: the entries then.
        node, output: the autograd node it came from and which of its outputs, or -1.
        seen: operations begun when a state without a recorded write was found by comparison. Otherwise -1.
    """

    version: Column
    operation: Annotated[Column, Ids("operations")]
    value: Annotated[Column, Ids("values")]
    node: Annotated[Column, Ids("nodes")]
    output: Column
    seen: Annotated[Column, Ids("operations", -1, 1)]


class Binding(Struct, frozen=True, array_like=True):
    """A name for a tensor from operation `start` until `until` (-1: to the end).

    Attributes:
        span: the assigned expression, -1 if the name was only read.
        call: number of the last function call that used the name, 0 at module level and in older files.
    """

    name: Word
    tensor: Annotated[int, Ids("tensors", 0)]
    span: Annotated[int, Ids("spans")]
    start: Annotated[int, Ids("operations")]
    until: Annotated[int, Ids("operations")]
    call: int = 0


class Nodes(Columns, Struct, frozen=True):
    """The nodes of the autograd graph.

    Attributes:
        name: torch's own (strings), such as MulBackward0.
        operation: the call that made it, or -1.
        variable: leaf tensor of an AccumulateGrad, otherwise -1.
        edges, edge_inputs: next_functions in argument order (node or -1), and the output of that node.
        values: its outputs right after the operation (values or -1).
        made_by: the backward with create_graph that made it, or -1.
        user_code: whether it runs the program's own Python code (custom Function).
    """

    name: Annotated[Column, Ids("strings", 0)]
    operation: Annotated[Column, Ids("operations")]
    variable: Annotated[Column, Ids("tensors")]
    edges: Annotated[Lists, Along("rows"), Ids("nodes")]
    edge_inputs: Annotated[Lists, Along("rows"), Ids(1 << 32)]
    values: Annotated[Lists, Along("rows"), Ids("values")]
    made_by: Annotated[Column, Ids("backwards")]
    user_code: Flags

    def __len__(self) -> int:
        return len(self.name)


PACKED, RECOMPUTED = "packed by a hook", "recomputed in backward"  # known facts about a tensor that a hook has taken


class Saved(Columns, Struct, frozen=True):
    """Tensors and constants kept for backward, ordered by node.

    Attributes:
        node, name: the node, and torch's name without `_saved_`.
        tensor, version: which tensor at which version, or -1.
        value: its entries if it is not a known tensor, or -1.
        constant: text of a constant (strings), or -1. PACKED or RECOMPUTED for a tensor that a hook took.
        storage: its memory, shared with tensors of the same number. Below -1: not in any tensor of the program.
            -1: none.
        size: bytes of that memory, all of which stays while the node keeps a part. Older files lack both columns.
    """

    node: Annotated[Column, Ids("nodes", 0)]
    name: Annotated[Column, Ids("strings", 0)]
    tensor: Annotated[Column, Ids("tensors")]
    version: Column
    value: Annotated[Column, Ids("values")]
    constant: Annotated[Column, Ids("strings")]
    storage: Annotated[IdList, Along("rows", True), Ids(1 << 60, -1 << 60)] = []
    size: Annotated[IdList, Along("rows", True), Ids(1 << 60, 0)] = []


class Backward(Struct, frozen=True):
    """One call of the engine, or one that torch refused before the engine began.

    Attributes:
        kind: backward, grad, or implicit (added to a program without a backward).
        roots, root_tensors: nodes (-1: none) and tensors, in call order. seeds: starting gradients (values).
        inputs: tensors named by inputs= (empty: all leaves).
        order: nodes in the engine's order. arrived: for each step, a value for each node output (-1: nothing).
        contribution_*: an edge's contribution if its target has several consumers or hooks: consumer, edge,
            value.
        accumulated, before, after: leaves, and `.grad` around the call (values or -1).
        freed: nodes whose saved tensors it released. failed_node: where it stopped, or -1. error: its text
            (strings).
        operations: operations begun when it was called.
        inside: enclosing backward (a reentrant checkpoint), or -1.
        number: its number among all recorded calls, dropped ones included, from 1. 0 in older files.
    """

    kind: Literal["backward", "grad", "implicit"]
    span: Annotated[int, Ids("spans")]
    roots: Annotated[IdList, Ids("nodes")]
    root_tensors: Annotated[IdList, Ids("tensors")]
    seeds: Annotated[IdList, Ids("values")]
    inputs: Annotated[IdList, Ids("tensors")]
    retain_graph: bool
    create_graph: bool
    order: Annotated[IdList, Along("steps"), Ids("nodes", 0)]
    arrived: Annotated[Lists, Along("steps"), Ids("values")]
    contribution_from: Annotated[IdList, Along("contributions"), Ids("nodes", 0)]
    contribution_edge: Annotated[IdList, Along("contributions")]
    contribution_value: Annotated[IdList, Along("contributions"), Ids("values")]
    accumulated: Annotated[IdList, Along("leaves"), Ids("tensors")]
    before: Annotated[IdList, Along("leaves"), Ids("values")]
    after: Annotated[IdList, Along("leaves"), Ids("values")]
    freed: Annotated[IdList, Ids("nodes", 0)]
    status: Literal["ok", "failed"]
    failed_node: Annotated[int, Ids("nodes")]
    error: Annotated[int, Ids("strings")]
    operations: Annotated[int, Ids("operations", 0, 1)]
    inside: Annotated[int, Ids("backwards")] = -1
    number: int = 0

    def __repr__(self) -> str:
        return f"<Backward: {self.kind}, {self.status}, {len(self.order)} nodes>"


class Remark(Struct, frozen=True):
    """A noteworthy fact: kind, place, and values for its message."""

    kind: Word
    span: Annotated[int, Ids("spans")] = -1
    node: Annotated[int, Ids("nodes")] = -1
    tensor: Annotated[int, Ids("tensors")] = -1
    values: dict[Word, Word | int | float] = {}


class Bound(Struct, frozen=True):
    """A recording limit that was reached: `kind` names it, `count` is the number of omitted things."""

    kind: Word
    count: int


class Strided(Struct, frozen=True):
    """A sample of a large tensor: every `step`-th final entry in row-major order (values)."""

    tensor: Annotated[int, Ids("tensors", 0)]
    step: int
    value: Annotated[int, Ids("values", 0)]


class Caller(Struct, frozen=True, array_like=True):
    """A call of one of the program's functions.

    Attributes: span: the call. caller: the call of the calling function (callers, an earlier row), -1 at module level.
    """

    span: Annotated[int, Ids("spans")]
    caller: Annotated[int, Ids("callers")]


class Array(Struct, frozen=True, array_like=True):
    """A name for a NumPy array in tensor storage.

    Attributes:
        storage, offset: as in Tensors.storage, and the array's byte offset in it.
        shape, stride: indices into Trace.shapes, with strides in bytes.
        dtype: NumPy's name.
        start, until: it existed from operation `start` (-1: before any) to operation `until` (-1: to the end).
    """

    name: Word
    storage: Annotated[int, Ids(1 << 62)]
    offset: Annotated[int, Ids(1 << 62)]
    shape: Annotated[int, Ids("shapes", 0)]
    stride: Annotated[int, Ids("shapes", 0)]
    dtype: Word
    start: Annotated[int, Ids("operations")]
    until: Annotated[int, Ids("operations")]


class Draw(Struct, frozen=True, array_like=True):
    """A call that drew random numbers. Attributes: state: torch's generator before it."""

    operation: Annotated[int, Ids("operations", 0)]
    state: Annotated[bytes, Meta(max_length=10_000)]


class ModuleResult(Struct, frozen=True, array_like=True):
    """The dictionary or dataclass that a module returned last.

    Attributes: module: its path. names, tensors: its entries that are tensors.
    """

    module: Text
    names: Annotated[list[Text], Meta(max_length=100), Along("parts")]
    tensors: Annotated[IdList, Ids("tensors", 0), Along("parts")]


class Records(Struct, frozen=True, weakref=True, dict=True):
    """All rows of one run. A row's index is its id.

    Attributes:
        callers: places where functions of the program were called.
        looked_at: tensors that the program showed, or asked for their shape and the like.
        remaining: tensors that existed at the end.
        models: names of modules that hold others, "net": the names of `state_dict()` follow them.
        results: named parts of what modules returned last. Older files lack all five.
        draws: calls that drew random numbers, if `record(full=…)` asked for all entries.
    """

    schema: int
    torch: str
    options: Options
    cells: Annotated[list[Cell], Meta(max_length=2_000)]
    notes: Annotated[list[Note], Meta(max_length=4_000)]
    strings: Annotated[list[Text], Meta(max_length=500_000)]
    spans: Annotated[list[Span], Meta(max_length=500_000)]
    shapes: Annotated[list[Annotated[list[int], Meta(max_length=1_000)]], Meta(max_length=500_000)]
    values: Values
    operations: Operations
    tensors: Tensors
    versions: Versions
    bindings: Annotated[list[Binding], Meta(max_length=1_000_000)]
    nodes: Nodes
    saved: Saved
    backwards: Annotated[list[Backward], Meta(max_length=100_000)]
    diagnoses: Annotated[list[Remark], Meta(max_length=10_000)]
    limits: Annotated[list[Bound], Meta(max_length=100)]
    strided: Annotated[list[Strided], Meta(max_length=1_000)] = []
    arrays: Annotated[list[Array], Meta(max_length=10_000)] = []
    readings: Annotated[list[ProbeReading], Meta(max_length=256)] = []
    tables: Annotated[list[Table], Meta(max_length=4)] = []
    table_tensors: Annotated[list[TableTensor], Meta(max_length=20)] = []
    steps: Steps = field(default_factory=Steps)
    log: TrainingLog = field(default_factory=TrainingLog)
    statements: Statements = field(default_factory=Statements)
    full: FullTensors = field(default_factory=FullTensors)
    asked: AskedEntries = field(default_factory=AskedEntries)
    losses: LossTerms = field(default_factory=LossTerms)
    slopes: Slopes = field(default_factory=Slopes)
    effects: Effects = field(default_factory=Effects)
    callers: Annotated[list[Caller], Meta(max_length=100_000)] = []
    looked_at: Annotated[IdList, Ids("tensors", 0)] = []
    remaining: Annotated[IdList, Ids("tensors", 0)] = []
    models: Annotated[list[Word], Meta(max_length=MOST_MODELS)] = []
    results: Annotated[list[ModuleResult], Meta(max_length=MOST_RESULTS)] = []
    draws: Annotated[list[Draw], Meta(max_length=MOST_DRAWS)] = []

    def versions_of(self, tensor: int) -> range:
        """Return a tensor's rows of `versions`, oldest first."""
        return range(self.tensors.version_start[tensor], self.tensors.version_start[tensor + 1])
