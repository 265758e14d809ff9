"""The workbench in a real browser: another root, rounds of a loop, links, exports, a run that is stopped."""

import re
from pathlib import Path

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes, wait_until
from tests.patience import eventually

LOOP = "x = torch.tensor(1., requires_grad=True)\nfor i in range(4):\n    x = x * 2\nx.backward()\n"


def write(page, text):
    page.locator("textarea").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")


def program(page):
    return page.locator("textarea").first.input_value()


def titles(page):
    return [card.get_attribute("aria-label").split(",")[0] for card in page.locator("g.node").all()]


def card(page, title):
    return page.locator(f'g.node[aria-label^="{title}"]').first


def test_another_root_with_a_starting_gradient_is_a_separate_run(open_page):
    page = open_page()
    page.locator(".roots summary").focus()
    page.keyboard.press("Enter")
    page.locator(".roots select").select_option("a")
    page.locator(".roots input").fill("10")
    page.keyboard.press("Enter")
    expect(card(page, "w, leaf")).to_have_attribute("aria-label", re.compile(r"gradient \+10"))
    assert titles(page)[-1].startswith("a = w + x")
    page.get_by_role("button", name="Back to the program's own").click()
    expect(card(page, "w, leaf")).to_have_attribute("aria-label", re.compile(r"gradient \+5"))
    page.locator(".roots summary").click()
    page.locator(".roots select").select_option("y")
    page.locator(".roots input").fill("1, 2, 3")
    page.locator(".roots button").click()
    expect(page.locator(".st-key-notices")).to_contain_text("has 3 numbers, but y has 1 entry")


def test_loops_failing_and_empty_programs_are_shown(open_page):
    page = open_page()
    before = program(page)
    write(page, LOOP)
    expect(page.locator("g.node")).to_have_count(2)
    page.get_by_role("button", name="Unfold").click()
    expect(page.locator("g.node")).to_have_count(5)  # a leaf and four rounds
    page.get_by_role("button", name="Fold").click()
    expect(page.locator("g.node")).to_have_count(2)
    write(page, before + "y.backward()\n")
    page.wait_for_selector(".stale")
    failed = page.locator("g.node.is-failed")
    expect(failed).to_have_count(1)
    assert failed.get_attribute("aria-label").startswith("y = a * b")
    write(page, before)
    expect(page.locator("g.node.is-failed")).to_have_count(0)
    write(page, "# nothing yet\n")
    expect(page.locator("g.node")).to_have_count(0)
    expect(page.locator(".st-key-graph .notice")).to_be_visible()


def test_reload_back_and_a_link_keep_the_program(open_page):
    page = open_page()
    write(page, LOOP)
    wait_until(page, "location.hash.length > 20")
    link = page.url
    page.reload()
    expect(page.locator("textarea").first).to_have_value(LOOP)
    expect(page.locator("g.node")).to_have_count(2)
    page.get_by_role("link", name="Learn").first.click()
    page.get_by_role("link", name="Broadcasting").click()
    page.wait_for_selector(".st-key-bc_frame")
    wait_until(page, "location.search")  # the address is complete
    page.go_back()
    page.wait_for_selector(".lesson-card")
    page.go_back()
    expect(page.locator("textarea").first).to_have_value(LOOP)
    other = open_page(link[link.index("/", 8) :])
    expect(other.locator("textarea").first).to_have_value(LOOP)
    assert all("#" not in one and "eNp" not in one for one in other.requested[1:])  # the text stays in the browser


# What the page shows at any time: texts in editors and the names of cards.
WITNESS = """globalThis.seen = new Set(); globalThis.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((one) => one.hadRecentInput || (shifted += one.value)))
      .observe({ type: "layout-shift", buffered: true });
    new MutationObserver(() => {
      for (const one of document.querySelectorAll("textarea")) seen.add(one.value);
      for (const one of document.querySelectorAll("g.node")) seen.add(one.getAttribute("aria-label"));
    }).observe(document, { childList: true, subtree: true, attributes: true });"""


def test_links_and_reloads_show_only_their_own_program(open_page):
    link = to_fragment({"program": "v = torch.ones(3, requires_grad=True)\nlink = v.exp().sum()\nlink.backward()\n"})
    page = open_page(f"/?lang=en#{link}", script=WITNESS)
    for _ in range(2):
        card(page, "link = ").wait_for()
        assert not [one for one in page.evaluate("[...seen]") if "w = " in one or "x, leaf" in one]
        assert page.evaluate("shifted") < 0.1
        assert page.evaluate("location.href").endswith(f"/?lang=en#{link}")
        page.evaluate("seen.clear()")
        page.reload()
    for path, link in {
        "broadcasting": {"a": "5, 1"},
        "derivatives": {"f": "sin(7*x)"},
        "compare": {"program": "u = torch.ones(2, requires_grad=True)\n", "other": "k = torch.ones(2)\n"},
    }.items():
        page = open_page(f"/{path}?lang=en#{to_fragment(link)}", script=WITNESS, wait=".st-key-header")
        said = next(iter(link.values()))
        expect(page.locator("input, textarea").filter(visible=True).first).to_have_value(said)
        assert page.evaluate("shifted") < (0.25 if path == "compare" else 0.1)  # two outlines


def test_text_typed_just_before_a_reload_is_kept(open_page):
    page = open_page()
    area = page.locator("textarea").first
    for typed in ("# one", "# two"):  # into the session's first program, then into one stored in the tab
        area.press("Control+End")
        page.keyboard.type(f"{typed}\n")
        page.reload()
        expect(area).to_have_value(re.compile(f"{typed}\n$"))
        wait_until(
            page, "location.hash.length > 20 && document.querySelector('.st-key-status').innerText.includes('ran')"
        )


def test_a_new_tab_opens_with_the_last_program(open_page):
    page = open_page()
    write(page, LOOP)
    wait_until(page, "location.hash.length > 20")
    again = page.context.new_page()
    again.goto(page.url.split("?")[0])
    expect(again.locator("textarea").first).to_have_value(LOOP)
    expect(again.locator("g.node")).to_have_count(2)
    expect(again.locator(".st-key-welcome")).to_be_hidden()
    again.goto(page.url.split("?")[0] + "?lang=en&example=ranks")  # a different address
    expect(again.locator("textarea").first).not_to_have_value(LOOP)
    again.close()


def test_a_repair_is_one_click_and_one_step_of_undo(open_page):
    page = open_page()
    before = program(page)
    uncalled = before + "with torch.no_grad:\n    z = y * 2\n"
    write(page, uncalled)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("textarea").first).to_have_value(uncalled.replace("no_grad:", "no_grad():"))
    expect(page.locator(".problem")).to_have_count(0)
    page.locator("textarea").first.focus()
    page.keyboard.press("Control+z")
    assert program(page) == uncalled
    page.wait_for_selector(".problem")


def test_exported_files_are_complete(open_page, tmp_path):
    page = open_page()
    page.get_by_role("button", name="File").click()
    page.locator(".st-key-menu_export summary").click()
    saved = {}
    for key in ("svg", "html"):
        with page.expect_download() as download:
            page.locator(f".st-key-save-{key} button").click()
        download.value.save_as(tmp_path / f"p.{key}")
        saved[key] = (tmp_path / f"p.{key}").read_text(encoding="utf-8")
    with page.expect_download() as download:
        page.get_by_role("button", name="Image .png").click()
    download.value.save_as(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"
    assert saved["svg"].startswith("<svg")
    taken_away_page_answers(page.context.browser, tmp_path / "p.html")


def taken_away_page_answers(chromium, path: Path):
    """Check the exported page, from a file and in an iframe: click, keyboard, zoom; nothing is fetched."""
    window = chromium.new_context()
    page = window.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    card(page, "a = w + x").click()
    expect(page.locator("aside section:visible h3")).to_have_text("a = w + x")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("aside section:visible .about")).to_contain_text("leaf")
    [before] = boxes(page.locator(".stage svg").first)
    page.get_by_role("button", name="Zoom in").click()
    [after] = boxes(page.locator(".scroller > svg"))
    assert after["width"] > before["width"]
    assert asked == [path.as_uri()]
    framed = window.new_page()
    text = path.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    framed.set_content(f'<iframe sandbox="allow-scripts" width="900" height="600" srcdoc="{text}"></iframe>')
    inner = framed.frame_locator("iframe")
    inner.locator("g.node").first.click()
    expect(inner.locator("g.node.is-selected")).to_have_count(1)
    window.close()


def test_the_page_is_complete_while_a_program_runs(open_page):
    page = open_page()
    endless = (
        "x = torch.tensor(1., requires_grad=True)\nwhile True:\n    y = x + 1\n"  # takes no more memory in any round
    )
    write(page, "x = torch.tensor(2., requires_grad=True)\n(x * x).backward()\n")
    expect(page.locator(".st-key-welcome")).to_be_hidden()  # the greeting disappears with the first run
    page.locator('g.node[aria-label^="x"]').first.wait_for()
    [before] = boxes(page.locator("textarea").first)
    write(page, endless)
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    [during] = boxes(page.locator("textarea").first)
    assert during["y"] == before["y"]  # the bar keeps its height
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-menu_save summary").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Python program .py").click()
    assert Path(taken.value.path()).read_text() == f"import torch\n\n{endless}"  # the saved file also runs elsewhere
    page.keyboard.press("Escape")
    wait_until(page, "location.hash.length > 20")
    page.reload()
    expect(page.locator("textarea").first).to_have_value(endless)
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    page.get_by_role("link", name="Learn").first.click()
    page.get_by_role("link", name="Operations").click()
    page.locator(".st-key-lens, .st-key-editor .status").first.wait_for()
    page.get_by_role("link", name="Program").click()
    expect(page.locator(".st-key-editor .status")).to_contain_text("running")  # does not wait for the other page
    expect(page.locator("textarea").first).to_have_value(endless)  # the text can be edited while it runs
    told = page.locator(".stale")

    def stopped() -> bool:
        page.evaluate("document.querySelector('.st-key-stop button')?.click()")
        page.wait_for_timeout(500)  # clicks on a page being left are lost
        return told.is_visible()

    # The loop has begun by then; before, there is nothing to draw.
    expect(page.locator(".st-key-editor .status")).to_contain_text(re.compile(r"running for ([3-9]|\d\d) s"))
    assert eventually(stopped)
    expect(told).to_contain_text("You stopped the program")
    expect(told).to_contain_text("The graph up to the stop.")
    expect(page.locator(".problem")).to_have_count(0)  # the user stopped it
    expect(page.locator("g.node")).to_have_count(2)


def test_a_link_names_the_backward_and_the_view(open_page):
    page = open_page("/?fold=0")
    write(page, "x = torch.tensor(2., requires_grad=True)\n(x * x).backward()\n(x * 3).backward()\n")
    page.get_by_role("button", name="backward 1 line 2").click()
    wait_until(page, "location.search.includes('backward=1') && location.search.includes('fold=0')")
    wait_until(page, "location.hash.length > 20")
    link = page.url
    other = open_page(link[link.index("/", 8) :])
    expect(other.get_by_role("button", name="backward 1 line 2")).to_have_attribute("aria-pressed", "true")


def test_runs_leave_no_listeners_behind(open_page):
    page = open_page()
    devtools = page.context.new_cdp_session(page)
    ours = "Object.entries(getEventListeners(document)).filter(([name]) => name.startsWith('explorer:'))"

    def listeners(number: int) -> int:
        """After a run of a program with this number in it."""
        write(page, f"w = torch.tensor({number}., requires_grad=True)\n(w * w).backward()")
        expect(page.locator(".ghost").first).to_contain_text(f"+{2 * number}")
        asked = {"expression": f"{ours}.flatMap(([, all]) => all).length", "includeCommandLineAPI": True}
        before = None
        while (now := devtools.send("Runtime.evaluate", asked)["result"]["value"]) != before:
            before = now
            page.wait_for_timeout(300)
        return now

    once = listeners(3)
    assert 0 < once == [listeners(number) for number in (5, 7)][-1]


def test_the_cursors_card_is_highlighted_again_after_the_mouse_leaves(open_page):
    page = open_page()
    lit, field = page.locator("g.node.is-hovered"), page.locator(".st-key-editor textarea")
    field.evaluate("one => { one.focus(); const at = one.value.indexOf('w + 1') + 2; one.setSelectionRange(at, at); }")
    expect(lit).to_have_attribute("aria-label", re.compile(r"^b = w \+ 1"))
    card(page, "a = w + x").hover()
    expect(lit).to_have_attribute("aria-label", re.compile(r"^a = w \+ x"))
    page.mouse.move(5, 5)
    expect(lit).to_have_attribute("aria-label", re.compile(r"^b = w \+ 1"))
    field.evaluate("one => { const at = one.value.indexOf('w + 1') + 5; one.setSelectionRange(at, at); }")
    page.keyboard.type("0")
    expect(card(page, "b = w + 10")).to_contain_text("11")
    expect(lit).to_have_attribute("aria-label", re.compile(r"^b = w \+ 10"))
    card(page, "a = w + x").click()
    expect(page.locator("g.node.is-selected")).to_have_attribute("aria-label", re.compile(r"^a = w \+ x"))
    expect(page.locator(".st-key-inspector")).to_be_visible()  # it moves the graph
    card(page, "a = w + x").hover()
    expect(lit).to_have_attribute("aria-label", re.compile(r"^a = w \+ x"))


OTHERS = (
    "x = torch.ones(2, 3)\n",
    "u = torch.ones(2, requires_grad=True)\nu.sum().backward()\n",
)  # programs without and with a graph


def test_a_choice_ends_when_its_card_or_the_graph_is_gone(open_page):
    page = open_page()
    first, inspector = program(page), page.locator(".st-key-inspector")
    for other in OTHERS:
        card(page, "y = a * b").click()
        expect(inspector.locator(".story")).to_have_count(0)
        write(page, other)
        expect(card(page, "y = a * b")).to_have_count(0)
        write(page, first)
        card(page, "y = a * b").wait_for()
        expect(inspector.locator(".story")).to_have_count(1)
        expect(page.locator("g.node.is-selected")).to_have_count(0)
