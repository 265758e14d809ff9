"""A failure with its surroundings in the Trace: the code, the operation that raised, its input tensors."""

from dataclasses import dataclass

from explorer.trace import Backward, Binding, Failure, Span, Trace


@dataclass(frozen=True)
class Stopped:
    """Where a program stopped. Attributes: cell: the one that failed, from 0; failure: its error."""

    trace: Trace
    cell: int
    failure: Failure

    @property
    def span(self) -> Span | None:
        """The innermost place of the program; None for a syntax error."""
        return self.trace.spans[self.failure.span] if self.failure.span >= 0 else None

    @property
    def code(self) -> str:
        """The text at that place, "" without one."""
        return self.trace.text(self.failure.span)

    @property
    def place(self) -> int:
        """The cell of that place: a function of an earlier cell may fail in a later one."""
        return self.span.cell if self.span else self.cell

    @property
    def source(self) -> str:
        """The text of that cell."""
        return self.trace.cells[self.place].source

    @property
    def operation(self) -> int | None:
        """The torch call that raised this error, None if it was not recorded. Later cells may have run since."""
        operations, here = self.trace.operations, self.span
        for i in reversed(range(len(operations))):
            if operations.error[i] < 0 or operations.span[i] < 0 or here is None:
                continue
            there = self.trace.spans[operations.span[i]]
            meet = there.cell == here.cell and there.line <= here.end_line and here.line <= there.end_line
            if meet and self.trace.string(operations.error[i]) == self.failure.type:
                return i
        return None

    @property
    def inputs(self) -> list[int]:
        """The tensors that call was given, in order."""
        return [] if self.operation is None else list(self.trace.operations.inputs[self.operation])

    @property
    def backward(self) -> Backward | None:
        """The engine call that this error ended, also if code of the program ran in it; otherwise None."""
        places = {self.failure.span, *self.failure.frames} - {-1}
        failed = [
            backward for backward in self.trace.backwards if backward.status == "failed" and backward.span in places
        ]
        return failed[-1] if failed else None

    def shape(self, tensor: int) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(self.trace.shapes[self.trace.tensors.shape[tensor]])

    def dtype(self, tensor: int) -> str:
        """The dtype of a tensor, without `torch.`."""
        return self.trace.string(self.trace.tensors.dtype[tensor]).removeprefix("torch.")

    def bindings(self, tensor: int) -> list[Binding]:
        """The names bound to a tensor, in order."""
        return [binding for binding in self.trace.bindings if binding.tensor == tensor]

    def name(self, tensor: int) -> str:
        """The name of a tensor, otherwise the expression that made it, or ""."""
        names = [binding.name for binding in self.bindings(tensor) if binding.until < 0 and binding.span >= 0]
        names += [binding.name for binding in self.bindings(tensor)]
        if names:
            return names[0]
        maker = self.maker(tensor)
        return "" if maker is None else self.trace.text(self.trace.operations.span[maker])

    def maker(self, tensor: int) -> int | None:
        """The operation that made a tensor, None if none was recorded."""
        outputs = self.trace.operations.outputs
        return next((i for i in range(len(outputs)) if tensor in outputs[i]), None)
