"""Response headers and shutdown: which sites may frame the app, and what a page may load."""

import faulthandler
import gc
import os
import signal
import subprocess
import sys
import threading
import webbrowser
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnected
from streamlit.watcher import polling_path_watcher

from explorer.extras import MissingExtra
from explorer.hosting.heap import limit_arenas
from explorer.hosting.host import host
from explorer.hosting.host_names import refusal
from explorer.hosting.inbound_messages import open_filter
from explorer.hosting.metrics import ASKED, METRICS_PATH, RunnerMetrics, wanted
from explorer.hosting.send_queue import Outbound
from explorer.hosting.sessions import add_metrics
from explorer.hosting.uploads import PATH, server_uploads
from explorer.lessons.course import course, own_course
from explorer.lessons.runs import pack_flaws
from explorer.paths import PACK
from explorer.safe_regex import linear, plain
from explorer.sandbox import BadScheduler, cluster_settings, default_runner
from explorer.sandbox.hosting import check
from explorer.text import LANGUAGES, say
from explorer.ui.frame.plotly import PATH as PLOTLY
from explorer.ui.frame.plotly import plotly_script
from explorer.ui.session.addresses import MOVED, OWN_LANGUAGE, PAGES
from explorer.ui.session.links import ANCESTORS, ARRIVES
from explorer.ui.streamlit_patches import free_ended_sessions, patch

YOUNG = 10_000  # new objects after which the collector runs
LAST = 4.0  # seconds after which a stopping server is killed
READY = "/_stcore/ready"  # Streamlit's own /_stcore/health only reports that the server responds

# Component scripts are blobs. Streamlit's page has one inline script, allowed by its digest (`_inline`). Text is never
# evaluated as code. Styles are inline elements.
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self' blob:",
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
# Until page.css arrives; earlier errors stay visible.
_UNSTYLED = (
    '[data-testid="stMainBlockContainer"] { visibility: hidden; animation: late 0s 10s forwards; }'
    " @keyframes late { to { visibility: visible; } }"
)
# Server address for every page: otherwise the browser first looks below the page's path and finds nothing.
_BASE = "window.__streamlit = { BACKEND_BASE_URL: location.origin + location.pathname.replace(/\\/(%s)\\/?$/, '/') };"
# Only the browser knows the fragment and its programs: the query tells the page to wait for them, and its script
# (links.js) removes that part of the address again. Opened without an address of its own, the page has the last
# program, as if this entry of the browser's history had held it. The language is the one chosen here (theme.js),
# otherwise the browser's, otherwise that of a link's sender.
_ARRIVES = """
try {
  const page = location.pathname.match(/\\/(%s)\\/?$/)?.[1] ?? "%s", url = new URL(location);
  const asked = url.searchParams, browser = navigator.language.split("-")[0], own = localStorage.getItem("%s");
  let kept = history.state?.explorer || sessionStorage.getItem(`explorer:${page}`);
  const linked = location.hash.length > 1;
  if (!kept && !linked && page === "%s" && [...asked.keys()].every((name) => name === "lang")) {
    const mine = JSON.parse(localStorage.getItem("explorer:programs") || "[]").find(
      ({ origin, cells }) => !origin.ours && cells.some(([, text]) => text.trim()));
    if (mine) history.replaceState({ ...history.state, explorer: (kept = mine.origin.key) }, "");
  }
  if (kept || linked) asked.set("%s", "1");
  if (!asked.has("embed")) {
    if (own) asked.set("lang", own);
    else if (linked && !kept && asked.has("lang") && %s.includes(browser)) asked.set("lang", browser);
  }
  if (url.search !== location.search) history.replaceState(history.state, "", url);
} catch {}
"""
# When a page is left, Streamlit clears its query and adds a history entry, so Back would need two presses. Only another
# page, program or lesson adds an entry (links.js).
_HISTORY = """
const push = history.pushState.bind(history);
history.pushState = (state, title, url) => {
  if (state?.explorer || new URL(url, location.href).pathname !== location.pathname) push(state, title, url);
};
"""
# This process has only a pipe: a byte tells it to stop, and EOF means that the server has ended.
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
# Browser features that no page of the app needs: pages use the full screen, and write to the clipboard when asked to.
_UNUSED = (
    "accelerometer autoplay camera clipboard-read display-capture encrypted-media gamepad geolocation "
    "gyroscope hid idle-detection local-fonts magnetometer microphone midi payment picture-in-picture "
    "publickey-credentials-get screen-wake-lock serial storage-access usb window-management xr-spatial-tracking"
).split()
_PAGES = {"/", *(f"/{name}" for name in (*(page.name for page in PAGES[1:]), *MOVED))}
_SCRIPT = plain(r"<script>([^<]*+)</script>")
_ORIGIN = linear(r"'self'|'none'|https?://(\*\.)?[A-Za-z0-9.-]{1,200}(:\d{1,5})?")


def middleware() -> list[Middleware]:
    """Return the middleware around Streamlit's server. Ends the process if a variable is invalid."""
    limit_arenas()
    patch()
    try:
        allowed = ancestors(os.environ.get(ANCESTORS, ""))
        wanted()
        host()
        cluster_settings()
        lesson_pack()
    except (BadScheduler, MissingExtra) as bad:
        sys.exit("\n".join(bad.message.text(lang) for lang in LANGUAGES))
    except ValueError as problem:
        sys.exit(str(problem))
    return [Middleware(Headers, headers=headers(allowed))]


def lesson_pack() -> None:
    """Print the flaws of the lesson pack, if any. Raises ValueError if unreadable."""
    pack = os.environ.get(PACK)
    if not pack or not (flaws := pack_flaws(pack)):
        return
    if course() is own_course():
        raise ValueError(flaws)
    print(flaws, file=sys.stderr)


def ancestors(text: str) -> str:
    """Return the sites that may frame the app, for CSP.

    Raises ValueError.
    """
    for word in text.split():
        if not _ORIGIN.fullmatch(word):
            raise ValueError(
                f"{ANCESTORS}: “{word}” is no site."
                " It has to be like https://school.example, several with spaces between"
            )
    return " ".join(text.split()) or "'self'"


def headers(framed_by: str) -> dict[str, str]:
    """Return the headers of every response."""
    policy = _POLICY | {"script-src": f"{_POLICY['script-src']} {_inline()}".strip(), "frame-ancestors": framed_by}
    return {
        "content-security-policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": ", ".join(f"{name}=()" for name in _UNUSED),
    }


@cache
def _html() -> str:
    """Return Streamlit's page with our title, hidden until styled."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    names, first = "|".join((*(one.name for one in PAGES), *MOVED)), PAGES[0].name
    script = _BASE % names + _ARRIVES % (names, first, OWN_LANGUAGE, first, ARRIVES, list(LANGUAGES)) + _HISTORY
    head = f"<title>Autograd Explorer</title>\n    <style>{_UNSTYLED}</style><script>{script}</script>"
    return page.replace("<title>Streamlit</title>", head)


@cache
def _inline() -> str:
    """Return the digests of the inline scripts in Streamlit's page, for the policy."""
    digests = (b64encode(sha256(script.encode()).digest()).decode() for script in _SCRIPT.findall(_html()))
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def readiness() -> PlainTextResponse:
    """Return 200 if programs can run now, otherwise 503. Restart ended processes."""
    if check() is not None:
        return PlainTextResponse("unfit", 503)
    try:
        default_runner().start_soon()
    except OSError:
        return PlainTextResponse("crowded", 503)
    ready = default_runner().ready()
    return PlainTextResponse("ready" if ready else "starting", 200 if ready else 503)


class Headers:
    """ASGI middleware that refuses other hosts, adds headers, hides closed addresses, and answers READY and PLOTLY."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]):
        self._app, self._uploads = app, server_uploads()
        self._headers = {name.encode(): value.encode("latin-1", "replace") for name, value in headers.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        refused = refusal(scope)
        if scope["type"] == "websocket":
            if refused is not None:
                return await WebSocket(scope, receive, send).send_denial_response(refused)
            (inbound, over), outbound = open_filter(scope, receive), Outbound(send)
            try:
                return await self._app(scope, inbound.receive, outbound.send)
            except WebSocketDisconnected:  # the browser left while something was sent to it
                return None
            finally:
                over()
                outbound.close()

        async def respond(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [pair for pair in message["headers"] if pair[0].lower() not in self._headers]
                message = {**message, "headers": [*others, *self._headers.items()]}
            await send(message)

        if refused is not None:
            return await refused(scope, receive, respond)
        if scope["method"] == "PUT" and PATH in scope["path"]:
            return await self._uploads.put(self._app, scope, receive, respond)
        path = scope["path"].rstrip("/")
        answer = self._app
        if path.endswith(METRICS_PATH):  # Streamlit would show it to everyone
            scope = {**scope, "query_string": ASKED.encode()}
            answer = self._app if wanted() else PlainTextResponse("Not Found", 404)
        elif path.endswith(f"/{PAGES[0].name}") and scope["method"] == "GET":  # Streamlit serves it only as /
            asked = scope.get("query_string", b"").decode("latin-1")
            answer = RedirectResponse(("../" if scope["path"].endswith("/") else "./") + (asked and f"?{asked}"))
        elif scope["method"] == "GET" and scope["path"] in _PAGES:
            answer = HTMLResponse(_html(), headers={"cache-control": "no-cache"})
        elif path.endswith(READY):
            answer = readiness()
        elif path.endswith(PLOTLY) and scope["method"] == "GET":
            answer = plotly_script
        await answer(scope, receive, respond)


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """Open the owner's browser. After a request to stop, end within LAST seconds."""
    if not st.get_option("server.headless"):  # Streamlit does not open an app that sets headers
        threading.Thread(target=webbrowser.open, args=(address(st.get_option),), name="browser", daemon=True).start()
    if _warming.ident is None:
        _warming.start()
    if wanted():
        with suppress(BadScheduler):  # the first page reports it
            add_metrics(RunnerMetrics(default_runner()))
    async with free_ended_sessions():
        with guarded():
            if check() is None:
                with suppress(OSError, BadScheduler):  # the first page reports it
                    default_runner().start_soon()  # starts before the first visitor; a proxy can wait for it
            yield


def _warm() -> None:
    """Load the first page's modules early, and tune garbage collection and threads.

    app.py stopped the collector, which took a fifth of all import time. A full collection takes 80 ms for 90 000
    objects of imported modules. Frozen objects are skipped, and new ones are checked less often. The sending thread
    waits 1 ms instead of 5 for its turn while another draws. Streamlit looks for changes of its settings once a second
    instead of five times.
    """
    vars(polling_path_watcher)["_POLLING_PERIOD_SECS"] = 1.0
    try:
        for module in ("frame.shell", "pages.autograd.page"):
            import_module(f"explorer.ui.{module}")
        for lang in LANGUAGES:
            say(lang, "run")
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(YOUNG, 10, 10)
        gc.enable()
        sys.setswitchinterval(0.001)


_warming = threading.Thread(target=_warm, name="warm", daemon=True)


def until_loaded() -> None:
    """Wait until the first page is loaded, if a server loads it.

    If two threads import modules of one package in a different order, Python gives one of them a half-initialized
    module, and the first visitor saw an error.
    """
    if _warming.ident is not None:
        _warming.join()


def address(option: Callable[[str], Any]) -> str:
    """Return the address of the server for the owner's browser, from Streamlit's options."""
    listens = option("server.address") or ""
    host = option("browser.serverAddress") if listens in ("", "0.0.0.0", "::") else listens
    scheme = "https" if option("server.sslCertFile") else "http"
    base = (option("server.baseUrlPath") or "").strip("/")
    return f"{scheme}://{host}:{option('server.port')}/{base}"


@contextmanager
def guarded() -> Iterator[None]:
    """Start a process that kills this one LAST seconds after a stop signal.

    A thread cannot do this: during a C call, Python runs neither threads nor signal handlers. So faulthandler's C
    handler writes into a pipe and then calls the previous handler.
    """
    if not hasattr(faulthandler, "register"):  # Windows
        yield
        return
    read, write = os.pipe()
    command = [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid()), str(LAST)]
    guard = subprocess.Popen(
        command, stdin=read, cwd="/", start_new_session=True
    )  # so that a terminal's signals don't reach it
    os.close(read)
    for number in (signal.SIGTERM, signal.SIGINT):
        faulthandler.register(number, file=write, all_threads=False, chain=True)
    try:
        yield
    finally:
        threading.Thread(target=guard.wait, name="guard", daemon=True).start()  # the thread ends when the pipe closes
