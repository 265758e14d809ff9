"""The problems of a run, as HTML for the page. Every text is escaped here."""

from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.analysis.findings import Finding
from explorer.analysis.messages import proof_text, unusable_text
from explorer.analysis.source.expressions import ChangedLine
from explorer.drawing.notebook.stops import Stop, stop
from explorer.drawing.sentences import messages_html
from explorer.program import Unusable
from explorer.safe_regex import plain
from explorer.text import say
from explorer.trace import Failure, Limit, Refusal, Trace, goes_wrong
from explorer.workers.explanations import Explanations, explanations_of

MOST_LINES = 12  # of a change that a card shows
LONG = 160  # characters of a message after which the rest is folded
_FIRST_SENTENCE = plain(r".{20,}?[.:](?=\s)|.{20,}?(?=\n)|[^,;]{60,160}[,;]")


@dataclass(frozen=True)
class Problem(Stop):
    """A reason why a program did not end well.

    Attributes:
        name, cause, repair: what the error is called, why it happened, what to write instead, as HTML; "" for an
            unknown one.
        changes: the lines that the repair removes and adds, or ().
        mended: the repaired text of the cell `of`.
        level: fault or note for a diagnosis, "" for an error.
        proof: the effect of the repair when it was run, or "".
        tried: the number of lines of a change that is still to be run; otherwise 0.
    """

    name: str = ""
    cause: str = ""
    repair: str = ""
    changes: tuple[ChangedLine, ...] = ()
    mended: str = ""
    of: int = 0
    level: str = ""
    proof: str = ""
    tried: int = 0


def problems(result: Trace | Unusable, lang: str, explanations: Explanations | None = None) -> list[Problem]:
    """All problems, in order; `explanations`: None: without repairs."""
    if isinstance(result, Unusable):
        line = int(result.values.get("line", 0))
        words = unusable_text(lang, result)
        return [Problem(words, 0, line, (), "", words, "")]
    return [
        problem(result, number, output, lang, explanations)
        for number, cell in enumerate(result.cells)
        for output in cell.outputs
        if goes_wrong(output)
    ]


def problem(
    trace: Trace, cell: int, output: Failure | Refusal | Limit, lang: str, explanations: Explanations | None = None
) -> Problem:
    """The problem in one output of a cell; `explanations`: None: without repairs."""
    fields = vars(stop(trace, cell, output, lang))
    if not isinstance(output, Failure):
        return Problem(**fields)
    why = (explanations_of(trace) if explanations is None else explanations).of(trace, cell, output)
    return Problem(**fields, **(told_fields(trace, why, lang) if why else {}))


def told_fields(trace: Trace, finding: Finding, lang: str) -> dict[str, Any]:
    """The fields of a Problem that explain it."""
    name, cause, repair = (messages_html(lang, finding.messages(part)) for part in ("title", "cause", "repair"))
    fields: dict[str, Any] = {"name": name, "cause": cause, "repair": repair}
    changes, offered = finding.changes(trace), finding.offered
    if offered and offered.cell < len(trace.own_cells):  # an imported file is in no editor
        changed = {"changes": changes, "mended": offered.source, "of": offered.cell}
        return fields | changed | {"proof": proof_text(lang, finding)}
    return fields | {"tried": min(len(changes), MOST_LINES)}


def problems_html(problems: list[Problem], lang: str) -> str:
    """A card per problem, for pages on which the program cannot be changed; one sentence if there is none."""
    if not problems:
        return f'<p class="quiet">{escape(say(lang, "no-problems"))}</p>'
    return "".join(problem_html(problem) + repair_html(problem) for problem in problems)


def problem_html(problem: Problem, code: bool = True, opened: bool | None = None) -> str:
    """The card: what happened, in torch's words, and why, in ours.

    Args:
        code: with the line it happened in.
        opened: whether all of it shows; otherwise its heading, which opens it. None: it cannot be folded.
    """
    where = f"<span>{escape(problem.title)}</span>" if problem.name else ""
    head = f"<h3><b>{problem.name or escape(problem.title)}</b>{where}</h3>"
    parts = []
    message = _message(problem) if problem.message else ""
    line = (
        f'<pre class="at"><span>{problem.line or ""}</span>{escape(problem.code)}</pre>'
        if code and problem.code
        else ""
    )
    if problem.cause:
        parts += [message, line, f'<p class="cause">{problem.cause}</p>']
    else:
        parts += [line, message]
    classes = (" is-told" if problem.cause else "") + (f" is-{problem.level}" if problem.level else "")
    body = head + "".join(parts)
    if opened is not None:
        is_open = " open" if opened else ""
        body = f'<details class="folding"{is_open}><summary>{head}</summary>{"".join(parts)}</details>'
    return f'<div class="problem{classes}" role="{"note" if problem.level else "alert"}">{body}</div>'


def _message(problem: Problem) -> str:
    """torch's own message; if ours follows, only the first sentence of a long one, the rest one click away."""
    first = _FIRST_SENTENCE.match(problem.message)
    if not problem.cause or first is None or len(problem.message) < LONG:
        return f'<pre class="message">{escape(problem.message)}</pre>'
    head, rest = escape(first[0]), escape(problem.message[first.end() :])
    return f'<details class="message"><summary>{head}</summary><pre>{rest}</pre></details>'


def repair_html(problem: Problem) -> str:
    """The advice, in words."""
    proof = f" <b>{escape(problem.proof)}</b>" if problem.proof else ""
    return f'<p class="repair">{problem.repair}{proof}</p>' if problem.repair else ""


def trying_html(problem: Problem, lang: str) -> str:
    """A placeholder for the change while it runs, equally high."""
    rows = [escape(say(lang, "repair-tried")), *[""] * (problem.tried - 1)]
    spans = "".join(f"<span>{row}\n</span>" for row in rows)
    return f'<pre class="change trying" role="status">{spans}</pre>'


def change_html(problem: Problem, lang: str) -> str:
    """The lines that a repair removes and adds, with their cell if it is not the one that failed."""
    where = f"<em>{escape(say(lang, 'mark-cell', cell=problem.of + 1))}</em>" if problem.of != problem.cell else ""
    indents = [len(line.text) - len(line.text.lstrip()) for line in problem.changes if line.text.strip()]
    common = min(indents, default=0)  # a narrow window needs the room
    rows = "".join(
        f'<span class="{"gone" if line.sign == "-" else "new"}"><b>{line.number}</b>'
        f"<i>{'−' if line.sign == '-' else '+'}</i>{escape(line.text[common:])}\n</span>"
        for line in problem.changes[:MOST_LINES]
    )
    return f'<pre class="change">{where}{rows}{"…" if len(problem.changes) > MOST_LINES else ""}</pre>'
