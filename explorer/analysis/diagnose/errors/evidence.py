"""The failing expression's parts, with their code and their values at the raise."""

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.analysis.run.source.code import code_at
from explorer.analysis.run.source.definitions import Function, function_at
from explorer.trace import Trace
from explorer.trace.scene import Role, Scene, ScenePart, Thing

MODULE = "torch.nn.modules.module.Module"
LOSS = "torch.nn.modules.loss._Loss"
LSTM = "torch.nn.modules.rnn.LSTM"
RECURRENT = ("torch.nn.modules.rnn.RNNBase",)
FIRST_IS_WANTED = (*RECURRENT, "torch.nn.modules.rnn.LSTMCell", "torch.nn.modules.activation.MultiheadAttention")
FUNCTION = "torch.autograd.function.Function"
LINEAR = "torch.nn.modules.linear.Linear"
LOADER = "torch.utils.data.dataloader._BaseDataLoaderIter"
OPTIMIZER = "torch.optim.optimizer.Optimizer"


@dataclass(frozen=True)
class Evidence:
    """A part of the failing expression."""

    trace: Trace
    scene: Scene
    index: int

    @property
    def of(self) -> ScenePart:
        """The record."""
        return self.scene.parts[self.index]

    @property
    def thing(self) -> Thing:
        """Its value."""
        return self.of.thing

    @property
    def text(self) -> str:
        """Its code."""
        return self.trace.text(self.of.span)

    @property
    def made(self) -> str:
        """Code that it was assigned from, or ""."""
        return self.trace.text(self.of.value) if self.of.value >= 0 else ""

    @property
    def where(self) -> int:
        """Line that assigned it, 0 if unknown."""
        code = code_at(self.trace, self.of.assigned)
        return code.line if code else 0

    def inside(self, *roles: Role) -> "list[Evidence]":
        """Return the parts directly inside, in order."""
        return [Evidence(self.trace, self.scene, i) for i in self.scene.inside(self.index, *roles)]

    def first(self, role: Role) -> "Evidence | None":
        """Return the first part directly inside with a role."""
        return next(iter(self.inside(role)), None)

    @property
    def callee(self) -> "Evidence | None":
        """The function or class that it calls, None if it is no call."""
        return self.first("callee")

    @property
    def receiver(self) -> "Evidence | None":
        """The object before its last dot or bracket."""
        return self.first("receiver")

    @property
    def arguments(self) -> "list[Evidence]":
        """The arguments of its call, in order."""
        return self.inside("argument")

    @property
    def function(self) -> Function | None:
        """The program's function that a call of it runs."""
        code = code_at(self.trace, self.thing.function)
        return function_at(self.trace, code.span.cell, code.line) if code else None

    @property
    def name(self) -> str:
        """Last name of the class or function that it is."""
        return next(iter(self.thing.bases), "").rpartition(".")[2]

    @property
    def package(self) -> str:
        """Package of the class or function that it is."""
        return next(iter(self.thing.bases), "").partition(".")[0]

    @property
    def producer(self) -> str:
        """Full name of the function that made it: called here, or where it was assigned."""
        maker = self.callee or self.first("maker")
        return next(iter(maker.thing.bases), "") if maker else ""

    def all(self) -> "Iterator[Evidence]":
        """Yield it and all that it holds, in order."""
        yield self
        for part in self.inside("argument", "operand", "part"):
            yield from part.all()
