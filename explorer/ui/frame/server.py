"""What the server says with every answer, and how it ends: who may frame it, what a page may load, what is hidden."""

import faulthandler
import os
import signal
import subprocess
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.patterns import linear

ANCESTORS = "EXPLORER_FRAME_ANCESTORS"  # the environment variable with the sites that may frame the app
LAST = 4.0  # seconds after which a server that was told to end is killed
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


def middleware() -> list[Middleware]:
    """What stands around Streamlit's own server. Ends the process when the variable with the sites cannot be read."""
    try:
        said = ancestors(os.environ.get(ANCESTORS, ""))
    except ValueError as problem:
        sys.exit(f"{ANCESTORS}: {problem}")
    return [Middleware(Headers, headers=headers(said))]


def ancestors(said: str) -> str:
    """The sites that may frame the app, as browsers read them; only itself when nothing is said. Raises ValueError."""
    for word in said.split():
        if not _ORIGIN.fullmatch(word):
            raise ValueError(
                f"“{word}” is no site. It has to be like https://school.example, several with spaces between"
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


class Headers:
    """Puts headers over those of the app inside, and hides what is not served. An ASGI app."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]):
        self._app = app
        self._headers = {name.encode(): value.encode("latin-1", "replace") for name, value in headers.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0].lower() not in self._headers]
                message = {**message, "headers": [*kept, *self._headers.items()]}
            await send(message)

        hidden = scope["path"].rstrip("/").endswith(CLOSED)
        await (PlainTextResponse("Not Found", 404) if hidden else self._app)(scope, receive, told)


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """Of the server: it shows itself to its owner; told to end it does so within LAST seconds, whatever hangs in it."""
    if not st.get_option("server.headless"):  # an app with headers is not opened by Streamlit
        threading.Thread(target=webbrowser.open, args=(address(st.get_option),), name="browser", daemon=True).start()
    with guarded():
        yield


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
