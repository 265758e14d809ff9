"""The first minute: the program plays by itself and a number is changed, by mouse and by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser.measures import boxes, wait_until

AGAIN = "sessionStorage.removeItem('explorer:played')"
# records every verdict, because each is visible only briefly
VERDICTS = """globalThis.verdicts = []; new MutationObserver(() => {
    const said = document.querySelector(".asks:is(.is-right, .is-wrong)");
    if (said) verdicts.push(`${said.className}: ${said.textContent}`);
  }).observe(document, { childList: true, subtree: true, attributes: true });"""


@pytest.fixture
def newcomer(open_page):
    """Opens the app as for the first time in a tab."""

    def opened(path="/", motion="no-preference", width=1400):
        once = f"if (!window.name) {{ {AGAIN}; window.name = 'opened' }}"
        page = open_page(path, width, wait=".st-key-editor", script=f"{once}\n{VERDICTS}", motion=motion)
        page.wait_for_selector(".st-key-graph g.node", state="attached")
        return page

    return opened


def plays(page):
    wait_until(page, "'playing' in document.documentElement.dataset")


def rests(page):
    wait_until(page, "!('playing' in document.documentElement.dataset)")
    expect(page.locator(".sentence")).to_contain_text("5")


def answers(page, number="5"):
    """Answer when the player stops before w and asks."""
    field = page.locator(".asks input")
    expect(field).to_be_focused()
    expect(page.locator('g.card.leaf[aria-label^="w, leaf"] .pend')).to_be_visible()
    page.keyboard.type(number)
    page.keyboard.press("Enter")


def is_told(page, verdict):
    wait_until(page, "words => verdicts.some((said) => words.every((word) => said.includes(word)))", verdict)


def shows_only_the_graph(page):
    expect(page.locator(".st-key-graph g.node.is-selected")).to_have_count(0)
    expect(page.locator(".st-key-inspector")).to_be_hidden()


def test_the_first_minute_works_with_the_mouse(newcomer):
    page = newcomer()
    expect(page.locator(".st-key-welcome h2")).to_have_text("See what backward() does, one number at a time")
    plays(page)
    answers(page)
    is_told(page, ["is-right"])
    rests(page)
    shows_only_the_graph(page)
    expect(page.locator(".asks")).to_have_count(0)
    number = page.locator(".code-editor .c-num").first
    box = number.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=6)
    expect(page.locator(".code-editor .paint").first).not_to_contain_text("tensor(1.,")
    assert number.bounding_box()["y"] == box["y"]  # the element under the pointer does not move
    page.mouse.up()
    wait_until(page, "!document.querySelector('textarea').value.startsWith('w = torch.tensor(1.')")
    wait_until(page, "(localStorage.getItem('explorer:programs') ?? '').includes('w = torch.tensor(3')")
    page.reload()
    page.wait_for_selector(".st-key-graph g.node")
    expect(page.locator(".st-key-welcome")).to_be_hidden()
    expect(page.locator(".player .go.is-named")).to_be_visible()
    assert page.errors == []


def test_the_first_minute_works_with_the_keyboard(newcomer):
    page = newcomer()
    plays(page)
    page.keyboard.press("Space")
    wait_until(page, "!document.querySelector('.player .go').matches('.is-named')")
    page.keyboard.press("End")
    rests(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stepno")).to_contain_text("Step 1 of")
    page.keyboard.press("End")
    editor = page.locator("textarea").first
    for _ in range(40):
        if editor.evaluate("area => area === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(editor).to_be_focused()
    page.keyboard.press("Control+Home")
    for _ in range(len("w = torch.tensor(")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("4")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-graph g.node[aria-label^='w, leaf']")).to_contain_text("4")
    expect(page.locator(".st-key-welcome")).to_be_hidden()  # because a changed program was run
    assert page.errors == []


def test_one_button_skips_the_introduction(newcomer):
    page = newcomer()
    plays(page)
    page.get_by_role("button", name="Skip").click()
    rests(page)
    shows_only_the_graph(page)
    expect(page.get_by_role("button", name="Skip")).to_be_hidden()
    assert page.errors == []


def test_a_click_that_stops_the_introduction_also_opens_its_menu(newcomer):
    page = newcomer()
    plays(page)
    page.locator(".st-key-file button").first.click()
    page.wait_for_selector(".st-key-open input[type=file]", state="attached")
    rests(page)


@pytest.mark.parametrize("path, motion", [("/", "reduce"), ("/?fold=0", "no-preference")])
def test_the_introduction_respects_reduced_motion_and_links(newcomer, path, motion):
    page = newcomer(path, motion=motion)
    expect(page.locator(".player .go.is-named")).to_be_visible()
    page.wait_for_timeout(3_000)
    assert page.evaluate("'playing' in document.documentElement.dataset") is False
    assert page.evaluate("sessionStorage.getItem('explorer:played')") is None


def test_the_welcome_choices_are_hidden_on_the_next_visit(open_page):
    page = open_page()
    page.locator("textarea").first.press("Control+A")
    page.keyboard.insert_text("k = torch.tensor(3., requires_grad=True)\n(k * k).backward()\n")
    page.wait_for_selector('.st-key-graph g.node[aria-label^="k, leaf"]')
    wait_until(page, "location.hash.length > 20")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-welcome")).to_have_count(0)  # because its own program was run
    expect(open_page().locator(".st-key-welcome")).to_be_hidden()


def test_running_a_typed_program_removes_the_introduction(open_page):
    page = open_page()
    page.locator("textarea").first.fill("k = torch.tensor(3., requires_grad=True)\n(k * k).backward()\n")
    page.wait_for_selector('.st-key-graph g.node[aria-label^="k, leaf"]')
    page.locator(".st-key-run button").click()
    expect(page.locator(".st-key-welcome")).to_have_count(0)
    assert page.errors == []


def test_the_introductions_text_and_buttons_fit(open_page):
    page = open_page("/?lang=en")
    for width in (1400, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for part in ("h2", ".st-key-newcomer_link button"):
            expect(page.locator(f".st-key-welcome {part}")).to_be_in_viewport(ratio=1)
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
        wait_until(page, "document.documentElement.scrollHeight <= innerHeight || innerWidth < 761")


@pytest.mark.parametrize("width", [1400, 390])
def test_the_question_is_next_to_its_card_and_rejects_a_wrong_answer(newcomer, width):
    page = newcomer(width=width)
    expect(page.locator(".asks input")).to_be_focused()
    card, question = boxes(page.locator('g.card.leaf[aria-label^="w, leaf"]').first, page.locator(".asks"))
    across = max(card["x"] - question["x"] - question["width"], question["x"] - card["x"] - card["width"], 0)
    down = max(card["y"] - question["y"] - question["height"], question["y"] - card["y"] - card["height"], 0)
    assert 0 < across + down < 40
    answers(page, "3")
    is_told(page, ["is-wrong", "3 comes by one path"])
    answers(page, "4")
    is_told(page, ["is-wrong", "Not 4: both paths count"])


@pytest.mark.parametrize(
    "answer, reply",
    [
        ("x", "x is not a number yet"),
        ("2x", "2x is not a number yet"),
        ("6", "That is 2 · 3"),
        ("2*3", "That is 2 · 3"),
    ],
)
def test_a_typed_answer_gets_a_fitting_reply(newcomer, answer, reply):
    page = newcomer()
    answers(page, answer)
    is_told(page, ["is-wrong", reply])
    answers(page, "2 + 3")
    is_told(page, ["is-right"])
