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


@pytest.fixture
def open_page(chromium, address):
    """Opens the app in a fresh window and waits for its picture; `page.requested` are the addresses it asked for."""
    windows = []

    def opened(path="/", width=1400, height=900, scheme="light"):
        window = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB")
        windows.append(window)
        page = window.new_page()
        page.requested = []
        page.on("request", lambda request: page.requested.append(request.url))
        page.goto(address + path)
        page.wait_for_selector(".st-key-graph g.node", timeout=15_000)
        return page

    yield opened
    for window in windows:
        window.close()
