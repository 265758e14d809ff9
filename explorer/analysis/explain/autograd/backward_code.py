"""A backward as Python code, in engine order.

The right sides are derivatives from the records in `analysis/run/operations`, otherwise torch's formulas, otherwise a
call of torch's node: `grad_x = node(grad_y)`. Values use the program's names if readable at the backward call,
otherwise the graph's: `node._saved_self`. Running the code verifies it (`workers/backward_check.py`).
"""

import ast
import math
import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs, hook_of
from explorer.analysis.explain.autograd.backward_terms import (
    CannotWrite,
    Shape,
    added,
    of_torch,
    product,
    python,
    reduced,
    sizes,
    stretched,
)
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients, tree_of
from explorer.analysis.explain.autograd.gradients import accumulations, tensor_places, with_inner
from explorer.analysis.explain.autograd.node_formulas import Formula, axes_of, own_text, simplified
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import operation_of_node, stem_of
from explorer.analysis.run.operations.formulas import names_in
from explorer.analysis.run.source.code import code_at
from explorer.analysis.run.source.expressions import parse_call
from explorer.safe_regex import plain
from explorer.trace import Binding, Trace

MOST = 300  # lines, unless the caller requests more
_SEED = 16  # most entries of a starting gradient written as numbers
_BLOCK = 48  # most lines in one round of a loop
_LONGEST = 40  # longest name used to build other names
_PATH = plain(r"[A-Za-z_]\w*+(?:\.\w++|\[\d{1,4}\]|\[[\"']\w++[\"']\])*+")
_NUMBERED = plain(r"\.(\d++)")
_NODE = re.compile(r"«(\d+)»")  # placeholder of a node until it has a name
_TUPLE = "BackwardHookFunctionBackward"  # a Python node that returns a tuple even for one input

Place = tuple[int, int]  # a node and the index of its output


class Unwritten(Exception):
    """Raised if a backward cannot be written. Attributes: why: reason in `backward-code-none`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CodeLine(Struct, frozen=True):
    """A line. Attributes: nodes: nodes it represents. shape: of the gradient it computes, or None."""

    text: str
    nodes: tuple[int, ...] = ()
    shape: Shape | None = None


class BackwardCode(Struct, frozen=True):
    """A backward as code.

    Attributes:
        lines: lines of code. ends: number of final lines that set a `.grad`.
        leaves: expressions that get a `.grad`, or the inputs of `autograd.grad`.
        grads: expressions for the gradients of `autograd.grad`, otherwise ().
        roots, seeds: expressions for the roots and starting gradients.
        head: line that names the root, if the program has no name for it, or "".
        tensors: tensor id by expression that reads it.
        kept: for each leaf: tensor, and values of its gradient before and after, or -1.
    """

    backward: int
    lines: tuple[CodeLine, ...]
    ends: int
    leaves: tuple[str, ...]
    grads: tuple[str, ...]
    roots: tuple[str, ...]
    seeds: tuple[str, ...]
    head: str
    tensors: dict[str, int]
    kept: tuple[tuple[int, int, int], ...]

    @property
    def text(self) -> str:
        """Code of all lines, with the shapes as comments."""
        return "\n".join([*filter(None, [self.head]), self.body])

    @property
    def body(self) -> str:
        """The lines after the root has a name."""
        return "\n".join(written_lines(self.lines))


def written_lines(lines: Sequence[CodeLine]) -> list[str]:
    """Return the lines with aligned shape comments, without them if all gradients are numbers."""
    if not any(line.shape for line in lines):
        return [line.text for line in lines]
    column = max((len(line.text) for line in lines if line.shape is not None and len(line.text) <= 60), default=0)
    return [line.text if line.shape is None else f"{line.text:<{column}}  # {line.shape}" for line in lines]


def backward_code(trace: Trace, backward: int, named: bool = True, most: int = MOST) -> BackwardCode:
    """Write a backward as code of at most so many lines. Raises Unwritten.

    Args:
        named: whether to use the program's names, rather than only the graph.
    """
    call = trace.backwards[backward]
    if call.status != "ok":
        raise Unwritten("failed")
    if call.inside >= 0 or len(with_inner(trace, backward)) > 1:
        raise Unwritten("inside")
    if not call.order:
        raise Unwritten("lost")
    if len(call.order) > most * _BLOCK:
        raise Unwritten("long")
    return _Writer(trace, backward, named, most).code()


def root_text(trace: Trace, backward: int) -> str:
    """Return the expression at a backward call that computes its only root, or ""."""
    place = code_at(trace, trace.backwards[backward].span)
    written = None if place is None else parse_call(place.text)
    if written is None or written.name not in ("backward", "grad"):
        return ""
    if written.name == "backward" and written.receiver.rpartition(".")[2] != "autograd":
        return written.receiver
    return written.argument(0, "tensors", "outputs")


class _Names:
    """Reusable names, free again once their owner is no longer read."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken, self._held, self.of = taken, dict[str, Hashable](), dict[Hashable, str]()

    def give(self, key: Hashable, base: str) -> str:
        """Assign a name: the base, with a number if taken."""
        number, name = 1, base
        while name in self._held or name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._held[name] = key
        self.of[key] = name
        return name

    def free(self, key: Hashable) -> None:
        """Release a name that is no longer read."""
        if (name := self.of.get(key, "")) and self._held.get(name) == key:  # by now it may be another owner's
            del self._held[name]


def _names_at(trace: Trace, backward: int) -> dict[int, str]:
    """Map tensors to expressions that are readable at a backward call's line."""
    call, bindings = trace.backwards[backward], trace.index.bindings

    def lives(binding: Binding) -> bool:
        return binding.start < call.operations and not 0 <= binding.until < call.operations

    frame = next((one.call for root in call.root_tensors for one in bindings.get(root, ()) if lives(one)), 0)
    latest: dict[str, tuple[bool, int, int]] = {}  # name → whether the function owns it, since when, its tensor
    for one in trace.bindings:
        if one.call in (0, frame) and lives(one):
            key = (one.call == frame, one.start, one.tensor)
            latest[one.name] = max(key, latest.get(one.name, key))
    found: dict[int, str] = {}
    for name, (_, _, tensor) in latest.items():
        path = _NUMBERED.sub(r"[\1]", name)
        if _PATH.fullmatch(path) and len(path) <= 2 * _LONGEST:
            found[tensor] = min(found.get(tensor, path), path, key=lambda word: "." in word)
    return found


def _word(text: str) -> str:
    """Turn any text into part of a name, or "" if it is too long."""
    word = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return word if len(word) <= _LONGEST else ""


class _Writer:
    """Writes one backward."""

    def __init__(self, trace: Trace, backward: int, named: bool, most: int) -> None:
        self.most = most
        self.trace, self.backward, self.call = trace, backward, trace.backwards[backward]
        self.nodes, self.run = trace.nodes, run_of(trace)
        self.edges = EdgeGradients(trace, backward, "")
        self.gradients, self.around = self.edges.gradients, accumulations(trace, backward)
        self.altered = altered_outputs(trace, backward)
        self.grads, self.lines = _Names(trace.index.lines_with), list[CodeLine]()
        self.tensors = {place: tensor for tensor, places in enumerate(tensor_places(trace)) for place in places}
        self.names = _names_at(trace, backward)
        roots = self.call.root_tensors
        unnamed = not all(root in self.names for root in roots)
        if unnamed and len(roots) > 1:
            raise Unwritten("seed")
        fresh = next(word for word in ("loss", "root", "the_root", "") if word not in trace.index.lines_with)
        text = root_text(trace, backward) if unnamed else ""
        self.head = f"{fresh} = {text}" if text else ""
        self.unknown = unnamed and not text  # a library's result, so no name leads to its nodes
        self.roots = [self.names.get(root, fresh) for root in roots]
        if not named:
            self.names = {tensor: name for tensor, name in self.names.items() if tensor in roots}
        asked = self.call.inputs if self.call.kind == "grad" else []
        if any(tensor not in self.names or not tensor_places(trace)[tensor] for tensor in asked):
            raise Unwritten("leaf")
        self.asked = {self.names[tensor]: tensor_places(trace)[tensor][-1] for tensor in asked}
        self.held = set(self.asked.values())  # gradients read at the end
        self.leaves, self.ends = dict[str, tuple[int, int, int]](), list[CodeLine]()
        for tensor, (name, (node, output)) in zip(asked, self.asked.items(), strict=True):
            self.leaves[name] = tensor, -1, self.gradients[node][output]
        self.reads: dict[Hashable, CodeLine] = {}  # line of each saved tensor that a node reads

    def code(self) -> BackwardCode:
        """Return the whole code."""
        seeds = [self._seed(*root) for root in zip(self.call.roots, self.call.seeds, self.roots, strict=True)]
        bodies = [(-1, self.lines), *((node, self._node(node)) for node in self.call.order)]
        grads = tuple(self.grads.of.get(place, "None") for place in self.asked.values())
        lines = [*_folded([*self._with_nodes(bodies)]), *map(self._named, self.ends)]
        if len(lines) > self.most:
            raise Unwritten("long")
        if not self.leaves:  # nothing to check
            raise Unwritten("leaf")
        leaves = tuple(_NODE.sub(self._variable, leaf) for leaf in self.leaves)
        tensors = {name: tensor for tensor, name in self.names.items()}
        tensors |= dict(zip(self.roots, self.call.root_tensors, strict=True))
        fixed = tuple(self.roots), tuple(seeds), self.head, tensors, tuple(self.leaves.values())
        return BackwardCode(self.backward, tuple(lines), len(self.ends), leaves, grads, *fixed)

    def _seed(self, node: int, seed: int, name: str) -> str:
        """Write the line of a starting gradient and return its right side."""
        value = self.trace.value(seed)
        if node < 0 or value is None or value.data is None:
            raise Unwritten("seed")
        dtype = f"torch.{value.dtype}" if self.unknown else f"{name}.dtype"
        text = f"torch.ones({value.shape}, dtype={dtype})" if self.unknown else f"torch.ones_like({name})"
        if any(entry != 1 for entry in value.data):
            if len(value.data) > _SEED or value.nonfinite:
                raise Unwritten("seed")
            text = f"torch.tensor({value.array(float).tolist()}, dtype={dtype})"
        output = next(k for k, arrived in enumerate(self.gradients[node]) if arrived >= 0)
        self._add((node, output), text, node, f"grad_{_word(name)}")
        return text

    def _line(self, text: str, node: int, place: Place | None = None) -> None:
        self.lines.append(CodeLine(text, (node,), None if place is None else self._shape(place)))

    def _add(self, place: Place, text: str, node: int, base: str = "") -> None:
        """Write a line that assigns a gradient or adds to it."""
        if (name := self.grads.of.get(place)) is not None:
            text = added(name, text)
        else:
            name = self.grads.give(place, base or self._base(place))
        self._line(f"{name} = {text}", node, place)

    def _base(self, place: Place) -> str:
        """Return a gradient's base name: grad_ and the name of its tensor or operation."""
        tensor = self.tensors.get(place, -1)
        word = _word(self.names.get(tensor) or name_of(self.run, tensor)) if tensor >= 0 else ""
        return f"grad_{word or self._short(place[0])}"

    def _short(self, node: int) -> str:
        """Return a short word for a node, such as mul for MulBackward0."""
        stem = stem_of(self.trace.strings[self.nodes.name[node]])
        return _word(re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", stem)).lower() or "some"

    def _node(self, node: int) -> list[CodeLine]:
        """Write a node: hooks, then a line for each gradient that it passes on."""
        self.lines = []
        for output in range(len(self.gradients[node])):
            if (name := self.grads.of.get((node, output))) is not None:
                self._arrived((node, output), name)
            elif self.nodes.variable[node] >= 0 <= self.gradients[node][output]:
                raise Unwritten("lost")
        if self.nodes.variable[node] < 0:
            self._passes(node)
        self._release(node)
        return self.lines

    def _release(self, node: int) -> None:
        """Release the gradients that arrived at a node."""
        for output in range(len(self.gradients[node])):
            if (node, output) not in self.held:
                self.grads.free((node, output))

    def _arrived(self, place: Place, name: str) -> None:
        """Write a gradient's hook, and the line that stores it."""
        node, leaf, tensor = place[0], self.nodes.variable[place[0]], self.tensors.get(place, -1)
        if place in self.altered:
            if not (hook := hook_of(self.trace, node, self.call)):
                raise Unwritten("hook")
            self._line(f"{name} = {hook if _PATH.fullmatch(hook) else f'({hook})'}({name})", node, place)
        retains = tensor >= 0 and self.trace.tensors.grad[tensor] >= 0
        if retains and leaf < 0 and tensor not in self.names and self.call.kind != "grad":
            raise Unwritten("leaf")  # its `.grad` would not be checked
        if self.call.kind == "grad" or not (leaf >= 0 or retains):
            return
        word = self.names.get(tensor, f"«{node}».variable")
        before, after = self.around.get(leaf, (-1, self.gradients[node][place[1]]))
        text = f"{word}.grad = {word}.grad + {name}" if before >= 0 else f"{word}.grad = {name}"
        self.ends.append(CodeLine(text, (node,), self._shape(place)))  # last, so that rounds of a loop are alike
        self.held.add(place)
        self.leaves[word] = leaf if leaf >= 0 else tensor, before, after

    def _passes(self, node: int) -> None:
        arrived = [self.grads.of.get((node, output)) for output in range(len(self.gradients[node]))]
        below = enumerate(zip(self.nodes.edges[node], self.nodes.edge_inputs[node], strict=True))
        edges = {edge: place for edge, place in below if place[0] >= 0 and self._arrives(place)}
        if not any(arrived):
            return
        texts = [self._right_side(node, edge, place, arrived) for edge, place in edges.items()]
        self.lines += self.reads.values()
        call = self._call(node, arrived)
        if sum(text.startswith(f"{call}[") for text in texts) > 1:
            self.reads[node, ""] = CodeLine(name := self.grads.give((node, ""), "passed"))
            self._line(f"{name} = {call}", node)
            texts = [text.replace(call, name) for text in texts]
        for key in self.reads:
            self.grads.free(key)
        self.reads = {}
        places = list(edges.values())
        if len({*places}) == len(places) > len({*texts}) == 1 and not any(place in self.grads.of for place in places):
            names = [self.grads.give(place, self._base(place)) for place in places]
            return self._line(" = ".join([*names, *texts[:1]]), node, places[0])
        for number, (place, text) in enumerate(zip(places, texts, strict=True), 1):
            if number == len(texts) and text not in arrived:
                self._release(node)  # the last reader may reuse the name for its result: h = W @ h
            self._add(place, text, node)

    def _arrives(self, place: Place) -> bool:
        """Return whether a gradient arrived at an output of a node."""
        arrived = self.gradients[place[0]]
        return place[1] < len(arrived) and arrived[place[1]] >= 0

    def _shape(self, place: Place) -> Shape | None:
        """Return the shape of a node's output and its gradient."""
        trace, (node, output) = self.trace, place
        if (leaf := self.nodes.variable[node]) >= 0:
            return tuple(trace.shapes[trace.tensors.shape[leaf]])
        values = [*self.nodes.values[node][output : output + 1], *self.gradients[node][output : output + 1]]
        return next((tuple(trace.shapes[trace.values.shape[value]]) for value in values if value >= 0), None)

    # Right sides

    def _right_side(self, node: int, edge: int, place: Place, arrived: Sequence[str | None]) -> str:
        """Return the expression for a passed gradient."""
        reads, name = dict(self.reads), self.trace.strings[self.nodes.name[node]]
        given = *self.nodes.values[node], *self.gradients[node], self.gradients[place[0]][place[1]]
        values = [value for value in given if value >= 0]
        is_complex = any("complex" in self.trace.strings[self.trace.values.dtype[value]] for value in values)
        if len(arrived) == 1 and arrived[0] and not self.nodes.user_code[node] and not is_complex:
            try:
                text, cast = self._formula(node, edge, place, arrived[0]), self._cast(node, place)
                return f"{text if text.isidentifier() else f'({text})'}{cast}" if cast else text
            except CannotWrite:
                for key in self.reads.keys() - reads.keys():
                    self.grads.free(key)
                self.reads = reads
        index = f"[{edge}]" if len(self.nodes.edges[node]) > 1 or name == _TUPLE else ""
        text = self._call(node, arrived) + index
        record = operation_of_node(name)
        is_stretched = record.broadcasts or (record.writes and edge > 0)  # the engine does the sum, not the node
        return f"{text}.sum_to_size{sizes(self._shape(place) or ())}" if is_stretched else text

    def _cast(self, node: int, place: Place) -> str:
        """Return the conversion of a passed gradient if its dtype is not the arriving one's, or ""."""
        given, passed = (
            self.trace.strings[self.trace.values.dtype[self.gradients[one][output]]]
            for one, output in ((node, 0), place)
        )
        return "" if given == passed else f".to(torch.{passed})"

    def _call(self, node: int, arrived: Sequence[str | None]) -> str:
        method = ".apply" if self.nodes.user_code[node] else ""
        return f"«{node}»{method}({', '.join(word or 'None' for word in arrived)})"

    def _formula(self, node: int, edge: int, place: Place, grad: str) -> str:
        name, formula = self.trace.strings[self.nodes.name[node]], self.edges.known(node)[0][edge]
        target, arrived, record = self._shape(place), self._shape((node, 0)), operation_of_node(name)
        if target is None or arrived is None:
            raise CannotWrite
        if record.step in ("shape", "stretched"):
            return f"{grad}.reshape{sizes(target)}" if record.step == "shape" else reduced(grad, arrived, target)
        if formula.kind in ("local", "whole", "words") and formula.expression and self.edges.fits(node, edge):
            return self._by_record(node, formula, grad, arrived, target)
        tree, given = of_torch(own_text(formula, name, edge).expression), self.edges.operands.given(node)
        fixed = {word: ast.Name(repr(one)) for word, one in given.items() if isinstance(one, int | float | tuple)}
        text = ast.unparse(
            python(
                tree,
                lambda word: (
                    ast.Name(grad) if word == "grad" else fixed.get(word) or ast.Name(self._operand(node, word)[0])
                ),
            )
        )
        return reduced(text, arrived, target) if record.broadcasts else text

    def _by_record(self, node: int, formula: Formula, grad: str, arrived: Shape, target: Shape) -> str:
        axes = axes_of(self.edges.operands.given(node).get("dim"))
        axes = tuple(sorted(axis % max(len(target), 1) for axis in axes))
        lost = axes if len(arrived) + len(axes) == len(target) else ()  # axes of a reduction without keepdim
        aligned = "".join(f".unsqueeze({axis})" for axis in lost)
        shapes = [tuple(1 if axis in lost else size for axis, size in enumerate(target)) if lost else arrived]

        def word(name: str) -> ast.expr:
            if name == "G":
                return ast.Name(grad + aligned)
            if name == "dim":
                return ast.Name(repr(axes if len(axes) > 1 else axes[0]) if axes else "None")
            text, shape = self._operand(node, name)
            shapes.append(shapes[0] if name == "result" else shape)
            return ast.Name(text + aligned if name == "result" else text)

        known = self.edges.known(node)[1]
        tree = simplified(tree_of(formula, known[2]), known[1])
        right, is_whole = python(tree, word), "G" in names_in(tree)
        text = ast.unparse(right if is_whole else product(ast.Name(grad + aligned), right))
        text = re.sub(r"\.T\b", ".mT", text) if len(arrived) > 2 else text
        moves = any(
            getattr(part, "id", "") in ("T", "outer") or isinstance(part, ast.MatMult) for part in ast.walk(tree)
        )
        return text if is_whole and moves else reduced(text, stretched(shapes), target)

    def _operand(self, node: int, name: str) -> tuple[str, Shape]:
        """Return a node's operand by torch's name, with its shape. Raises CannotWrite."""
        trace, saved = self.trace, self.trace.saved
        row = next((row for row in trace.index.saved.get(node, ()) if trace.strings[saved.name[row]] == name), -1)
        edge = next((edge for edge, one in enumerate(self.edges.known(node)[0]) if one.input == name), -1)
        if row >= 0 and (tensor := saved.tensor[row]) >= 0:
            shape = tuple(trace.shapes[trace.tensors.shape[tensor]])
            is_same = trace.index.before(tensor, self.call.operations) == trace.saved_version(row)
            return (tensor in self.names and is_same and self.names[tensor]) or self._read(
                node, name, tensor, shape
            ), shape
        place = (self.nodes.edges[node][edge], self.nodes.edge_inputs[node][edge]) if edge >= 0 else (-1, 0)
        place = (node, 0) if name == "result" and row < 0 else place
        if place[0] >= 0 and (known := self._known(place)) and (known_shape := self._shape(place)) is not None:
            return known, known_shape
        value = trace.saved_value(row) if row >= 0 else None
        if value is None:
            raise CannotWrite
        number = value.data[0] if value.shape == () and value.data else None
        if place[0] < 0 and isinstance(number, int | float) and type(number) is not bool and math.isfinite(number):
            return repr(number), ()
        return f"«{node}»._saved_{name}", value.shape

    def _read(self, node: int, name: str, tensor: int, shape: Shape) -> str:
        """Return the expression for a saved tensor. Named tensors get their own line."""
        key, text, word = (node, name), f"«{node}»._saved_{name}", _word(name_of(self.run, tensor))
        if word and key not in self.reads:
            self.reads[key] = CodeLine(f"{self.grads.give(key, f'saved_{word}')} = {text}", (node,), shape)
        return self.grads.of[key] if key in self.reads else text

    def _known(self, place: Place) -> str:
        """Return the expression for a named output, or the transpose of one, otherwise ""."""
        tensor, below = self.tensors.get(place, -1), self.nodes.edges[place[0]][:1]
        row = self.trace.index.before(tensor, self.call.operations) if tensor in self.names else None
        if self.nodes.variable[place[0]] >= 0 or (row is not None and self.trace.versions.node[row] == place[0]):
            return self.names.get(tensor, "")
        if stem_of(self.trace.strings[self.nodes.name[place[0]]]) != "T" or below[0] < 0:
            return ""
        return (word := self._known((below[0], self.nodes.edge_inputs[place[0]][0]))) and f"{word}.T"

    # Nodes that the text reads

    def _with_nodes(self, bodies: list[tuple[int, list[CodeLine]]]) -> Iterator[CodeLine]:
        """Yield the lines, preceded by walks along the graph to the nodes they use."""
        lines = [line for _, body in bodies for line in body] + self.ends
        walked, todo = dict[int, Place](), [int(node) for line in lines for node in _NODE.findall(line.text)]
        first: dict[int, Place] = {}  # node → the first place that leads to it: consumer and edge
        for node, _ in bodies[1:]:
            for edge, target in enumerate(self.nodes.edges[node]):
                first.setdefault(target, (node, edge))
        starts = () if self.unknown else zip(self.call.roots, self.roots, strict=True)
        self.variables = {node: f"{name}.grad_fn" for node, name in starts}
        self.variables = self._made | self.variables
        while todo:
            if (node := todo.pop()) not in self.variables and node not in walked:
                if node not in first:
                    raise Unwritten("root" if self.unknown else "lost")
                walked[node] = first[node]
                todo.append(first[node][0])
        names, led = _Names(self.trace.index.lines_with), dict[int, list[Place]]()
        for target, (reader, edge) in walked.items():
            led.setdefault(reader, []).append((edge, target))
        for node, body in bodies:
            yield from map(self._named, body)
            for edge, target in (below := sorted(led.get(node, ()))):
                if edge == below[-1][0]:
                    names.free(node)
                name = names.give(target, f"{self._short(target)}_node")
                yield CodeLine(f"{name} = {self.variables[node]}.next_functions[{edge}][0]", (target,))
                self.variables[target] = name
            if node >= 0 and self.nodes.variable[node] < 0:  # nodes of leaves are read at the end
                names.free(node)

    @cached_property
    def _made(self) -> dict[int, str]:
        """Expressions for the nodes that created named values."""
        rows = {name: self.trace.index.before(tensor, self.call.operations) for tensor, name in self.names.items()}
        made = {self.trace.versions.node[row]: f"{name}.grad_fn" for name, row in rows.items() if row is not None}
        return {node: text for node, text in made.items() if node >= 0}

    def _named(self, line: CodeLine) -> CodeLine:
        return CodeLine(_NODE.sub(self._variable, line.text), line.nodes, line.shape)

    def _variable(self, match: re.Match[str]) -> str:
        return self.variables[int(match[1])]


def _folded(lines: Sequence[CodeLine]) -> Iterator[CodeLine]:
    """Fold identical rounds into a loop."""
    keys, at = [(line.text, line.shape) for line in lines], 0
    while at < len(lines):
        best = (0, 0, 1)  # lines saved, lines per round (fewest first), rounds
        for size in range(1, min(_BLOCK, len(lines) - at) + 1):
            times = 1
            while keys[at + times * size : at + (times + 1) * size] == keys[at : at + size]:
                times += 1
            best = max(best, ((times - 1) * size - 1, -size, times))
        saved, size, times = best[0], -best[1], best[2]
        if saved < 2:
            yield lines[at]
            at += 1
            continue
        yield CodeLine(f"for _ in range({times}):")
        for line in range(at, at + size):
            nodes = dict.fromkeys(node for k in range(times) for node in lines[line + k * size].nodes)
            yield CodeLine(f"    {lines[line].text}", tuple(nodes), lines[line].shape)
        at += size * times
