"""Host names the app answers to, so that another site's page cannot reach it under its own name."""

import http.client
import socket

import pytest
from starlette.responses import PlainTextResponse
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.hosting.host_names import answered, named
from explorer.sandbox import hosting
from explorer.sandbox.hosting import SITE, site_names
from explorer.ui.frame.server import READY, Headers, headers
from tests.patience import PATIENT
from tests.visitor import alone, server

LOCAL = ["localhost", "LOCALHOST:8501", "localhost.:8501", "friend.localhost:80", "127.0.0.1:8501", "127.8.9.1"]
OTHERS = [
    "elsewhere.example",
    "localhost.elsewhere.example",
    "notlocalhost",
    "192.0.2.1:8501",
    "[2001:db8::1]",
    "",
    ":80",
]
ODD = ["localhost@elsewhere.example", "elsewhere.example/localhost", "localhost:port", "localhost:99999", "[::1", "a b"]
UPLOAD = "/_stcore/upload_file/session/file"


@pytest.mark.parametrize("host", [*LOCAL, "[::1]", "[::1]:8501", "[0:0:0:0:0:0:0:1]:8501"])
def test_a_loopback_name_or_address_is_answered_with_any_port(host):
    assert answered(host, ())


@pytest.mark.parametrize("host", [*OTHERS, *ODD])
def test_other_host_names_are_refused(host):
    assert not answered(host, ())


def test_the_owner_can_add_host_names():
    names = {"lab.example", "*.school.example"}
    assert (
        answered("lab.example", names) and answered("Lab.Example:8443", names) and answered("a.school.example", names)
    )
    assert not answered("a.lab.example", names) and not answered("school.example", names)
    assert answered("any.example", {"*"}) and not answered("any.example:port", {"*"})


def test_only_the_requests_own_address_names_this_machine():
    assert answered("192.0.2.1:8501", (), "192.0.2.1")
    assert not answered("192.0.2.2:8501", (), "192.0.2.1") and not answered("elsewhere.example", (), "192.0.2.1")


def test_host_names_are_read_from_streamlits_options():
    options = {
        "browser.serverAddress": "Lab.Example",
        "server.address": "[2001:db8::1]",
        "server.allowedHosts": ["*.b"],
    }
    assert named(options.get) == {"lab.example", "2001:db8::1", "*.b"}


def test_the_doctor_knows_the_name_and_at_a_place_whose_proxy_chooses_every_name_counts(monkeypatch):
    assert site_names({SITE: " lab.example "}) == ("lab.example",) and site_names({}) == ()
    monkeypatch.setattr(hosting, "__file__", "/mount/src/explorer/explorer/sandbox/hosting.py")
    assert site_names({}) == ("*",)


def refused(kind: str, path: str, *hosts: str, method: str = "GET") -> tuple[int, dict[str, str], str]:
    """Return status, headers and text for these Hosts; the app inside answers "here"."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": f"{kind}.connect"}

    scope = {"type": kind, "method": method, "path": path, "headers": [(b"host", host.encode()) for host in hosts]}
    app = Headers(PlainTextResponse("here"), headers("'self'"))
    alone(app(scope | {"extensions": {"websocket.http.response": {}}}, receive, send))
    said = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], said, b"".join(message.get("body", b"") for message in sent).decode()


@pytest.mark.parametrize("path, method", [("/", "GET"), ("/static/a.js", "GET"), (READY, "GET"), (UPLOAD, "PUT")])
def test_a_request_for_another_host_gets_403_and_a_sentence_in_every_language(path, method):
    status, said, text = refused("http", path, "elsewhere.example:8501", method=method)
    assert status == 403 and text.count("“elsewhere.example:8501”") == 2 and len(text.splitlines()) == 2
    assert said["x-content-type-options"] == "nosniff" and "content-security-policy" in said


@pytest.mark.parametrize("hosts", [(), ("localhost", "elsewhere.example"), ("elsewhere.example", "localhost")])
def test_requests_without_exactly_one_host_are_refused(hosts):
    assert refused("http", "/", *hosts)[0] == 403
    assert refused("websocket", "/_stcore/stream", *hosts)[0] == 403


def reached(port: int, host: str) -> tuple[int, ...]:
    """Status of a page, a script, an upload and a WebSocket whose Host and Origin name the same host."""
    found = []
    for method, path in (("GET", "/"), ("GET", "/static/index.html"), ("PUT", UPLOAD)):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENT)
        connection.request(method, path, b"x" if method == "PUT" else None, {"Host": host})
        answer = connection.getresponse()
        found.append(answer.status)
        connection.close()
    with socket.create_connection(("127.0.0.1", port)) as opened:
        address, origin = f"ws://{host}/_stcore/stream", f"http://{host}"
        try:
            with connect(address, sock=opened, origin=origin, subprotocols=["streamlit"]):
                return (*found, 101)
        except InvalidStatus as refusal:
            return (*found, refusal.response.status_code)


@pytest.mark.thorough
@pytest.mark.parametrize("hosted", ["0", "1"])
def test_a_server_at_home_and_a_hosted_one_refuse_before_streamlit_sees_the_request(hosted):
    with server(EXPLORER_HOSTED=hosted, STREAMLIT_BROWSER_SERVER_ADDRESS="lab.example") as (_, port):
        for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "lab.example"):
            assert reached(port, host) == (200, 200, 403, 101)  # the session does not exist
        for host in (f"elsewhere.example:{port}", f"192.0.2.1:{port}"):
            assert reached(port, host) == (403, 403, 403, 403)
