"""The app behind the proxy of deploy/: nginx with our files in front of real servers."""

import http.client
import re
import socket
import ssl
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from websockets.exceptions import InvalidStatus

from tests.deploy.proxy import MISSING, NGINX, OPENSSL, free_port, proxy
from tests.patience import PATIENT, eventually
from tests.visitor import Visitor, server

pytestmark = [pytest.mark.skipif(NGINX is None or OPENSSL is None, reason=MISSING), pytest.mark.xdist_group("proxy")]
OPEN = 2  # pages allowed per address in this test
SAID = {
    "strict-transport-security": r"max-age=\d+",
    "content-security-policy": r".*frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Yield the proxy, and the two servers behind it."""
    folder = tmp_path_factory.mktemp("proxy")
    with (
        server(EXPLORER_HOSTED="0") as (one, first),
        server(EXPLORER_HOSTED="0") as (other, second),
        proxy(folder, first, second, pages_of_one=str(OPEN)) as front,
    ):
        yield front, one, other


@pytest.fixture
def front(tmp_path):
    """Run the proxy without servers."""
    with proxy(tmp_path / "proxy", free_port(), free_port()) as front:
        yield front


def ask(front, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, list[tuple[str, str]], str]:
    """Status, headers and text of an answer."""
    connection = http.client.HTTPSConnection("localhost", front.port, context=front.tls, timeout=PATIENT)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        headers = [(name.lower(), value) for name, value in answer.getheaders()]
        return answer.status, headers, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


@pytest.mark.thorough
def test_every_response_has_the_security_headers(site):
    front, *_ = site
    script = re.search(r"static/js/[^\"]+\.js", ask(front, "/")[2])[0]
    kinds = {
        "/": 200,
        "/tensors?lang=zh": 200,
        f"/{script}": 200,
        "/_stcore/health": 200,
        "/_stcore/host-config": 200,
        "/media/nothing.png": 404,
        "/_stcore/metrics": 404,
        "/_stcore/ready": 404,
        "/explorer-says/crowded.html": 404,
        "/?" + "a" * 20_000: 414,
    }
    assert {path[:40]: ask(front, path)[0] for path in kinds} == {path[:40]: status for path, status in kinds.items()}
    answers = {path[:40]: ask(front, path)[1] for path in kinds}
    for path, headers in answers.items():
        for name, pattern in SAID.items():
            found = [value for own, value in headers if own == name]
            assert len(found) == 1 and re.fullmatch(pattern, found[0]), (path, name, found)
        assert not any(re.search(r"\d", value) for own, value in headers if own == "server"), path
    cookies = {value for headers in answers.values() for own, value in headers if own == "set-cookie"}
    assert cookies and all(value.startswith("_streamlit_xsrf=") and "secure" in value.lower() for value in cookies)
    assert not any("expires" in value.lower() or "max-age" in value.lower() for value in cookies)


def test_plain_http_redirects_and_unknown_host_names_are_refused(front):
    with closing(http.client.HTTPConnection("localhost", front.plain, timeout=PATIENT)) as plain:
        plain.request("GET", "/tensors?lang=zh")
        answer = plain.getresponse()
        assert answer.status == 301 and answer.getheader("Location") == "https://localhost/tensors?lang=zh"
        assert answer.getheader("Server") == "nginx"
    with closing(http.client.HTTPConnection("localhost", front.plain, timeout=PATIENT)) as plain:
        plain.request("GET", "/", headers={"Host": "elsewhere.example"})
        with pytest.raises(http.client.RemoteDisconnected):  # redirects name only our host
            plain.getresponse()
    with socket.create_connection(("localhost", front.port)) as spoken:  # plain HTTP at the TLS port
        spoken.sendall(b"GET / HTTP/1.0\r\n\r\n")
        said = spoken.makefile("rb").read()
        assert b" 400 " in said.splitlines()[0] and b"Server: nginx\r\n" in said
    spoken = socket.create_connection(("localhost", front.port))
    with front.tls.wrap_socket(spoken, server_hostname="localhost") as sealed:
        assert sealed.version() == "TLSv1.3"
    with socket.create_connection(("localhost", front.port)) as spoken, pytest.raises(ssl.SSLError) as refused:
        front.tls.wrap_socket(spoken, server_hostname="elsewhere.example")
    assert "unrecognized name" in str(refused.value).lower().replace("_", " ")


@pytest.mark.thorough
def test_only_uploads_accept_bodies_and_their_rate_is_limited(site):
    front, *_ = site
    assert ask(front, "/", "POST", b"x" * 100_000)[0] == 413
    assert ask(front, "/_stcore/upload_file/session/file", "PUT", b"x" * 6_500_000)[0] == 413
    with ThreadPoolExecutor(60) as together:
        put = [together.submit(ask, front, "/_stcore/upload_file/session/file", "PUT", b"x") for _ in range(60)]
    told = Counter(answer.result()[0] for answer in put)
    assert set(told) - {429} <= {400, 403} and 60 > told[429] > 10  # the session does not exist


@pytest.mark.thorough
def test_a_page_beyond_the_limit_is_refused_while_open_pages_continue(site):
    front, *_ = site
    visitors = [Visitor(front.port, tls=front.tls) for _ in range(OPEN)]
    answers = [ask(front, "/") for _ in range(100)]
    assert {status for status, *_ in answers} == {429}
    assert all("Too many pages are open" in text and "打开的页面太多" in text for *_, text in answers)
    for name, pattern in SAID.items():
        assert [re.fullmatch(pattern, value) is not None for own, value in answers[0][1] if own == name] == [True]
    with pytest.raises(InvalidStatus) as refused:
        Visitor(front.port, tls=front.tls)
    assert refused.value.response.status_code == 429
    assert ask(front, "/_stcore/health")[0] == 200
    visitors[0].send("print('still here')")
    assert not visitors[0].exceptions
    for visitor in visitors:
        visitor.close()
    assert eventually(lambda: ask(front, "/")[0] == 200)


@pytest.mark.thorough
def test_another_instance_takes_over_and_an_outage_has_its_own_page(site):
    front, one, other = site
    one.kill()
    one.wait()
    assert ask(front, "/")[0] == 200
    Visitor(front.port, tls=front.tls).close()
    other.kill()
    other.wait()
    status, headers, text = ask(front, "/")
    assert status in (502, 504) and "does not answer just now" in text and "网站暂时没有响应" in text
    assert {name for name, _ in headers} >= SAID.keys()
