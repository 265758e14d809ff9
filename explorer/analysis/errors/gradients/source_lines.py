"""Places in a program's text, and the origins of its tensors, for several rules about gradients.

Text is matched, never parsed: anything but the known patterns counts as not found.
"""

import re

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Span, Trace

FACTORIES = r"torch\.(tensor|ones|zeros|rand|randn|full|arange|linspace|eye|empty|as_tensor|randint|normal|logspace)\("


def line_at(trace: Trace, cell: int, line: int) -> str:
    """A line of a cell, from 1."""
    return trace.cells[cell].source.split("\n")[line - 1]


def is_statement(trace: Trace, span: Span) -> bool:
    """Whether a place is a statement that fills its lines, except for a comment at the end."""
    before = line_at(trace, span.cell, span.line)[: span.column]
    after = line_at(trace, span.cell, span.end_line)[span.end_column :].strip()
    return not before.strip() and (not after or after.startswith("#"))


def indent(line: str) -> int:
    """How many characters a line is indented by."""
    return len(line) - len(line.lstrip())


def in_function(source: str, line: int) -> bool:
    """Whether a line is in a function or a class."""
    return any(re.match(r"\s*(async\s+)?(def|class)\b", header) for header in headers(source, line).values())


def headers(source: str, line: int) -> dict[int, str]:
    """The lines above that a line is indented under, innermost first, by number."""
    lines = source.split("\n")
    found, least = {}, indent(lines[line - 1])
    for number in range(line - 1, 0, -1):
        text = lines[number - 1]
        if text.strip() and not text.lstrip().startswith("#") and indent(text) < least:
            found[number], least = text, indent(text)
    return found


def dedented(source: str, line: int) -> str | None:
    """Remove a block's header and unindent its lines; None if the text is not that simple.

    >>> dedented("with a:\\n    b\\nc", 1)
    'b\\nc'
    """
    lines = source.split("\n")
    margin = indent(lines[line - 1])
    end = next((i for i in range(line, len(lines)) if lines[i].strip() and indent(lines[i]) <= margin), len(lines))
    body = [line for line in lines[line:end] if line.strip()]
    if not body or any('"""' in text or "'''" in text for text in body):
        return None
    less = indent(body[0]) - margin
    moved = [line[less:] if line.strip() else line for line in lines[line:end]]
    return "\n".join(lines[: line - 1] + moved + lines[end:])


def without_gradients(trace: Trace, span: Span) -> str | None:
    """Put a simple statement under torch.no_grad()."""
    lines = trace.cells[span.cell].source.split("\n")
    part = lines[span.line - 1 : span.end_line]
    if not is_statement(trace, span) or any('"""' in text or "'''" in text for text in part):
        return None
    margin = " " * indent(part[0])
    lines[span.line - 1 : span.end_line] = [f"{margin}with torch.no_grad():", *(f"    {text}" for text in part)]
    return "\n".join(lines)


def made_anew(trace: Trace, span: Span) -> str | None:
    """Let a statement that overwrites a named tensor make a new one, or first copy the old one."""
    source = trace.cells[span.cell].source
    if not is_statement(trace, span) or span.line != span.end_line:
        return None
    lines = source.split("\n")
    line = lines[span.line - 1]
    before, code, after = line[: span.column], line[span.column : span.end_column], line[span.end_column :]
    if found := re.fullmatch(r"(\w+)\s*(\*\*|//|[-+*/@])=(?!=)\s*(.+)", code):
        name, sign, rest = found.groups()
        new = f"{name} = {name} {sign} " + receiver(rest)
    elif in_function(source, span.line):
        return None
    elif found := re.fullmatch(
        r"(\w+)\.(zero|add|sub|mul|div|pow|exp|relu|sigmoid|tanh|sqrt|clamp|neg|abs)_\((.*)\)", code
    ):
        name, function, rest = found.groups()
        new = f"{name} = " + (f"torch.zeros_like({name})" if function == "zero" else f"{name}.{function}({rest})")
    elif found := re.match(r"(\w+)\[[^=]*\]\s*[-+*/]?=(?!=)", code):
        lines.insert(span.line - 1, f"{before}{found[1]} = {found[1]}.clone()")
        return "\n".join(lines)
    else:
        return None
    lines[span.line - 1] = before + new + after
    return "\n".join(lines)


def makers(trace: Trace) -> dict[int, int]:
    """The operation that made each tensor."""
    found: dict[int, int] = {}
    for i in range(len(trace.operations)):
        for tensor in trace.operations.outputs[i]:
            found.setdefault(tensor, i)
    return found


def sources(trace: Trace, tensor: int) -> list[int]:
    """The tensors that one was computed from, itself first, nearest first."""
    made, seen = makers(trace), [tensor]
    known = {tensor}
    for reached in seen:
        if reached in made:
            for before in trace.operations.inputs[made[reached]]:
                if before not in known:
                    known.add(before)
                    seen.append(before)
    return seen


def nodes_below(trace: Trace, roots: list[int]) -> set[int]:
    """The nodes that the engine can reach from these."""
    found, waiting = set(), [root for root in roots if root >= 0]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [edge for edge in trace.nodes.edges[node] if edge >= 0]
    return found


def tensor_of(stopped: Stopped, code: str) -> int | None:
    """The tensor that an expression means: a name, or the text of an operation."""
    trace = stopped.trace
    code = code.strip()
    named = trace.bound(code)
    if named is not None:
        return named
    texts = {code, code[1:-1]} if code.startswith("(") and code.endswith(")") else {code}
    operations = trace.operations
    for i in range(len(operations) - 1, -1, -1):
        if operations.outputs[i] and trace.text(operations.span[i]) in texts:
            return operations.outputs[i][0]
    return None


def made_by_call(trace: Trace, tensor: int, made: dict[int, int]) -> Span | None:
    """Where torch.ones(...) or the like makes a tensor, None for one made otherwise."""
    if tensor not in made or trace.operations.span[made[tensor]] < 0:
        return None
    span = trace.operations.span[made[tensor]]
    text = trace.text(span)
    whole = re.match(FACTORIES, text) and text.endswith(")") and "requires_grad" not in text
    return trace.spans[span] if whole else None


def with_requires_grad(trace: Trace, span: Span) -> str:
    """Add requires_grad=True to the call at a place that makes a tensor."""
    source = trace.cells[span.cell].source
    lines = source.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column]
    changed = with_argument("\n".join(lines)[span.column :], "requires_grad=True")
    return replaced(source, span, changed) if changed else ""


def written_in_place(trace: Trace, name: str) -> bool:
    """Whether the program changes a name in place outside torch.no_grad(), which is forbidden for a leaf with a
    gradient.
    """
    change = re.compile(
        rf"\s*{re.escape(name)}(\[.*\])?\s*([-+*/]|\*\*|//)=|\s*{re.escape(name)}\.[a-z]+_\(|\s*{re.escape(name)}\[.*\]\s*="
    )
    for cell in trace.cells:
        for number, line in enumerate(cell.source.split("\n"), 1):
            if change.match(line) and "no_grad" not in " ".join(headers(cell.source, number).values()):
                return True
    return False


def receiver(text: str) -> str:
    """An expression before a dot: in brackets unless it is a single name, call or attribute.

    >>> receiver("a * 2"), receiver("f(x + 1)")
    ('(a * 2)', 'f(x + 1)')
    """
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character in " +-*/%@":
            return f"({text})"
    return text
