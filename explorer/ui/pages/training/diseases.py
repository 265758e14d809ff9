"""What is wrong with a training: the name of each disease, its signs, and a cure that was run."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.health.training.cures import disease
from explorer.analysis.health.training.remarks import remarks
from explorer.analysis.health.training.stretches import Remark
from explorer.analysis.levels import ORDER
from explorer.analysis.messages import place_text
from explorer.analysis.source.expressions import changed_lines
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
from explorer.workers.diagnoses import diagnose_with_verified_fixes
from explorer.workers.training_cures import ProvenCure, proven_cures

MOST = 3  # diseases that are shown
FIRST = 1_000  # number of the first card: those below the program begin at 0


def signs(trace: Trace, place: int, where: DeltaGenerator, lang: str) -> None:
    """Name the diseases that the recorded steps show, before any further run."""
    _draw(where, trace, [_card(trace, remark, None, lang) for remark in grave(trace, place)], 1, lang)


def cures(trace: Trace, place: int, where: DeltaGenerator, lang: str) -> None:
    """Draw them again, without those that a bug of the program explains, with cures that were run."""
    if not grave(trace, place):
        return
    findings = diagnose_with_verified_fixes(trace, given(), visitor=visitor(st.context.ip_address))
    seen = grave(trace, place, [one.kind for one in findings])
    mended = any(card.mended for card in faults(trace, findings, lang))  # below the program
    proven = [None] * len(seen) if mended else _proven(trace, seen)
    _draw(where, trace, [_card(trace, *pair, lang) for pair in zip(seen, proven, strict=True)], 0, lang)


def _draw(where: DeltaGenerator, trace: Trace, cards: Sequence[Problem], again: int, lang: str) -> None:
    """Draw a card for each disease, what can be cured first, then the gravest.

    `again`: how many drawings follow in this place: no key may come twice.
    """
    named = {card.words: card for card in reversed(cards)}  # several signs of one disease
    ranked = sorted((card for card in cards if named[card.words] is card), key=_order)[:MOST]
    with where.container(key=f"tr_diseases_{again}", gap=None):
        for count, card in enumerate(ranked):
            problem_card(FIRST + again * MOST + count, card, trace, lang, count == 0 if len(ranked) > 1 else None)


def _order(card: Problem) -> tuple[bool, int]:
    """What can be cured first, then by gravity."""
    return not card.mended, ORDER.index(card.level) if card.level in ORDER else 0


def grave(trace: Trace, place: int, kinds: Sequence[str] = ()) -> list[Remark]:
    """The remarks that name a disease. `kinds`: those of diagnoses that are told too."""
    own = [remark for remark in remarks(trace, kinds) if remark.loop == place]
    return [remark for remark in own if remark.level != "info" or remark.kind == "dead-units"]


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
    proof = say(lang, "disease-cured", before=number(cure.before), after=number(cure.after))
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
