"""The examples of the gallery as cards: the picture of the run, the title, and a question that opening it answers.

`tools/generate_pictures.py` writes the pictures into `lessons/gallery/pictures`, so that a server draws none of them; a
test compares the files with new runs.
"""

from collections.abc import Callable, Iterable
from html import escape

from explorer.analysis.calculus.curve import curve, sweep
from explorer.analysis.calculus.function import Function
from explorer.analysis.calculus.programs import AxisWindow, point_program, sweep_program
from explorer.drawing.marks import quoted
from explorer.drawing.thumbnails import graph_thumbnail, tangent_thumbnail, training_thumbnail
from explorer.lessons.gallery import Example, picture_of
from explorer.lessons.lesson import program_of
from explorer.program import Program
from explorer.text import say
from explorer.trace import Options, Trace


def cards_html(name: str, examples: Iterable[Example], lang: str) -> str:
    """The examples of a subject below its name, as buttons (`data-choose`)."""
    cards = "".join(_card(example, lang) for example in examples)
    return f'<section class="subject"><h3>{quoted(name)}</h3><div class="example-cards">{cards}</div></section>'


def _card(example: Example, lang: str) -> str:
    title, asks = (str(getattr(both, lang, both.en)) for both in (example.title, example.asks))
    picture = (
        picture_of(example.id) or f"<pre>{escape(example.program.strip())}</pre>"
    )  # a run without tensors has none
    return (
        f'<div class="example-card" role="button" tabindex="0" data-choose="{escape(example.id, quote=True)}" '
        f'aria-label="{escape(f"{title}. {asks}", quote=True)}">'
        f'<div class="example-picture" aria-hidden="true">{picture}</div>'
        f'<p class="example-title">{quoted(title)}<span>{quoted(say(lang, f"nav-{example.page}"))}</span></p>'
        f'<p class="example-asks">{quoted(asks)}</p></div>'
    )


AROUND = 1.5  # on each side of the point of a tangent, as the page first shows it


def drawn_picture(example: Example, run: Callable[[Program, Options], Trace]) -> str:
    """The picture of what the page of an example shows.

    Args:
        run: runs a program and returns its Trace.
    """
    if "f" in example.state:
        f, at = Function(example.state["f"]), float(example.state["at"])
        window = AxisWindow(at - AROUND, at + AROUND)
        along = sweep(run(*sweep_program(f, window)), f, window)
        return tangent_thumbnail(curve(run(*point_program(f, at, window)), along))
    trace = run(program_of(example.program), Options())
    return (training_thumbnail(trace) if example.page == "training" else "") or graph_thumbnail(trace)
