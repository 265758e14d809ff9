"""A wire of the graph that the user chose: cut or scaled in the program's text, run, and what changed on which card."""

from concurrent.futures import wait
from typing import Any

import streamlit as st

from explorer.analysis.autograd import Card, Wire
from explorer.analysis.comparison.rewired import Rewired, rewired, times_run, wire_operand
from explorer.analysis.source.code import Code
from explorer.analysis.source.expressions import shorten_code
from explorer.analysis.source.operands import detached, scaled
from explorer.drawing.picture import Picture
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Trace
from explorer.ui.components.script import component_state
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.pages.autograd.numbers import ask, pending, waiting
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.session.document import with_text
from explorer.ui.session.given_files import given
from explorer.ui.session.memo import memoize
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import change, document
from explorer.workers.second_run import RepairRunner

REWIRED = "_rewired"  # session state: the run with a changed wire
AT_ONCE = 0.6  # seconds that the page waits for it
FACTOR = "0.5"
LABEL = 40  # cells of a card's title
_asked = Inbox("_wire_events")
_chosen = SessionValue[tuple[Trace, str, str] | None]("_wire", lambda: None)  # the wire and what is done to it
_written = SessionValue[tuple[int, str, str, str] | None]("_wire_written", lambda: None)  # cell, text before, now, code


def may_cut(picture: Picture) -> bool:
    """Whether wires can be chosen: gradients are shown, and the program may run."""
    return not predicting() and not is_saved(picture.trace) and picture.view.backward is not None


def chosen_wire(picture: Picture, lang: str) -> dict[str, Any] | None:
    """What the graph shows of the chosen wire, None without one."""
    _take_in(picture)
    chosen, written = _chosen.get(), _written.get()
    if chosen is not None and chosen[0] is picture.trace and (code := _code(picture, chosen[1])) is not None:
        return _bar(picture, _wire(picture, chosen[1]), chosen[2], code, lang)
    if written is not None and _text(written[0]) == written[2]:
        words = say(lang, "wire-written", code=written[3])
        return {"id": "", "label": words, "said": words, "buttons": [("undo", say(lang, "wire-back"), "")], "notes": []}
    return None


def await_wire(picture: Picture, lang: str) -> None:
    """Draw the page again once the run with the changed wire has ended."""
    match _chosen.get():
        case (trace, wire, how) if trace is picture.trace and how:
            answer = pending(REWIRED, picture, wire, how)
            if answer is not None and not answer.done():
                waiting(REWIRED, "")


def _take_in(picture: Picture) -> None:
    """Handle what the user did last."""
    match component_state("picture", "wire"):
        case {"ids": [*ids], "act": str(act), "at": int(at)} if _asked.accept(at):
            pass
        case _:
            return
    chosen = _chosen.get() or (None, "", "")
    wire = next((one for one in ids[:100] if isinstance(one, str) and _code(picture, one) is not None), None)
    if act == "undo" and (written := _written.get()) is not None:
        _written.clear()
        _write(written[0], written[2], written[1])
    elif act == "write" and wire == chosen[1] and chosen[2] and (code := _code(picture, wire)) is not None:
        new = _new_text(code, chosen[2])
        _chosen.clear()
        text = code.replace(new).source
        _written.put((code.span.cell, code.source, text, _line(code, new)))
        _write(code.span.cell, code.source, text)
    elif act in ("choose", "detach", "scale") and wire is not None:
        _chosen.put((picture.trace, wire, "" if act == "choose" else act))
    else:
        _chosen.clear()
        _written.clear()


def _write(cell: int, before: str, text: str) -> None:
    change(with_text(document(), cell, before, text))
    st.rerun()


def _bar(picture: Picture, wire: Wire, how: str, code: Code, lang: str) -> dict[str, Any]:
    """The name of the wire, the choices, and the result of the one that was made."""
    cards = {card.id: card for card in picture.view.cards}
    label = say(lang, "wire-label", source=_title(cards[wire.source]), target=_title(cards[wire.target]))
    bar = {"id": wire.id, "label": label, "said": label, "notes": [], "cut": how == "detach"}
    if not how:
        times = memoize("times run", picture.trace, lambda: times_run(picture.trace, code), code.span)
        if times > 1:
            bar["said"] = f"{label}. {say(lang, 'wire-times', line=code.line, count=times)}"
        acts = [(act, _new_text(code, act)) for act in ("detach", "scale")]
        hints = [say(lang, "wire-with", code=_line(code, new), line=code.line) for _, new in acts]
        buttons = [(act, say(lang, f"wire-{act}"), hint) for (act, _), hint in zip(acts, hints, strict=True)]
        return bar | {"buttons": buttons}
    result = _found(picture, wire, how, code)
    bar["said"] = _said(result, _line(code, _new_text(code, how)), lang)
    if isinstance(result, Rewired):
        bar["notes"] = [(card, changed.text(lang)) for card, changed in result.cards.items()]
    own = _text(code.span.cell) == code.source
    write = [("write", say(lang, "wire-apply"), "")] if own and result is not None else []
    return bar | {"buttons": [*write, ("choose", say(lang, "wire-back"), "")]}


def _found(picture: Picture, wire: Wire, how: str, code: Code) -> Rewired | str | None:
    """What changed; None while the changed program runs, "late" if it did not end in time."""
    answer = pending(REWIRED, picture, wire.id, how)
    if answer is None:
        trace, view, files, who = picture.trace, picture.view, given(), visitor(st.context.ip_address)
        new = _new_text(code, how)

        def run() -> Rewired | str:
            after = RepairRunner(trace, files, visitor=who).run(code.span.cell, code.replace(new).source)
            return "late" if after is None else rewired(trace, after, view, code, new)

        answer = ask(REWIRED, picture, run, wire.id, how)
        wait([answer], AT_ONCE)
    if not answer.done():
        return None
    return "late" if answer.exception() is not None else answer.result()


def _said(result: Rewired | str | None, code: str, lang: str) -> str:
    match result:
        case None:
            return say(lang, "wire-running", code=code)
        case Rewired(failure=failure) if failure is not None:
            return say(lang, "wire-stops", code=code, error=shorten(f"{failure.type}: {failure.text}", 120))
        case Rewired(cards=cards, other=False):
            return say(lang, "wire-changed", code=code, count=len(cards))
        case Rewired():
            return say(lang, "wire-other", code=code)
    return say(lang, "wire-late", code=code)


def _new_text(code: Code, how: str) -> str:
    return detached(code) if how == "detach" else scaled(code, FACTOR)


def _line(code: Code, new: str) -> str:
    """The line of an operand with another text in its place."""
    return shorten_code(code.replace(new).source.split("\n")[code.line - 1].strip())


def _wire(picture: Picture, wire: str) -> Wire:
    return next(one for one in picture.view.wires if one.id == wire)


def _code(picture: Picture, wire: str) -> Code | None:
    """The operand of a wire, None if the picture has no such wire, or the text no such operand."""
    if all(one.id != wire for one in picture.view.wires):
        return None
    view = picture.view
    return memoize("operand", view, lambda: wire_operand(picture.trace, view, _wire(picture, wire)), wire)


def _text(cell: int) -> str:
    texts = document().texts
    return texts[cell] if cell < len(texts) else ""


def _title(card: Card) -> str:
    return shorten(card.title, LABEL)
