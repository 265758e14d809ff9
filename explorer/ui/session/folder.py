"""Access of the session's own programs to this machine, at home only.

A foreign program (from a link, a saved run, a linked page) has no access until the user claims it. A text that has run
as a user's own on this server keeps that status, because a reloaded page has a link too.
"""

import hashlib
from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st
from msgspec.structs import replace

from explorer.analysis.diagnose.messages import reach_text
from explorer.sandbox import CannotOpen, Opened, hosting
from explorer.sandbox.access import confines, environment_access, opened, repository
from explorer.text import say
from explorer.ui.session.document import DOCUMENT, Document
from explorer.ui.session.links import framed
from explorer.ui.session.offered_runs import is_offered

OPENED, TROUBLE = "_reach", "_reach_trouble"  # session state: granted access, and the reason for a failure
MOST_OWN = 10_000  # maximum number of remembered texts
NOTHING = Opened()

_own: dict[bytes, None] = {}  # digests of texts that ran as a user's own, in order


def held() -> Opened:
    """Return the access of this session's own programs."""
    if hosting.hosted() or framed() or st.context.is_embedded:
        return NOTHING
    return (st.session_state[OPENED] or NOTHING) if OPENED in st.session_state else environment_access()


def open_to(texts: tuple[str, ...]) -> Opened:
    """Return the access of a program: the session's for its own cells, otherwise none."""
    document: Document | None = st.session_state.get(DOCUMENT)
    if document is None or document.foreign or is_offered(texts) or document.texts[: len(texts)] != texts:
        return NOTHING
    access = held()
    if access:
        _own.pop(digest := _digest(document.texts), None)
        _own[digest] = None
        while len(_own) > MOST_OWN:
            _own.pop(next(iter(_own)))
    return access


def is_own(texts: tuple[str, ...]) -> bool:
    """Return whether exactly this text has run here as a user's own program."""
    return _digest(texts) in _own


def open_repository() -> None:
    """Open the repository around the open folder. Programs keep their start folder."""
    access = held()
    try:
        wider = opened(repository(access.folder), access.write, access.network)
    except CannotOpen as problem:
        st.session_state[TROUBLE] = problem
        return
    st.session_state[OPENED] = replace(wider, start=access.start or access.folder)


def fields(lang: str, changed: Callable[[], None]) -> None:
    """Draw the open access with its controls, nothing on a hosted site.

    `changed` is called after a change.
    """
    if hosting.hosted():
        return
    access = held()
    st.html(f'<p class="menu-title">{escape(say(lang, "reach-title"))}</p>')
    for name, value in (("folder", access.folder), ("write", access.write), ("network", access.network)):
        st.session_state[f"reach_{name}"] = value
    wanted: dict[str, Any] = {"on_change": _typed, "args": (changed,)}
    st.text_input(say(lang, "reach-folder"), key="reach_folder", **wanted)
    st.toggle(say(lang, "reach-write-label"), key="reach_write", disabled=not access.folder, **wanted)
    st.toggle(say(lang, "reach-network-label"), key="reach_network", **wanted)
    trouble: CannotOpen | None = st.session_state.get(TROUBLE)
    if trouble is not None:
        st.html(f'<p class="trouble" role="alert">{escape(trouble.message.text(lang))}</p>')
    words = f"{reach_text(lang, access.of_run())} {say(lang, 'reach-hint')}"
    st.html(f'<p class="quiet">{escape(words if confines() else say(lang, "system-unconfined"))}</p>')


def _typed(changed: Callable[[], None]) -> None:
    now = held()  # restores a field value lost when the menu closed
    folder, write, network = (
        st.session_state.get(f"reach_{name}", getattr(now, name)) for name in ("folder", "write", "network")
    )
    st.session_state.pop(TROUBLE, None)
    try:
        st.session_state[OPENED] = opened(folder.strip(), write and bool(folder.strip()), network)
    except CannotOpen as problem:
        st.session_state[TROUBLE] = problem
        return
    changed()


def _digest(texts: tuple[str, ...]) -> bytes:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
