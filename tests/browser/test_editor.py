"""The editor under a person's hands: keys, undo, errors, other alphabets, pointing."""

import re

import pytest
from playwright.sync_api import expect

from explorer.ui.session.examples import FIRST_SIGHT
from tests.browser.measures import answered, wait_until
from tests.patience import eventually

GOOD = "p = torch.tensor(4., requires_grad=True)\nq = p ** 2\nq.backward()\n"


@pytest.fixture
def page(window):
    """Return the window with the first example in it, run."""
    area(window).fill(FIRST_SIGHT)
    area(window).press("Control+Enter")
    answered(window)
    wait_until(window, "document.querySelectorAll('.ghost').length === 5 && !document.querySelector('.is-stale')")
    card(window, "y = a * b")
    return window


def area(page):
    return page.locator(".st-key-editor textarea").first


def card(page, name: str):
    found = page.locator(f'.st-key-graph g.node[aria-label^="{name}"]')
    found.wait_for()
    return found


def paste(page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    area(page).fill("")
    area(page).focus()
    page.keyboard.press("Control+v")


def runs(page) -> None:
    """Count the editor's messages from here on, in window.sent."""
    page.evaluate(
        """() => { window.sent = 0; const send = WebSocket.prototype.send;
           WebSocket.prototype.send = function (data) { window.sent++; return send.call(this, data); }; }"""
    )


def test_an_edit_sent_together_with_a_click_is_run(page):
    page.evaluate(
        """() => {
            const editor = document.querySelector('.code-editor').explorer, set = editor.setStateValue;
            const graph = document.querySelector('.st-key-graph .stage').explorer;
            editor.setStateValue = (...edit) => {
                editor.setStateValue = set;
                graph.set('selected', null);
                set(...edit);
            };
        }"""
    )
    area(page).fill(FIRST_SIGHT.replace("w + 1", "w * 7"))
    card(page, "b = w * 7")


def test_focus_cursor_and_undo_survive_a_run(page):
    area(page).fill(GOOD)
    area(page).press("Control+Enter")
    card(page, "q = p ** 2")
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("  # four")
    page.wait_for_timeout(900)
    assert page.evaluate("document.activeElement.selectionStart") == len(GOOD.split("\n")[0]) + 8
    for _ in range(9):
        page.keyboard.press("Control+z")
    expect(area(page)).to_have_value(re.compile(r"y = a \* b"))


def test_redo_after_a_paste_over_everything_loses_no_text(page):
    area(page).fill(GOOD)
    area(page).focus()
    page.keyboard.press("Control+a")
    page.evaluate("document.execCommand('insertText', false, 'other = 1\\nmore = 2')")
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value(GOOD)
    page.keyboard.press("Control+Shift+z")
    expect(area(page)).to_have_value("other = 1\nmore = 2")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert area(page).input_value() != GOOD
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    expect(area(page)).to_have_value("other = 1\nmore = 2")


def test_undo_takes_back_word_by_word(page):
    area(page).fill("")
    page.keyboard.type("one two")
    for shown in ("one ", ""):
        page.keyboard.press("Control+z")
        expect(area(page)).to_have_value(shown)
    page.keyboard.press("Control+y")
    page.keyboard.type("x")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(area(page)).to_have_value("one")
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value("one x")


def test_the_editor_indents_lines(page):
    area(page).fill("")
    page.keyboard.type("for i in range(2):\nx = i\ny = x")
    expect(area(page)).to_have_value("for i in range(2):\n    x = i\n    y = x")
    page.keyboard.press("Shift+Tab")
    assert eventually(lambda: area(page).input_value().endswith("\ny = x"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Tab")
    expect(area(page)).to_have_value("    for i in range(2):\n        x = i\n    y = x")
    page.keyboard.press("Control+/")
    expect(area(page)).to_have_value(re.compile("^.*\n        # x = i\n"))


def test_an_unfinished_line_changes_nothing_until_a_pause(page):
    page.wait_for_selector(".ghost >> nth=4")
    area(page).press("Control+End")
    page.keyboard.type("y.foo")
    at_once = wait_until(
        page,  # the pause begins with the last key and is read here
        """() => document.querySelector(".st-key-status")?.textContent.includes("typing") &&
           [".ghost", ".fault, .line.is-bad, .stale"].map((one) => document.querySelectorAll(one).length)""",
    )
    assert at_once == [5, 0]
    page.wait_for_selector(".line.is-bad")
    page.wait_for_selector(".stale >> text=The graph up to the error.")
    expect(page.locator(".st-key-problems")).to_contain_text("stopped at line 7", use_inner_text=True)


def test_an_error_mark_moves_with_its_line(page):
    area(page).fill(FIRST_SIGHT + "y.foo")
    area(page).press("Control+Enter")
    page.wait_for_selector(".line.is-bad")
    area(page).press("Control+Home")
    page.keyboard.press("Enter")
    expect(page.locator(".line.is-bad")).to_have_text(re.compile(r"^y\.foo"), use_inner_text=True)


def test_leaving_the_line_finishes_it(page):
    page.evaluate(  # SETTLE in send.js: the pause after which a line counts as finished never ends
        "() => { window.set ??= window.setTimeout; window.setTimeout = (act, ms, ...rest) =>"
        " ms === 1200 ? 0 : set(act, ms, ...rest); }"
    )
    area(page).press("Control+End")
    page.keyboard.type("y.foo")
    page.wait_for_selector(".st-key-status >> text=typing")
    assert page.locator(".line.is-bad").count() == 0
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(".line.is-bad")
    page.evaluate("() => { window.setTimeout = window.set; }")


def test_composing_characters_does_not_run(page):
    area(page).fill("s = ''")
    page.wait_for_selector(".ghost", state="detached")  # the program has run
    answered(page)
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowLeft")
    runs(page)
    keyboard = page.context.new_cdp_session(page)
    for composed in ("n", "ni", "ni h", "ni ha", "ni hao"):
        keyboard.send("Input.imeSetComposition", {"text": composed, "selectionStart": 0, "selectionEnd": len(composed)})
    page.wait_for_timeout(700)
    assert page.evaluate("window.sent") == 0
    keyboard.send("Input.insertText", {"text": "你好"})
    wait_until(page, "window.sent > 0")
    expect(area(page)).to_have_value("s = '你好'")
    expect(page.locator(".code-editor .line").first).to_contain_text("你好", use_inner_text=True)


def test_a_pasted_session_is_cleaned_and_can_be_restored(page):
    session = ">>> x = torch.tensor(3., requires_grad=True)\n>>> (x * x).backward()\n>>> x.grad\ntensor(6.)\n"
    paste(page, session)
    expect(area(page)).to_have_value(session.replace(">>> ", "").replace("\ntensor(6.)\n", ""))
    expect(page.locator(".st-key-notices")).to_contain_text(
        "3 prompts removed, one line of output removed", use_inner_text=True
    )
    page.locator(".st-key-undo_paste button").click()
    page.wait_for_selector(".st-key-problems .problem")
    expect(area(page)).to_have_value(session)
    paste(page, GOOD)
    card(page, "q = p ** 2")
    expect(area(page)).to_have_value(GOOD)
    assert page.locator(".st-key-notices .message-line >> text=removed").count() == 0


def test_a_session_is_cleaned_even_if_typing_continues_at_once(page):
    paste(page, ">>> x = torch.tensor(3., requires_grad=True)\n>>> x\ntensor(3., requires_grad=True)\n")
    page.keyboard.type("(x * x).backward()")
    expect(area(page)).to_have_value("x = torch.tensor(3., requires_grad=True)\nx\n(x * x).backward()")
    expect(page.locator(".st-key-notices")).to_contain_text("removed", use_inner_text=True)


def test_the_cursor_points_to_cards(page):
    page.evaluate(
        """() => { window.told = []; document.addEventListener("explorer:point", (event) =>
           event.detail.source === "editor" && event.detail.kind === "caret" && window.told.push(event.detail)); }"""
    )
    area(page).press("Control+Home")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    wait_until(page, "JSON.stringify(window.told.at(-1)?.spans) === '[[0,5,4,5,9]]'")


def test_a_card_lights_its_expression(page):
    span = [0, 5, 4, 5, 9]
    page.evaluate(
        """span => document.dispatchEvent(new CustomEvent("explorer:point",
           { detail: { spans: [span], source: "graph", kind: "select" } }))""",
        span,
    )
    expect(page.locator(".line.is-lit")).to_have_text(re.compile(r"^y = a \* b"), use_inner_text=True)
    assert (
        page.evaluate("[...[...CSS.highlights.get('explorer-select')][0].cloneContents().textContent].join('')")
        == "a * b"
    )
