"""Names of tensors and texts of operations, as in the program."""

from explorer.trace import Backward, Binding, Trace
from explorer.trace.index import names_in

SHARED = 8  # paths of one parameter that are shown
NAMED = 4  # results of one call that are named


def titles_of(trace: Trace) -> "Titles":
    """The names and texts of a Trace, cached with it."""
    return trace.index.memoize(("titles",), lambda: Titles(trace))


class Titles:
    """Names and texts of one Trace, looked up by tensor and operation."""

    def __init__(self, trace: Trace):
        self._trace = trace
        self._first: dict[int, str] = {}
        self._results: dict[int, str] = {}

    def name(self, tensor: int, operation: int | None = None) -> str:
        """The name of a tensor: as the reading operation knows it, otherwise from its assignment; "" if it has none.

        An argument of a function has the caller's name and the function's; the operation's text decides.
        """
        bindings = self._trace.index.bindings.get(tensor)
        if not bindings:
            return ""
        if operation is not None:
            return self.name_in(tensor, self.text(operation), operation)
        if tensor not in self._first:
            self._first[tensor] = _assigned(bindings).name
        return self._first[tensor]

    def library_call(self, operation: int) -> str:
        """A library's operation outside of modules, with the program's name or text for what it was given: div(loss).

        A trainer divides the loss that the program returned, in the line that started the training. "" for any other
        operation, for several inputs with a history, and where the program's own line made the input.
        """
        trace, operations = self._trace, self._trace.operations
        if operation < 0 or operations.frames[operation] < 0 or operations.module[operation] >= 0:
            return ""
        inputs = [tensor for tensor in operations.inputs[operation] if trace.tensors.requires_grad[tensor]]
        maker = trace.versions.operation[trace.versions_of(inputs[0])[0]] if len(inputs) == 1 else -1
        if not 0 <= maker < operation:
            return ""
        same = operations.span[maker] == operations.span[operation]
        given = self.library_call(maker) if same else self.result(maker) or self.text(maker)
        return f"{trace.strings[operations.name[operation]]}({given})" if given else ""

    def loss(self, call: Backward) -> str:
        """What a backward differentiated first, where a library made it of what the program returned, otherwise ""."""
        tensor = call.root_tensors[0] if call.root_tensors else -1
        return (
            self.library_call(self._trace.versions.operation[self._trace.versions_of(tensor)[0]]) if tensor >= 0 else ""
        )

    def names(self, tensor: int) -> tuple[str, ...]:
        """The names of a parameter: its paths if modules share it, otherwise its name."""
        bindings = self._trace.index.bindings.get(tensor, ())
        is_parameter = self._trace.tensors.is_parameter[tensor]
        paths = dict.fromkeys(binding.name for binding in bindings if "." in binding.name) if is_parameter else {}
        return tuple(paths)[:SHARED] or tuple(filter(None, (self.name(tensor),)))

    def name_in(self, tensor: int, text: str, operation: int) -> str:
        """The name of a tensor in a text when `operation` began; its assignment's name if the text has none."""
        bindings = self._trace.index.near(tensor, operation)
        if bindings:
            bindings = [b for b in bindings if b.start <= operation and not 0 <= b.until < operation] or bindings
            said = next((b.name for b in bindings if b.name in names_in(text)), "")
            return said or _assigned(bindings).name
        return ""

    def result(self, operation: int) -> str:
        """The names that an operation's outputs were bound to as the whole value of an assignment.

        "" where the first of several has none: what the call is about went on without a name.
        """
        if operation not in self._results:
            self._results[operation] = self._result(operation)
        return self._results[operation]

    def _result(self, operation: int) -> str:
        span = self._trace.operations.span[operation]
        found: dict[str, None] = {}
        for tensor in self._trace.operations.outputs[operation]:
            near = self._trace.index.near(tensor, operation)
            bindings = [b for b in near if b.start >= operation and self._is_whole(b, operation)]
            if bindings:
                found[min(bindings, key=lambda b: (b.span != span, b.span < 0, b.start)).name] = None
            if not found or len(found) > NAMED:
                break
        names = list(found)
        return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")

    def text(self, operation: int) -> str:
        """The program's text of an operation on one line, "" if it has no place."""
        return one_line(self._trace.text(self._trace.operations.span[operation])) if operation >= 0 else ""

    def _is_whole(self, binding: Binding, operation: int) -> bool:
        """Whether the operation is the whole right side of the assignment (or a call that ends with it)."""
        span = self._trace.operations.span[operation]
        if span < 0 or span == binding.span:
            return True
        if binding.span < 0:
            return "." not in binding.name
        return not self._trace.spans[binding.span].contains(self._trace.spans[span])


def _assigned(bindings: list[Binding]) -> Binding:
    """The first one that an assignment made, otherwise the first that no other name ended."""
    return min(bindings, key=lambda b: (b.span < 0, b.span < 0 <= b.until, b.start))


def one_line(text: str) -> str:
    """Replace line breaks and the indentation after them by one space.

    >>> one_line('f(a,\\n   b)')
    'f(a, b)'
    """
    return " ".join(part.strip() for part in text.split("\n")) if "\n" in text else text
