"""Insert a written backward before torch's own, and check that both agree."""

from explorer.analysis.explain.autograd.backward_code import BackwardCode, Unwritten, written_lines
from explorer.analysis.explain.autograd.gradients import call_of_place
from explorer.analysis.run.source.code import Code, code_at
from explorer.analysis.run.source.expressions import is_statement, parse_call
from explorer.program import CellSource, Program
from explorer.text import say
from explorer.trace import Printed, Trace

_EXACT, _ROUNDED = "rtol=0, atol=0", "rtol=1e-05, atol=1e-06"  # the tolerances that backward-code-checked states


def checked_program(trace: Trace, code: BackwardCode, exact: bool, lang: str) -> Program:
    """Return the program with the code and a final check (`passed_check`).

    Args:
        exact: whether every bit must be equal, rather than up to rounding.

    Raises Unwritten if no statement of the program calls backward.
    """
    cells, place = [cell.source for cell in trace.own_cells], place_of(trace, code.backward)
    if place is None:
        block = _block(trace, code, [], [f"{code.roots[0]}.backward({code.seeds[0]})"], exact, lang)
        cells[-1] = "\n".join([cells[-1].rstrip("\n"), *block, ""])
        return _program(trace, cells)
    ahead, statement, behind = _statement(place)
    replaced, hoisted = list(statement), [code.head] if code.head else []
    if hoisted and (written := parse_call(place.text)) is not None:
        is_method = written.name == "backward" and written.receiver.rpartition(".")[2] != "autograd"
        arguments = written.arguments if is_method else (code.roots[0], *written.arguments[1:])
        head = f"{code.roots[0]}.backward" if is_method else written.head
        begin = place.before[len(place.indent) :].rpartition(";")[2].lstrip()
        replaced = [f"{begin}{head}({', '.join(arguments)}){place.after.partition(';')[0]}"]
    block = [*ahead, *_block(trace, code, hoisted, replaced, exact, lang), *behind]
    statement = [*ahead, *statement, *behind]
    above, number, calls = list[str](), *call_of_place(trace, code.backward)
    if not calls:
        same = [at for at, one in enumerate(trace.backwards) if one.span == trace.backwards[code.backward].span]
        number, calls = same.index(code.backward) + 1, len(same)
    if calls > 1:
        counter = _fresh(trace, "calls")
        above = [f"{counter} = iter(range(1, {calls + 1_000}))"]
        otherwise = ["else:", *(f"    {line}" for line in statement)]
        block = [f"if next({counter}) == {number}:", *(f"    {line}" for line in block), *otherwise]
    lines, top = list(place.lines), min(place.headers, default=place.line)
    lines[place.line - 1 : place.span.end_line] = [place.indent + line for line in block]
    lines[top - 1 : top - 1] = above
    cells[place.span.cell] = "\n".join(lines)
    return _program(trace, cells)


def place_of(trace: Trace, backward: int) -> Code | None:
    """Return a backward's call in the program, None if implicit. Raises Unwritten."""
    if trace.backwards[backward].kind == "implicit":
        if trace.end != "ok":
            raise Unwritten("failed")
        return None
    place = code_at(trace, trace.backwards[backward].span)
    if place is None or place.cell.name or place.span.cell >= len(trace.own_cells):
        raise Unwritten("place")
    written = parse_call(place.text)
    if written is None or written.name not in ("backward", "grad"):
        raise Unwritten("place")
    ahead, statement, behind = _statement(place)
    if not all(map(is_statement, (*ahead, "\n".join(statement), *behind))):
        raise Unwritten("place")
    return place


def passed_check(run: Trace, trace: Trace, lang: str) -> bool:
    """Return whether a run of the program passed the check of `checked_program`."""
    text, (after, before) = say(lang, "backward-code-same"), map(_printed, (run, trace))
    return text in after and text not in before


def _printed(trace: Trace) -> str:
    return "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))


def _program(trace: Trace, cells: list[str]) -> Program:
    return Program([CellSource(text) for text in cells], trace.notes)


def _statement(place: Code) -> tuple[list[str], list[str], list[str]]:
    """Return the lines of a call's statement without indentation, and what precedes and follows it there, after `;`."""
    first, *rest = [line.removeprefix(place.indent) for line in place.lines[place.line - 1 : place.span.end_line]]
    ahead, _, _ = place.before[len(place.indent) :].rpartition(";")
    behind = place.after.partition(";")[2].strip()
    lines = [first[len(ahead) + 1 :].lstrip() if ahead else first, *rest]
    lines[-1] = lines[-1][: len(lines[-1]) - len(place.after)] + place.after.partition(";")[0]
    return [ahead] if ahead else [], lines, [behind] if behind and not behind.startswith("#") else []


def _block(
    trace: Trace, code: BackwardCode, hoisted: list[str], statement: list[str], exact: bool, lang: str
) -> list[str]:
    """Return the replacement for the backward statement. Args: hoisted: preceding lines."""
    words = ("leaves", "before", "written", "leaf", "name")
    leaves, before, written, leaf, name = (_fresh(trace, word) for word in words)
    close = f"{_EXACT if exact else _ROUNDED}, equal_nan=True"
    lines = [f"    {line}" for line in written_lines(code.lines)]
    begin = [f"# {say(lang, 'backward-code-begin')}", *hoisted, "with torch.no_grad():"]
    check, text = f"# {say(lang, 'backward-code-check')}", f"print({say(lang, 'backward-code-same')!r})"
    if code.grads:
        given = ", ".join(f"[{', '.join(part)}]" for part in (code.roots, code.leaves, code.seeds))
        return [
            *begin,
            *lines,
            check,
            f"{leaves} = torch.autograd.grad({given}, retain_graph=True, allow_unused=True)",
            f"for {leaf}, {written} in zip({leaves}, [{', '.join(code.grads)}]):",
            f"    torch.testing.assert_close({leaf}, {written}, {close})",
            text,
            *statement,
        ]
    ends, each = len(lines) - code.ends, f"for {name}, {leaf} in {leaves}.items()"
    return [
        *begin,
        *lines[:ends],
        f"    {leaves} = {{{', '.join(f'{word!r}: {word}' for word in code.leaves)}}}",
        f"    {before} = {{{name}: {leaf}.grad {each}}}",
        *lines[ends:],
        check,
        f"{written} = {{{name}: {leaf}.grad {each}}}",
        f"{each}:",
        f"    {leaf}.grad = {before}[{name}]",
        *statement,
        f"{each}:",
        f"    torch.testing.assert_close({leaf}.grad, {written}[{name}], {close}, "
        f"msg=lambda why: f'{{{name}}}.grad: {{why}}')",
        text,
    ]


def _fresh(trace: Trace, word: str) -> str:
    """Return a name that the program does not use."""
    while word in trace.index.lines_with:
        word += "_"
    return word
