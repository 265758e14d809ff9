"""What went wrong in a run, as HTML for the page. Every text is escaped here."""

from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.drawing.saying import said_html
from explorer.explain import ChangedLine, Explanation, changed_lines
from explorer.explained import Explanations, explained
from explorer.patterns import plain
from explorer.program import Unusable
from explorer.reports import limit_text, place_text, proof_text, refusal_text, unusable_text
from explorer.text import say
from explorer.trace import Failure, Limit, LineNumber, Refusal, Trace, goes_wrong

NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
MOST_LINES = 12  # of a change that a card shows
LONG = 160  # characters of a message of which the rest is folded away
_FIRST_SENTENCE = plain(r".{20,}?[.:](?=\s)|.{20,}?(?=\n)|[^,;]{60,160}[,;]")
_PLACE = plain(r" \([^()]*line \d+\)$")


@dataclass(frozen=True)
class Problem:
    """One reason why a program did not end well.

    Attributes:
        title: what happened, in words, with its place.
        cell: from 0; line: in that cell, from 1, or 0; span: line, column, end line, end column, or ().
        code: that line's text, or "".
        words: what happened, without its place.
        message: Python's or torch's own words, or "".
        syntax: whether the cell is not Python.
        name, cause, repair: what the error is called, why it happened, what to write instead, as HTML; "" for an
            unknown one.
        changes: the lines that mending it takes away and brings; () where no change is sure.
        mended: the text of the cell `of` with them.
        level: fault or note for what is wrong although nothing failed, "" for what stopped.
        proof: what running the mended program changed, or "".
        tried: how many lines a change has that is yet to be run; 0 where none is.
    """

    title: str
    cell: int
    line: int
    span: tuple[int, ...]
    code: str
    words: str
    message: str
    syntax: bool = False
    name: str = ""
    cause: str = ""
    repair: str = ""
    changes: tuple[ChangedLine, ...] = ()
    mended: str = ""
    of: int = 0
    level: str = ""
    proof: str = ""
    tried: int = 0


def problems(result: Trace | Unusable, lang: str, told: Explanations | None = None) -> list[Problem]:
    """Everything that went wrong, in order; `told` explains it, None: without the changes that were run."""
    if isinstance(result, Unusable):
        line = int(result.values.get("line", 0))
        words = unusable_text(lang, result)
        return [Problem(words, 0, line, (), "", words, "")]
    return [
        problem(result, number, output, lang, told)
        for number, cell in enumerate(result.cells)
        for output in cell.outputs
        if goes_wrong(output)
    ]


def problem(
    trace: Trace, cell: int, output: Failure | Refusal | Limit, lang: str, told: Explanations | None = None
) -> Problem:
    """What one output of a cell says that went wrong; `told` explains it, None: without the changes that were run."""
    line, code, ran = 0, "", cell
    span: tuple[int, ...] = ()
    if output.span >= 0:
        place = trace.spans[output.span]
        cell, line = place.cell, place.line
        span = (place.line, place.column, place.end_line, place.end_column)
        code = trace.cells[cell].lines[line - 1].strip()
    many, file = len(trace.own_cells) > 1, trace.cells[cell].name
    match output:
        case Failure(type=kind, text=text):
            syntax = kind in NOT_PYTHON
            if syntax:  # the place is said in our own words
                text = _PLACE.sub("", text)
            stopped, at = ("problem-not-python", "problem-not-python-at") if syntax else ("problem-stopped", "")
            if not line:
                words = say(lang, "problem-stopped-cell", cell=cell + 1) if many and not file else say(lang, stopped)
            elif file:
                words = say(lang, at or "problem-stopped-at", line=LineNumber(line, file))
            elif many:
                words = say(lang, "problem-not-python-in" if syntax else "problem-stopped-in", cell=cell + 1, line=line)
            else:
                words = say(lang, at or "problem-stopped-at", line=line)
            message = f"{kind}: {text}" if text else kind
            why = (explained(trace) if told is None else told).of(trace, ran, output)
            return Problem(words, cell, line, span, code, message, message, syntax, **_told(trace, why, lang))
        case Refusal():
            words = refusal_text(lang, output)
        case Limit():
            words = limit_text(lang, output)
    title = words
    if line:
        where = place_text(trace, cell, line, lang)
        title = f"{where if file else where[0].upper() + where[1:]}: {words}"
    return Problem(title, cell, line, span, code, words, "")


def _told(trace: Trace, told: Explanation | None, lang: str) -> dict[str, Any]:
    """The fields of a Problem that explain it."""
    if told is None:
        return {}
    message = f"error-{told.kind}"
    parts = {"name": message, "cause": f"{message}.cause", "repair": f"{message}.repair"}
    found: dict[str, Any] = {part: said_html(lang, one, **told.values) for part, one in parts.items()}
    if told.mended:
        changes = tuple(changed_lines(trace.cells[told.cell].source, told.mended))
        if told.offered and told.cell < len(trace.own_cells):
            return found | {
                "changes": changes,
                "mended": told.offered,
                "of": told.cell,
                "proof": proof_text(lang, told),
            }
        found["tried"] = min(len(changes), MOST_LINES)
    return found


def problems_html(found: list[Problem], lang: str) -> str:
    """A card per problem, for pages on which the program cannot be mended; one sentence when there is none."""
    if not found:
        return f'<p class="quiet">{escape(say(lang, "no-problems"))}</p>'
    return "".join(problem_html(one) + repair_html(one) for one in found)


def problem_html(one: Problem, code: bool = True, opened: bool | None = None) -> str:
    """The card: what happened, in torch's words, and why, in ours.

    Args:
        code: with the line it happened in.
        opened: whether all of it shows; otherwise its heading, which opens it. None: it cannot be folded.
    """
    where = f"<span>{escape(one.title)}</span>" if one.name else ""
    head = f"<h3><b>{one.name or escape(one.title)}</b>{where}</h3>"
    parts = []
    message = _message(one) if one.message else ""
    line = f'<pre class="at"><span>{one.line or ""}</span>{escape(one.code)}</pre>' if code and one.code else ""
    if one.cause:
        parts += [message, line, f'<p class="cause">{one.cause}</p>']
    else:
        parts += [line, message]
    told = (" is-told" if one.cause else "") + (f" is-{one.level}" if one.level else "")
    body = head + "".join(parts)
    if opened is not None:
        is_open = " open" if opened else ""
        body = f'<details class="folding"{is_open}><summary>{head}</summary>{"".join(parts)}</details>'
    return f'<div class="problem{told}" role="{"note" if one.level else "alert"}">{body}</div>'


def _message(one: Problem) -> str:
    """torch's own words; where ours stand below, of many words the first sentence, and the rest one click away."""
    first = _FIRST_SENTENCE.match(one.message)
    if not one.cause or first is None or len(one.message) < LONG:
        return f'<pre class="message">{escape(one.message)}</pre>'
    head, rest = escape(first[0]), escape(one.message[first.end() :])
    return f'<details class="message"><summary>{head}</summary><pre>{rest}</pre></details>'


def repair_html(one: Problem) -> str:
    """What to write instead, in words."""
    proof = f" <b>{escape(one.proof)}</b>" if one.proof else ""
    return f'<p class="repair">{one.repair}{proof}</p>' if one.repair else ""


def trying_html(one: Problem, lang: str) -> str:
    """What stands in the place of the change while it runs, as high as that."""
    rows = [escape(say(lang, "repair-tried")), *[""] * (one.tried - 1)]
    spans = "".join(f"<span>{row}\n</span>" for row in rows)
    return f'<pre class="change trying" role="status">{spans}</pre>'


def change_html(one: Problem, lang: str) -> str:
    """The lines that mending takes away and brings, with their cell where it is not the one that failed."""
    where = f"<em>{escape(say(lang, 'mark-cell', cell=one.of + 1))}</em>" if one.of != one.cell else ""
    indents = [len(line.text) - len(line.text.lstrip()) for line in one.changes if line.text.strip()]
    common = min(indents, default=0)  # a narrow window needs the room
    rows = "".join(
        f'<span class="{"gone" if line.sign == "-" else "new"}"><b>{line.number}</b>'
        f"<i>{'−' if line.sign == '-' else '+'}</i>{escape(line.text[common:])}\n</span>"
        for line in one.changes[:MOST_LINES]
    )
    return f'<pre class="change">{where}{rows}{"…" if len(one.changes) > MOST_LINES else ""}</pre>'
