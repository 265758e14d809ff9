"""Card of a closed module: inputs, outputs, and gradients of its parameters."""

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal

from explorer.analysis.explain.autograd.cards import CardMaker, spread
from explorer.analysis.explain.autograd.folds import Folded, ModuleClasses
from explorer.analysis.explain.autograd.gradient_cuts import DataInput, data_inputs
from explorer.analysis.explain.autograd.graph_parts import Edge, GraphPart
from explorer.analysis.explain.autograd.outline import DEPTH, last_number
from explorer.analysis.explain.autograd.view_records import Card, Fold, ModuleSummary
from explorer.analysis.run.names import name_of, names_of
from explorer.trace import Trace, Value

INPUTS = 3  # input shapes on a card
KEYS = 4  # result names on a card
NAMES = 10_000  # searchable characters of the names inside a closed module


class ModuleCards:
    """The closed modules of one picture."""

    def __init__(
        self, trace: Trace, maker: CardMaker, parts: list[GraphPart], edges: list[Edge], folded: Folded, roots: set[int]
    ):
        self.trace, self.maker, self.parts, self.folded = trace, maker, parts, folded
        self.runs = {number: _executions(classes) for number, classes in folded.modules.items()}
        self._run_of = {
            part: (number, at) for number, runs in self.runs.items() for at, run in enumerate(runs) for part in run
        }
        self._home: dict[int, tuple[int, int]] = {}  # leaf → first execution that reads it
        self._ways_out: dict[tuple[int, int], int] = {
            self._run_of[root]: root for root in sorted(roots & {*self._run_of})
        }
        for edge in edges if folded.modules else ():
            source, target = self._run_of.get(edge.source), self._run_of.get(edge.target)
            if source is not None and source != target:
                self._ways_out[source] = max(edge.source, self._ways_out.get(source, -1))
            elif source is None and target is not None:
                self._home.setdefault(edge.source, target)

    def card(self, number: int, is_root: bool) -> Card:
        """Return the card of a module or a stack of equal modules."""
        closed, members, runs = self.folded.modules[number], self.folded.members[number], self.runs[number]
        mains = [self._main(number, at) for at in range(len(runs))]
        node, output = mains[-1]
        nodes: list[list[int]] = [[] for _ in runs]
        for part in members:
            home = self._run_of.get(part) or self._home.get(part) or (number, len(runs) - 1)
            nodes[home[1]] += self.parts[part].nodes
        value, gradient = self._values(node, output)
        spans = {self.trace.operations.span[self.parts[part].operation] for run in runs for part in run}
        span = spans.pop() if len(spans) == 1 else -1
        inside = {inner for run in nodes for inner in run}
        operation = self.parts[self._way_out(number, len(runs) - 1)].operation
        return Card(
            id=f"m{min(inside)}_{len(inside)}" if inside else f"mo{operation}",
            kind="out" if is_root else "op" if inside else "data",
            **self._words(closed, runs[-1]),
            value=value,
            gradient=gradient,
            **self._why_none(node, output, operation),
            shape=value.shape if value else (),
            dtype=value.dtype if value else "",
            notes=self.maker.nonfinite.of_nodes(inside),
            fold=self._fold(closed, mains, nodes) if len(runs) > 1 else None,
            failed=not self.maker.failed.isdisjoint(inside),
            layer=self.trace.nodes.made_by[node] + 1 if node >= 0 else 0,
            span=span,
            nodes=tuple(nodes[-1]),
            tensors=tuple(self.trace.operations.outputs[operation]),
            main=(node, output) if node >= 0 else None,
            module=self._summary(closed, members, runs, mains),
            within=closed.module.path.rpartition(".")[0],
        )

    def _words(self, closed: ModuleClasses, run: list[int]) -> dict:
        """Return name and expression: the path, or the expression that contains a row."""
        if closed.module.shaping:
            first, last = (self.maker.words.of(self.parts[part]) for part in (run[0], run[-1]))
            if first["expression"] != last["expression"] and first["expression"] in last["expression"]:
                return {"name": last["name"], "expression": last["expression"]}
        return {"name": "", "expression": _title(closed)}

    def data_inputs(self, number: int, numbers: dict[int, list[int]]) -> Iterator[tuple[GraphPart, DataInput]]:
        """Yield named inputs without history from outside the module, with their (last) readers."""
        seen: set[int | str] = set()
        paths = [path for path, _ in self.folded.modules[number].module.repeats]
        for at, run in reversed([*enumerate(self.runs[number])]):
            path = paths[min(at, len(paths) - 1)]
            named = set()
            for part in run:
                operation = self.parts[part].operation
                for data in data_inputs(self.trace, self.maker.run, operation, numbers):
                    if data.key < 0 or data.key in seen or self._own(path, data.key, data.row):
                        continue
                    key = data.key if data.source_row >= 0 else name_of(self.maker.run, data.key)
                    if key in seen:
                        continue
                    seen.add(data.key)
                    named.add(key)
                    yield self.parts[part], data
            seen |= named

    def _own(self, path: str, tensor: int, row: int) -> bool:
        """Return whether a tensor was created inside a module, or is its buffer."""
        named = name_of(self.maker.run, tensor)
        maker = self.trace.versions.operation[row] if row >= 0 else -1
        if f"{named}.".startswith(f"{path}.") or (maker < 0 and (not named or "." in named)):
            return True
        return maker >= 0 and f"{self.trace.string(self.trace.operations.module[maker]) or ''}.".startswith(f"{path}.")

    def _way_out(self, number: int, at: int) -> int:
        return self._ways_out.get((number, at), self.runs[number][at][-1])

    def _main(self, number: int, at: int) -> tuple[int, int]:
        part = self.parts[self._way_out(number, at)]
        if not part.nodes or self.maker.is_inner(part):
            return -1 - part.operation, 0
        return self.maker.outputs.main(part)

    def _why_none(self, node: int, output: int, operation: int) -> dict:
        """Return why the module's result has no gradient."""
        if node >= 0:
            return self.maker.why_none(node, output, operation)
        made = self.trace.operations.outputs[operation]
        return (made and self.maker.why_unreached(made[0])) or {"reason": "no_grad"}

    def _values(self, node: int, output: int) -> tuple[Value | None, Value | None]:
        """Return an output's value and gradient, or an operation's value.

        Return neither if a second derivative uses only steps inside the module, because they are not its result.
        """
        if node >= 0:
            return self.maker.outputs.value(node, output), self.maker.outputs.gradient(node, output)
        made = self.trace.operations.outputs[-1 - node]
        if made and self.trace.tensors.requires_grad[made[0]]:
            return None, None
        return (self.trace.latest(made[0]) if made else None), None

    def _fold(self, closed: ModuleClasses, mains: list[tuple[int, int]], nodes: list[list[int]]) -> Fold:
        pairs = [self._values(*main) for main in spread(mains)]
        executions = tuple(map(tuple, nodes))
        kind: Literal["loop", "calls"] = "loop" if len(closed.runs) == 1 else "calls"
        return Fold(len(nodes), kind, tuple(v for v, _ in pairs), tuple(g for _, g in pairs), executions)

    def _summary(
        self, closed: ModuleClasses, members: list[int], runs: list[list[int]], mains: list[tuple[int, int]]
    ) -> ModuleSummary:
        trace, tensors = self.trace, self.trace.tensors
        inside = [part for part in members if self.parts[part].leaf >= 0]
        leaves = [self.parts[part] for part in inside]
        gradients = [gradient for part in leaves if (gradient := self.maker.leaf_gradient(part)) is not None]
        of_each: list[list[Value]] = [[] for _ in closed.module.repeats]
        for part in inside:
            if (gradient := self.maker.leaf_gradient(self.parts[part])) is not None:
                of_each[self._home[part][1] if len(of_each) > 1 else 0].append(gradient)
        sizes = [math.prod(trace.shapes[tensors.shape[part.leaf]]) for part in leaves]
        return ModuleSummary(
            path=closed.module.path,
            members=tuple(path for path, _ in closed.module.repeats),
            mains=tuple(mains),
            inputs=self._inputs(closed.module.repeats[0][0], runs[0], {part.leaf for part in leaves}),
            keys=self._keys(runs[-1]),
            operations=sum(map(len, runs)),
            parameters=sum(sizes),
            leaves=len(leaves),
            gradients=len(gradients),
            norm=_norm(gradients),
            norms=tuple(map(_norm, of_each)),
            nonfinite=sum(value.nonfinite for value in gradients),
            shaping=closed.module.shaping,
            inside=self._inside([path for path, _ in closed.module.repeats], runs, [part.leaf for part in leaves]),
        )

    def _keys(self, run: list[int]) -> tuple[str, ...]:
        """Return the dictionary keys under which the program holds a run's results."""
        made = (tensor for part in run for tensor in self.trace.operations.outputs[self.parts[part].operation])
        held = (name_of(self.maker.run, tensor) for tensor in made)
        return tuple(dict.fromkeys(name.rpartition('["')[2][:-2] for name in held if name.endswith('"]')))[:KEYS]

    def _inside(self, members: list[str], runs: list[list[int]], leaves: list[int]) -> tuple[str, ...]:
        """Return the modules and parameters inside, by their paths below the member."""
        modules = dict.fromkeys(
            self.trace.operations.module[self.parts[part].operation] for run in runs for part in run
        )
        called = [self.trace.string(module) or "" for module in modules]
        around = {*members}
        paths: dict[str, None] = {}
        for name in (*called, *(name for leaf in leaves for name in names_of(self.maker.run, leaf))):
            ends = [at for at, letter in enumerate(name) if letter == "."][: 2 * DEPTH]
            if (start := next((at for at in ends if name[:at] in around), -1)) >= 0:
                paths |= dict.fromkeys(name[start + 1 : end] for end in (*ends, len(name)) if end > start)
        lengths = accumulate(len(path) + 1 for path in paths)
        return tuple(path for path, length in zip(paths, lengths, strict=True) if length <= NAMES)

    def _inputs(self, path: str, run: list[int], leaves: set[int]) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of the first tensors that enter from outside."""
        operations, tensors = self.trace.operations, self.trace.tensors
        shapes = {}
        inner = {tensor for part in run for tensor in operations.outputs[self.parts[part].operation]}
        for part in run:
            for tensor in operations.inputs[self.parts[part].operation]:
                row = self.trace.versions_of(tensor)[0]
                if tensor in inner or tensor in leaves or tensors.is_parameter[tensor] or self._own(path, tensor, row):
                    continue
                if 0 not in (shape := tuple(self.trace.shapes[tensors.shape[tensor]])):
                    shapes[tensor] = shape
            if len(shapes) >= INPUTS:
                break
        return tuple(shapes.values())[:INPUTS]


def _norm(gradients: list[Value]) -> float | None:
    """Return the norm of all finite entries, None if there are none."""
    norms = [value.finite_norm for value in gradients if value.finite_norm is not None]
    return math.hypot(*norms) if norms else None


def _executions(closed: ModuleClasses) -> list[list[int]]:
    """Return the parts of each execution: stacked modules or loop rounds."""
    if len(closed.runs) == 1:
        (classes,) = closed.runs
        rounds = len(classes[0])
        if rounds > 1 and all(len(parts) == rounds for parts in classes):
            return [sorted(parts[at] for parts in classes) for at in range(rounds)]
    return [sorted(part for parts in classes for part in parts) for classes in closed.runs]


def _title(closed: ModuleClasses) -> str:
    """Return the title of a module or stack, such as blocks.0 … 5."""
    if closed.module.shaping:
        return closed.module.path[::-1].replace(".", " :", 1)[::-1]
    first, last = closed.module.repeats[0][0], closed.module.repeats[-1][0]
    return first if first == last else f"{first} … {last_number(last)}"
