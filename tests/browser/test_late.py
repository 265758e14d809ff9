"""Late and lost messages."""

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until


class Way:
    """Traffic between page and server: `asked` has requested parts; a message with `losing` is lost once.

    The server's messages wait in `held`, if it is a list.
    """

    def __init__(self, page):
        self.servers, self.asked, self.losing, self.lost, self.held = [], [], b"", 0, None
        page.route_web_socket("**/_stcore/stream", self._between)

    def _between(self, browser):
        server = browser.connect_to_server()
        self.servers.append(server)

        def pass_on(words):
            if isinstance(words, bytes):
                if self.losing and self.losing in words:
                    self.losing = b""
                    self.lost += 1
                    return
                if BackMsg.FromString(words).rerun_script.fragment_id:
                    self.asked.append(words)
            server.send(words)

        def give_back(words):
            if self.held is None:
                browser.send(words)
            else:
                self.held.append((browser, words))

        browser.on_message(pass_on)
        server.on_message(give_back)

    def release(self):
        """Deliver the server's held messages."""
        held, self.held = self.held, None
        for browser, words in held:
            browser.send(words)


@pytest.fixture
def page(chromium):
    """Open a page in its own window: everything between page and server stays with the page."""
    window = chromium.new_context(locale="en-GB", viewport={"width": 1400, "height": 900})
    page = window.new_page()
    page.errors = []
    page.on("pageerror", lambda problem: page.errors.append(str(problem)))
    yield page
    window.close()


def test_late_messages_from_the_previous_page_do_not_replace_the_page(page, address):
    way = Way(page)
    page.goto(f"{address}/gallery?lang=en")
    page.wait_for_selector(".example-card")
    page.get_by_role("textbox", name="Search lessons and examples").fill("gradients add up")
    page.keyboard.press("Enter")
    expect(page.locator(".found").first).to_contain_text("Gradients add up")
    late = way.asked[-1]  # from the gallery
    page.locator(".found").first.click()
    expect(page.locator(".lesson-prose h2")).to_be_visible()
    page.evaluate("window.notLoadedAgain = true")
    way.servers[-1].send(late)
    page.wait_for_timeout(1500)  # long enough for it to appear
    expect(page.locator(".lesson-prose h2")).to_be_visible()
    assert page.evaluate("window.notLoadedAgain")
    assert not page.errors


def test_a_link_lost_on_its_way_to_the_server_is_sent_again(page, address):
    way = Way(page)
    way.losing = b'"came"'
    link = to_fragment({"program": "print('ran ' * 2)", "name": "lost.py"})
    page.goto(f"{address}/?lang=en#{link}")
    page.get_by_text("ran ran").first.wait_for()
    assert way.lost == 1
    wait_until(page, "link => location.href.endsWith(link)", arg=link)  # the address is updated
    assert not page.errors


def test_text_typed_while_the_server_creates_a_cell_is_kept(page, address):
    way = Way(page)
    page.goto(f"{address}/?lang=en")
    page.wait_for_selector(".st-key-graph g.node")
    cells = page.locator(".code-editor textarea")
    cells.first.press("Control+End")
    way.held = []
    page.keyboard.type("# %%\nk")
    while not way.held:
        page.wait_for_timeout(50)
    page.keyboard.type(" = 4")
    page.keyboard.press("Backspace")
    page.keyboard.type("5\nk + 1")
    page.wait_for_timeout(1000)  # sent as the text of one cell
    way.release()
    expect(cells).to_have_count(2)
    expect(cells.nth(1)).to_have_value("k = 5\nk + 1")
    expect(page.locator(".cell .outs").nth(1)).to_contain_text("6")
    assert not page.errors
