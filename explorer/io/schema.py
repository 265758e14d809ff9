"""The shape of the JSON that `run --json` prints and `explorer.save` writes, as types; docs/schema.json is made of it.

Version rule: `schema` is 1 as long as readers of today can read on. New fields may appear and new kinds in a list of
kinds; a field that goes, or means something else, raises the number.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

Number = float | int | bool | str  # "nan", "inf", "-inf" and complex numbers are texts
Index = Annotated[int, Meta(ge=0)]
Span = Annotated[list[int], Meta(min_length=4, max_length=4)]
Shape = list[int]


class Value(Struct):
    """The entries of a tensor at one moment: all in `data`, or a `sample`.

    `min`, `max` and `mean` are of `sampled` of them at equal distances where that is not 0, otherwise of all.
    """

    shape: Shape
    dtype: str
    data: Any
    sample: list[Number]
    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nonfinite: int
    sampled: int


class Place(Struct):
    """A place in the program: its cell, and [line, column, end_line, end_column]."""

    cell: Index | None
    span: Span | None


class Count(Struct):
    """What a recording left out."""

    kind: str
    count: int


class Note(Struct):
    """A Markdown text before a cell."""

    before: Index
    markdown: str


class Output(Struct):
    """An output of a cell. Which fields it has depends on its kind."""

    kind: str
    text: str | UnsetType = UNSET
    span: Span | UnsetType | None = UNSET
    cell: Index | UnsetType = UNSET
    cause: str | UnsetType | None = UNSET
    repair: str | UnsetType | None = UNSET
    repaired_source: str | UnsetType | None = UNSET
    proof: str | UnsetType | None = UNSET
    type: str | UnsetType = UNSET
    frames: list[Place] | UnsetType = UNSET
    table: dict[str, Any] | UnsetType | None = UNSET
    displayed: bool | UnsetType = UNSET
    format: str | UnsetType | None = UNSET
    width: int | float | UnsetType | None = UNSET
    height: int | float | UnsetType | None = UNSET
    alt: str | UnsetType = UNSET
    data: str | UnsetType = UNSET


class Cell(Struct):
    """A cell with its outputs; `name`: the file, where there are several."""

    source: str
    outputs: list[Output]
    name: str | UnsetType = UNSET


class Operation(Place):
    """A torch call."""

    id: Index
    name: str
    text: str
    function: str
    iteration: list[int]
    module: str | None
    grad_enabled: bool
    in_backward: Index | None
    inputs: list[Index]
    outputs: list[Index]
    nodes: list[Index]
    error: str | None


class Name(Place):
    """A name of a tensor, from an operation until another."""

    name: str
    start: int = field(name="from")
    until: Index | None


class Version(Struct):
    """A state of a tensor."""

    version: Index | None
    operation: Index | None
    value: Value | None


class Cut(Place):
    """Where a gradient was lost."""

    by: str
    sure: bool
    text: str


class TapeEvent(Place):
    """An event in the history of a leaf."""

    kind: str
    operation: Index | None
    backward: Index | None
    version: Index | None
    before: Value | None
    added: Value | None
    after: Value | None
    count: int


class Tensor(Struct):
    """A tensor that the program touched."""

    id: Index
    names: list[Name]
    shape: Shape
    dtype: str
    device: str
    requires_grad: bool
    is_leaf: bool
    storage: Index | None
    offset: int
    stride: Shape | None
    versions: list[Version]
    value: Value | None
    grad: Value | None
    gradient: Value | None
    reason: str | None
    cut: Cut | None
    tape: list[TapeEvent] | None


class NodeOutput(Struct):
    """An output of a node."""

    value: Value | None
    gradient: Value | None


class Edge(Struct):
    """Where a gradient goes on: a node, and which of its outputs."""

    node: Index
    input: Index


class SavedTensor(Struct):
    """What a node kept for backward."""

    name: str
    tensor: Index | None
    version: Index | None
    value: Value | None
    constant: str | None


class Node(Place):
    """A node of the autograd graph."""

    id: Index
    name: str
    operation: Index | None
    text: str
    variable: Index | None
    outputs: list[NodeOutput]
    value: Value | None
    gradient: Value | None
    edges: list[Edge]
    saved: list[SavedTensor]
    formulas: Any
    made_by: Index | None


class Arriving(Struct):
    """What arrived at a node."""

    node: Index | None = field(name="from")
    value: Value | None


class Leaving(Struct):
    """What left a node."""

    to: Index
    value: Value | None


class BackwardStep(Struct):
    """One node of a backward, in the engine's order."""

    node: Index
    arriving: list[Arriving]
    sum: Value | None
    leaving: list[Leaving]


class Accumulation(Struct):
    """A leaf's `.grad` around a backward."""

    tensor: Index | None
    before: Value | None
    after: Value | None


class Backward(Place):
    """A call of backward or grad."""

    id: Index
    kind: Literal["backward", "grad", "implicit"]
    roots: list[Index | None]
    seeds: list[Value | None]
    inputs: list[int]
    retain_graph: bool
    create_graph: bool
    steps: list[BackwardStep]
    accumulations: list[Accumulation]
    freed: list[Index]
    status: Literal["ok", "failed"]
    failed_node: Index | None


class Group(Struct):
    """A parameter group of an optimizer."""

    rate: Number | None
    weight_decay: Number | None
    last_rate: Number | None
    count: int
    tensors: list[Index]


class Optimizer(Place):
    """An optimizer."""

    name: str
    kind: str
    operations: int
    groups: list[Group]


class TrainingCall(Place):
    """A call that trains: backward, step, clip, schedule, hook."""

    kind: str
    operations: int
    iteration: list[int]
    subject: Index | None
    name: str | None
    value: Number | None
    before: Number | None


class Training(Struct):
    """What trained."""

    optimizers: list[Optimizer]
    sets: list[list[Index]]
    calls: list[TrainingCall]


class StepLeaf(Struct):
    """A leaf over the steps of a training."""

    name: str | None
    tensor: Index | None
    shape: Shape
    optimizer: str | None
    steps: list[Index]
    value_norm: list[Number | None]
    gradient_norm: list[Number | None]
    update_norm: list[Number | None]
    ratio: list[Number | None]
    gradient_zeros: list[Number | None]
    before: list[Number | None]
    entries: list[Index]
    values: list[list[Number]]
    gradients: list[list[Number] | None]
    updates: list[list[Number]]


class Steps(Place):
    """The steps at a place that calls backward more than eight times."""

    kind: str
    calls: int
    stride: int
    number: list[int]
    backward: list[Index | None]
    loops: list[dict[str, int | float | str]]
    loss: list[Number]
    rate: list[Number | None]
    gradient_norm: list[Number | None]
    used_norm: list[Number | None]
    leaves: list[StepLeaf]


class Diagnosis(Struct):
    """What is wrong although nothing failed."""

    kind: str
    level: Literal["fault", "note", "info"]
    cell: int
    span: Span
    node: Index | None
    tensor: Index | None
    title: str
    text: str
    evidence: dict[str, Any]
    repair: str | None
    repaired_source: str | None
    proof: str | None


class Run(Struct):
    """One run of a program. Ids are indices from 0; lines count from 1, columns from 0."""

    path: str
    schema: Literal[1]
    torch: str | None
    seed: int
    detail: Literal["light", "complete"]
    status: Literal["ok", "error", "refused", "limited", "unusable"]
    message: str | None
    sentence: str | None
    limits: list[Count]
    cells: list[Cell]
    texts: list[Note]
    operations: list[Operation]
    tensors: list[Tensor]
    nodes: list[Node]
    backwards: list[Backward]
    steps: list[Steps]
    diagnoses: list[Diagnosis]
    checks: list[dict[str, Any]]
    mixed: dict[str, Any] | UnsetType | None = UNSET
    training: Training | UnsetType = UNSET


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a run."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A run of Autograd Explorer",
        "$comment": "Schema 1. New fields may appear; a field that goes or changes its meaning raises the number.",
        **msgspec.json.schema(Run),
    }
