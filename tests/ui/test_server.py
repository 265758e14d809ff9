"""The server's response headers, and what it hides."""

import asyncio
import signal
import subprocess
import sys

import pytest
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.paths import PACK
from explorer.ui.frame.server import ANCESTORS, Headers, address, ancestors, headers, lesson_pack, middleware
from tests.patience import PATIENT
from tests.visitor import alone

HERE = [(b"host", b"localhost")]


def answered(path: str, framed_by: str = "'self'", **asked: str) -> tuple[int, dict[str, str]]:
    """Return status and headers of a response to which the app inside adds its own headers."""
    sent = []
    of_browser = [(name.replace("_", "-").encode(), value.encode()) for name, value in asked.items()]

    async def send(message):
        sent.append(message)

    inside = PlainTextResponse("here", headers={"X-Content-Type-Options": "else", "X-Own": "kept"})
    app = Headers(inside, headers(framed_by))
    alone(app({"type": "http", "method": "GET", "path": path, "headers": HERE + of_browser}, None, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_the_first_page_has_its_name_as_an_address_too():
    status, sent = answered("/base/autograd")
    assert (status, sent["location"]) == (307, "./") and answered("/autograd/")[1]["location"] == "../"


def test_the_script_of_plotly_is_served_compressed_and_once():
    status, sent = answered("/base/plotly.min.js", accept_encoding="gzip, br")
    assert status == 200 and sent["content-encoding"] == "gzip" and int(sent["content-length"]) < 2_000_000
    assert "content-encoding" not in answered("/plotly.min.js")[1]
    assert answered("/plotly.min.js", if_none_match=sent["etag"])[0] == 304


def test_a_page_is_hidden_until_its_styles_arrive():
    assert all("text/html" in answered(f"/{name}")[1]["content-type"] for name in ("", "lessons", "histogram"))
    assert "x-own" in answered("/lessons/else")[1]  # Streamlit answers unknown paths


def test_a_connection_closed_by_the_server_is_not_an_error():
    met = []

    async def inside(scope, receive, send):
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            for _ in range(3):
                await socket.send_bytes(b"drawn")
                await asyncio.sleep(0)
        except Exception as problem:
            met.append(type(problem))

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        if message["type"] == "websocket.send":
            raise RuntimeError("Unexpected ASGI message 'websocket.send', after sending 'websocket.close'.")

    alone(Headers(inside, {})({"type": "websocket", "path": "/", "headers": HERE}, receive, send))
    assert met == [WebSocketDisconnect]


def test_responses_forbid_framing_and_sniffing():
    status, said = answered("/static/page.js")
    assert status == 200
    assert said["content-security-policy"].endswith("frame-ancestors 'self'")
    assert (said["x-content-type-options"], said["referrer-policy"]) == ("nosniff", "no-referrer")
    assert said["cross-origin-resource-policy"] == "same-origin"
    granted = said["permissions-policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "clipboard-read=()", "usb=()"} <= set(granted)
    assert all(one.endswith("=()") for one in granted) and "clipboard-write=()" not in granted
    assert said["x-own"] == "kept"


def test_the_policy_forbids_other_origins():
    directives = dict(one.split(" ", 1) for one in answered("/")[1]["content-security-policy"].split("; "))
    assert directives["default-src"] == "'self'" and directives["object-src"] == "'none'"
    scripts = directives["script-src"].split()
    assert "'unsafe-inline'" not in scripts and "'unsafe-eval'" not in scripts
    assert not any("http" in sources or "*" in sources or "ws:" in sources for sources in directives.values())


def test_the_owner_configures_who_may_frame_the_app(monkeypatch):
    assert (
        ancestors(" https://school.example  http://localhost:3000 ") == "https://school.example http://localhost:3000"
    )
    assert answered("/", "https://school.example")[1]["content-security-policy"].endswith(" https://school.example")
    monkeypatch.setenv(ANCESTORS, "https://school.example; script-src *")
    with pytest.raises(SystemExit, match="is no site"):
        middleware()


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/base/_stcore/metrics"])
def test_server_metrics_are_hidden(path):
    status, said = answered(path)
    assert status == 404 and "content-security-policy" in said


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"server.address": "localhost"}, "http://localhost:8501/"),
        ({"server.address": "0.0.0.0", "server.port": 80}, "http://localhost:80/"),
        ({"server.address": "192.0.2.1", "server.baseUrlPath": "/lab/"}, "http://192.0.2.1:8501/lab"),
        ({"browser.serverAddress": "lab.example", "server.sslCertFile": "cert"}, "https://lab.example:8501/"),
    ],
)
def test_the_owners_browser_opens_the_servers_address(options, expected):
    usual = {"server.port": 8501, "browser.serverAddress": "localhost"}
    assert address((usual | options).get) == expected


HANGING = """
import itertools, signal
from explorer.ui.frame import server
server.LAST = {last}
signal.signal(signal.SIGTERM, lambda *_: {told})
with server.guarded():
    print("begun", flush=True)
    {work}
"""


def ended(told: str, work: str, last: float = 0.5) -> int:
    """Return the exit status of a process asked to end during its work, after `last` seconds."""
    process = subprocess.Popen(
        [sys.executable, "-c", HANGING.format(told=told, work=work, last=last)], stdout=subprocess.PIPE
    )
    with process:
        try:
            assert process.stdout.readline() == b"begun\n"
            process.terminate()
            return process.wait(PATIENT)
        finally:
            process.kill()


@pytest.mark.thorough
def test_a_server_stuck_in_a_c_call_is_killed_after_a_request_to_end():
    """In a C call, its signal handler never runs."""
    assert ended("None", "sum(itertools.repeat(0))") == -signal.SIGKILL


@pytest.mark.thorough
def test_a_server_that_does_not_end_in_time_is_killed():
    assert ended("None", "while True: pass") == -signal.SIGKILL


@pytest.mark.thorough
def test_a_server_that_ends_in_time_is_not_killed():
    assert ended("exit(7)", "while True: pass", last=PATIENT) == 7


def test_an_unreadable_lesson_pack_ends_the_start(monkeypatch, tmp_path):
    monkeypatch.setenv(PACK, str(tmp_path))
    with pytest.raises(ValueError, match=r"course\.toml: "):
        lesson_pack()
    monkeypatch.delenv(PACK)
    assert lesson_pack() is None
