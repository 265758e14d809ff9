"""What the server says with every answer, and how it ends: who may frame it, what a page may load, what is hidden."""

import faulthandler
import os
import signal
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.runtime import get_instance
from streamlit.runtime.stats import GaugeStat

from explorer.patterns import linear
from explorer.sandbox import BadScheduler, cluster_settings, default_runner
from explorer.sandbox.hosted import check, hosted
from explorer.text import LANGUAGES, say
from explorer.tracing import trace_file
from explorer.ui.frame.batches import mend_events
from explorer.ui.frame.late import mend_requests
from explorer.ui.frame.leaving import mend_queue
from explorer.ui.frame.metrics import measured, wanted
from explorer.ui.frame.states import mend_states
from explorer.ui.session.host import host
from explorer.ui.session.links import ANCESTORS

HOSTED_MB = 6  # of one upload where strangers type: a file may have 5
LAST = 4.0  # seconds after which a server that was told to end is killed
READY = "/_stcore/ready"  # beside Streamlit's own /_stcore/health, which says only that the server answers
CLOSED = ("/_stcore/metrics",)  # counts of sessions and memory, which Streamlit shows to everybody

# Streamlit's own scripts make code at run time, and styles stand in elements: what is bounded is where anything comes
# from, and where it could be sent to.
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "media-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
# Knows nothing but a pipe: something in it is the word to end, its end is the server's.
_GUARD = """
import os, select, signal, sys, time
pid, last = int(sys.argv[1]), float(sys.argv[2])
if os.read(0, 1):
    end = time.monotonic() + last
    while (left := end - time.monotonic()) > 0:
        if select.select([0], [], [], left)[0] and not os.read(0, 1 << 16):
            break
    else:
        os.kill(pid, signal.SIGKILL)
"""
_ORIGIN = linear(r"'self'|'none'|https?://(\*\.)?[A-Za-z0-9.-]{1,200}(:\d{1,5})?")


def bound_uploads() -> None:
    """Where strangers upload, a file may have HOSTED_MB; what the configuration says holds for everybody else."""
    if hosted():
        config.set_option("server.maxUploadSize", HOSTED_MB)


def middleware() -> list[Middleware]:
    """What stands around Streamlit's own server. Ends the process when a variable cannot be read."""
    mend_queue()
    mend_requests()
    mend_events()
    mend_states()
    try:
        said = ancestors(os.environ.get(ANCESTORS, ""))
        wanted()
        host()
        cluster_settings()
    except BadScheduler as bad:
        sys.exit("\n".join(say(lang, f"scheduler-{bad.kind}", **bad.values) for lang in LANGUAGES))
    except ValueError as problem:
        sys.exit(str(problem))
    return [Middleware(Headers, headers=headers(said))]


def ancestors(said: str) -> str:
    """The sites that may frame the app, as browsers read them; only itself when nothing is said. Raises ValueError."""
    for word in said.split():
        if not _ORIGIN.fullmatch(word):
            raise ValueError(
                f"{ANCESTORS}: “{word}” is no site."
                " It has to be like https://school.example, several with spaces between"
            )
    return " ".join(said.split()) or "'self'"


def headers(framed_by: str) -> dict[str, str]:
    """What every answer says."""
    policy = _POLICY | {"frame-ancestors": framed_by}
    return {
        "content-security-policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
    }


def readiness() -> PlainTextResponse:
    """Whether programs can run at once; 503, with a word why, as long as not. Begins what that needs, also anew."""
    if check() is not None:
        return PlainTextResponse("unfit", 503)
    try:
        default_runner().start()
    except OSError:
        return PlainTextResponse("crowded", 503)
    ready = default_runner().ready()
    return PlainTextResponse("ready" if ready else "starting", 200 if ready else 503)


class Headers:
    """Puts headers over those of the app inside, hides what is not served, and says when programs can run. ASGI."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]):
        self._app = app
        self._headers = {name.encode(): value.encode("latin-1", "replace") for name, value in headers.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, _traced(send))

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0].lower() not in self._headers]
                message = {**message, "headers": [*kept, *self._headers.items()]}
            await send(message)

        path = scope["path"].rstrip("/")
        hidden = path.endswith(CLOSED)
        own = PlainTextResponse("Not Found", 404) if hidden else readiness() if path.endswith(READY) else None
        await (own or self._app)(scope, receive, told)


def _traced(send: Send) -> Send:
    """What sends a message to a browser; each with how long that took, where EXPLORER_TRACE asks for it."""
    if (file := trace_file()) is None:
        return send

    async def traced(message: Message) -> None:
        began = time.monotonic_ns()
        await send(message)
        file.write("send", began, time.monotonic_ns(), bytes=len(message.get("bytes") or b""))

    return traced


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """Of the server: it shows itself to its owner; told to end it does so within LAST seconds, whatever hangs in it."""
    if not st.get_option("server.headless"):  # an app with headers is not opened by Streamlit
        threading.Thread(target=webbrowser.open, args=(address(st.get_option),), name="browser", daemon=True).start()
    with guarded(), measured(default_runner, _sessions):
        if hosted() and check() is None:
            default_runner().start()  # before the first visitor, so that a proxy can wait for it
        yield


def _sessions() -> int:
    stats = get_instance().stats_mgr.get_stats().get("active_sessions", [])
    return sum(stat.value for stat in stats if isinstance(stat, GaugeStat))


def address(option: Callable[[str], Any]) -> str:
    """Where the owner's browser finds the server, by Streamlit's options."""
    listens = option("server.address") or ""
    host = option("browser.serverAddress") if listens in ("", "0.0.0.0", "::") else listens
    scheme = "https" if option("server.sslCertFile") else "http"
    base = (option("server.baseUrlPath") or "").strip("/")
    return f"{scheme}://{host}:{option('server.port')}/{base}"


@contextmanager
def guarded() -> Iterator[None]:
    """A process beside this one kills it when it still runs LAST seconds after it was told to end.

    A thread could not: Python runs neither another thread nor a handler of signals while one call of C goes on. So the
    handler is one of C (faulthandler's), which writes into a pipe and then calls the one that was there.
    """
    if not hasattr(faulthandler, "register"):  # Windows
        yield
        return
    read, write = os.pipe()
    command = [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid()), str(LAST)]
    guard = subprocess.Popen(command, stdin=read, cwd="/", start_new_session=True)  # no terminal's signal reaches it
    os.close(read)
    for number in (signal.SIGTERM, signal.SIGINT):
        faulthandler.register(number, file=write, all_threads=False, chain=True)
    try:
        yield
    finally:
        threading.Thread(target=guard.wait, name="guard", daemon=True).start()  # it ends when the pipe closes
