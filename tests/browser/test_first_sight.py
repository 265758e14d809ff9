"""A visitor's first view of the app, and typing."""

import itertools
import re

from playwright.sync_api import expect

from tests.browser.measures import wait_until


def write(page, program: str) -> None:
    editor = page.locator(".st-key-editor textarea")
    editor.fill(program)
    editor.press("Control+Enter")


def card(page, name: str):
    """Return the card whose spoken name begins so, once it is there."""
    found = page.locator(f'.st-key-graph g.node[aria-label^="{name}"]')
    found.wait_for()
    return found


def test_the_first_view_is_complete(open_page, address):
    page = open_page()
    expect(page.locator(".st-key-editor textarea")).to_have_value(re.compile(r"y = a \* b"))
    expect(page.locator(".st-key-graph g.node")).to_have_count(5)
    for part, number in (
        ("w, leaf", "+5"),
        ("x, leaf", "+2"),
        ("a = w + x", "+2"),
        ("b = w + 1", "+3"),
        ("y = a * b", "+1"),
    ):
        expect(card(page, part)).to_contain_text(number)
    sentence = page.locator(".sentence").text_content()
    assert "5" in sentence and "2" in sentence and "3" in sentence
    for width, scheme in itertools.product((1400, 390), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
        wait_until(page, f"document.documentElement.dataset.theme === '{scheme}'")
        for key in ("editor", "graph", "inspector"):
            expect(page.locator(f".st-key-{key}")).to_have_count(1)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator(".st-key-graph g.node").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("g.node.is-selected")).to_have_count(1)
    local = (address, "data:", "blob:")
    assert [url for url in page.requested if not url.startswith(local)] == []
    assert page.get_by_text("Deploy").count() == 0


def test_the_whole_frame_is_in_chinese(open_page):
    page = open_page("/?lang=zh")
    expect(page.locator(".st-key-graph")).to_contain_text("梯度", use_inner_text=True)
    page.locator(".st-key-file button").first.click()
    place = page.locator(".st-key-open section")
    expect(place.locator("button")).to_have_accessible_name(re.compile("打开…$"))
    assert "Upload" not in place.inner_text() and "per file" not in place.inner_text()
    expect(page.get_by_test_id("stSkipToContent")).to_have_text("跳到页面内容")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.keyboard.press("Escape")
    page.get_by_text("EN", exact=True).click()
    expect(page.locator(".st-key-graph g.node").last).to_contain_text("gradient")


def test_a_wide_picture_starts_with_a_card_on_a_phone(open_page):
    page = open_page()
    page.set_viewport_size({"width": 390, "height": 900})
    write(
        page,
        "net = torch.nn.Sequential(torch.nn.Linear(8, 9), torch.nn.ReLU(), torch.nn.Linear(9, 9))\n"
        "net(torch.ones(4, 8)).sum().backward()\n",
    )
    card(page, "net.2.weight")
    seen = """(() => {
      const frame = document.querySelector('.st-key-graph .scroller').getBoundingClientRect()
      const inside = (box) => box.left >= 0 && box.right <= frame.right && box.bottom < frame.top + 260
      const faces = [...document.querySelectorAll('.st-key-graph g.node .face')]
      return faces.some((face) => inside(face.getBoundingClientRect()))
    })()"""
    wait_until(page, seen)


def test_the_tab_key_stops_once_at_the_places(open_page):
    page = open_page()
    group = ".st-key-nav_places a"
    controls = page.locator(group)
    controls.nth(1).wait_for(state="attached")
    expect(page.locator(f'{group}[tabindex="0"]')).to_have_count(1)
    controls.first.focus()
    page.keyboard.press("ArrowRight")
    expect(controls.nth(1)).to_be_focused()
    expect(page.locator(f'{group}[tabindex="0"]')).to_have_count(1)
