"""The filter of gallery and lessons: a field with results below, best first."""

from html import escape

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.course import course
from explorer.lessons.gallery import gallery
from explorer.lessons.search import LONGEST, search
from explorer.text import say
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.session.gallery import open_example, open_lesson

MOST = 30  # most listed


def filtered(page: str, lang: str) -> bool:
    """Draw field and results. Return whether they replace the page's list.

    Args:
        page: name of the page, for its own field.
    """
    list_key = f"found_{page}"
    kind, _, id = (pressed(list_key, "") or "").partition(":")
    if kind == "lesson":
        open_lesson(id)
    elif kind == "example":
        open_example(id)
    label, hint = say(lang, "search-label"), say(lang, "search-hint")
    key = f"find_{page}"
    asked = st.text_input(label, key=key, placeholder=hint, max_chars=LONGEST, label_visibility="collapsed", live=True)
    if not (asked or "").strip():
        return False
    hits = search(asked, lang, gallery(), course())
    st.html(f'<p class="quiet" role="status">{quoted(say(lang, "search-found", count=len(hits)))}</p>')
    rows = "".join(
        f'<button type="button" class="found" data-choose="{hit.kind}:{escape(hit.id, quote=True)}">'
        f"<b>{quoted(hit.title)}</b><small>{quoted(say(lang, f'search-{hit.kind}'))}</small>"
        f"<span>{quoted(hit.says)}</span></button>"
        for hit in hits[:MOST]
    )
    linked(f'<div class="found-list">{rows}</div>', list_key)
    return True
