"""Remarks about training steps as HTML: sentences, each with its line."""

from collections.abc import Collection, Sequence
from html import escape
from typing import NamedTuple

from explorer.analysis.health.training.remarks import remarks
from explorer.analysis.health.training.stretches import Remark
from explorer.analysis.messages import place_text
from explorer.drawing.sentences import messages_html
from explorer.text import say
from explorer.trace import Trace

SENTENCES = 2  # of one remark where there is little room: what it is, and what is known of its cause

TIMELY = 2  # remarks of a loop that are told beside its steps


class TimelyRemark(NamedTuple):
    """A remark from a step on. Attributes: number: of the step at its place, from 1; html: its sentences."""

    number: int
    html: str


def timely_remarks(trace: Trace, lang: str, loop: int, diagnoses: Collection[str] = ()) -> Sequence[TimelyRemark]:
    """The gravest faults and notes of the steps of a loop, each with the step where it begins.

    Mere information, such as dead units, is left out.
    """
    chosen = [remark for remark in remarks(trace, diagnoses) if remark.loop == loop and remark.level != "info"]
    return tuple(TimelyRemark(one.step.number, messages_html(lang, one.clauses[:SENTENCES])) for one in chosen[:TIMELY])


def remarks_html(trace: Trace, lang: str, loop: int | None = None, without: Collection[Remark] = ()) -> str:
    """A list of remarks, "" if there are none.

    Args:
        loop: of Trace.steps.places, whose steps are meant; None: of all.
        without: remarks that are told elsewhere.
    """
    chosen = [remark for remark in remarks(trace) if loop in (None, remark.loop) and remark not in without]
    if not chosen:
        return ""
    items = "".join(_item(trace, remark, lang) for remark in chosen)
    return f'<ul class="remarks" aria-label="{escape(say(lang, "remarks"), quote=True)}">{items}</ul>'


def _item(trace: Trace, remark: Remark, lang: str) -> str:
    where = ""
    if remark.place.line:
        words = place_text(trace, remark.place.cell, remark.place.line, lang)
        where = f"<small>{escape(words)}</small> "
    return f'<li class="is-{remark.level}">{where}{messages_html(lang, remark.clauses)}</li>'
