"""Assembly of a Trace from the recorder's rows: rows become columns, ids become consecutive."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate, pairwise, repeat
from typing import Any

import torch
from msgspec import Struct

from explorer.runtime.recorder import rows as fields
from explorer.runtime.recorder.calls import arguments_text, without_tensors
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.node_kinds import signed
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.step_columns import columns_of, left_out
from explorer.runtime.recorder.table import IndexOf, NameIndex, Positions, lists_of
from explorer.runtime.recorder.tensors import ArrayRow
from explorer.runtime.recorder.training_log import TrainingBook
from explorer.runtime.recorder.training_steps import TrainingSteps
from explorer.runtime.recorder.values import ValueStore
from explorer.runtime.recorder.watcher import Watcher
from explorer.trace import (
    MOST_DRAWS,
    MOST_MODELS,
    MOST_RESULTS,
    NAME,
    SCHEMA,
    Array,
    AskedEntries,
    Backward,
    Binding,
    Bound,
    Caller,
    Cell,
    Draw,
    FullTensors,
    LossTerms,
    ModuleResult,
    Nodes,
    Note,
    Operations,
    Options,
    Remark,
    Saved,
    Span,
    Statements,
    Strided,
    Tensors,
    Trace,
    TrainingLog,
    Values,
    Versions,
)


class Finished(Struct):
    """A recording's result, from which its Trace is assembled.

    Once the recorder is closed, it holds nothing of the program.
    """

    rows: fields.RunRows
    values: ValueStore
    spans: IndexOf
    callers: IndexOf
    arrays: list[ArrayRow]
    operation_count: int
    backward_count: int
    training: TrainingSteps
    log: TrainingBook
    full: Any
    asked: Any

    @classmethod
    def of(cls, recorder: Recorder) -> "Finished":
        """Return the recorder's current result."""
        recorder.rows.operations.name_modules({})  # for a run that ended before its names were read
        counts, sink = (recorder.operation_count, recorder.backward_count), recorder.sink
        places = recorder.source_map
        rows = recorder.rows, recorder.values, places.spans, places.callers, recorder.arrays.rows
        return cls(*rows, *counts, recorder.training, recorder.log, sink.kept, sink.asked)

    def forget(self) -> None:
        """Drop all rows except their number."""
        self.rows = fields.RunRows(counted=Counter(lost=self.operation_count + 1))
        self.values.clear()
        self.arrays.clear()
        self.training.drop()


def assemble(
    finished: Finished,
    cells: list[Cell],
    notes: list[Note],
    options: Options,
    diagnoses: Iterable[Remark] = (),
    watched: Watcher | None = None,
) -> Trace:
    """Assemble the Trace of a recording.

    `watched`: the statements with their places.
    """
    try:
        finished.values.settle()
        return _Assembly(finished).trace(cells, notes, options, list(diagnoses), watched)
    except MemoryError:  # the caller retries with less memory
        raise
    except Exception as problem:  # inconsistent rows: keep at least the program's output
        reraise_recorder_error(problem)
        finished.forget()
        return _Assembly(finished).trace(cells, notes, options, [])


def readable(text: str) -> str:
    """Replace lone surrogates, which no encoding allows, by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


_SURROGATES = re.compile("[\ud800-\udfff]")


class _Assembly:
    """The tables under construction, and the maps from row ids to positions."""

    def __init__(self, finished: Finished) -> None:
        self.finished, self.rows, self.values = finished, finished.rows, finished.values
        self.strings, self.shapes = IndexOf(), IndexOf()
        self.names = NameIndex(self.strings)
        self.value = Positions(self.values.rows.ids(), self.values.rows.count)
        self.operation = Positions(self.rows.operations.ids(), finished.operation_count)
        self.tensor = Positions(self.rows.tensors.ids(), self.rows.tensors.count)
        self.begun = list(self.rows.operations.ids())  # their numbers, in order
        gaps = () if self.operation.whole else pairwise([0, *self.begun])
        # The first operation after the last dropped one.
        self.all_kept_from = max((after for before, after in gaps if after != before + 1), default=0)
        self.node = Positions(self.rows.nodes.ids(), self.rows.nodes.count)
        self.backward = Positions(self.rows.backwards, finished.backward_count)

    def trace(self, cells, notes, options, diagnoses, watched=None) -> Trace:
        operations = self.operations()
        tensors, versions = self.tensors()
        nodes, saved = self.nodes()
        backwards = [self.one_backward(*numbered) for numbered in self.rows.backwards.items()]
        bindings = self.bindings()
        training = self.finished.training
        steps = columns_of(training, self.rows.bindings, self.strings, self.shapes, self.tensor, self.backward)
        counted = {**self.rows.counted, "steps": left_out(training), "leaves": training.left_out}
        counted["calls"] = self.finished.log.left_out
        limits = [Bound(kind, count) for kind, count in counted.items() if count]
        log = self.training_log()
        strided = [Strided(self.tensor(i), step, self.value(value)) for i, step, value in self.rows.strided]
        arrays, values = self.arrays(), self.value_columns()
        store = self.finished.full
        full = FullTensors() if store is None else store.columns(self.tensor, self.backward)
        explained = self.finished.asked
        asked = AskedEntries() if explained is None else explained.columns(self.value, self.node, self.backward)
        losses = self.losses()
        statements = Statements() if watched is None else self.statements(watched)  # last: all else is kept
        return Trace(
            SCHEMA,
            str(torch.__version__),
            options,
            cells,
            notes,
            [readable(text) for text in self.strings],
            [Span(*span) for span in self.finished.spans],
            [_numbers(shape) for shape in self.shapes],
            values,
            operations,
            tensors,
            versions,
            bindings,
            nodes,
            saved,
            backwards,
            diagnoses,
            limits,
            strided,
            arrays,
            steps=steps,
            log=log,
            statements=statements,
            full=full,
            asked=asked,
            losses=losses,
            callers=[Caller(*caller) for caller in self.finished.callers],
            looked_at=self.present(self.rows.looked_at),
            remaining=self.present(self.rows.remaining),
            models=list(self.rows.models)[:MOST_MODELS],
            results=list(self.results())[:MOST_RESULTS],
            draws=[Draw(self.operation(at), state) for at, state in self.rows.operations.draws.items()][:MOST_DRAWS],
        )

    def results(self) -> Iterator[ModuleResult]:
        """Yield the named parts of the modules' last results."""
        for path, parts in self.rows.results.values():
            kept = [(readable(name)[:NAME], at) for name, index in parts if (at := self.tensor(index)) >= 0]
            if kept and isinstance(path, str):
                yield ModuleResult(path, [name for name, _ in kept], [at for _, at in kept])

    def present(self, tensors: Iterable[int]) -> list[int]:
        return sorted(at for tensor in tensors if (at := self.tensor(tensor)) >= 0)

    def statements(self, watched: Watcher) -> Statements:
        """Return the statements up to the first operation that is missing."""
        begun = self.begun
        calls = sorted(self.rows.backwards)
        first = next((number for number, index in enumerate(begun) if index != number + 1), len(begun))
        until = first if first < len(begun) else self.finished.operation_count
        return watched.columns(
            lambda count: bisect_right(begun, count),
            lambda count: bisect_right(calls, count),
            self.tensor,
            lambda text: self.strings[readable(text)[:NAME]],
            until,
        )

    def training_log(self) -> TrainingLog:
        return TrainingLog(
            *self.finished.log.columns(lambda begun: bisect_right(self.begun, begun), self.tensor, self.backward)
        )

    def operations(self) -> Operations:
        rows, strings, tensor, name = self.rows.operations, self.strings, self.tensor, self.names.__getitem__
        inputs, versions = rows.column(fields.OP_INPUTS), rows.column(fields.OP_VERSIONS)
        present = tensor.kept(inputs)
        if not tensor.whole:
            versions = [
                [v for i, v in zip(given, states, strict=True) if tensor(i) >= 0]
                for given, states in zip(inputs, versions, strict=True)
            ]
        names = list(map(name, rows.column(fields.OP_NAME)))
        functions = list(map(name, rows.column(fields.OP_FUNCTION)))
        modules = rows.column(fields.OP_MODULE)
        paths = {path: -1 if path is None else strings[path] for path in dict.fromkeys(modules)}
        return Operations(
            name=names,
            function=functions,
            span=rows.column(fields.OP_SPAN),
            iteration=lists_of(rows.column(fields.OP_ITERATION)),
            module=list(map(paths.__getitem__, modules)),
            grad_enabled=rows.column(fields.OP_GRAD_ENABLED),
            in_backward=self.backward.many(rows.column(fields.OP_IN_BACKWARD)),
            inputs=tensor.lists(present),
            input_versions=lists_of(versions),
            outputs=tensor.lists(tensor.kept(rows.column(fields.OP_OUTPUTS))),
            error=self.rare(rows.errors),
            frames=self.rare(rows.frames),
            arguments=self.arguments(inputs, present),
            **self.optional(rows.modes, rows.callers),
        )

    def optional(self, modes: dict[int, int], callers: dict[int, int]) -> dict[str, list[int]]:
        """Return the modes and callers of all operations, empty if no operation has one."""
        if not modes and max(callers.values(), default=-1) < 0:
            return {}
        return {
            "modes": [modes.get(index, 0) for index in self.begun],
            "caller": [callers.get(index, -1) for index in self.begun],
        }

    def arguments(self, inputs: list, present: list) -> list[int]:
        """Return the text of each operation's arguments (strings).

        It mentions tensors that the recording dropped.
        """
        kept = self.rows.operations.arguments.items()
        found = {index: one if isinstance(one, str) else arguments_text(*one) for index, one in kept}
        texts = self.rare({index: text for index, text in found.items() if text})
        if self.tensor.whole:
            return texts
        words = list(self.strings)
        for at, (given, left) in enumerate(zip(inputs, present, strict=True)):
            if len(given) > len(left):
                text = words[texts[at]] if texts[at] >= 0 else ""
                texts[at] = self.strings[without_tensors(text, [self.tensor(index) >= 0 for index in given])]
        return texts

    def losses(self) -> LossTerms:
        """Return the terms of the losses."""
        rows = [(self.operation(index), row) for index, row in sorted(self.rows.operations.losses.items())]
        rows = [(operation, row) for operation, row in rows if operation >= 0]
        terms = [term for _, row in rows for term in row.terms]
        return LossTerms(
            operation=[operation for operation, _ in rows],
            shape=[self.shapes[row.shape] for _, row in rows],
            total=[row.total for _, row in rows],
            divisor=[row.divisor for _, row in rows],
            listed=[len(row.terms) for _, row in rows],
            place=[place for place, _, _ in terms],
            term=[term for _, term, _ in terms],
            label=[label for _, _, label in terms],
        )

    def rare(self, texts: dict[int, str]) -> list[int]:
        """Return texts of few operations as a column."""
        column = [-1] * len(self.begun)
        for index, text in texts.items():
            column[self.operation(index)] = self.strings[text]
        return column

    def tensors(self) -> tuple[Tensors, Versions]:
        rows, strings, shapes = self.rows.tensors, self.strings, self.shapes
        dtypes, devices, states = rows.column(fields.TENSOR_DTYPE), rows.column(fields.TENSOR_DEVICE), rows.states
        dtype_names = {dtype: strings[_dtype_name(dtype)] for dtype in dict.fromkeys(dtypes)}
        device_names = {device: strings[str(device)] for device in dict.fromkeys(devices)}
        memory = {index: row.number for index, row in rows.memory.items()}
        ids, missing = rows.ids(), repeat(-1)
        columns = [states.column(field) for field in range(fields.STATE)]
        starts = list(range(len(rows) + 1))
        if len(states) != len(rows):  # sort by their tensors
            of = columns[fields.STATE_TENSOR]
            order = sorted(range(len(of)), key=of.__getitem__)
            columns = [list(map(column.__getitem__, order)) for column in columns]
            counted = Counter(of)
            starts = list(accumulate((counted[index] for index in rows.ids()), initial=0))
        tensors = Tensors(
            shape=list(map(shapes.__getitem__, rows.column(fields.TENSOR_SHAPE))),
            dtype=list(map(dtype_names.__getitem__, dtypes)),
            device=list(map(device_names.__getitem__, devices)),
            requires_grad=rows.column(fields.TENSOR_REQUIRES_GRAD),
            is_leaf=rows.column(fields.TENSOR_IS_LEAF),
            is_parameter=rows.column(fields.TENSOR_IS_PARAMETER),
            storage=list(map(memory.get, ids, missing)),
            offset=rows.column(fields.TENSOR_OFFSET),
            stride=list(map(shapes.__getitem__, rows.column(fields.TENSOR_STRIDE))),
            grad=self.value.many(map(rows.grads.get, ids, missing)),
            version_start=starts,
        )
        _, version, operation, value, node, output, seen = columns
        versions = Versions(
            version=version,
            operation=self.operation.many(operation),
            value=self.value.many(value),
            node=self.node.many(node),
            output=[number if made else -1 for number, made in zip(output, node, strict=True)],
            seen=[bisect_left(self.begun, begun) if begun else -1 for begun in seen] if any(seen) else [-1] * len(seen),
        )
        return tensors, versions

    def nodes(self) -> tuple[Nodes, Saved]:
        strings, node, value, rows = self.strings, self.node, self.value, self.rows.nodes
        ids, operations = rows.ids(), rows.column(fields.NODE_OPERATION)
        nodes = Nodes(
            name=list(map(self.names.__getitem__, rows.column(fields.NODE_NAME))),
            operation=self.operation.many(operations),
            variable=self.tensor.many(rows.column(fields.NODE_VARIABLE)),
            edges=node.lists(rows.column(fields.NODE_EDGES)),
            edge_inputs=lists_of(rows.column(fields.NODE_EDGE_INPUTS)),
            values=value.lists(rows.column(fields.NODE_VALUES)),
            made_by=self.backward.many(rows.column(fields.NODE_MADE_BY)),
            user_code=[index in rows.user_code for index in ids] if rows.user_code else [False] * len(rows),
        )
        table = rows.saved
        at, storages = node.many(table.column(fields.SAVED_NODE)), table.column(fields.SAVED_STORAGE)
        # Within a call an address identifies a piece of memory. A later call may reuse it.
        hidden: dict[tuple[int, int], int] = {}
        storages = [
            storage or -1 if storage >= 0 else hidden.setdefault((operations[of], storage), -2 - len(hidden))
            for of, storage in zip(at, storages, strict=True)
        ]
        saved = Saved(
            node=at,
            name=[strings[name] for name in table.column(fields.SAVED_NAME)],
            tensor=self.tensor.many(table.column(fields.SAVED_TENSOR)),
            version=table.column(fields.SAVED_VERSION),
            value=value.many(table.column(fields.SAVED_VALUE)),
            constant=[
                -1 if one is None else strings[one if type(one) is str else repr(signed(one))]
                for one in table.column(fields.SAVED_CONSTANT)
            ],
            storage=storages,
            size=table.column(fields.SAVED_SIZE),
        )
        return nodes, saved

    def one_backward(self, index: int, row) -> Backward:
        node, tensor, value = self.node, self.tensor, self.value
        rows = self.rows.nodes
        order, arrivals, given = row.order, row.arrived, row.contributions
        if not node.whole:
            steps = [pair for pair in zip(order, arrivals, strict=True) if pair[0] in rows]
            order, arrivals = [index for index, _ in steps], [arrived for _, arrived in steps]
            given = [contribution for contribution in given if contribution[0] in rows]
        given = [*given, *self.doubtful(order, given)]
        leaves = [
            (tensor(variable), value(before), value(after))
            for index, (before, after) in row.accumulations.items()
            if index in rows and tensor(variable := rows.field(index, fields.NODE_VARIABLE)) >= 0
        ]
        not_run = {*row.captured, row.failed_node}
        freed = [] if row.retain_graph or not rows.holds else [i for i in order if i in rows.holds and i not in not_run]
        return Backward(
            kind=row.kind,
            span=row.span,
            roots=node.many(row.roots),
            root_tensors=tensor.many(row.root_tensors),
            seeds=value.many(row.seeds),
            inputs=tensor.many(row.inputs),
            retain_graph=row.retain_graph,
            create_graph=row.create_graph,
            order=node.many(order),
            arrived=value.lists(arrivals),
            contribution_from=node.many([consumer for consumer, _, _ in given]),
            contribution_edge=[edge for _, edge, _ in given],
            contribution_value=value.many([i for _, _, i in given]),
            accumulated=[leaf for leaf, _, _ in leaves],
            before=[before for _, before, _ in leaves],
            after=[after for _, _, after in leaves],
            freed=node.many(freed),
            status=row.status,
            failed_node=node(row.failed_node),
            error=self.strings[row.error] if row.error else -1,
            operations=bisect_right(self.begun, row.operations),
            inside=self.backward(row.inside),
            number=index,
        )

    def doubtful(self, order: list[int], given: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Find contributions that dropped nodes may have changed.

        They may have used the same output. Otherwise readers of the Trace would take the gradient of the only remaining
        edge for the whole gradient.
        """
        if not self.all_kept_from:
            return []
        rows, pairs = self.rows.nodes, {(index, edge) for index, edge, _ in given}
        return [
            (index, edge, 0)
            for index in order
            for edge, below in enumerate(rows.field(index, fields.NODE_EDGES))
            if below in rows
            and rows.field(below, fields.NODE_OPERATION) < self.all_kept_from
            and (index, edge) not in pairs
        ]

    def bindings(self) -> list[Binding]:
        """Return the bindings, functions first.

        So a later look-up finds the module level's own last.
        """
        ordered = sorted(self.rows.bindings, key=lambda row: row.scope == "")
        moments = self.operation.many if self.operation.whole else partial(map, self.moment)
        starts, ends = (moments([getattr(row, field) for row in ordered]) for field in ("start", "until"))
        return [
            Binding(row.name, self.tensor(row.tensor), row.span, start, until, row.call)
            for row, start, until in zip(ordered, starts, ends, strict=True)
            if row.tensor in self.rows.tensors
        ]

    def moment(self, index: int) -> int:
        """Return the position of an operation, or of the first kept after it.

        Return -1 if there is none.
        """
        at = bisect_left(self.begun, index) if index > 0 else -1
        return at if at < len(self.begun) else -1

    def arrays(self) -> list[Array]:
        """Return NumPy arrays' names in the memory of living tensors."""
        shapes = self.shapes
        storages = {memory.number for memory in self.rows.tensors.memory.values()}
        return [
            Array(
                readable(row.name),
                row.storage,
                row.offset,
                shapes[row.shape],
                shapes[row.stride],
                row.dtype,
                self.moment(row.start),
                self.moment(row.until),
            )
            for row in self.finished.arrays
            if row.storage in storages
        ]

    def value_columns(self) -> Values:
        rows, shapes = self.values.rows, self.shapes
        dtypes, data = rows.column(fields.VALUE_DTYPE), rows.column(fields.VALUE_DATA)
        names = {dtype: self.strings[_dtype_name(dtype)] for dtype in dict.fromkeys(dtypes)}
        opaque = [at for at, entries in enumerate(data) if entries is None] if None in data else ()
        for at in opaque:
            data[at] = b""
        starts = list(accumulate(map(len, data), initial=0))[:-1]
        for at in opaque:
            starts[at] = -1
        summary, summaries = [-1] * len(data), sorted(self.values.summaries.items())
        for number, (index, _) in enumerate(summaries):
            summary[self.value(index)] = number
        sampled = [numbers[-1] for _, numbers in summaries]
        return Values(
            dtype=list(map(names.__getitem__, dtypes)),
            shape=list(map(shapes.__getitem__, rows.column(fields.VALUE_SHAPE))),
            start=starts,
            summary=summary,
            summaries=[numbers[:-1] for _, numbers in summaries],
            data=b"".join(data),
            sampled=sampled if any(sampled) else [],
        )


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _numbers(shape) -> list[int]:
    """Return a shape as numbers, [] for a nested tensor's symbolic sizes."""
    return list(shape) if all(type(size) is int for size in shape) else []
