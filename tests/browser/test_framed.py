"""The app in a frame of another page."""

import pytest

from explorer.program.permalink import to_fragment
from tests.browser.test_classroom import other_site
from tests.deploy.proxy import free_port
from tests.patience import eventually

LINK = "/#" + to_fragment({"program": "import torch\nprint('ran ' * 2)"})


@pytest.fixture
def stranger(address):
    """Yield a site that the host does not let frame the app, with the app in a frame."""
    site = f"http://127.0.0.1:{free_port()}"
    with other_site(site, f'<iframe src="{address}{LINK}" width="1200" height="700"></iframe>'):
        yield site


def test_no_other_site_can_show_the_app_in_a_frame(chromium, stranger):
    page = chromium.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if "frame-ancestors" in message.text else None)
    page.goto(stranger)
    assert eventually(lambda: page.wait_for_timeout(50) or refused)
    assert page.frames[1].locator(".stApp").count() == 0
    page.close()


def test_a_linked_program_in_a_frame_waits_for_run(chromium, address):
    """If the owner or the browser lets a site frame the app, that site must not be able to run programs."""
    page = chromium.new_page(locale="en-GB")
    page.goto(f"{address}/_stcore/health")
    page.evaluate(f"document.body.innerHTML = '<iframe src=\"{LINK}\" width=1300 height=800></iframe>'")
    inside = page.frame_locator("iframe")
    inside.get_by_text("Read it, then press Run").first.wait_for()
    assert inside.get_by_text("ran ran").count() == 0
    inside.locator(".st-key-run button, [class*=st-key-run] button").first.click()
    inside.get_by_text("ran ran").first.wait_for()
    page.close()


REFUSED = """for (const area of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, area, { get() { throw new DOMException("refused", "SecurityError"); } });"""


def test_every_page_works_if_storage_is_blocked(chromium, address):
    """As in a frame of a browser that blocks third-party storage."""
    page = chromium.new_page(locale="en-GB")
    page.add_init_script(REFUSED)
    raised = []
    page.on("pageerror", lambda problem: raised.append(str(problem)))
    for path, shown in (
        (LINK, "text=ran ran"),
        ("/tensors", ".tensor-list"),
        ("/broadcasting", ".bc-stage .main-svg >> nth=0"),
        ("/derivatives", ".st-key-derivatives_picture .slider-group"),
        ("/lessons?lesson=autograd/first-backward", ".lesson-question"),
    ):
        page.goto(address + path)
        page.wait_for_selector(shown)
        page.get_by_role("button", name="Share").wait_for()
        assert page.get_by_text("SecurityError").count() == 0 and raised == []
    page.close()
