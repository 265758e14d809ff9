"""Show the idea of Autograd Explorer in one file: record a program, print each node's value and gradient, draw it.

    python examples/idea.py              # a small program of its own
    python examples/idea.py train.py     # yours; it must call backward() or torch.autograd.grad()
    python examples/idea.py train.py | dot -Tsvg > graph.svg

It needs only torch, and two of its hooks:

1. A `TorchFunctionMode` sees every call of torch on its way in and out. A result that has a `grad_fn` is the value of
   that node, and the caller's frame tells the line it was written on.
2. A prehook on a node sees the gradient that arrives there during a backward call, already summed over all edges.

The package adds the rest. Here, nodes made inside one call of torch (as in `nn.MultiheadAttention`) have a gradient
but no value, a leaf shows the last gradient that arrived instead of its accumulated `.grad`, and a write in place, a
loop or a folded module looks like any other call.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

PROGRAM = """\
w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
a = w + x
b = w + 1
y = a * b
y.backward()
"""
BACKWARD = (torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad)


@dataclass
class Node:
    """One node of the autograd graph. Attributes: line: 1-based, 0 if unknown; value, gradient: copies, or None."""

    name: str
    line: int = 0
    value: torch.Tensor | None = None
    gradient: torch.Tensor | None = None
    inputs: list[Any] = field(default_factory=list)  # nodes that this one sends gradients to


class Recorder(TorchFunctionMode):
    """Record the nodes of every graph that calls inside the `with` block build."""

    def __init__(self, filename: str) -> None:
        super().__init__()
        self.filename = filename
        self.nodes: dict[Any, Node] = {}  # keyed by grad_fn; a reference keeps torch from reusing its address

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one call of torch and note its results."""
        if function in BACKWARD:
            self.watch(args[0] if args else (kwargs or {}).get("outputs", ()))
        result = function(*args, **(kwargs or {}))
        for tensor in tensors_in(result if function.__name__ != "__get__" else None):  # x.grad computes nothing new
            if tensor.grad_fn is not None:
                node = self.node(tensor.grad_fn)
                node.value, node.line = tensor.detach().clone(), node.line or self.line()
        return result

    def line(self) -> int:
        """Return the line of the program that is running."""
        frame: Any = sys._getframe(1)
        while frame and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    def node(self, grad_fn: Any) -> Node:
        """Return the record of a node, made when it is first met."""
        return self.nodes.setdefault(grad_fn, Node(grad_fn.name().split("::")[-1]))

    def watch(self, roots: Any) -> None:
        """Hook every node below the roots, so that each notes the gradient that arrives. Iterative: graphs are deep."""
        waiting = [root.grad_fn for root in tensors_in(roots) if root.grad_fn is not None]
        seen = set(waiting)
        while waiting:
            grad_fn = waiting.pop()
            node = self.node(grad_fn)
            node.inputs = [below for below, _ in grad_fn.next_functions if below is not None]
            if (leaf := getattr(grad_fn, "variable", None)) is not None:  # AccumulateGrad adds to this leaf's .grad
                node.value = leaf.detach().clone()
            grad_fn.register_prehook(lambda arriving, node=node: keep(node, arriving[0]))
            waiting += (fresh := [below for below in dict.fromkeys(node.inputs) if below not in seen])
            seen.update(fresh)


def keep(node: Node, gradient: torch.Tensor | None) -> None:
    """Note the gradient of a node's first output."""
    node.gradient = node.gradient if gradient is None else gradient.detach().clone()


def tensors_in(result: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors of a result: itself, or those in a tuple or list."""
    if isinstance(result, (tuple, list)):
        yield from (tensor for part in result for tensor in tensors_in(part))
    elif isinstance(result, torch.Tensor):
        yield result


def text_of(tensor: torch.Tensor | None) -> str:
    """Write up to six entries, or the shape and the range."""
    if tensor is None:
        return "·"
    if tensor.numel() <= 6 or tensor.is_complex():
        return f"[{', '.join(f'{entry:.4g}' for entry in tensor.flatten()[:6].tolist())}]"
    return f"{tuple(tensor.shape)} {tensor.min().item():.3g} … {tensor.max().item():.3g}"


def write_dot(nodes: dict[Any, Node], names: dict[int, str], source: list[str]) -> Iterator[str]:
    """Yield the lines of a graph in DOT, in forward order: values flow along the edges, gradients against them."""
    yield "digraph { node [shape=box fontname=monospace]"
    for grad_fn, node in nodes.items():
        leaf = getattr(grad_fn, "variable", None)
        title = (
            names.get(id(leaf), "leaf")
            if leaf is not None
            else source[node.line - 1].strip()
            if node.line
            else node.name
        )
        rows = [title, node.name, f"value {text_of(node.value)}", f"gradient {text_of(node.gradient)}"]
        label = "\\n".join(row.replace("\\", "\\\\").replace('"', '\\"') for row in rows)
        yield f'  n{id(grad_fn)} [label="{label}"]'
        yield from (f"  n{id(below)} -> n{id(grad_fn)}" for below in node.inputs)
    yield "}"


def main() -> None:
    """Run the program under the recorder; print a table (as comments of DOT) and the graph."""
    filename = sys.argv[1] if len(sys.argv) > 1 else "program.py"
    text = Path(filename).read_text("utf-8") if len(sys.argv) > 1 else PROGRAM
    scope: dict[str, Any] = {"__name__": "__main__", "torch": torch}
    with Recorder(filename) as recorder:
        exec(compile(text, filename, "exec"), scope)
    names = {id(value): name for name, value in scope.items() if isinstance(value, torch.Tensor)}
    for node in recorder.nodes.values():
        place, value, gradient = node.line or "?", text_of(node.value), text_of(node.gradient)
        print(f"// line {place:>3}  {node.name:<24} value {value:<24} gradient {gradient}")
    print("\n".join(write_dot(recorder.nodes, names, text.splitlines())))


if __name__ == "__main__":
    main()
