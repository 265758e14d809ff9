"""A report and a table of gradients as HTML for any page; in Jupyter they display themselves."""

from collections.abc import Sequence
from html import escape

from explorer.analysis.health.report_contents import Reported
from explorer.analysis.health.report_text import (
    ending,
    fault_text,
    gradient_text,
    losses_text,
    origins_text,
    parameters_text,
    status_text,
    telling,
    warned_text,
)
from explorer.analysis.health.rows import GradientRow
from explorer.text import say
from explorer.text.numbers import shape_text, visible

_WRONG = ("none", "zero", "nonfinite")


def report_html(found: Reported) -> str:
    """The report: its table, and below each fault its cause and its repair."""
    lang = found.lang
    said = [*status_text(found), *losses_text(found), parameters_text(found)[0]]
    after = origins_text(found)
    after += [line for remark in found.remarks for line in fault_text(found, remark)]
    table = table_html(telling(found.rows), lang) if found.rows else ""
    faults = "".join(_fault(fault_text(found, diagnose)) for diagnose in found.diagnoses or ())
    faults += "".join(_fault(warned_text(found, warning)) for warning in found.warnings)
    parts = (*map(_paragraph, said), table, *map(_paragraph, after), faults)
    parts += tuple(map(_paragraph, ending(found)))
    return f'<div class="autograd-report">{"".join(parts)}</div>'


def _paragraph(line: str) -> str:
    return f"<p>{escape(line)}</p>"


def _fault(lines: Sequence[str]) -> str:
    first, *rest = (escape(line.strip()) for line in lines)
    return f"<p><b>{first}</b>{''.join(f'<br>{line}' for line in rest)}</p>"


def table_html(rows: Sequence[GradientRow], lang: str) -> str:
    """A table of gradients: a row each; wrong ones are bold."""
    heads = "".join(
        f'<th scope="col" style="text-align:left">{escape(say(lang, f"report-column-{column}"))}</th>'
        for column in ("name", "shape", "gradient")
    )
    body = "".join(_row(row, lang) for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: GradientRow, lang: str) -> str:
    told = escape(gradient_text(row, lang))
    told = f"<b>{told}</b>" if row.state in _WRONG else told
    cells = (f"<code>{escape(visible(row.name) or '?')}</code>", escape(shape_text(row.shape)), told)
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"
