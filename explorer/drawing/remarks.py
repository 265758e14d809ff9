"""Remarks about training steps as HTML: sentences, each with its line."""

from collections.abc import Collection, Sequence
from html import escape
from typing import NamedTuple

from explorer.analysis.health.training import TrainingRemark, clauses, remarks
from explorer.drawing.sentences import said_html
from explorer.text import KNOWN, say
from explorer.trace import Trace

SENTENCES = 2  # of one remark where there is little room: what it is, and what is known of its cause


class TimelyRemark(NamedTuple):
    """A remark from a step on. Attributes: number: of the step at its place, from 1; html: its sentences."""

    number: int
    html: str


def timely_remarks(
    trace: Trace, lang: str, place: int, diagnoses: Collection[str] = (), most: int = 2
) -> Sequence[TimelyRemark]:
    """The gravest faults and notes of the steps of a place, each with the step where it begins.

    Mere information, such as clipped gradients, is left out.
    """
    found = [remark for remark in remarks(trace, diagnoses) if remark.place == place and remark.level != "info"]
    return tuple(
        TimelyRemark(trace.steps.number[remark.row] + 1, _said(trace, remark, lang, SENTENCES))
        for remark in found[:most]
    )


def remarks_html(
    trace: Trace,
    lang: str,
    place: int | None = None,
    diagnoses: Collection[str] = (),
    without: Collection[TrainingRemark] = (),
) -> str:
    """A list of remarks, "" if there are none.

    Args:
        place: of Trace.steps.places, whose steps are meant; None: of all.
        diagnoses: kinds that are told beside it.
        without: remarks that are told elsewhere.
    """
    found = [remark for remark in remarks(trace, diagnoses) if place is None or remark.place == place]
    told = [remark for remark in found if remark not in without]
    if not told:
        return ""
    items = "".join(_item(trace, remark, lang) for remark in told)
    return f'<ul class="remarks" aria-label="{escape(say(lang, "remarks"), quote=True)}">{items}</ul>'


def remark_html(trace: Trace, remark: TrainingRemark, lang: str) -> str:
    """All sentences of a remark."""
    return _said(trace, remark, lang)


def _item(trace: Trace, remark: TrainingRemark, lang: str) -> str:
    said = _said(trace, remark, lang)
    line = trace.line(remark.span)
    where = ""
    if line:
        cell = trace.spans[remark.span].cell
        words = say(lang, "place", cell=cell + 1, line=line) if len(trace.cells) > 1 else say(lang, "line", line=line)
        where = f"<small>{escape(words)}</small> "
    return f'<li class="is-{remark.level}">{where}{said}</li>'


def _said(trace: Trace, remark: TrainingRemark, lang: str, most: int | None = None) -> str:
    """The sentences of a remark, or the first of them."""
    told = list(clauses(trace, remark, lang))[:most]
    return KNOWN[lang].gap.join(said_html(lang, message, **values) for message, values in told)
