"""Connections that keep the server waiting: how long, and how many. Real sockets, the real protocol."""

import contextlib
import socket
import threading
import time

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from websockets.sync.client import connect

from explorer.ui.frame import connections
from explorer.ui.frame.connections import patch_connections
from explorer.ui.frame.uploads import PATH
from tests.patience import PATIENT, eventually

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
STRANGER = "127.0.0.2"  # 127.0.0.1 is the address of a proxy, which uvicorn trusts


def front(request):
    return PlainTextResponse("here")


def large(request):
    return PlainTextResponse(b"x" * 50_000_000)


async def takes(request):
    return PlainTextResponse(str(len(await request.body())))


async def echo(socket):
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


ROUTES = [
    *(Route("/", front), Route("/large", large), Route("/body", takes, methods=["POST"])),
    *(Route(f"{PATH}a/f", takes, methods=["PUT"]), WebSocketRoute("/echo", echo)),
]


@pytest.fixture
def port(monkeypatch):
    """A server that waits for half a second where the real one waits for six."""
    for name, seconds in {"HEAD": 0.5, "LOOK": 0.1, "STALLED": 2.0}.items():
        monkeypatch.setattr(connections, name, seconds)
    patch_connections()
    settings = {"ws": "websockets-sansio", "lifespan": "off", "log_level": "error"}  # as Streamlit's
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=ROUTES), **settings))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = server.force_exit = True
        thread.join(PATIENT)


class Client:
    """A connection from an address of this machine."""

    def __init__(self, port: int, said: bytes = b"", source: str = STRANGER):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENT, (source, 0))
        self.socket.sendall(said)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def answer(self) -> bytes:
        """What the server says next; b"" when it closes the connection."""
        with contextlib.suppress(ConnectionError):
            return self.socket.recv(1 << 16)
        return b""

    def hears(self, text: bytes) -> bool:
        """Whether the server says something before it closes the connection."""
        said = b""
        while text not in said and (more := self.answer()):
            said += more
        return text in said

    def is_open(self) -> bool:
        self.socket.setblocking(False)
        try:
            return self.answer() != b""
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(PATIENT)

    def trickles(self) -> bool:
        """Say a byte every fifth of a second; whether the server closes the connection."""
        end = time.monotonic() + PATIENT
        with contextlib.suppress(OSError):
            while self.is_open() and time.monotonic() < end:
                self.socket.sendall(b"a")
                time.sleep(0.2)
        return time.monotonic() < end


@pytest.mark.sampled(3)
@pytest.mark.parametrize("said", [b"", HEAD[:20], b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"])
@pytest.mark.parametrize("source", [STRANGER, "127.0.0.1"])
def test_a_request_that_does_not_arrive_is_not_waited_for(port, said, source):
    with Client(port, said, source) as client:
        assert client.answer() == b""


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\nX: ", b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n"]
)
def test_nor_one_that_arrives_byte_by_byte(port, said):
    with Client(port, said) as client:
        assert client.trickles()


def test_nor_another_request_of_a_connection_nor_the_rest_of_a_body_that_was_answered(port):
    with Client(port, HEAD) as client:
        assert client.hears(b"here")
        client.socket.sendall(HEAD[:20])
        assert client.trickles()
    with Client(port, HEAD.replace(b"\r\n\r\n", b"\r\nContent-Length: 999\r\n\r\n")) as client:
        assert client.hears(b"here")
        assert client.trickles()


@pytest.mark.thorough
def test_a_browser_that_reads_nothing_is_not_waited_for(port):
    with Client(port, HEAD.replace(b"/ ", b"/large ")) as client:
        for held in (True, False):
            assert eventually(lambda: held == any(known._open for known in connections._servers.values()))  # noqa: B023
        assert sum(map(len, iter(client.answer, b""))) < 50_000_000


@pytest.mark.thorough
def test_a_slow_upload_and_a_slow_reader_are_served(port):
    with Client(port, f"PUT {PATH}a/f HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n".encode()) as client:
        for byte in b"0123456789":
            time.sleep(0.15)
            client.socket.sendall(bytes([byte]))
        assert client.hears(b"\r\n\r\n10")
    with Client(port, HEAD.replace(b"/ ", b"/large ")) as client:
        got = 0
        while got < 50_000_000:
            got += len(client.answer())
            time.sleep(0.002)


@pytest.mark.thorough
def test_a_page_that_is_open_may_be_as_slow_as_it_likes(port):
    with connect(f"ws://127.0.0.1:{port}/echo", source_address=(STRANGER, 0)) as page:
        frame = b"\x81\x85\0\0\0\0hello"  # with a mask of zeros
        for byte in frame:
            time.sleep(0.15)
            page.socket.sendall(bytes([byte]))
        assert page.recv(PATIENT) == "hello"


def test_one_visitor_closes_its_own_connections_when_it_has_too_many(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD", 600.0)
    monkeypatch.setattr(connections, "SHARE", 20)
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(Client(port, HEAD[:20], "127.0.0.3"))
        time.sleep(0.2)
        many = [stack.enter_context(Client(port, HEAD[:20])) for _ in range(100)]
        assert eventually(lambda: sum(one.is_open() for one in many) == 20)
        other.socket.sendall(HEAD[20:])
        assert other.hears(b"here")


def test_behind_a_proxy_all_visitors_together_have_a_bound_and_requests_get_through(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD", 600.0)
    monkeypatch.setattr(connections, "MOST", 50)
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(connect(f"ws://127.0.0.1:{port}/echo"))
        many = [stack.enter_context(Client(port, HEAD[:20], "127.0.0.1")) for _ in range(300)]
        assert eventually(lambda: sum(one.is_open() for one in many) == 50)
        with Client(port, HEAD, "127.0.0.1") as honest:
            assert honest.hears(b"here")
        page.send("still here")
        assert page.recv(PATIENT) == "still here"
