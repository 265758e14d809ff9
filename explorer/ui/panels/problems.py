"""Problems and diagnoses of a run or field as escaped HTML.

Repairs are offered once they were run. A field has a generated program around it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import streamlit as st

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import finding_text, place_text, proof_text, unusable_text
from explorer.analysis.explain.autograd import Card
from explorer.analysis.run.source.expressions import ChangedLine
from explorer.drawing.marks import messages_html
from explorer.drawing.notebook.outputs import Stop, stop
from explorer.program import GivenFile, Unusable
from explorer.safe_regex import plain
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.trace import Failure, Limit, Refusal, Trace, ends_cell
from explorer.workers.explanations import Explanations, explain_with_verified_fixes, explanations_of

MOST_LINES = 12  # most lines of a change shown on a card
LONG = 160  # characters of a message before the rest is folded
_FIRST_SENTENCE = plain(r".{20,}?[.:](?=\s)|.{20,}?(?=\n)|[^,;]{60,160}[,;]")
PATIENCE = 3.0  # seconds for trying changes of a stopped program while the next edit waits
_OF_A_PROGRAM = plain(r"(?i)\blines? \d|line of the program|第 ?\d+ ?行|程序")  # a sentence about lines of the program


@dataclass(frozen=True)
class Problem(Stop):
    """A reason why a program did not end well.

    Attributes:
        name, cause, repair: what the error is called, why it happened, what to write instead, as HTML, or "" for an
            unknown one.
        changes: the lines that the repair removes and adds, or ().
        fixed: the repaired text of the cell `of`.
        level: fault or note for a diagnosis, "" for an error.
        proof: the effect of the repair when it was run, or "".
        tried: the number of lines of a change that is still to be run, otherwise 0.
        missing: the name of a file that was not found, or "".
        is_wanted: whether its user stopped the program, which is no problem.
    """

    name: str = ""
    cause: str = ""
    repair: str = ""
    changes: tuple[ChangedLine, ...] = ()
    fixed: str = ""
    of: int = 0
    level: str = ""
    proof: str = ""
    tried: int = 0
    missing: str = ""
    is_wanted: bool = False


def problems(result: Trace | Unusable, lang: str, explanations: Explanations | None = None) -> list[Problem]:
    """Return all problems in order, without fixes if `explanations` is None."""
    if isinstance(result, Unusable):
        line = int(result.values.get("line", 0))
        words = unusable_text(lang, result)
        return [Problem(words, 0, line, (), "", words, "", is_wanted=result.kind == "stopped")]
    return [
        problem(result, number, output, lang, explanations)
        for number, cell in enumerate(result.cells)
        for output in cell.outputs
        if ends_cell(output)
    ]


def problem(
    trace: Trace, cell: int, output: Failure | Refusal | Limit, lang: str, explanations: Explanations | None = None
) -> Problem:
    """Return the problem in an output, without fixes if `explanations` is None."""
    fields = vars(stop(trace, cell, output, lang))
    if not isinstance(output, Failure):
        return Problem(**fields, is_wanted=isinstance(output, Limit) and output.limit == "stopped")
    why = (explanations_of(trace) if explanations is None else explanations).of(trace, cell, output)
    return Problem(**fields, **(explaining_fields(trace, why, lang) if why else {}))


def explaining_fields(trace: Trace, finding: Finding, lang: str) -> dict[str, Any]:
    """Return the fields of a Problem that explain a finding."""
    name, cause, repair = (messages_html(lang, finding.messages(part)) for part in ("title", "cause", "repair"))
    fields: dict[str, Any] = {"name": name, "cause": cause, "repair": repair}
    if finding.kind == "file-not-here":
        fields["missing"] = finding.values["name"]
    changes, offered = finding.changes(trace), finding.offered
    if offered and offered.cell < len(trace.own_cells):  # an imported file is in no editor
        changed = {"changes": changes, "fixed": offered.source, "of": offered.cell}
        return fields | changed | {"proof": proof_text(lang, finding)}
    return fields | {"tried": min(len(changes), MOST_LINES)}


def problems_html(problems: list[Problem], lang: str) -> str:
    """Render problems for pages that cannot change the program."""
    if not problems:
        return f'<p class="quiet">{escape(say(lang, "no-problems"))}</p>'
    return "".join(problem_html(problem) + repair_html(problem) for problem in problems)


def problem_html(problem: Problem, code: bool = True, opened: bool | None = None) -> str:
    """Render a card: torch's message, and our explanation.

    Args:
        code: with the line it happened in.
        opened: whether all of it shows, otherwise its heading, which opens it. None: it cannot be folded.
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
    classes = (" is-explained" if problem.cause else "") + (f" is-{problem.level}" if problem.level else "")
    body = head + "".join(parts)
    if opened is not None:
        is_open = " open" if opened else ""
        body = f'<details class="folding"{is_open}><summary>{head}</summary>{"".join(parts)}</details>'
    return f'<div class="problem{classes}" role="{"note" if problem.level else "alert"}">{body}</div>'


def _message(problem: Problem) -> str:
    """Render torch's message, shortened if our explanation follows."""
    first = _FIRST_SENTENCE.match(problem.message)
    if not problem.cause or first is None or len(problem.message) < LONG:
        return f'<pre class="message">{escape(problem.message)}</pre>'
    head, rest = escape(first[0]), escape(problem.message[first.end() :])
    return f'<details class="message"><summary>{head}</summary><pre>{rest}</pre></details>'


def repair_html(problem: Problem) -> str:
    """Return the advice in words."""
    proof = f" <b>{escape(problem.proof)}</b>" if problem.proof else ""
    return f'<p class="repair">{problem.repair}{proof}</p>' if problem.repair else ""


def trying_html(problem: Problem, lang: str) -> str:
    """Return a placeholder for the change while it runs, equally high."""
    rows = [escape(say(lang, "repair-tried")), *[""] * (problem.tried - 1)]
    spans = "".join(f"<span>{row}\n</span>" for row in rows)
    return f'<pre class="change trying" role="status">{spans}</pre>'


def change_html(problem: Problem, lang: str) -> str:
    """Render a repair's removed and added lines."""
    where = f"<em>{escape(say(lang, 'mark-cell', cell=problem.of + 1))}</em>" if problem.of != problem.cell else ""
    rows = "".join(
        f'<span class="{"gone" if line.sign == "-" else "new"}"><b>{line.number}</b>'
        f"<i>{'−' if line.sign == '-' else '+'}</i>{escape(line.text)}\n</span>"
        for line in problem.changes[:MOST_LINES]
    )
    return f'<pre class="change">{where}{rows}{"…" if len(problem.changes) > MOST_LINES else ""}</pre>'


def tried_problems(result: Trace | Unusable, files: tuple[GivenFile, ...], lang: str) -> list[Problem]:
    """Return a run's problems. `files` are the files in the program's folder."""
    if isinstance(result, Unusable):
        return problems(result, lang)
    return problems(
        result,
        lang,
        explain_with_verified_fixes(result, files, visitor=visitor(st.context.ip_address), patience=PATIENCE),
    )


def faults(trace: Trace, findings: Iterable[Finding], lang: str) -> list[Problem]:
    """Return a card for each finding, in the order of the report."""
    return [_card(trace, finding, lang) for finding in findings]


def _card(trace: Trace, finding: Finding, lang: str) -> Problem:
    place, words = finding.place, finding_text(lang, finding, "title")
    span = place.line, place.column, place.end_line, place.end_column
    code = trace.cells[place.cell].lines[place.line - 1].strip()
    stop = title(trace, finding, lang), place.cell, place.line, span, code, words, ""
    fields = explaining_fields(trace, finding, lang) | {"tried": 0}
    return Problem(*stop, level=finding.level, **fields)


def title(trace: Trace, finding: Finding, lang: str) -> str:
    """Return a finding's level and place."""
    where = place_text(trace, finding.place.cell, finding.place.line, lang)
    return f"{say(lang, f'diagnosis-{finding.level}')} · {where}"


def leading(trace: Trace, findings: Iterable[Finding], lang: str) -> str:
    """Return the sentence of the first fault, which replaces the picture's, or ""."""
    first = next((finding for finding in findings if finding.level == "fault"), None)
    if first is None:
        return ""
    return say(lang, "labelled", name=title(trace, first, lang), text=finding_text(lang, first, "title"))


def card_html(trace: Trace, card: Card, findings: Iterable[Finding], lang: str) -> str:
    """Return the diagnoses about a card's tensor or node."""
    own = [finding for finding in findings if finding.tensor in card.tensors or finding.node in card.nodes]
    rows = [(one.level, messages_html(lang, one.messages("title")), escape(title(trace, one, lang))) for one in own]
    return "".join(f'<p class="silent is-{grave}"><b>{name}</b> {where}</p>' for grave, name, where in rows)


def where(field: str, lang: str, line: int = 0, column: int = 0) -> str:
    """Return a place in a field: line and column from 1, 0 if unknown."""
    return say(lang, "problem-in-field", field=field, line=max(0, line), column=max(0, column))


def as_field_problem(problem: Problem, place: str, text: str, lang: str) -> Problem:
    """Return a problem placed in a field, without other lines."""
    title = place if problem.message else say(lang, "labelled", name=place, text=problem.words)
    cause, repair = ("" if _OF_A_PROGRAM.search(words) else words for words in (problem.cause, problem.repair))
    return replace(problem, title=title, code=text, line=0, cause=cause, repair=repair, changes=(), fixed="")
