"""What the steps of a training show, as HTML: sentences, each with its line."""

from collections.abc import Collection
from html import escape

from explorer.drawing.saying import said_html
from explorer.health.training import TrainingRemark, clauses, remarks
from explorer.text import KNOWN, say
from explorer.trace import Trace


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
    said = KNOWN[lang].gap.join(said_html(lang, message, **values) for message, values in clauses(trace, one, lang))
    line = trace.line(one.span)
    where = ""
    if line:
        cell = trace.spans[one.span].cell
        words = say(lang, "place", cell=cell + 1, line=line) if len(trace.cells) > 1 else say(lang, "line", line=line)
        where = f"<small>{escape(words)}</small> "
    return f'<li class="is-{one.level}">{where}{said}</li>'
