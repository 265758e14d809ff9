"""The workbench: graph, inspector and player of one picture.

The inspector shows one card in full, without a chosen card the root. A gradient hidden in it the user guesses.
"""

from functools import partial
from html import escape

import streamlit as st

from explorer.analysis.diagnose.health.module_table import layers
from explorer.analysis.explain.autograd import NOTHING_OPENED, Card, Opened, possible_roots
from explorer.analysis.explain.autograd.gradient_questions import about_card
from explorer.analysis.explain.autograd.gradients import kept_rounds
from explorer.analysis.explain.autograd.inspection import ROUNDS, inspection
from explorer.drawing.graph.inspector import hint_html, inspector_parts
from explorer.drawing.graph.layers import layers_html
from explorer.drawing.graph.player_data import sentence_html
from explorer.drawing.graph.why import story_html
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture, film_pictures, picture
from explorer.text import say
from explorer.text.numbers import shape_text, shorten
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing
from explorer.ui.pages.autograd import predict
from explorer.ui.pages.autograd.graph import GraphEvent, Roots, ShownGraph, graph, is_new_request
from explorer.ui.pages.autograd.leaf_plot import PLACE, slope
from explorer.ui.pages.autograd.numbers import badges, numbers
from explorer.ui.pages.autograd.player import player, render_diagnosis
from explorer.ui.pages.autograd.predict import consume_event, masked_picture, predicting
from explorer.ui.pages.autograd.strip import moment, reel, reel_key
from explorer.ui.pages.autograd.why import ask_about, chosen, following, path_shown, why
from explorer.ui.panels.problems import card_html
from explorer.ui.session.chosen_line import ProgramPlace, choose_line, newly_chosen
from explorer.ui.session.memo import memoize
from explorer.ui.session.run_wait import draw_anew
from explorer.ui.session.state import STATE, ask_for, gradient_target
from explorer.ui.streamlit_patches.batches import deliver
from explorer.workers.diagnoses import diagnoses_of

TITLE = 30  # cells of an output without a name
WORDS = {
    "bigger": "bigger",
    "smaller": "smaller",
    "fit": "fit",
    "search": "graph-search",
    "unfold": "graph-unfold",
    "foldUp": "graph-fold",
    "fitWord": "graph-fit-word",
    "leaves": "graph-leaves",
    "output": "output",
    "searchWord": "graph-search-word",
    "closeModules": "graph-modules-close-all",
}
FADED = "<style>.st-key-inspector > * { opacity: .5; filter: saturate(.25); }</style>"  # while it shows another program
ROOT_WORDS = ("menu", "own", "of", "start", "one", "many", "show")
_delivered = SessionValue[str]("_delivered", str)  # the last picture sent
DEEP = 12  # minimum number of layers for the bars of gradient size above the graph
OPENED = "_unfolded"  # session state: the open modules and their Trace
GUESS = 24  # widest repeated answer


def _words(lang: str) -> dict[str, str]:
    """Return the labels and hints of the graph's buttons."""
    words = {name: say(lang, message) for name, message in WORDS.items()}
    words["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
    words |= {"full": say(lang, "graph-full"), "fullHint": say(lang, "graph-full-hint")}  # only this page has it
    return words | {"inspect": say(lang, "graph-inspect"), "inspectHint": say(lang, "graph-inspect-hint")}


@st.fragment
def bench(drawn: Picture | None, stale: bool, above: str, lang: str, failed: tuple[str, ...] = ()) -> None:
    """Draw graph, inspector and player. Arguments as in `_bench`."""
    with drawing("workbench", lang):
        _bench(drawn, stale, above, lang, failed)


def _bench(drawn: Picture | None, stale: bool, above: str, lang: str, failed: tuple[str, ...]) -> None:
    """Draw graph, inspector and player into the current container.

    Args:
        drawn: the picture, or None.
        stale: whether it belongs to an earlier program.
        above: HTML above the picture, or instead of it. Escaped.
        failed: ids of the cards where the program stopped.
    """
    with st.container(key="workbench", horizontal=True, gap=None):
        place = st.container(key="graph", width="stretch", gap=None)
        beside = st.container(key="inspector", gap=None) if drawn is not None else None
    if beside is not None:
        below = st.container(key="below", gap=None)
        for part in (beside, below):
            part.empty()  # it keeps its room until the picture arrives
    with place:
        st.html(above + (FADED if stale else "") or "<div></div>")
        if drawn is None:
            return
        whole = apply_layout(drawn, lang)
        if consume_event(whole):  # the code, the output and the files contain gradients too
            st.rerun()
        if (path := _layers(whole, stale, lang)) is not None:
            opened = _opened(drawn).open(path)
            st.session_state[OPENED] = (drawn.trace, opened)
            whole = apply_layout(drawn, lang)
        shown = following(masked_picture(whole))
        event = _graph(drawn, whole, shown, stale, failed, path or "", lang)
        _legend(shown)
    card = inspected(shown, event.selected)
    if event.selected is not None and (line := _place(shown, card)) is not None:
        choose_line("autograd", line)  # for the other lenses
    _follow_requests(event, drawn)
    with beside:
        _inspector(whole, shown, event.selected, stale, lang)
    with below:
        player(whole, lang, stale)
    if not stale:
        with drawing("film", lang):
            reel(whole, card.id, render_diagnosis(whole, lang), lang)
    with beside:  # last, because the curve needs torch
        if not predicting():
            slope(shown, card, stale, lang)
        if not stale:
            numbers(shown, card, lang)


def _layers(whole: Picture, stale: bool, lang: str) -> str | None:
    """Draw gradient size by layer. Return the pressed path, or None."""
    backward = whole.view.backward
    if stale or backward is None or whole.film is not None or predicting():
        return None
    sizes = layers(whole.trace, backward + 1)
    if len(sizes) <= DEEP:
        return None
    run = str(hash(tuple(cell.source for cell in whole.trace.cells)))
    linked(memoize("layers", whole.trace, lambda: layers_html(sizes, lang), backward, lang), "layers", run)
    path = pressed("layers", run)
    return path if path in {layer.path for layer in sizes} else None


def _graph(
    drawn: Picture, whole: Picture, shown: Picture, stale: bool, failed: tuple[str, ...], layer: str, lang: str
) -> GraphEvent:
    """Draw the graph, and return the user's action. `layer`: just opened, or ""."""
    fold, opened, root = STATE["fold"], _opened(drawn), gradient_target()
    marked = {} if stale else badges(shown, lang)
    svg = memoize("svg", shown, lambda: shown.svg(badges=marked), marked)
    event = graph(
        "picture",
        ShownGraph(
            svg=svg,
            words=_words(lang),
            stale=stale,
            title=_title(shown, lang),
            fold=fold,
            foldable=shown.view.folded or not fold,
            roots=Roots(root.of, root.start, _names(shown), {name: say(lang, f"root-{name}") for name in ROOT_WORDS}),
            failed=failed,
            opened=bool(opened.modules or opened.closed),
            moment=moment(),
            film="" if stale else reel_key(whole, lang),
            came=_card_in(shown, layer) or _card_at(shown, newly_chosen("autograd")),
            path=() if stale else path_shown(shown, lang),
        ),
    )
    if _delivered.get() != svg:  # send a new picture before drawing the parts below it
        _delivered.put(svg)
        deliver()
    return event


def _inspector(whole: Picture, shown: Picture, selected: str | None, stale: bool, lang: str) -> None:
    """Draw the chosen card and its questions."""
    card, close = inspected(shown, selected), quoted(say(lang, "inspector-close"))
    st.html(f'<button type="button" class="inspector-close" aria-label="{close}" title="{close}">×</button>')
    if why(shown, card, lang):
        st.rerun()  # the address now names it
    st.html(PLACE)
    inspector(shown, selected, lang)
    if chosen():
        ask_about(following(masked_picture(whole)), card)
        st.rerun()  # the address now names it
    if predicting() and not stale and uncover(whole, card, lang):
        st.rerun()  # the code and the output may show more


def _legend(shown: Picture) -> None:
    """Draw the legend below the graph."""
    legend = f'<div class="legendbar" data-moment="{moment()}">{shown.legend()}</div>'
    st.html(f'<div class="st-key-legendbar">{legend}</div>')


def _place(shown: Picture, card: Card) -> ProgramPlace | None:
    span = shown.trace.spans[card.span] if 0 <= card.span < len(shown.trace.spans) else None
    return None if span is None else (span.cell, span.line)


def _card_at(shown: Picture, place: ProgramPlace | None) -> str:
    """Return the id of the last card of a line, "" if there is none."""
    if place is None:
        return ""
    return next((card.id for card in reversed(shown.view.cards) if _place(shown, card) == place), "")


def _card_in(shown: Picture, layer: str) -> str:
    """Return the id of the first card inside an open module, "" if there is none."""
    inside = (card.id for card in shown.view.cards if layer and f"{card.within}.".startswith(f"{layer}."))
    return next(inside, "")


def _follow_requests(event: GraphEvent, drawn: Picture) -> None:
    """Redraw the page if the graph's tools request another layout, module or root."""
    if event.fold is not None and event.fold != STATE["fold"] and is_new_request("fold", event.fold):
        STATE.put(fold=event.fold)
        st.session_state.pop(OPENED, None)
        st.rerun()
    if event.module is not None and is_new_request("module", event.module):
        st.session_state[OPENED] = (drawn.trace, _opened(drawn).moved(event.module.path, event.module.open))
        if predicting():
            st.rerun()
        draw_anew()
    if event.root is not None and event.root != gradient_target() and is_new_request("root", event.root):
        ask_for(event.root)
        st.rerun()


def _opened(drawn: Picture) -> Opened:
    """Return the open modules of this picture. Another run begins with none."""
    trace, opened = st.session_state.get(OPENED, (None, NOTHING_OPENED))
    return opened if trace is drawn.trace else NOTHING_OPENED


def apply_layout(drawn: Picture, lang: str) -> Picture:
    """Return the picture in the requested layout."""
    trace, fold, opened = drawn.trace, STATE["fold"], _opened(drawn)
    if fold and not opened:
        return drawn
    if drawn.film is not None:
        film, position = drawn.film[0].film, drawn.film[1]
        make = partial(film_pictures, trace, lang, film, fold, opened)
        return memoize("laid out", trace, make, film.place, lang, fold, opened).at(position)
    key = drawn.view.backward, fold, opened, drawn.view.stopped
    return memoize("laid out", trace, lambda: picture(trace, lang, *key), lang, *key)


def _names(shown: Picture) -> list[tuple[str, str]]:
    return [(root.name, shape_text(root.shape)) for root in possible_roots(shown.trace)]


def _title(shown: Picture, lang: str) -> str:
    names = [card.name or shorten(card.title, TITLE) for card in shown.view.cards if card.id in shown.view.roots]
    if not names:
        return quoted(say(lang, "page-graph"))
    return f"{quoted(say(lang, 'page-graph-of'))} <code>{quoted(', '.join(names))}</code>"


def inspector(picture: Picture, selected: str | None, lang: str) -> None:
    """Draw a card, of a folded one the chosen round."""
    view, trace = picture.view, picture.trace
    card = inspected(picture, selected)
    runs = len(card.fold.executions) if card.fold else 0
    above = st.container(gap=None).html if runs > 1 else None  # the heading goes above the choice of a round
    execution = None
    if runs > 1:
        field = st.slider if runs <= ROUNDS else st.number_input
        number = field(say(lang, "inspect-rounds"), 1, runs, runs, key=f"round_{card.id}", label_visibility="collapsed")
        counted = {"kind": card.fold.kind, "round": number, "count": runs}
        st.html(f'<p class="quiet round">{say(lang, "inspect-round", **counted, kept=kept_rounds(trace))}</p>')
        execution = number - 1
    diagnoses = () if predicting() else diagnoses_of(trace)
    unasked = card.id != selected and not predicting()
    story = memoize("story", picture, lambda: story_html(trace, view, lang), lang) if unasked else ""
    if story:  # it contains the root's numbers
        head, body = hint_html(card, view, lang, alone=True), ""
    else:
        line = trace.line(-1 if view.backward is None else trace.backwards[view.backward].span)
        details = inspection(trace, view, card.id, lang, execution)
        asks = view.kind != "counted"  # unrecorded numbers cannot be explained
        head, body = inspector_parts(details, view, lang, card.id == selected, line, asks)
    head = f'{story}<div class="inspection">{head}{card_html(trace, card, diagnoses, lang)}</div>'
    body = f'<div class="inspection" data-card="{escape(card.id)}" aria-live="polite">{body}</div>'
    if above is not None:
        above(head)
    st.html(body if above is not None else head + body)


def inspected(picture: Picture, selected: str | None) -> Card:
    """Return the inspected card: the chosen one, otherwise the root."""
    view = picture.view
    cards = {card.id: card for card in view.cards}
    return cards.get(selected) or cards.get(view.roots[0] if view.roots else "") or view.cards[-1]


def uncover(whole: Picture, card: Card, lang: str) -> bool:
    """Draw the question or the verdict. Return whether more may be shown.

    Args:
        whole: the picture with all gradients.
        card: as the page may show it now.
    """
    last = predict.last_answer(whole, card.id)
    full = next((candidate for candidate in whole.view.cards if candidate.id == card.id), card)
    question = about_card(full.name or full.title, full.gradient, lang) if full.gradient is not None else None
    if question is not None and last is not None:
        if last.verdict in ("right", "wrong"):
            words = say(lang, f"player-{last.verdict}", answer=question.shown, guess=shorten(last.guess, GUESS))
            st.html(f'<p class="uncovered" role="status"><b class="{last.verdict}">{quoted(words)}</b></p>')
        else:
            shape = "-shape" if last.verdict == "unread" and isinstance(question.answer, tuple) else ""
            words = say(lang, f"player-{last.verdict}{shape}", guess=shorten(last.guess, GUESS))
            st.html(f'<p class="uncovered" role="status">{quoted(words)}</p>')
    if not card.hidden or predict.hides_values():  # values come first
        return False
    with st.container(key="uncover", gap="small"):
        if question is not None and not predict.prediction(whole)[0].asking:  # one question at a time
            st.html(f'<p class="uncovered">{sentence_html(question.text)}</p>')
            with st.form("uncover_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
                guess = st.text_input(say(lang, "player-answer"), key=f"uncover_guess_{card.id}", max_chars=60)
                if st.form_submit_button(say(lang, "player-check"), key="uncover_check") and guess.strip():
                    predict.answer(whole, card.id, question, guess)
                    return True
        if st.button(say(lang, "uncover-show"), key="uncover_show", type="tertiary"):
            predict.show_card(whole, card.id)
            return True
    return False
