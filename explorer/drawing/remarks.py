"""What the steps of a training show, as HTML: sentences, each with its line."""

from collections.abc import Collection, Sequence
from html import escape
from typing import NamedTuple

from explorer.drawing.saying import said_html
from explorer.health.training import TrainingRemark, clauses, remarks
from explorer.text import KNOWN, say
from explorer.trace import Trace

SENTENCES = 2  # of one remark where there is little room: what it is, and what is known of its cause


class TimelyRemark(NamedTuple):
    """What is wrong from a step on. Attributes: number: of the step at its place, from 1; html: its sentences."""

    number: int
    html: str


def timely_remarks(
    trace: Trace, lang: str, place: int, diagnoses: Collection[str] = (), most: int = 2
) -> Sequence[TimelyRemark]:
    """The gravest faults that the steps of a place show, each with the step where it begins; () where nothing is wrong.

    What is only worth knowing, as that gradients were clipped, is no fault.
    """
    found = [one for one in remarks(trace, diagnoses) if one.place == place and one.level == "fault"]
    return tuple(
        TimelyRemark(trace.steps.number[one.row] + 1, _said(trace, one, lang, SENTENCES)) for one in found[:most]
    )


def remarks_html(trace: Trace, lang: str, place: int | None = None, diagnoses: Collection[str] = ()) -> str:
    """A list of them, "" where the steps show nothing.

    Args:
        place: of Trace.steps.places, whose steps are meant; None: of all.
        diagnoses: kinds that are told beside it.
    """
    told = [one for one in remarks(trace, diagnoses) if place is None or one.place == place]
    if not told:
        return ""
    items = "".join(_item(trace, one, lang) for one in told)
    return f'<ul class="remarks" aria-label="{escape(say(lang, "remarks"), quote=True)}">{items}</ul>'


def _item(trace: Trace, one: TrainingRemark, lang: str) -> str:
    said = _said(trace, one, lang)
    line = trace.line(one.span)
    where = ""
    if line:
        cell = trace.spans[one.span].cell
        words = say(lang, "place", cell=cell + 1, line=line) if len(trace.cells) > 1 else say(lang, "line", line=line)
        where = f"<small>{escape(words)}</small> "
    return f'<li class="is-{one.level}">{where}{said}</li>'


def _said(trace: Trace, one: TrainingRemark, lang: str, most: int | None = None) -> str:
    """The sentences of a remark, or the first of them."""
    told = list(clauses(trace, one, lang))[:most]
    return KNOWN[lang].gap.join(said_html(lang, message, **values) for message, values in told)
