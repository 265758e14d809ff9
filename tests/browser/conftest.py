"""A real server and a real Chromium."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.conftest import BROWSER

ROOT = Path(__file__).parents[2]
expect.set_options(timeout=30_000)  # ms, as everything else waits: a machine that is busy is no fault of the page
STARTING = 180_000  # ms until a server on a busy machine has loaded torch
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
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
def address(chromium, friend):
    """Where the app answers, once it can run programs."""
    port = _free_port()
    of_host = os.environ | {"EXPLORER_FRAME_ANCESTORS": f"'self' {friend}"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=of_host)
    try:
        _wait(f"http://localhost:{port}/_stcore/health")
        first = chromium.new_page()
        first.goto(f"http://localhost:{port}")
        first.wait_for_selector(".st-key-graph g.node", timeout=STARTING)
        first.close()
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _wait(url: str) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    raise TimeoutError(url)


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


@pytest.fixture
def open_page(tabs, address):
    """Opens the app and waits for its picture.

    `page.requested` are the addresses it asked for, `page.errors` what its scripts raised.
    """
    tab, give_back = tabs
    opened = []

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
