"""What a person sees who opens the app, and what happens when they type."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.measures import wait_until
from tests.patience import eventually


def write(page, program: str) -> None:
    editor = page.locator(".st-key-editor textarea")
    editor.fill(program)
    editor.press("Control+Enter")


def card(page, name: str):
    """The card whose spoken name begins so, once it is there."""
    found = page.locator(f'.st-key-graph g.node[aria-label^="{name}"]')
    found.wait_for()
    return found


def test_the_example_is_live_at_first_sight(open_page):
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


def test_an_edit_gives_another_picture(open_page):
    page = open_page()
    write(page, "p = torch.tensor(4., requires_grad=True)\nq = p ** 2\nq.backward()\nprint(p.grad)\n")
    card(page, "q = p ** 2")
    expect(card(page, "p, leaf")).to_contain_text("+8")
    expect(page.locator(".st-key-output")).to_contain_text("tensor(8.)")


def test_an_error_stands_in_words_with_its_line_and_the_picture_is_the_programs_own(open_page):
    page = open_page()
    good = page.locator(".st-key-editor textarea").input_value()
    write(page, good + "y.backward()\n")
    page.wait_for_selector(".st-key-problems .problem")
    problem = page.locator(".st-key-problems").inner_text()
    assert "line 7" in problem and "backward through the graph a second time" in problem
    expect(page.locator(".stage:not(.is-stale) g.node")).to_have_count(5)
    expect(page.locator(".st-key-graph")).to_contain_text("The graph up to the error. The program stopped at line 7.")
    write(page, good + "z = 1\n")
    page.wait_for_selector(".stale", state="detached")
    page.wait_for_selector(".st-key-problems .problem", state="detached")


@pytest.mark.parametrize(
    "program",
    ["x = = 1\n", "torch.ones(10**11)\n", "print('<img src=x onerror=alert(1)>')\n1/0\n"],
)
def test_after_a_bad_program_the_next_one_runs(program, open_page):
    page = open_page()
    write(page, program)
    page.wait_for_selector(".st-key-problems .problem")
    assert page.locator(".st-key-output img").count() == 0
    write(page, "k = torch.tensor(1., requires_grad=True)\n(k * 7).backward()\n")
    card(page, "k * 7")


def test_an_edit_ends_the_run_of_the_program_before_it(open_page):
    page = open_page()
    write(page, "while True: pass\n")
    page.wait_for_selector(".status >> text=running")
    write(page, "k = torch.tensor(1., requires_grad=True)\n(k * 7).backward()\n")
    card(page, "k * 7")


def test_tables_are_one_click_away(open_page):
    page = open_page()
    page.locator(".st-key-tables summary").click()
    page.wait_for_selector(".st-key-inspector table >> text=w", state="visible")


def test_a_card_can_be_chosen_with_the_keyboard(open_page):
    page = open_page()
    page.locator(".st-key-graph g.node").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("g.node.is-selected")).to_have_count(1)


def test_chinese(open_page):
    page = open_page("/?lang=zh")
    expect(page.locator(".st-key-graph")).to_contain_text("梯度", use_inner_text=True)
    page.get_by_text("EN", exact=True).click()
    expect(page.locator(".st-key-graph g.node").last).to_contain_text("gradient")


def test_chinese_has_no_english_words_of_the_frame(open_page):
    page = open_page("/?lang=zh")
    page.locator(".st-key-file button").first.click()
    place = page.locator(".st-key-open section")
    expect(place.locator("button")).to_have_accessible_name(re.compile("选择文件$"))
    assert "Upload" not in place.inner_text() and "per file" not in place.inner_text()
    expect(page.get_by_test_id("stSkipToContent")).to_have_text("跳到页面内容")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.keyboard.press("Escape")


def test_nothing_is_fetched_from_elsewhere_and_nothing_is_deployed(open_page, address):
    page = open_page()
    local = (address, "data:", "blob:")
    assert [url for url in page.requested if not url.startswith(local)] == []
    assert page.get_by_text("Deploy").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_the_window(width, scheme, open_page):
    page = open_page(width=width, scheme=scheme)
    wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    assert eventually(lambda: page.evaluate("document.documentElement.dataset.theme") == scheme)
    for key in ("editor", "graph", "inspector", "output", "problems"):
        expect(page.locator(f".st-key-{key}")).to_have_count(1)
