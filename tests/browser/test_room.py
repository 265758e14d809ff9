"""Page layout: overlaps, the initial position of a picture, and narrow windows."""

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes, wait_until
from tests.browser.test_workbench import write
from tests.patience import eventually

WIDE = """\
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = torch.tensor(3., requires_grad=True)
d = torch.tensor(4., requires_grad=True)
e = torch.tensor(5., requires_grad=True)
f = torch.tensor(6., requires_grad=True)
L = a * b + c * d + e * f + (a * f).sin() + torch.exp(b * e)
L.backward()
"""


def at(program: str) -> str:
    return "/#" + to_fragment({"program": program})


SHOWS_CARD = 'svg.autograd g.node[aria-label^="{}"]'  # in the new program, not the previous one

SEEN_WHOLE = """(names) => {
  const frame = document.querySelector(".scroller").getBoundingClientRect();
  const inside = ({ left, right, top, bottom }) =>
    left >= frame.left - 2 && right <= frame.right + 2 && top >= frame.top - 2 && bottom <= frame.bottom + 2;
  return [...document.querySelectorAll(names)].filter((card) => inside(card.getBoundingClientRect())).length;
}"""
SCROLLS = "(one) => one.scrollHeight > one.clientHeight"


def cards_in_view(page, names: str = "g.node") -> int:
    """Return how many of these cards are completely visible."""
    return page.evaluate(SEEN_WHOLE, names)


def more_cards(page):
    """Return the label that counts the cards in view and shows all; next to it are buttons to leaves and output."""
    return page.locator(".more-cards", has_text="cards")


@pytest.fixture
def wide(open_page):
    return lambda width, height: open_page(at(WIDE), width, height, wait=SHOWS_CARD.format("L = a"))


def test_the_buttons_of_the_graph_cover_no_card(wide):
    page = wide(1400, 900)
    reaching = """() => {
        const top = document.querySelector(".scroller").getBoundingClientRect().top;
        const tools = [...document.querySelectorAll(".graph-bar *")].filter((tool) => tool.checkVisibility());
        return [tools.length, tools.filter((tool) => tool.getBoundingClientRect().bottom > top).length];
    }"""  # read all at once, because the page may still move
    for width, height in ((1400, 900), (1024, 768), (761, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        tools, covering = page.evaluate(reaching)
        assert tools > 0 and covering == 0
        if width > 760:  # with two panes, nothing is pushed out of the window
            end = "document.querySelector('.player').getBoundingClientRect().bottom"
            wait_until(page, f"{end} <= {height}")


def test_a_wide_graph_opens_at_its_output_and_shows_its_size(open_page):
    leaves = "".join(f"x{i} = torch.tensor({i}., requires_grad=True)\n" for i in range(18))
    program = f"{leaves}L = {' + '.join(f'x{i} * x{i + 1}' for i in range(0, 18, 2))}\nL.backward()\n"
    page = open_page(at(program), 1024, 768, wait=SHOWS_CARD.format("L = x0"))
    more = more_cards(page)
    expect(more).to_be_visible()
    assert cards_in_view(page, "g.node.out") == 1
    seen, cards = cards_in_view(page), page.locator("svg.autograd g.node").count()
    assert seen < cards
    expect(more).to_have_text(f"{seen} of {cards} cards")
    overview = page.locator(".graph-map")
    expect(overview).to_be_visible()
    covers = """() => { const [map, root] = [".graph-map", "g.node.out"].map((one) =>
        document.querySelector(one).getBoundingClientRect());
        return map.left < root.right && root.left < map.right && map.top < root.bottom && root.top < map.bottom; }"""
    assert not page.evaluate(covers)
    overview.click(position={"x": 3, "y": 3})  # leads to the upper left corner
    assert eventually(lambda: cards_in_view(page, 'g.node[aria-label^="x0,"]') == 1)
    more.click()
    assert cards_in_view(page) == cards
    expect(more).to_be_hidden()
    expect(overview).to_be_hidden()


def test_the_root_stays_visible_in_a_resized_pane(open_page):
    program = (
        "x = torch.rand(32, 6)\nenc, dec = torch.nn.Linear(6, 4), torch.nn.Linear(2, 6)\n"
        "mu, logvar = enc(x).chunk(2, dim=1)\nz = mu + (0.5 * logvar).exp() * torch.randn_like(mu)\n"
        "kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()\n"
        "loss = ((dec(z) - x) ** 2).sum(1).mean() + kl\nloss.backward()\n"
    )
    page = open_page(at(program), 1900, 700, wait=SHOWS_CARD.format("loss"))
    assert eventually(lambda: cards_in_view(page, "g.node.out") == 1)
    page.set_viewport_size({"width": 1000, "height": 860})
    assert eventually(lambda: cards_in_view(page, "g.node.out") == 1)


STEPS = "".join(f"b = b.sin() * {step}\n" for step in range(1, 8))
NAN_FAR_ABOVE = f"""\
w = torch.tensor([1000., 0.], requires_grad=True)
b = w.exp().clamp(max=5)
{STEPS}L = b.sum()
L.backward()
"""
DOES_NOT_FIT = f"""\
hidden, head = torch.nn.Linear(10, 32), torch.nn.Linear(16, 3)
h = torch.relu(hidden(torch.randn(8, 10)))
{STEPS.replace("b", "h")}out = head(h)
"""


@pytest.mark.parametrize(
    ("program", "fault", "width"),
    [(NAN_FAR_ABOVE, "w.exp()", 1400), (DOES_NOT_FIT, "out = head(h)", 1400), (DOES_NOT_FIT, "out = head(h)", 390)],
)
def test_a_large_graph_opens_at_its_fault(open_page, program, fault, width):
    card = SHOWS_CARD.format(fault)
    page = open_page(at(program), width, 844, wait=card)
    expect(more_cards(page)).to_be_visible()  # the graph is larger than its pane
    assert eventually(lambda: cards_in_view(page, card) == 1)


def test_a_graph_that_is_readable_as_a_whole_opens_as_a_whole(open_page):
    program = "x = torch.tensor(2., requires_grad=True)\n" + "x = x.sin()\n" * 2 + "y = x * 2\ny.backward()\n"
    page = open_page(at(program), wait=SHOWS_CARD.format("y = x"))
    assert cards_in_view(page) == 4
    expect(more_cards(page)).to_be_hidden()


def test_the_player_scrolls_to_the_current_card_in_a_wide_graph(wide):
    page = wide(1024, 768)
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for()
    page.locator(".player .track").press("PageDown")
    for _ in range(17):
        wait_until(page, "document.querySelectorAll('g.node.is-now').length === 1")
        assert eventually(lambda: cards_in_view(page, "g.node.is-now") == 1)
        page.get_by_label("Step", exact=True).click()


def test_the_count_of_visible_cards_matches_the_drawn_cards(wide):
    page = wide(1024, 768)
    drawn, more = "g.node:not(.is-absent)", more_cards(page)
    expect(more).to_be_visible()
    page.get_by_label("Back to the start").click()
    wait_until(page, f"document.querySelectorAll('svg.autograd {drawn}').length === 1")
    expect(more).to_be_hidden()
    page.locator(".player .track").press("PageDown")
    wait_until(page, f"document.querySelectorAll('svg.autograd {drawn}').length > 5")
    expect(more).to_contain_text(f" of {page.locator(f'svg.autograd {drawn}').count()} cards")


def test_a_short_program_needs_no_scrolling(open_page):
    page = open_page()
    write(page, "k = torch.tensor(1., requires_grad=True)\n(k * 7).backward()\n")
    page.locator(SHOWS_CARD.format("k, leaf")).wait_for()
    assert eventually(lambda: not page.locator(".st-key-program").evaluate(SCROLLS))
    assert eventually(lambda: not page.locator(".stMain").evaluate(SCROLLS))


def test_the_focused_editor_explains_how_to_leave_it(open_page):
    page = open_page()
    words, area = page.locator(".leave"), page.locator("textarea").first
    expect(words).to_be_hidden()
    area.focus()
    expect(words).to_be_visible()
    expect(words).to_contain_text("press Escape, then Tab")
    expect(area).to_have_accessible_description("Tab indents. To leave the program, press Escape, then Tab.")
    area.blur()
    area.click()
    expect(area).to_be_focused()
    expect(words).to_be_hidden()
    page.keyboard.press("Tab")
    expect(words).to_be_visible()


def test_a_phone_shows_the_full_name_and_separates_code_from_values(wide):
    page = wide(390, 844)
    name = page.locator(".st-key-name b")
    assert eventually(lambda: name.evaluate("(one) => one.parentElement.scrollWidth <= one.parentElement.clientWidth"))
    expect(name).to_have_text("program.py")
    covering = """(all) => all.filter((one) => one.checkVisibility({ visibilityProperty: true }) &&
        !one.querySelector("b") &&  // code fades under a gradient
        one.parentElement.children[0].getBoundingClientRect().right > one.getBoundingClientRect().left).length"""
    assert eventually(lambda: page.locator(".line .ghost").evaluate_all(covering) == 0)


def test_a_long_programs_graph_is_on_a_phones_first_screen(open_page):
    program = "x = torch.tensor(2., requires_grad=True)\n" + "x = x.sin()\n" * 60 + "y = x * 2\ny.backward()\n"
    page = open_page(at(program), 390, 844, wait=SHOWS_CARD.format("y = x"))
    stage, player = boxes(page.locator(".stage"), page.locator(".player"))
    assert stage["y"] + 100 < player["y"]
    assert page.locator(".st-key-program").evaluate(SCROLLS)


MOVED = """globalThis.moved = []; new PerformanceObserver((list) => moved.push(...list.getEntries()
    .filter((one) => !one.hadRecentInput).map((one) => one.value))).observe({ type: "layout-shift", buffered: true })"""
SLOW_LINE = """const hear = WebSocket.prototype.addEventListener; let at = 0; globalThis.awaited = 0;
    WebSocket.prototype.addEventListener = function (kind, heard, how) {
      hear.call(this, kind, kind !== "message" ? heard : (event) => {
        at = Math.max(at + 50, performance.now());
        awaited++;
        setTimeout(() => (heard(event), awaited--), at - performance.now());
      }, how); };"""  # the server's data arrives in pieces
PAGES = {  # the last element of each page to appear
    "/": ".player .track",
    "/training": ".film-value:not(:empty)",
    "/data": ".dt-scroll td",
    "/lessons": ".lesson-card:visible",
    "/broadcasting": ".bc-keys",
    "/derivatives": ".slider-group",
    "/compare": ".st-key-cp_side_1 .line",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize(("path", "last"), PAGES.items())
def test_nothing_jumps_while_a_page_opens(open_page, path, last, width):
    page = open_page(path, width, 844, wait=last, script=MOVED)
    page.wait_for_timeout(1000)
    assert sum(page.evaluate("moved")) < 0.1
    assert not [url for url in page.requested if f"{path}/_stcore" in url and path != "/"]  # not by a page


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_jumps_while_a_page_arrives_piece_by_piece(open_page, width):
    page = open_page("/", width, 844, wait=".player .track", script=SLOW_LINE + MOVED)
    wait_until(page, "awaited === 0 && document.querySelector('.st-key-inspector .slope-place')")
    page.wait_for_timeout(1000)
    assert sum(page.evaluate("moved")) < 0.06
