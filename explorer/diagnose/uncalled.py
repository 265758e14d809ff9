"""Methods that are named and not called."""

from collections.abc import Iterator

from explorer.diagnose.facts import Facts
from explorer.diagnose.finding import Finding
from explorer.patterns import plain
from explorer.trace import Result

_METHOD = plain(r"<(?:bound method (\S+)|built-in method (\w+)) of")
_BOUND = plain(r"\s*([^\W\d]\w*) *= *([^\W\d]\w*)\.([a-z_]+) *(?:#.*)?")
# Methods of tensors that tutorials call without arguments, and that are no property.
_CALLED = frozenset(
    """sum mean max min std var abs exp log sqrt square item tolist numpy detach clone flatten squeeze relu sigmoid tanh
    sin cos t numel size argmax argmin norm prod backward float double long int half bool cpu cuda contiguous zero_
    round floor ceil sign all any median cumsum softmax dim""".split()
)


def not_called(facts: Facts) -> Iterator[Finding]:
    """A method stands as a statement, as the program's own echo of it says; or is bound to a name nobody uses."""
    trace = facts.trace
    for cell in trace.cells:
        for output in cell.outputs:
            if not isinstance(output, Result) or output.span < 0:
                continue
            if found := _METHOD.match(output.text):
                values = {"code": trace.text(output.span), "method": (found[1] or found[2]).rpartition(".")[2]}
                yield Finding("not_called", trace.spans[output.span], values)
                return
    for number, cell in enumerate(trace.cells):
        for at, line in enumerate(cell.lines, 1):
            found = _BOUND.fullmatch(line)
            if not found or found[3] not in _CALLED or trace.bound(found[2]) is None:
                continue
            if trace.index.lines_with.get(found[1]) == [(number, at)] and line.count(found[1]) == 1:
                values = {"code": f"{found[2]}.{found[3]}", "method": found[3]}
                yield Finding("not_called", facts.line(number, at), values, trace.bound(found[2]) or -1)
                return


RULES = (not_called,)
