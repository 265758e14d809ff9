"""Dragged numbers, and Shift-Tab's information about a call."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer.ui
from explorer.drawing.scripts import linked
from explorer.ui.session.examples import FIRST_SIGHT
from tests.browser.measures import answered, boxes, wait_until
from tests.patience import eventually

EDITOR = Path(explorer.ui.__file__).parent / "editor"
TURNED = """([text, steps, which]) => {
  const one = turnable(text, numbersOf(text)[which]);
  return text.slice(0, one.from) + writtenAs(one, one.units + BigInt(steps)) + text.slice(one.to);
}"""


@pytest.fixture(scope="module")
def script(chromium):
    """Yield the editor's pure functions in an empty page."""
    opened = chromium.new_page()
    for name in ("numbers", "handle", "help"):
        opened.add_script_tag(content=linked(EDITOR / f"{name}.js"))
    yield opened
    opened.close()


@pytest.fixture
def page(window):
    """Return the window with the first example in it, run, and nothing to undo but this."""
    window.keyboard.press("Escape")
    window.mouse.move(700, 5)
    area(window).fill(FIRST_SIGHT)
    area(window).press("Control+Enter")
    answered(window)
    leaf(window, "w", "+5")
    return window


def area(page):
    return page.locator(".code-editor textarea").first


def leaf(page, name: str, gradient: str) -> None:
    """Waits until the leaf's card shows this gradient."""
    page.locator(f'.st-key-graph g.node[aria-label^="{name}, leaf"]', has_text=gradient).wait_for()


def line(page, number: int) -> str:
    return page.locator(".code-editor .line .src").nth(number - 1).inner_text()


def place(page, which: int = 0) -> tuple[float, float]:
    """Return the middle of a number of the program."""
    [box] = boxes(page.locator(".code-editor .c-num").nth(which))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def press(page, which: int, across: int) -> None:
    """Press on a number and move, without releasing the button."""
    x, y = place(page, which)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y, steps=6)


@pytest.mark.parametrize(
    ("text", "steps", "turned"),
    [
        ("2.", 1, "2.1"),
        ("2.9", 1, "3.0"),
        ("2.", -20, "0."),
        ("2.", -30, "-1."),
        ("x = -1.", 10, "x = 0."),
        ("f(-1)", 2, "f(1)"),
        ("torch.ones(3)", 1, "torch.ones(4)"),
        ("0.1", 2, "0.3"),
        (".05", -7, "-.02"),
        ("1e-3", 10, "2e-3"),
        ("999_999", 1, "1_000_000"),
        ("12345678901234567890", 1, "12345678901234567891"),
        ("2j", -3, "-1j"),
        ("a - 1", -2, "a - (-1)"),
        ("a - (-1)", 2, "a - 1"),
        ("a-1", -3, "a-(-2)"),
        ("(a\n - 1)", -2, "(a\n - (-1))"),
        ("[a,\n -1]", 2, "[a,\n 1]"),
        ("return -1", 2, "return 1"),
        ("x ** 2", -3, "x ** -1"),
        ("2 ** x", -4, "(-2) ** x"),
    ],
)
def test_a_step_changes_the_last_written_digit(script, text, steps, turned):
    assert script.evaluate(TURNED, [text, steps, 0]) == turned


def test_only_numbers_in_code_can_be_dragged(script):
    text = "x2 = '3' + f\"{4}\"  # 5\ny_6 = 0x7 + x.T1 + 8.9e+2\nz = '''\n1\n''' if 10 else 11"
    assert script.evaluate("text => numbersOf(text).map((one) => one.written)", text) == ["8.9e+2", "10", "11"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torch.manual_seed(0)\nx = torch.ones(2)\nlr = 0.1", "0.1"),
        ("torch.manual_seed(0)\nx = torch.tensor([3, 4])", "3"),
        ("torch.manual_seed(7)", "7"),
        ("a = torch.tensor(1e-3) * 2", "1e-3"),
    ],
)
def test_the_offered_number_is_worth_changing(script, text, told):
    assert script.evaluate("text => telling(text, numbersOf(text)).written", text) == told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("torch.add(|x, y)", "torch.add"),
        ("torch.add(x, (y + |1))", "torch.add"),
        ("F.relu(nn.Linear(2, 3)(|x))", "F.relu"),
        ("print(f(1), ')', |", "print"),
        ("x[0].view(|2)", ".view"),
        ("y = (|x + 1)", None),
        ("if (|x): pass", None),
        ("def f(|x): pass", None),
        ("# f(|", None),
        ("f(x)|", None),
    ],
)
def test_the_call_around_the_cursor_is_found(script, text, name):
    at = text.index("|")
    call = script.evaluate("([text, at]) => callAt(text, at)", [text.replace("|", ""), at])
    assert (call and call["name"]) == name


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("F.relu", "torch.nn.functional.relu"),
        ("nn.Linear", "torch.nn.Linear"),
        ("opt.SGD", "torch.optim.SGD"),
        ("relu", "torch.nn.functional.relu"),
        ("x.view", ".view"),
        ("print", "print"),
    ],
)
def test_full_names_match_the_documentation(script, name, full):
    text = (
        "import torch.optim as opt\nfrom torch import nn\nfrom torch.nn.functional import (relu,\n    softmax as s)\n"
    )
    assert script.evaluate("([text, name]) => fullName(text, name)", [text, name]) == full


def test_a_drag_is_followed_by_the_picture_and_is_one_step_of_undo(page):
    area(page).press("Control+End")
    press(page, 0, 31)
    assert eventually(lambda: line(page, 1) == "w = torch.tensor(2., requires_grad=True)")
    leaf(page, "w", "+7")
    page.mouse.up()
    expect(area(page)).to_have_value(FIRST_SIGHT.replace("1.", "2.", 1))
    assert eventually(lambda: page.evaluate("document.activeElement.selectionStart") == len(FIRST_SIGHT))
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value(FIRST_SIGHT)
    leaf(page, "w", "+5")


def test_escape_restores_a_number(page):
    press(page, 0, -61)
    assert eventually(lambda: line(page, 1).startswith("w = torch.tensor(-1.,"))
    leaf(page, "w", "+1")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert eventually(lambda: area(page).input_value() == FIRST_SIGHT and line(page, 1) in FIRST_SIGHT)
    leaf(page, "w", "+5")


def test_a_click_on_a_number_places_the_cursor(page):
    page.mouse.click(*place(page, 1))
    at = page.evaluate("[document.activeElement.tagName, document.activeElement.selectionStart]")
    assert at[0] == "TEXTAREA" and FIRST_SIGHT[: at[1]].endswith("(2")


def test_an_error_is_shown_when_the_number_is_released(page):
    area(page).fill("x = torch.ones(2, requires_grad=True)\nx.sum().backward()\n")
    area(page).press("Control+Enter")
    leaf(page, "x", "(2")
    press(page, 0, -16)
    page.wait_for_selector(".st-key-status >> text=typing")
    assert page.locator(".fault, .line.is-bad, .stage.is-stale").count() == 0
    page.mouse.up()
    page.wait_for_selector(".line.is-bad")
    page.wait_for_selector(".fault >> text=negative")


def test_alt_and_arrow_keys_change_the_number_at_the_cursor(page):
    area(page).press("Control+Home")
    for _ in range(18):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Alt+ArrowUp")
    assert eventually(lambda: line(page, 1).startswith("w = torch.tensor(1.1,"))
    page.keyboard.press("Alt+Shift+ArrowUp")
    assert eventually(lambda: line(page, 1).startswith("w = torch.tensor(2.1,"))
    leaf(page, "w", "+7.2")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value(FIRST_SIGHT)


def test_the_handle_is_a_slider(page):
    press(page, 1, 20)  # the handle must forget this number when the caret moves
    page.keyboard.press("Escape")
    page.mouse.up()
    page.mouse.move(700, 5)
    area(page).press("Control+Home")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    slider = page.get_by_role("slider", name="Number on line 1")
    expect(slider).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "1.9")
    leaf(page, "w", "+6.8")
    page.keyboard.press("Enter")
    expect(area(page)).to_have_value(FIRST_SIGHT.replace("1.", "1.9", 1))
    wait_until(page, "document.activeElement.getAttribute('role') === 'slider'")


def test_a_number_shows_its_handle_under_the_pointer_only(open_page):
    page = open_page()
    expect(page.locator(".handle")).to_have_count(1)
    expect(page.locator(".handle.is-shown")).to_have_count(0)
    page.mouse.move(*place(page, 0))
    expect(page.locator(".handle.is-shown")).to_have_attribute("aria-valuenow", "1")
    page.mouse.move(700, 5)
    expect(page.locator(".handle.is-shown")).to_have_count(0)


def test_a_finger_turns_a_number_and_opens_no_keyboard(chromium, address):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".st-key-graph g.node")
    x, y = place(page, 0)
    lined = page.locator(".code-editor .c-num").last  # a finger cannot hover
    assert "rgba(0, 0, 0, 0)" not in lined.evaluate("one => getComputedStyle(one).textDecorationColor")
    hand, now = page.context.new_cdp_session(page), time.time()
    for kind, across in [("touchStart", 0), *[("touchMove", 4 * i) for i in range(1, 9)], ("touchEnd", 0)]:
        points = [] if kind == "touchEnd" else [{"x": x + across, "y": y + across / 8}]
        now += 0.016
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": now})
    leaf(page, "w", "+7")
    expect(area(page)).to_have_value(FIRST_SIGHT.replace("1.", "2.", 1))
    wait_until(page, "document.activeElement.tagName !== 'TEXTAREA'")
    context.close()


def caret(page, text: str) -> None:
    """Write a program with the cursor at |."""
    area(page).fill(text.replace("|", ""))
    area(page).evaluate("(area, at) => area.setSelectionRange(at, at)", text.index("|"))


def test_shift_tab_in_a_call_shows_its_signature(page):
    caret(page, "x = = 1\nfor i in range(3):\n    torch.nn.functional.relu(x|")
    page.keyboard.press("Shift+Tab")
    told = page.get_by_role("tooltip")
    told.wait_for()
    assert told.inner_text().split("\n\n") == [
        "torch.nn.functional.relu(input, inplace=False) -> Tensor",
        "Applies the rectified linear unit function element-wise.",
    ]
    expect(page.locator(".code-editor [role=status]")).to_contain_text("rectified linear unit", use_inner_text=True)
    assert eventually(lambda: area(page).get_attribute("aria-describedby") == told.get_attribute("id"))
    page.keyboard.press("Escape")
    assert eventually(lambda: told.count() == 0)
    page.keyboard.press("Home")
    page.keyboard.press("Shift+Tab")
    assert eventually(lambda: area(page).input_value().endswith("\ntorch.nn.functional.relu(x"))


def test_a_signature_of_the_programs_own_function_is_read_from_its_text(page):
    caret(page, 'def scale(x, by=2.0,\n          *, twice=False):\n    """Grow x. Or shrink it."""\nscale(|')
    page.keyboard.press("Shift+Tab")
    assert eventually(
        lambda: (
            page.get_by_role("tooltip").inner_text().split("\n\n") == ["scale(x, by=2.0, *, twice=False)", "Grow x."]
        )
    )
    caret(page, "class Net(nn.Module):\n    def __init__(self, width):\n        pass\nnet = Net(|)")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("tooltip")).to_have_text("Net(width)", use_inner_text=True)
    page.keyboard.press("End")
    page.get_by_role("tooltip").wait_for(state="detached")


def test_an_unknown_call_has_no_signature(page):
    caret(page, "mystery(|")
    page.keyboard.press("Shift+Tab")
    page.wait_for_selector("[role=tooltip] >> text=No information about mystery.")
