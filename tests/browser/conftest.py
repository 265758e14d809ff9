"""A real server and a real Chromium; with EXPLORER_TEST_PROXY=1, deploy/'s proxy between them over TLS."""

import os
from contextlib import ExitStack, suppress

import pytest
from playwright.sync_api import Error, Page, expect, sync_playwright

from tests.conftest import BROWSER
from tests.deploy.proxy import free_port, proxy
from tests.visitor import server

PATIENT = 180_000  # ms to wait; a slow machine is not a fault of the page
expect.set_options(timeout=PATIENT)
STARTING = 600_000  # ms until a server on such a machine has loaded torch
BEHIND_PROXY = os.environ.get("EXPLORER_TEST_PROXY", "") not in ("", "0")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--ignore-certificate-errors"  # the proxy's certificate is made by the test
)


@pytest.fixture(scope="session")
def friend():
    """Return the only other site allowed to frame the app; a test must serve it."""
    return f"http://friend.localhost:{free_port()}"


@pytest.fixture(scope="session")
def address(chromium, friend, tmp_path_factory):
    """Yield the app's address, once it can run programs."""
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


# The first program plays by itself once per tab. Here it counts as played, until a journey removes the mark.
PLAYED = "try { sessionStorage.setItem('explorer:played', '1') } catch {}"


def _prepared(window):
    window.set_default_timeout(PATIENT)
    window.add_init_script(PLAYED)


LAUNCHED = {"executable_path": BROWSER, "args": QUIET.split(), "timeout": STARTING}


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright):
    browser = playwright.chromium.launch(**LAUNCHED)
    browser.on("context", _prepared)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(playwright, address, tmp_path_factory):
    """Yield a browser that keeps compiled scripts from page to page, which spares a part of each page's time."""
    kept = playwright.chromium.launch_persistent_context(tmp_path_factory.mktemp("profile"), locale="en-GB", **LAUNCHED)
    _prepared(kept)
    yield kept
    kept.close()


@pytest.fixture
def emptied(profile, address):
    """Yield the same, with nothing that the app stored in journeys before."""
    yield profile
    blank, *opened = profile.pages
    for page in opened:
        if page is opened[0] and getattr(page, "is_plain", False) and page.url.startswith(address):
            page.goto(f"{address}/_stcore/health")  # a page that is left may still store its program
            page.evaluate("sessionStorage.clear()")
        else:
            page.close()
    profile.clear_cookies()
    profile.clear_permissions()
    stored = {"origin": address, "storageTypes": "local_storage,indexeddb,cache_storage,service_workers"}
    profile.new_cdp_session(blank).send("Storage.clearDataForOrigin", stored)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Attach the visible page text to the report of a failed journey."""
    report = yield
    item.has_failed = report.failed
    if report.when == "call" and report.failed:
        for page in [*getattr(item, "opened", ()), *(one for one in item.funcargs.values() if isinstance(one, Page))]:
            with suppress(Error):
                text = " | ".join(page.locator("body").inner_text(timeout=2_000).split("\n"))
                report.sections.append((f"page at {page.url[:100]}", f"{getattr(page, 'errors', '')}\n{text[:1_500]}"))
    return report


def _tab(profile, script):
    """Open a tab with a script that runs before each page's own."""
    page = profile.new_page()
    page.add_init_script(script)
    page.is_plain = not script
    page.on("request", lambda request: page.requested.append(request.url))
    page.on("pageerror", lambda problem: page.errors.append(str(problem)))
    return page


@pytest.fixture
def open_page(emptied, address, request):
    """Open the app with empty storage and wait for its picture.

    The first page of a journey reuses the previous journey's tab, which opens twice as fast; each further page has a
    new tab. `page.requested` are the requested addresses, `page.errors` exceptions of its scripts.
    """
    opened = request.node.opened = []

    def open_at(path="/", width=1400, height=900, scheme="light", wait=".st-key-graph g.node", script="", motion=None):
        page = next((one for one in emptied.pages[1:] if not opened and not script), None) or _tab(emptied, script)
        opened.append(page)
        page.requested, page.errors = [], []
        page.bring_to_front()  # a page in the background draws one frame a second
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="null", color_scheme=scheme, reduced_motion=motion or "null")
        page.goto(address + path)
        page.wait_for_selector(wait)
        return page

    return open_at


@pytest.fixture(scope="module")
def kept():
    """Yield the pages that a file's journeys keep: none or one."""
    pages = []
    yield pages
    for page in pages:
        page.context.close()


@pytest.fixture
def window(kept, chromium, address, request):
    """Yield the first page with clipboard access, shared by the journeys of a file, which begin by writing.

    After a failed journey the next one gets a new page.
    """
    if not kept:
        clipboard = ["clipboard-read", "clipboard-write"]
        sized = {"width": 1400, "height": 900}
        kept.append(chromium.new_context(locale="en-GB", viewport=sized, permissions=clipboard).new_page())
        kept[0].goto(address)
        kept[0].wait_for_selector(".st-key-graph g.node")
    yield kept[0]
    if request.node.has_failed:
        kept.pop().context.close()
