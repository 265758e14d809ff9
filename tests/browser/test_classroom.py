"""Features for teachers: hidden answers, presenting by keys, a view inside another site, and a link for a class."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until
from tests.patience import eventually

# The gradients 5.6854 and 2.847… are the answers; 2.17 and 1.31 are in the text.
PROGRAM = "x = torch.tensor(1.31, requires_grad=True)\ny = x * x * 2.17\ny.backward()\nprint(x.grad)\n"
LINK = "#" + to_fragment({"program": PROGRAM})


def test_hidden_results_are_not_sent_and_keys_control_the_presentation(chromium, address):
    page = chromium.new_page(locale="en-GB", viewport={"width": 1024, "height": 768})
    frames: list[bytes] = []

    def listen(socket):
        socket.on("framereceived", lambda sent: frames.append(sent if isinstance(sent, bytes) else sent.encode()))

    page.on("websocket", listen)
    page.goto(f"{address}/?hide=grad&present=1{LINK}")
    page.locator("g.node", has_text="2.17").filter(has_text="+1").wait_for()  # not the first program's
    expect(page.locator("g.node", has_text="1.31").filter(has_text="?").first).to_be_visible()
    expect(page.locator(".ghost b", has_text="?").first).to_be_attached()  # a narrow window has no room for it
    received = b"".join(frames)
    assert b"requires_grad" in received and b"2.17" in received  # the received data can be searched
    assert b"5.68" not in received and b"2.84" not in received

    for gone in (".st-key-nav", ".st-key-inspector", ".st-key-panel", ".legendbar"):
        expect(page.locator(gone).first).to_be_hidden()
    wait_until(page, "parseFloat(getComputedStyle(document.querySelector('.line')).fontSize) >= 20")
    widths = "edge => parseFloat(getComputedStyle(edge).strokeWidth)"
    lines = f"[...document.querySelectorAll('.autograd .edge-path')].map({widths})"
    assert eventually(lambda: min(page.evaluate(lines)) >= 2)
    page.keyboard.press("h")
    page.locator("g.node", has_text="+5.68").first.wait_for()
    wait_until(page, "!location.search.includes('hide')")
    expect(page.locator(".st-key-output pre")).to_contain_text("5.6854")
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')  # a new picture starts at rest
    for key, step in ((" ", 1), ("ArrowRight", 2), ("PageDown", 3), ("PageUp", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        expect(page.locator(".stepno")).to_contain_text(f"Step {step} of")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-nav").first).to_be_visible()
    assert "present" not in page.url
    page.close()


def test_an_embedded_view_steps_and_links_to_the_full_page(chromium, address, friend):
    window = chromium.new_context(locale="en-GB", viewport={"width": 900, "height": 800})
    window.grant_permissions(["clipboard-write"], origin=address)
    page = window.new_page()
    page.goto(f"{address}/{LINK}")
    page.wait_for_selector(".st-key-graph g.node")
    wait_until(page, "location.hash.length > 20")
    page.locator(".share").click()
    page.get_by_role("button", name="Copy code to embed it").click()
    page.get_by_text("Embed code copied").wait_for()
    field = page.evaluate_handle("document.body.appendChild(document.createElement('textarea'))").as_element()
    field.focus()
    page.keyboard.press("ControlOrMeta+V")  # no page of the app may read the clipboard by itself
    code = field.input_value()
    assert 'loading="lazy"' in code and 'title="Autograd Explorer: Program"' in code

    with other_site(friend, f"<!doctype html><p>A page of another site</p>{code}"):
        page.goto(friend)
        inside = page.frame_locator("iframe")
        inside.get_by_text("Read it, then press Run").wait_for()  # the other site chose the program
        expect(inside.locator(".line", has_text="requires_grad")).to_be_visible()
        inside.locator("[class*=st-key-run] button").first.click()
        inside.locator("g.node").first.wait_for()
        expect(inside.locator(".code-editor")).to_be_hidden()
        expect(inside.locator(".st-key-nav")).to_have_count(0)
        inside.get_by_role("button", name="Step", exact=True).click()
        expect(inside.locator(".stepno")).to_contain_text("Step 1 of")
        inside.get_by_role("button", name="To the end").click()
        with window.expect_page() as opened:
            inside.get_by_role("link", name="Open full page").click()
        assert "embed" not in opened.value.url and opened.value.url.endswith(LINK)
        opened.value.locator(".st-key-nav").first.wait_for()
    window.close()


def test_dragging_a_number_in_an_embedded_view_updates_everything(chromium, address, friend):
    window = chromium.new_context(locale="en-GB", viewport={"width": 1200, "height": 900})
    page = window.new_page()
    frame = f'<iframe src="{address}/?embed=true&amp;view=both{LINK}" width="1150" height="780"></iframe>'
    with other_site(friend, f"<!doctype html><p>A page of another site</p>{frame}"):
        page.goto(friend)
        inside = page.frame_locator("iframe")
        inside.locator("[class*=st-key-run] button").first.click()
        gradient = inside.locator("g.node", has_text="1.31")
        expect(gradient.filter(has_text="+5.68").first).to_be_visible()
        box = inside.locator(".code-editor .c-num", has_text="2.17").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 31, y, steps=6)
        expect(inside.locator(".code-editor .line .src").nth(1)).to_have_text("y = x * x * 2.27")
        expect(gradient.filter(has_text="+5.95").first).to_be_visible()  # 2 · 1.31 · 2.27, while the handle is held
        page.mouse.up()
        dragged = PROGRAM.replace("2.17", "2.27")
        expect(inside.locator("textarea").first).to_have_value(dragged)
        link = "#" + to_fragment({"program": dragged})
        wait_until(page.frames[1], "link => location.hash === link", arg=link)  # the address follows a moment later
        inside.get_by_role("button", name="Step", exact=True).click()
        expect(inside.locator(".stepno")).to_contain_text("Step 1 of")
        inside.get_by_role("button", name="To the end").click()
        with window.expect_page() as opened:
            inside.get_by_role("link", name="Open full page").click()
        opened.value.locator("g.node", has_text="2.27").first.wait_for()  # with the dragged value
    window.close()


@contextmanager
def other_site(origin: str, html: str) -> Iterator[None]:
    """While it lasts, another site shows a page."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", urlsplit(origin).port), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:  # even after a failure, because the next journey uses the same address
        server.shutdown()
        server.server_close()
