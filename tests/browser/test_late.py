"""What a browser asked of a page that was left while its words were on their way."""

from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg


def test_what_comes_late_from_the_page_before_does_not_take_the_page_away(tabs, address):
    tab, give_back = tabs
    page = tab()
    page.requested, page.errors = [], []
    page.bring_to_front()
    asked: list[bytes] = []
    servers = []

    def between(browser):
        server = browser.connect_to_server()
        servers.append(server)

        def pass_on(words):
            if isinstance(words, bytes) and BackMsg.FromString(words).rerun_script.fragment_id:
                asked.append(words)
            server.send(words)

        browser.on_message(pass_on)
        server.on_message(browser.send)

    page.route_web_socket("**/_stcore/stream", between)
    try:
        page.goto(f"{address}/gallery?lang=en")
        page.wait_for_selector(".example-card")
        page.get_by_role("button", name="Search lessons and examples").click()
        page.locator(".search-box input").fill("gradients add up")
        expect(page.locator(".search-hit").first).to_contain_text("Gradients add up")
        late = asked[-1]  # of the gallery
        page.locator(".search-hit").first.click()
        expect(page.locator(".lesson-prose h2")).to_be_visible()
        page.evaluate("window.notLoadedAgain = true")
        servers[-1].send(late)
        page.wait_for_timeout(1500)  # until it would have been seen
        expect(page.locator(".lesson-prose h2")).to_be_visible()
        assert page.evaluate("window.notLoadedAgain")
        assert not page.errors
    finally:
        page.unroute_all()
        page.goto("about:blank")
        give_back(page)
