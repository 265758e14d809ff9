"""An explanation and its material: the failure, code, operation and input tensors."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from explorer.analysis.diagnose.errors.evidence import Evidence
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.names import word_of
from explorer.analysis.run.source.assignments import Assignment, all_assignments
from explorer.analysis.run.source.code import Code, Repair, code_at, source_text
from explorer.analysis.run.source.definitions import parsed
from explorer.analysis.run.source.expressions import (
    WrittenCall,
    WrittenPair,
    bracketed,
    parse_subscript,
    shorten_code,
    with_suffix,
)
from explorer.text import Message, Part
from explorer.text.numbers import sizes
from explorer.trace import Arguments, Backward, Failure, Trace
from explorer.trace.scene import Thing


class Explanation(Finding, frozen=True):
    """Explanation of a stopped program: the sentences error-<kind>, with program texts verbatim."""

    def messages(self, part: Part) -> tuple[Message]:
        """Return the explanation as a message."""
        return (Message(f"error-{self.kind}", self.values).part(part),)

    def repaired_by(self, repair: Repair | None) -> "Explanation":
        """Add a change elsewhere, if there is one."""
        return replace(self, repairs=(repair,)) if repair is not None else self


@dataclass(frozen=True)
class FailureContext:
    """Place and error where a program stopped, and a rule's match."""

    trace: Trace
    cell: int
    failure: Failure
    found: re.Match[str] | None = None

    def __getitem__(self, group: str) -> str:
        """Return a group of the rule's match, "" if empty."""
        return self.found[group] or ""

    def explain(
        self, kind: str, new: str | None = None, /, **values: str | int
    ) -> Explanation:  # "kind" is also a value
        """Create an explanation with the code that fixes the failing place.

        The failing code, its line and the groups of the message are among its values. Shapes are written as in
        programs.
        """
        groups = {name: text or "" for name, text in self.found.groupdict().items()}
        about = [value for value in (*values.values(), *groups.values()) if isinstance(value, str)]
        facts: dict[str, str | int] = {"line": self.line, "code": shorten_code(self.code, about)}
        facts |= {name: _as_written(text) for name, text in groups.items()}
        repairs = (self.here.replace(new),) if new and new != self.code else ()
        return Explanation(kind, self.here.span, facts | values, repairs=repairs)

    @cached_property
    def here(self) -> Code:
        """The innermost place in the program, possibly in an earlier cell's function."""
        span = self.trace.spans[self.failure.span]
        return Code(self.trace.cells[span.cell], span)

    @property
    def code(self) -> str:
        """Text at that place."""
        return self.trace.text(self.failure.span)

    @property
    def line(self) -> int:
        """Line of that place, from 1."""
        return self.here.line

    @property
    def call(self) -> WrittenCall | None:
        """Call that the failing code consists of."""
        return self.here.call

    @property
    def binary(self) -> WrittenPair | None:
        """The two sides of the operator applied last."""
        return self.here.operands

    @cached_property
    def whole(self) -> Evidence | None:
        """The failing expression with its parts, None in older records."""
        return Evidence(self.trace, self.failure.scene, 0) if self.failure.scene else None

    @property
    def callee(self) -> Evidence | None:
        """The function or class that the failing expression calls."""
        return self.whole.callee if self.whole else None

    @property
    def given(self) -> list[Evidence]:
        """The arguments of that call."""
        return self.whole.arguments if self.whole else []

    @property
    def parts(self) -> list[Evidence]:
        """All parts of the failing expression, the outermost first."""
        scene = self.failure.scene
        return [Evidence(self.trace, scene, i) for i in range(len(scene.parts))] if scene else []

    @property
    def used(self) -> list[Evidence]:
        """Parts whose value the failing expression uses directly: not x in f(x[0]), not an inner call's arguments."""
        direct: list[Evidence] = []
        for part in self.parts:
            held = part.of.role == "part" and any(part.of.within == one.index for one in direct)
            direct += [part] if (part.of.within <= 0 and part.of.role != "maker") or held else []
        return direct

    @property
    def running(self) -> list[Thing]:
        """The objects whose methods of a library were running, innermost last."""
        return self.failure.scene.running if self.failure.scene else []

    @property
    def names(self) -> list[str]:
        """All names in the failing code, including those in comprehensions."""
        tree = parsed(self.code)
        return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)] if tree else []

    @cached_property
    def sources(self) -> str:
        """Cells as one text."""
        return source_text(self.trace)

    def before_attribute(self, name: str) -> str:
        """Return the failing code without its last attribute."""
        return self.code.removesuffix(f".{name}")

    def set_to_none(self, name: str) -> Assignment | None:
        """Return the line `name = None`, if it explains the failure.

        All other assignments must be in loops or branches below, and no tensor may ever have had that name.
        """
        own = [one for one in all_assignments(self.trace) if one.name == name]
        first, had_tensors = own[0] if own else None, any(one.name == name for one in self.trace.bindings)
        if first is None or first.value != "None" or had_tensors or not name.isidentifier():
            return None
        return first if all(one.indent > first.indent for one in own[1:]) else None

    @cached_property
    def operation(self) -> int | None:
        """The recorded torch call that raised this error, or None."""
        operations, here = self.trace.operations, self.here.span
        for i in reversed(range(len(operations))):
            if operations.error[i] < 0 or operations.span[i] < 0:
                continue
            meets = self.trace.spans[operations.span[i]].meets(here)
            if meets and self.trace.string(operations.error[i]) == self.failure.type:
                return i
        return None

    @property
    def function(self) -> str:
        """Name of that call, or ""."""
        return "" if self.operation is None else self.trace.string(self.trace.operations.name[self.operation]) or ""

    @property
    def module(self) -> str:
        """The program's name for the call's module, "" if none."""
        return "" if self.operation is None else self.trace.string(self.trace.operations.module[self.operation]) or ""

    @property
    def layer(self) -> str:
        """That module for a sentence, otherwise the failing code."""
        return shorten_code(self.module or self.code)

    @property
    def statement(self) -> Code:
        """The code of that call, the whole line for `a[0] = b`."""
        span = -1 if self.operation is None else self.trace.operations.span[self.operation]
        return code_at(self.trace, span) or self.here

    @property
    def inputs(self) -> list[int]:
        """The input tensors of that call, in order."""
        return [] if self.operation is None else list(self.trace.operations.inputs[self.operation])

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Their shapes."""
        return [self.run.shape(tensor) for tensor in self.inputs]

    @property
    def shape(self) -> str:
        """Shape of the first input, or ""."""
        return next(map(sizes, self.shapes), "")

    @property
    def dtypes(self) -> list[str]:
        """Their dtypes."""
        return [self.run.dtype(tensor) for tensor in self.inputs]

    @property
    def dtype(self) -> str:
        """Dtype of the first input, or ""."""
        return next(iter(self.dtypes), "")

    @property
    def arguments(self) -> Arguments:
        """The call's arguments, empty without a call."""
        return Arguments() if self.operation is None else self.trace.arguments(self.operation)

    @property
    def tensor(self) -> str:
        """The main tensor of the call as written: x in x.sum(1)."""
        written = self.call.subject if self.call else self.name(self.inputs[0]) if self.inputs else ""
        return shorten_code(written) or "?"

    @property
    def indexed(self) -> dict[str, str]:
        """The value `tensor`: the indexed expression, or the main tensor."""
        taken = parse_subscript(self.code)
        return {"tensor": shorten_code(taken[0]) if taken else self.tensor}

    @property
    def operands(self) -> WrittenPair | None:
        """The call's two tensors as written: a @ b, torch.mm(a, b), a.mm(b)."""
        call = self.call
        if len(self.inputs) != 2 or self.binary or call is None:
            return self.binary if len(self.inputs) == 2 else None
        if call.is_function and len(call.arguments) >= 2 and call.place(0) == 0 and call.place(1) == 1:
            rest = call.arguments[2:]
            return WrittenPair(call.value(0), "", call.value(1), lambda a, b: call.with_arguments(a, b, *rest))
        if not call.is_function and len(call.arguments) == 1 and call.place(0) == 0 and call.receiver:
            return WrittenPair(call.receiver, "", call.value(0), lambda a, b: f"{bracketed(a)}.{call.name}({b})")
        return None

    @property
    def both(self) -> dict[str, str]:
        """The names (`left`, `right`) and shapes (`left_shape`, `right_shape`) of two tensors."""
        if len(self.inputs) < 2:
            return {}
        pair = self.operands
        names = (pair.left, pair.right) if pair else [self.name(tensor) or "?" for tensor in self.inputs[:2]]
        return {
            "left": shorten_code(names[0]),
            "right": shorten_code(names[1]),
            "left_shape": sizes(self.shapes[0]),
            "right_shape": sizes(self.shapes[1]),
        }

    @property
    def scored(self) -> dict[str, str]:
        """The values `scores` and `target` of a loss with their shapes, if any."""
        if len(self.inputs) < 2:
            return {}
        scores, target = (self._given(i, name) for i, name in enumerate(("input", "target")))
        shapes = {"scores_shape": sizes(self.shapes[0]), "target_shape": sizes(self.shapes[1])}
        return {"scores": scores, "target": target, **shapes}

    def _given(self, i: int, name: str) -> str:
        written = self.call.argument(i, name) if self.call else ""
        return shorten_code(written or self.name(self.inputs[i])) or "?"

    def change_argument(self, i: int, suffix: str, *names: str) -> str | None:
        """Append an attribute to an argument of the failing call, if found."""
        return self.call.suffix_argument(i, suffix, *names) if self.call else None

    def floated_subject(self) -> str | None:
        """Add .float() to the call's main tensor, if it is in the text."""
        return self.call.with_subject(with_suffix(self.call.subject, ".float()")) if self.call else None

    @property
    def backward(self) -> Backward | None:
        """The backward call that this error ended, or None."""
        places = {self.failure.span, *self.failure.frames} - {-1}
        failed = [each for each in self.trace.backwards if each.status == "failed" and each.span in places]
        return failed[-1] if failed else None

    @property
    def run(self) -> Run:
        """The failed run."""
        return run_of(self.trace)

    def entries(self, tensor: int) -> tuple[int, ...]:
        """Return an integer tensor's entries before the call, () if unrecorded."""
        versions = self.trace.versions_of(tensor)
        value = self.trace.value_at(versions[-1]) if versions else None
        data = [entry for entry in value.data or () if type(entry) is int] if value is not None else []
        return tuple(data) if data and len(data) == len(value.data) else ()

    def name(self, tensor: int) -> str:
        """Return a tensor's name or creating expression, or ""."""
        return word_of(self.run, tensor, self.operation)

    def written(self, operation: int | None) -> str:
        """Return an operation's code, "" if unknown."""
        return "" if operation is None else self.run.text(operation)


def _as_written(text: str) -> str:
    """Rewrite torch's shapes for a sentence: [2, 3] as (2, 3)."""
    if re.fullmatch(r"\d+(?: ?x ?\d+)+", text):
        return text.replace(" ", "").replace("x", " × ")
    if re.fullmatch(r"(?:\[[-\d, ]*\](?:, )?)+", text):
        return re.sub(r"\[.*?\]", lambda shape: sizes(numbers(shape[0])), text).removesuffix(", ")
    return shorten_code(text)


def numbers(text: str) -> tuple[int, ...]:
    """Extract the integers from torch's message, such as [2, 3] or 2x3."""
    return tuple(int(word) for word in re.findall(r"-?\d{1,18}", text)[:64])
