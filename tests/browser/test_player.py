"""The graph, the inspector and the player under a person's hands: mouse and keyboard."""

import re

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes, wait_until
from tests.patience import eventually


def write(page, program: str) -> None:
    editor = page.locator(".st-key-editor textarea").first
    editor.fill(program)
    editor.press("Control+Enter")


def card(page, name: str):
    """Return the card whose spoken name begins so, once it is there."""
    found = page.locator(f'.st-key-graph g.node[aria-label^="{name}"]').first
    found.wait_for()
    return found


def inspector_says(page, *texts: str) -> None:
    """Waits until the inspector holds all of these."""
    place = page.locator(".st-key-inspector")
    for text in texts:
        place.get_by_text(text, exact=False).first.wait_for()


def sentence(page) -> str:
    return page.locator(".player .sentence").inner_text()


def now(page) -> str:
    """Return the spoken name of the card that the player lights."""
    return page.locator("g.node.is-now").get_attribute("aria-label")


def to_backward(page) -> None:
    """Go to the first step of backward."""
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for()
    page.locator(".player .track").press("PageDown")


def test_cards_are_chosen_with_mouse_and_keys_searched_and_pointed_at(open_page):
    page = open_page()
    page.get_by_role("button", name="The story of the program").click()
    inspector_says(page, "Backward starts at", "gradient of w = +5")
    card(page, "w, leaf").click()
    inspector_says(page, "b = w + 1", "a = w + x", "sum")
    assert eventually(
        lambda: page.locator(".st-key-inspector table.sum tr.total").inner_text().split() == ["sum", "+5"]
    )
    assert eventually(lambda: "is-selected" in card(page, "w, leaf").get_attribute("class"))
    card(page, "y = a * b").click()
    inspector_says(page, "1 · 2 = +2")
    page.keyboard.press("Escape")

    focus = "document.activeElement.getAttribute('aria-label')"
    card(page, "y = a * b").focus()
    page.keyboard.press("ArrowUp")
    assert eventually(lambda: page.evaluate(focus).startswith(("a = w + x", "b = w + 1")))
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: page.evaluate(focus).startswith("b = w + 1"))
    page.keyboard.press("Enter")
    inspector_says(page, "∂b/∂w = 1")
    page.keyboard.press("Escape")
    inspector_says(page, "Backward starts at")

    page.locator(".zoom .find").click()
    page.locator(".search").fill("w + 1")
    assert eventually(lambda: page.locator("g.node.is-dimmed").count() == page.locator("g.node").count() - 1)
    page.keyboard.press("Enter")
    inspector_says(page, "∂b/∂w = 1")
    page.keyboard.press("Escape")
    assert page.locator("g.node.is-dimmed").count() == 0
    wait_until(page, "document.activeElement.className === 'find'")
    [before] = boxes(page.locator("svg.autograd"))
    page.locator(".zoom").get_by_label("Zoom in").click()
    [after] = boxes(page.locator("svg.autograd"))
    assert after["width"] > before["width"]

    page.evaluate("window.told = []; document.addEventListener('explorer:point', (e) => told.push(e.detail))")
    card(page, "b = w + 1").hover()
    spans = "told.filter((d) => d.source === 'graph' && d.kind === 'hover').at(-1)?.spans"
    assert eventually(lambda: page.evaluate(spans) == [[0, 4, 4, 4, 9]])
    page.evaluate(
        "document.dispatchEvent(new CustomEvent('explorer:point',"
        "{detail: {spans: [[0, 5, 0, 5, 20]], source: 'editor', kind: 'caret'}}))"
    )
    expect(page.locator("g.node.is-hovered")).to_have_count(1)
    assert eventually(lambda: page.locator("g.node.is-hovered").get_attribute("aria-label").startswith("y = a * b"))


def test_steps_follow_the_engine_and_describe_each_event(open_page):
    page = open_page()
    page.get_by_role("button", name="The story of the program").click()
    to_backward(page)
    assert now(page).startswith("y = a * b")
    assert eventually(lambda: sentence(page).startswith("y.backward() starts with gradient +1."))
    expect(page.locator("g.edge.is-now")).to_have_count(2)
    expect(page.locator("g.node.is-pending")).to_have_count(2)  # w and x, which no gradient has reached
    inspector_says(page, "y.backward()")
    for _ in range(3):
        page.get_by_label("Step", exact=True).click()
    assert "leaf" in now(page)
    page.get_by_label("Step back").click()
    expect(page.locator(".stepno")).to_have_text("Step 8 of 10", use_inner_text=True)
    page.get_by_label("To the end").click()
    assert eventually(lambda: page.locator("g.node.is-pending").count() == 0)
    assert eventually(lambda: page.locator("g.node.is-now").count() == 0)
    assert eventually(lambda: sentence(page).startswith("w.grad = 5"))


def test_arrow_keys_step_except_in_the_editor(open_page):
    page = open_page()
    page.locator(".player .sentence").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # even if the server has not sent the steps yet
    page.locator(".stepno", has_text="Step 2 of 10").wait_for()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stepno")).to_have_text("Step 1 of 10", use_inner_text=True)
    page.locator(".st-key-editor textarea").first.click(position={"x": 120, "y": 168})  # the blank last line
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stepno")).to_have_text("Step 1 of 10", use_inner_text=True)


def answer(page, text: str) -> None:
    field = page.locator(".player .guess input")
    field.wait_for()
    field.fill(text)
    page.keyboard.press("Enter")


def told(page, text: str) -> None:
    page.locator(".player .saying", has_text=text).wait_for()


def test_predict_can_be_answered_by_keyboard(open_page):
    page = open_page()
    page.locator(".player .toggle input").focus()
    page.keyboard.press("Space")
    told(page, "Guess each value, then each gradient")
    page.keyboard.press("ArrowRight")
    told(page, "a = w + x runs next. What will a be?")
    expect(page.locator("g.node:not(.is-absent)")).to_have_count(3)  # w, x, and a without its value
    assert [text for text in page.locator(".ghost .v").all_inner_texts() if text] == ["1", "2"]
    answer(page, "4")
    told(page, "Not 4. Now w = 1 and x = 2.")
    answer(page, "3")
    told(page, "Right: 3. a = w + x: 1 + 2 = 3.")
    page.keyboard.press("ArrowRight")
    told(page, "What will b be?")
    page.keyboard.press("Escape")
    page.locator(".player .ctl button").nth(3).press("ArrowRight")  # shown without an answer
    told(page, "b = w + 1: 1 + 1 = 2.")
    expect(page.locator("g.node:not(.is-absent)")).to_have_count(4)
    page.keyboard.press("PageDown")  # the remaining values
    told(page, "y = a * b: 3 · 2 = 6.")
    page.keyboard.press("ArrowRight")
    told(page, "Which gradient does y send to a?")
    page.locator(".player .track").press("h")
    told(page, "w.grad = 5")
    assert page.errors == []


def test_program_text_is_escaped_everywhere(open_page):
    page = open_page()
    write(page, "k = {'<img src=x onerror=alert(1)>': torch.tensor(2., requires_grad=True)}\n"
                "y = k['<img src=x onerror=alert(1)>'] * 3\ny.backward()\n")  # fmt: skip
    card(page, "y = k").click()
    inspector_says(page, "MulBackward0")
    page.locator(".player .sentence", has_text="<img").wait_for()
    to_backward(page)
    assert page.locator(".st-key-right img, .player img, .code-editor img").count() == 0
    assert re.search("<img", sentence(page) + page.locator(".st-key-inspector").inner_text())


def test_pending_gradients_are_dots_everywhere(open_page):
    program = "import torch\nw = torch.tensor(1., requires_grad=True)\nb = w + 1\ny = w * b\ny.backward()\n"
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), wait='g.card[aria-label^="b = w + 1"]')
    ends = page.locator(".code-editor .ghost .g")
    expect(ends).to_have_text(["grad +3", "grad +1", "grad +1"])
    page.locator('g.card.leaf[aria-label^="w"] .grad').first.click()
    page.locator(".why", has_text="gradient of w = +3").wait_for()
    to_backward(page)  # only y has its gradient
    waiting = page.locator(".code-editor .line.is-waiting .ghost .g b")
    expect(waiting).to_have_count(1)  # the one of w
    expect(waiting).to_be_hidden()
    page.wait_for_timeout(1000)  # for the inspector to follow the player
    page.locator('g.card.leaf[aria-label^="w"]').focus()
    if page.locator('g.card.leaf.is-selected[aria-label^="w"]').count() == 0:  # Enter would close a chosen card
        page.keyboard.press("Enter")  # a click would continue to its gradient
    page.locator(".inspection[data-card] .of-gradient").wait_for()
    page.locator(".st-key-inspector.is-waiting").wait_for()
    assert "+3" not in page.locator(".inspection[data-card]").inner_text()
    expect(page.locator(".why:visible")).to_have_count(0)
    page.locator(".player .ctl button").nth(4).click()  # the button for the end
    expect(waiting).to_have_count(0)
    page.locator(".inspection[data-card] .of-gradient b", has_text="+3").wait_for()
    assert page.errors == []


def test_predict_asks_one_question_at_a_time(open_page):
    program = "import torch\nw = torch.tensor(3., requires_grad=True)\nb = w * w\ny = b * w\ny.backward()\n"
    state = {"program": program, "name": "p.py", "hide": "grad"}
    page = open_page("/#" + to_fragment(state), wait='g.card[aria-label^="b = w * w"]')
    page.locator('g.card.leaf[aria-label^="w"]').click(position={"x": 20, "y": 10})
    page.locator(".st-key-uncover input").wait_for()
    page.locator(".player .ctl button").nth(3).click()
    page.locator(".player .guess input").wait_for()
    expect(page.locator(".st-key-uncover input")).to_have_count(0)
    page.locator(".st-key-uncover").wait_for()  # the button that shows the number stays
    assert page.errors == []


def test_a_page_left_while_it_plays_leaves_nothing_beside_the_next_program(open_page):
    page = open_page()
    page.get_by_role("button", name="Play").click()
    page.locator(".code-editor .is-running").first.wait_for()
    page.get_by_role("link", name="Training").click()
    page.locator(".code-editor", has_text="optimizer.step()").wait_for()
    page.wait_for_timeout(1500)  # as long as two moments
    expect(page.locator(".code-editor .is-running")).to_have_count(0)
    assert page.errors == []


def test_the_graph_stays_in_view_at_moments_without_a_card(open_page):
    layers = ", ".join(["torch.nn.Linear(8, 8), torch.nn.Tanh()"] * 4)
    program = f"""import torch
net = torch.nn.Sequential({layers})
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    opt.zero_grad()
    loss = net(torch.ones(4, 8)).mean()
    loss.backward()
    opt.step()
"""
    page = open_page("/?lang=en#" + to_fragment({"program": program, "name": "p.py"}))
    page.get_by_label("Back to the start").click()
    seen = """() => {
        const middle = ({ top, bottom }) => (top + bottom) / 2;
        const frame = document.querySelector('.st-key-graph .scroller').getBoundingClientRect();
        const cards = [...document.querySelectorAll('.st-key-graph g.node:not(.is-absent)')];
        const at = cards.map((card) => middle(card.getBoundingClientRect()));
        return !at.length || at.some((y) => y > frame.top && y < frame.bottom);
    }"""
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        wait_until(page, seen)
    assert page.errors == []
