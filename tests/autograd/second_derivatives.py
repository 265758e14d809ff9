"""Random programs that differentiate twice, and torch's facts about their variables.

Belongs here: the generator, and the facts from plain torch. Does not belong here: the explorer's output.
"""

import random
from dataclasses import dataclass, field

import torch

UNARY = ("torch.sin({a})", "torch.tanh({a})", "torch.exp({a} * 0.3)", "{a} ** 3", "{a} * 2", "-{a}", "{a} * {a}")
UNARY += ("torch.sigmoid({a})", "torch.nn.functional.softplus({a})", "{a}.reshape(-1)[:1]", "{a} / 3", "{a} + 1")
BINARY = ("{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / ({b} ** 2 + 1)", "torch.where({a} > 0, {a}, {b} ** 2)")
REDUCED = ("({a} ** 2).sum()", "{a}.mean()", "torch.logsumexp({a}.reshape(-1), 0)", "{a}.prod()", "{a}.sum() ** 2")
HEADER = ("import torch", "from torch.autograd import functional", "from torch.func import grad, hessian, jacrev, vmap")
HEADER += ("from torch.func import jacfwd",)


@dataclass
class Facts:
    """Facts from plain torch. Attributes: values: right after the assignment; gradients: by backward and name."""

    values: dict[str, torch.Tensor] = field(default_factory=dict)
    gradients: dict[tuple[int, str], torch.Tensor | None] = field(default_factory=dict)


@dataclass
class Program:
    """A program as lines. Attributes: roots: line of a backward call → name of its root."""

    lines: list[str]
    roots: dict[int, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The program's text."""
        return "\n".join(self.lines) + "\n"

    @property
    def calling_lines(self) -> list[int]:
        """The numbers of the lines that call backward, from 1."""
        starts = [1 + sum(line.count("\n") + 1 for line in self.lines[:at]) for at in range(len(self.lines))]
        return [starts[at] for at in sorted(self.roots)]


class Writer:
    """Writes one program. Attributes: scope: variables of the lines so far."""

    def __init__(self, seed: int) -> None:
        self.random, self.count = random.Random(seed), 0
        self.program, self.scope = Program(list(HEADER)), {}
        exec("\n".join(HEADER), self.scope)
        self.leaves: list[str] = []

    def line(self, text: str, root: str = "") -> None:
        """Add a line and run it."""
        if root:
            self.program.roots[len(self.program.lines)] = root
        self.program.lines.append(text)
        exec(text, self.scope)

    def new(self, word: str) -> str:
        """Return an unused name."""
        self.count += 1
        return f"{word}{self.count}"

    def tensors(self) -> list[str]:
        """Return the names that have a history or are leaves."""
        return [name for name, it in self.scope.items() if isinstance(it, torch.Tensor) and it.requires_grad]

    def write(self) -> Program:
        """Return the program."""
        shape = self.random.choice([(), (2,), (3,), (2, 2)])
        for _ in range(self.random.randint(1, 3)):
            entries = [round(self.random.uniform(-1.5, 1.5), 2) for _ in range(torch.Size(shape).numel())]
            data = torch.tensor(entries, dtype=torch.float64).reshape(shape).tolist()
            name, data = self.new("w"), data if shape else entries[0]
            self.line(f"{name} = torch.tensor({data}, dtype=torch.float64, requires_grad=True)")
            self.leaves.append(name)
        for _ in range(self.random.randint(1, 3)):
            self.grow(self.random.randint(1, 5))
            kinds = [self.taken, self.taken, self.several, self.accumulated, self.called, self.composed]
            self.random.choice([*kinds, self.again, self.again])()
        if self.random.random() < 0.5:
            self.grow(self.random.randint(0, 3))
        last = self.tensors()[-self.random.randint(1, 3) :]
        loss = self.new("loss")
        self.line(f"{loss} = " + " + ".join(f"({name} ** 2).sum()" for name in last))
        self.line(f"{loss}.backward()", loss)
        return self.program

    def grow(self, count: int) -> None:
        """Add some named operations."""
        for _ in range(count):
            a, b = (self.random.choice(self.tensors()) for _ in "ab")
            text = self.random.choice(self.random.choice([UNARY, UNARY, BINARY])).format(a=a, b=b)
            made = eval(text, self.scope)
            if made.numel() <= 16 and torch.isfinite(made).all() and made.abs().max() < 50:
                self.line(f"{self.new('t')} = {text}")

    def scalar(self) -> str:
        """Return a named scalar that depends on leaves."""
        name, of = self.new("y"), self.random.choice(self.tensors()[-4:])
        self.line(f"{name} = {self.random.choice(REDUCED).format(a=of)}")
        return name

    def reached(self, root: str) -> list[str]:
        """Return the tensors that a root depends on."""
        names = [name for name in self.tensors() if name != root]
        tensors, ones = [self.scope[name] for name in names], torch.ones_like(self.scope[root])
        found = torch.autograd.grad(self.scope[root], tensors, ones, retain_graph=True, allow_unused=True)
        return [name for name, gradient in zip(names, found, strict=True) if gradient is not None]

    def taken(self) -> None:
        """One gradient by autograd.grad."""
        y = self.scalar()
        if inputs := self.reached(y):
            x, g = self.random.choice(inputs), self.new("g")
            call = f"torch.autograd.grad({y}, {x}, create_graph=True)"
            self.line(self.random.choice([f"({g},) = {call}", f"{g}, = {call}", f"{g} = {call}[0]"]), y)

    def again(self) -> None:
        """Gradients of gradients: only steps inside the first call lead to the second."""
        y, names = self.scalar(), []
        for _ in range(self.random.randint(2, 3)):
            if not (inputs := [name for name in self.reached(y) if name not in names]):
                break
            x, g = self.random.choice(inputs), self.new("g")
            self.line(f"({g},) = torch.autograd.grad({y}, {x}, torch.ones_like({y}), create_graph=True)", y)
            if not self.scope[g].requires_grad:
                break
            names.append(g)
            y = g

    def several(self) -> None:
        """Add several gradients computed by one call."""
        y = self.scalar()
        if len(inputs := self.reached(y)) > 1:
            a, b = self.random.sample(inputs, 2)
            names = self.new("g"), self.new("g")
            self.line(f"{', '.join(names)} = torch.autograd.grad({y}, ({a}, {b}), create_graph=True)", y)

    def accumulated(self) -> None:
        """Add a gradient that backward leaves in `.grad`."""
        y, fresh = self.scalar(), [leaf for leaf in self.leaves if self.scope[leaf].grad is None]
        if reached := [leaf for leaf in self.reached(y) if leaf in fresh]:
            self.line(f"{y}.backward(create_graph=True)", y)
            if self.random.random() < 0.7:
                self.line(f"{self.new('g')} = {reached[0]}.grad")

    def called(self) -> None:
        """Add a derivative by torch.autograd.functional."""
        x, function = self.random.choice(self.tensors()), self.function("({v} ** 3).sum()")
        graph = self.random.choice(["", ", create_graph=True"])
        ones = f"torch.ones_like({x})"
        name, call = self.random.choice(
            [
                ("h", f"functional.hessian({function}, {x}{graph})"),
                ("j", f"functional.jacobian({function}, {x}{graph})"),
                ("p", f"functional.hvp({function}, {x}, {ones}{graph})[1]"),
                ("p", f"functional.vjp({function}, {x}, create_graph=True)[1]"),
                ("p", f"functional.jvp({function}, {x}, {ones}{graph})[1]"),
            ]
        )
        self.line(f"{self.new(name)} = {call}")

    def composed(self) -> None:
        """Add a derivative by torch.func."""
        x, function = self.random.choice(self.tensors()), self.function("({v} ** 3).sum()")
        made = self.random.choice(["grad({f})", "hessian({f})", "jacrev({f})", "jacfwd({f})", "jacrev(grad({f}))"])
        name, call = self.new("d"), made.format(f=function)
        if self.scope[x].dim() and self.random.random() < 0.4:
            call = f"vmap({call})"
        self.line(f"{name} = {call}({x})")

    def function(self, body: str) -> str:
        """Write a function of one tensor, which may read another; return its name."""
        name, other = self.new("f"), self.random.choice(self.leaves)
        inner = self.random.choice(UNARY).format(a="v")
        text = self.random.choice([f"({inner}).sum()", body.format(v="v"), f"(v * v).sum() * {other}.sum()"])
        self.line(f"def {name}(v):\n    u = {inner}\n    return (u * v.reshape(-1)[:1]).sum() + {text}")
        return name


def program(seed: int) -> Program:
    """Return a random program that differentiates twice and ends in backward."""
    return Writer(seed).write()


def facts(program: Program) -> Facts:
    """Return plain torch's facts about each variable of a program."""
    found, scope, number = Facts(), {}, 0
    for at, line in enumerate(program.lines):
        before = dict(scope)
        if (root := program.roots.get(at)) is not None:
            names = [name for name, it in scope.items() if isinstance(it, torch.Tensor) and it.requires_grad]
            tensors = [scope[name] for name in names]
            ones = torch.ones_like(scope[root])
            gradients = torch.autograd.grad(scope[root], tensors, ones, retain_graph=True, allow_unused=True)
            found.gradients |= {(number, name): gradient for name, gradient in zip(names, gradients, strict=True)}
        exec(line, scope)
        number += root is not None
        for name, it in scope.items():
            if isinstance(it, torch.Tensor) and before.get(name) is not it:  # a later backward may add to `.grad`
                found.values[name] = it.detach().clone()
    return found
