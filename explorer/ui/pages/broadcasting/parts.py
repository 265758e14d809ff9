"""The two halves of the Broadcasting page: the shapes explained, and the picture."""

import math
import zlib
from dataclasses import dataclass
from itertools import chain
from typing import Any

import streamlit as st

from explorer.analysis.views.broadcasting.alignment import Alignment, Fix, Shape, align, fixes
from explorer.analysis.views.broadcasting.operation import Broadcast
from explorer.analysis.views.broadcasting.question import MAX_ENTRIES, BroadcastQuestion, changed
from explorer.drawing.broadcasting.alignment import alignment_html, dim_text, rules_html, sliders_html, window_of, word
from explorer.drawing.broadcasting.grids import Figure, figures, key, operand_figures, picture_title, words
from explorer.drawing.marks import message_html, quoted
from explorer.drawing.plots.plotly_look import CONFIG, paints
from explorer.text import say
from explorer.text.numbers import sizes
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox, SessionValue
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState

KEY = "bc_picture"
# Session state: the last good picture, the last handled choice, and the shown picture's name.
ABOUT = "_bc_about"
_last_good = SessionValue[Any]("_bc_good")
_choices = Inbox("_bc_handled")

_picture = component(
    "explorer_broadcasting",
    '<div class="bc-picture"><div class="bc-axes"></div><div class="plot bc-stage" role="group" tabindex="0"></div>'
    '<div class="bc-text" aria-live="polite"></div></div>',
    "pages/broadcasting/broadcasting.js",
)

AS_ONE: dict[str, Any] = {"key": KEY, "default": {"asked": None}}
FIELDS = ("a", "b", "c", "d", "operator", "start", "given", "place")
STATE = PageState("broadcasting", {name: f"bc_{name}" for name in FIELDS})  # `at` is the chosen entry


@dataclass(frozen=True)
class ShownBroadcast:
    """Data that the page shows.

    Attributes:
        found: what the run left, None when nothing ran.
        question: what was asked on this page, None for an operation of the open program.
        trouble: why nothing ran. note: what was added to the program. message: torch's own words for a clash.
        repaired: of shapes that clash, the likeliest repair and what its run left.
    """

    found: Broadcast | None
    question: BroadcastQuestion | None = None
    trouble: str = ""
    note: str = ""
    message: str = ""
    repaired: tuple[Fix, Broadcast] | None = None

    @property
    def alignment(self) -> Alignment | None:
        """Alignment of the operands, None unless all shapes are known and valid."""
        if self.found is not None:
            return self.found.alignment
        shapes = self.question.shapes if self.question else None
        return align(shapes) if shapes is not None and min((0, *chain(*shapes))) == 0 else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the operands."""
        return tuple(part.name for part in self.found.parts) if self.found else self.question.names

    @property
    def expression(self) -> str:
        """The operation in the program's words."""
        return self.found.expression if self.found else self.question.expression


def chosen() -> str | None:
    """Return the entry last chosen in the picture, or None."""
    asked = component_state(KEY, "asked")
    if not isinstance(asked, dict) or not _choices.accept(asked.get("count")):
        return None
    if asked.get("about") != st.session_state.get(ABOUT):
        return None  # it belongs to an old picture
    at, source = asked.get("at"), asked.get("s")
    if not isinstance(at, list) or not all(isinstance(i, int) for i in at) or len(at) > 64:
        return None
    text = ",".join(map(str, at)) or "·"
    return f"{text};{source}" if isinstance(source, str) and len(source) < 60 else text


def explain(shown: ShownBroadcast, at: str, lang: str) -> None:
    """Align the shapes, explain problems, and offer repairs."""
    if shown.trouble:
        st.html(f'<p class="bc-warn" role="alert">{quoted(shown.trouble)}</p>')
    if shown.note:
        st.html(f'<p class="bc-warn" role="status">{quoted(shown.note)}</p>')
    alignment = shown.alignment
    if alignment is None:
        return
    _title("line-up", lang)
    table = alignment_html(alignment, shown.names, shown.expression, lang)
    equal = len(set(alignment.shapes)) == 1 and alignment.result is not None
    st.html(table + (f'<p class="bc-note">{quoted(say(lang, "bc-nothing-broadcast"))}</p>' if equal else ""))
    _wrong(shown, alignment, lang)
    broadcast = shown.found
    if broadcast is None or alignment.result is None:
        return
    _title("backward", lang)
    place, _ = _place(at, alignment.result, len(broadcast.parts))
    st.html(rules_html(broadcast, place if alignment.entries else None, lang))


def picture(shown: ShownBroadcast, at: str, lang: str) -> None:
    """Draw the picture, or the last good one dimmed if the shapes clash."""
    broadcast, good = shown.found, _last_good.get()
    drawable = broadcast is not None and broadcast.alignment.result is not None and broadcast.values is not None
    with st.container(key="bc_frame"):
        if drawable:
            _last_good.put(broadcast)
            _grids(broadcast, at, False, lang)
        elif shown.repaired is not None:
            fix, made = shown.repaired
            words = message_html(lang, "bc-repaired", code=_fix_code(shown, fix))
            st.html(f'<p class="bc-repaired" role="status">{words}</p>')
            _grids(made, at, False, lang)
        elif good is not None and shown.question is not None:
            shapes = ", ".join(map(sizes, good.alignment.shapes))
            of = say(lang, "bc-stale-of", expression=good.expression, shapes=shapes)
            st.html(f'<p class="stale" role="status"><b>{quoted(say(lang, "stale"))}</b> {quoted(of)}</p>')
            _grids(good, "", True, lang)
        elif broadcast is not None:
            operands = operand_figures(broadcast, st.context.theme.type == "dark", lang)
            _picture(data={**_drawn(operands, broadcast, lang), "stale": True}, **AS_ONE)
        if broadcast is not None:
            _left_out(broadcast, lang)
    if drawable:
        _keys(any(part.gradient is not None and not part.stored for part in broadcast.parts), lang)


def _title(name: str, lang: str) -> None:
    note = quoted(say(lang, f"bc-{name}-note"))
    title = quoted(say(lang, f"bc-{name}"))
    st.html(f'<h3>{title}</h3><p class="bc-note">{note}</p>')


def _wrong(shown: ShownBroadcast, alignment: Alignment, lang: str) -> None:
    """Explain clashing or suspicious shapes. Draw fixes as buttons."""
    texts = [operand.text for operand in shown.question.operands] if shown.question else shown.names
    repairs = fixes(alignment.shapes, texts)
    title = "bc-fix" if shown.question else "bc-fix-program"
    if alignment.clashes:
        columns = [column for column in alignment.columns if column.size is None]
        against = say(lang, "between-clauses").join(_clash_words(column.sizes, lang) for column in columns)
        dims = ", ".join(dim_text(column.dim) for column in columns)
        clash = f"<p>{quoted(say(lang, 'bc-clash', dims=dims, sizes=against))}</p>"
        clash += f"<code>{quoted(shown.message)}</code>" if shown.message else ""
        st.html(f'<div class="bc-warn" role="alert">{clash}</div>')
    elif repairs and alignment.grown:
        title = "bc-fix-silent"
        st.html(f'<p class="bc-warn">{quoted(say(lang, "bc-fix-silent-note", count=alignment.entries))}</p>')
    elif repairs:
        st.html(f'<p class="bc-warn">{quoted(say(lang, "bc-fix-axis-note"))}</p>')
    if not repairs:
        return
    with st.container(key="bc_fixs"):
        st.html(f'<p class="menu-title">{quoted(say(lang, title))}</p>')
        for number, fix in enumerate(repairs):
            label = _fix_label(shown, fix, lang)
            if shown.question:
                st.button(label, key=f"bc_fix_{number}", on_click=_apply, args=(shown.question, fix))
            else:
                st.markdown(label)


def _clash_words(column: tuple[int | None, ...], lang: str) -> str:
    first, second = list(dict.fromkeys(size for size in column if size not in (None, 1)))[:2]
    return say(lang, "bc-clash-sizes", first=first, second=second)


def _fix_label(shown: ShownBroadcast, fix: Fix, lang: str) -> str:
    """Write the code as Markdown, in backticks that it cannot close."""
    code = _fix_code(shown, fix).replace("`", "ˋ")
    shape, result = sizes(fix.shape), sizes(fix.result)
    return say(lang, "bc-fix-gives", code=f"`{code}`", shape=shape, result=result)


def _fix_code(shown: ShownBroadcast, fix: Fix) -> str:
    """Return the repaired operand as code."""
    name = word(shown.names[fix.operand])
    return fix.code.format(f"({name})" if " " in name else name)


def _apply(question: BroadcastQuestion, fix: Fix) -> None:
    name = question.names[fix.operand]
    STATE.put(at="", **{name: changed(question.operands[fix.operand], fix.code, fix.shape).text})


def _place(at: str, shape: Shape, operands: int) -> tuple[Shape, str | None]:
    """Return an address's entry, and the operand's if named.

    If it names no entry of the result, return one that shows more than the first: its neighbours differ from it.
    """
    index, _, source = at.partition(";")
    try:
        place = () if index == "·" else tuple(map(int, index.split(",")))
    except ValueError:
        place = None
    window = window_of(shape, place, operands)
    if window.at == place or not window.entries:
        return window.at, source or None
    return window.index(window.rows[-1], window.columns[:2][-1]), None


def _grids(broadcast: Broadcast, at: str, stale: bool, lang: str) -> None:
    place, source = _place(at, broadcast.alignment.result, len(broadcast.parts))
    window = window_of(broadcast.alignment.result, place, len(broadcast.parts))
    dark = st.context.theme.type == "dark"
    look = (window, dark, lang)
    made = memoize("broadcast figures", broadcast, lambda: figures(broadcast, *look), *look)
    drawn = _drawn(made, broadcast, lang)
    st.session_state[ABOUT] = drawn["about"]
    chosen_ = {"r": key(window.at), "s": source, "at": list(window.at), "shape": list(window.shape)}
    texts = {} if stale else memoize("broadcast words", broadcast, lambda: words(broadcast, window, lang), window, lang)
    sliders = "" if stale else sliders_html(window, lang)
    _picture(data={**drawn, **chosen_, "words": texts, "stale": stale, "sliders": sliders}, **AS_ONE)


def _drawn(drawn: tuple[Figure, Figure], broadcast: Broadcast, lang: str) -> dict[str, Any]:
    """Return the script's data about the figures for a wide page and a phone."""
    about = zlib.crc32(repr((broadcast.expression, broadcast.alignment.shapes, drawn[0]["data"])).encode())
    nothing = {"words": {}, "shape": [], "at": [], "r": "", "s": None, "sliders": ""}
    return {
        **nothing, "figures": drawn, "config": CONFIG, "alt": picture_title(broadcast, lang),
        "about": about, "handled": _choices.handled, "accent": paints(st.context.theme.type == "dark").named["cyan"],
    }  # fmt: skip


def _left_out(broadcast: Broadcast, lang: str) -> None:
    """Explain which entries are not shown, and why."""
    if broadcast.alignment.entries > MAX_ENTRIES:
        sentence = say(lang, "bc-trouble.large", count=broadcast.alignment.entries, most=MAX_ENTRIES)
        st.html(f'<p class="bc-warn" role="alert">{quoted(sentence)}</p>')
    missing = [part for part in broadcast.parts if part.values is None]
    names = ", ".join(word(part.name) for part in missing)
    if missing:
        counts = [math.prod(part.shape) for part in missing]
        why = (
            "many" if max(counts) > MAX_ENTRIES else "sparse" if any(operand.opaque for operand in missing) else "other"
        )
        st.html(f'<p class="bc-warn">{quoted(say(lang, "bc-opaque", names=names, why=why, most=MAX_ENTRIES))}</p>')
    if any(part.dtype.startswith("complex") for part in broadcast.parts):
        st.html(f'<p class="bc-note">{quoted(say(lang, "bc-complex"))}</p>')


def _keys(shares: bool, lang: str) -> None:
    entries = (
        f"<span><i></i>{quoted(say(lang, 'bc-key-stored'))}</span>"
        f'<span><i class="gh"></i>{quoted(say(lang, "bc-key-ghost"))}</span>'
        f'<span>{quoted(say(lang, "graph-gradient"))}<b> −</b><i class="ramp"></i><b>+</b></span>'
        f"<span>{quoted(say(lang, 'bc-key-chosen'))}</span>"
    )
    if shares:
        entries += f"<span><b>∂</b> {quoted(say(lang, 'bc-key-share'))}</span>"
    st.html(f'<div class="bc-keys">{entries}</div>')
