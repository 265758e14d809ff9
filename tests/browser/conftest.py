"""A real server and a real Chromium; with EXPLORER_TEST_PROXY=1 the proxy of deploy/ between them, over TLS."""

import os
import socket
from contextlib import ExitStack, suppress

import pytest
from playwright.sync_api import Error, Page, expect, sync_playwright

from tests.conftest import BROWSER
from tests.proxy import proxy
from tests.visitor import server

expect.set_options(timeout=30_000)  # ms, as everything else waits: a machine that is busy is no fault of the page
STARTING = 180_000  # ms until a server on a busy machine has loaded torch
BEHIND_PROXY = os.environ.get("EXPLORER_TEST_PROXY", "") not in ("", "0")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--ignore-certificate-errors"  # that of the proxy is made by the test that starts it
)


def _free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session")
def friend():
    """The one other site that the host lets frame the app; nobody serves it until a test does."""
    return f"http://friend.localhost:{_free_port()}"


@pytest.fixture(scope="session")
def address(chromium, friend, tmp_path_factory):
    """Where the app answers, once it can run programs."""
    with ExitStack() as running:
        _, port = running.enter_context(server(EXPLORER_FRAME_ANCESTORS=f"'self' {friend}"))
        at = f"http://localhost:{port}"
        if BEHIND_PROXY:
            at = running.enter_context(proxy(tmp_path_factory.mktemp("proxy"), port)).address
        first = chromium.new_page()
        first.goto(at)
        first.wait_for_selector(".st-key-graph g.node", timeout=STARTING)
        first.close()
        yield at


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=QUIET.split())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium, address):
    """Tabs that no test uses now. They are kept: in one that has run the page's scripts a page opens in a third of the
    time, and what a test may not find of the test before is cleared away.
    """
    window = chromium.new_context(locale="en-GB")
    free = []

    def tab():
        if free:
            return free.pop()
        page = window.new_page()
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda problem: page.errors.append(str(problem)))
        return page

    def give_back(page):
        page.goto(f"{address}/_stcore/health")  # leaving, it keeps its draft
        page.evaluate("localStorage.clear(); sessionStorage.clear()")  # the next visit is a first one again
        free.append(page)

    yield tab, give_back
    window.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A journey that failed says what its pages showed."""
    report = yield
    if report.when == "call" and report.failed:
        for page in [*getattr(item, "opened", ()), *(one for one in item.funcargs.values() if isinstance(one, Page))]:
            with suppress(Error):
                text = " | ".join(page.locator("body").inner_text(timeout=2_000).split("\n"))
                report.sections.append((f"page at {page.url[:100]}", f"{page.errors}\n{text[:1_500]}"))
    return report


@pytest.fixture
def open_page(tabs, address, request):
    """Opens the app and waits for its picture.

    `page.requested` are the addresses it asked for, `page.errors` what its scripts raised.
    """
    tab, give_back = tabs
    opened = request.node.opened = []

    def open_at(path="/", width=1400, height=900, scheme="light", wait=".st-key-graph g.node"):
        page = tab()
        opened.append(page)
        page.requested, page.errors = [], []
        page.bring_to_front()  # one behind another draws a frame a second
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.goto(address + path)
        page.wait_for_selector(wait)
        return page

    yield open_at
    for page in opened:
        give_back(page)
