"""What is wrong with a training: the name of each disease, its signs, and a cure that was run."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.errors import changed_lines
from explorer.analysis.faults import ORDER, Finding
from explorer.analysis.health.training import Remark, remarks
from explorer.analysis.health.training.cures import disease
from explorer.analysis.messages import place_text
from explorer.drawing.marks import quoted
from explorer.drawing.sentences import messages_html
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace
from explorer.ui.panels.faults import faults
from explorer.ui.panels.panel import problem_card
from explorer.ui.panels.problems import Problem
from explorer.ui.session.given_files import given
from explorer.ui.session.memo import memoize
from explorer.workers.diagnoses import diagnose_with_verified_fixes, diagnoses_of
from explorer.workers.training_cures import ProvenCure, proven_cures

MOST = 3  # diseases that are shown


def signs(trace: Trace, place: int, where: DeltaGenerator, lang: str) -> None:
    """Name the diseases that the recorded steps show, before any further run."""
    _draw(where, trace, _cards(trace, place, (), False, lang), 2, lang)


def cures(trace: Trace, place: int, where: DeltaGenerator, lang: str) -> None:
    """Draw them again with bugs of the program, then with cures that were run: all else is on the page by now."""
    found = diagnoses_of(trace)
    if not found and not grave(trace, place, ()):
        return
    _draw(where, trace, _cards(trace, place, found, False, lang), 1, lang)
    proven = diagnose_with_verified_fixes(trace, given(), visitor=visitor(st.context.ip_address))
    _draw(where, trace, _cards(trace, place, proven, True, lang), 0, lang)


def _draw(where: DeltaGenerator, trace: Trace, cards: Sequence[Problem], again: int, lang: str) -> None:
    """Draw cards. `again`: how many drawings follow in this place: no key may come twice."""
    with where.container(key=f"tr_diseases_{again}", gap=None):
        for count, card in enumerate(cards, start=again * MOST):
            problem_card(count, card, trace, lang, len(cards) > 1)


def _cards(trace: Trace, place: int, told: Sequence[Finding], run: bool, lang: str) -> list[Problem]:
    """A card each, the gravest first."""
    own = faults(trace, [found for found in told if found.level != "info"], lang)
    seen = grave(trace, place, [found.kind for found in told])
    proven = _proven(trace, seen) if run and not any(card.mended for card in own) else [None] * len(seen)
    cards = [*own, *(_card(trace, remark, cure, lang) for remark, cure in zip(seen, proven, strict=True))]
    named = {card.words: card for card in reversed(cards)}  # several signs of one disease
    ranked = sorted(
        (card for card in cards if named[card.words] is card),
        key=_order,
    )
    return ranked[:MOST]


def _order(card: Problem) -> tuple[bool, int]:
    """What can be cured first, then by gravity."""
    return not card.mended, ORDER.index(card.level) if card.level in ORDER else 0


def grave(trace: Trace, place: int, kinds: Sequence[str] = ()) -> list[Remark]:
    """The remarks that name a disease. `kinds`: those of diagnoses that are told too."""
    found = [remark for remark in remarks(trace, kinds) if remark.loop == place]
    return [remark for remark in found if remark.level != "info" or remark.kind == "dead-units"]


def _card(trace: Trace, remark: Remark, cure: ProvenCure | None, lang: str) -> Problem:
    named = disease(trace, remark, cure.cure.by if cure else "")
    cell, line = remark.place.cell, remark.place.line
    where = place_text(trace, cell, line, lang) if line else ""
    level = "note" if remark.level == "info" else remark.level
    card = partial(Problem, where, cell, line, (), "", say(lang, named), "", name=quoted(say(lang, named)), level=level)
    cause = messages_html(lang, remark.clauses)
    if cure is None:
        return card(cause=cause)
    changes = tuple(changed_lines(trace.cells[cure.cure.cell].source, cure.cure.source))
    words = "disease-scaled" if cure.cure.by == "scale" else "disease-cured"
    proof = say(lang, words, before=number(cure.before), after=number(cure.after))
    return card(
        cause=cause,
        repair=quoted(say(lang, f"disease-cure-{cure.cure.by}")),
        changes=changes,
        mended=cure.cure.source,
        of=cure.cure.cell,
        proof=proof,
    )


def _proven(trace: Trace, seen: Sequence[Remark]) -> Sequence[ProvenCure | None]:
    def search() -> Sequence[ProvenCure | None]:
        return proven_cures(trace, seen, given(), visitor=visitor(st.context.ip_address))

    return memoize("cures", trace, search, [(remark.kind, remark.step.row) for remark in seen])
