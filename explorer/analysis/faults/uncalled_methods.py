"""Methods that are named and not called."""

from collections.abc import Iterator, Sequence

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain
from explorer.trace import Result, Span

_METHOD = plain(r"<(?:bound method (\S+)|built-in method (\w+)) of")
_BOUND = plain(r"\s*([^\W\d]\w*) *= *([^\W\d]\w*)\.([a-z_]+) *(?:#.*)?")
# Methods of tensors that are usually called without arguments, and are no properties.
_CALLED = frozenset(
    """sum mean max min std var abs exp log sqrt square item tolist numpy detach clone flatten squeeze relu sigmoid tanh
    sin cos t numel size argmax argmin norm prod backward float double long int half bool cpu cuda contiguous zero_
    round floor ceil sign all any median cumsum softmax dim""".split()
)


_OF_OTHERS = frozenset(("step", "zero_grad", "backward", "eval", "train"))  # methods of optimizers, modules and losses
_PATH = plain(r"(?:[^\W\d]\w*(?:\[\w+\])?\.)+[^\W\d]\w*")
_OPENS = plain(r"[(\[{]")
_CLOSES = plain(r"[)\]}]")


def _bare(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The statements that are only a path such as `loss.backward`, with their line; not within brackets or strings."""
    depth, text = 0, False
    for at, line in enumerate(lines, 1):
        if line.count('"""') % 2 or line.count("'''") % 2:
            text = not text
            continue
        code = line.partition("#")[0]
        if not text and not depth and not (at > 1 and lines[at - 2].rstrip().endswith("\\")):
            for part in code.split(";"):
                if _PATH.fullmatch(part.strip()):
                    yield at, part.strip()
        if not text:
            depth = max(0, depth + len(_OPENS.findall(code)) - len(_CLOSES.findall(code)))


def _part(facts: Facts, cell: int, line: int, code: str) -> Span:
    column = facts.trace.cells[cell].lines[line - 1].index(code)
    return Span(cell, line, column, line, column + len(code))


def not_called(facts: Facts) -> Iterator[Finding]:
    """A method is a statement without brackets, as the program's echo shows; or is bound to an unused name."""
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
        for at, code in _bare(cell.lines):
            root, _, method = code.rpartition(".")
            first = root.partition(".")[0]
            known = trace.bound(root) is not None or trace.bound(first) is not None
            if (known and method in _CALLED) or (
                method in _OF_OTHERS and len(trace.index.lines_with.get(first, ())) > 1
            ):
                place = _part(facts, number, at, code)
                yield Finding("not_called", place, {"code": code, "method": method}, trace.bound(root) or -1)
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
