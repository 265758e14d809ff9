"""A real server and a real Chromium."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.conftest import BROWSER

ROOT = Path(__file__).parents[2]
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def address():
    """Where the app answers."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(f"http://localhost:{port}/_stcore/health")
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _wait(url: str) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), urllib.request.urlopen(url):
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
def windows(chromium):
    """Windows by size and scheme; kept, because one that has loaded the page's files loads them three times as fast."""
    kept = {}

    def window(width: int, height: int, scheme: str):
        key = (width, height, scheme)
        if key not in kept:
            size = {"width": width, "height": height}
            kept[key] = chromium.new_context(viewport=size, color_scheme=scheme, locale="en-GB")
        return kept[key]

    yield window
    for one in kept.values():
        one.close()


@pytest.fixture
def open_page(windows, address):
    """Opens the app in a fresh tab and waits for its picture.

    `page.requested` are the addresses it asked for, `page.errors` what its scripts raised.
    """
    tabs = []

    def opened(path="/", width=1400, height=900, scheme="light", wait=".st-key-graph g.node"):
        page = windows(width, height, scheme).new_page()
        tabs.append(page)
        page.requested, page.errors = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda problem: page.errors.append(str(problem)))
        page.goto(address + path)
        page.wait_for_selector(wait, timeout=30_000)
        return page

    yield opened
    for page in tabs:
        page.evaluate("localStorage.clear()")  # the next tab is a first visit again
        page.close()
