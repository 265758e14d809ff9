"""After an error and during a run: the page of a program that did not end well."""

from playwright.sync_api import expect

from tests.browser.measures import boxes, wait_until
from tests.browser.test_workbench import card, write
from tests.patience import eventually

VECTOR = "x = torch.arange(4., requires_grad=True)\ny = x * x\ny.backward()\n"
TWO = (
    "# %%\nx = torch.tensor(2., requires_grad=True)\ny = x * x\n"
    "# %%\nz = torch.ones(3) + torch.ones(2)\n# %%\nw = y * 3\nw.backward()\nwith torch.no_grad:\n    w * 2\n"
)
LONG = "x = torch.tensor(2., requires_grad=True)\n" + "".join(
    f"y = x ** {i}\ny.backward()\n" + f"# {i}\n" * 20 for i in range(2, 5)
)


# Opacity of an element, including its ancestors'.
STRENGTH = """element => {
    let strength = 1;
    for (; element; element = element.parentElement) strength *= getComputedStyle(element).opacity;
    return strength;
}"""


def test_programs_that_fail_in_sequence_show_their_own_errors(open_page):
    page = open_page()
    page.get_by_text("ran, up to date").wait_for()
    write(page, VECTOR)  # each shows its own graph
    expect(page.locator(".stale code")).to_have_count(0)
    wait_until(page, f"({STRENGTH})(document.querySelector('.st-key-inspector h3')) === 1")
    expect(page.locator(".stale")).to_contain_text("line 3")
    expect(page.locator("g.node.is-failed")).to_have_count(1)
    expect(page.locator("g.node")).to_have_count(2)
    write(page, "W = torch.ones(3, 4, requires_grad=True)\nv = torch.ones(3)\nh = W * 2\ny = h @ v\n")
    expect(card(page, "y = h @ v")).to_have_class("node card op is-failed")
    expect(page.locator("g.node.is-failed")).to_have_count(1)
    for shown in ("g.node", ".st-key-inspector h3"):
        wait_until(page, f"({STRENGTH})(document.querySelector('{shown}')) === 1")

    write(page, "x = torch.ones(3)\ny = x.reshape(2, 2) + x.reshape(3, 1) + x.reshape(1, 3) + x.unsqueeze(0)\n")
    fault = page.locator(".line.is-bad .fault")  # a line's message does not cover its code
    expect(page.locator(".line.is-bad .src")).to_contain_text("unsqueeze")
    said, code = boxes(fault, page.locator(".line.is-bad .src"))
    assert said["x"] >= code["x"] + code["width"] - 1

    write(page, LONG)  # a chip shows its line of the program
    page.locator(".chip", has_text="backward 3").click()
    expect(page.locator(".line.is-lit")).to_have_text("y.backward()")
    wait_until(page, "document.querySelector('.st-key-program').scrollTop > 100")
    page.locator(".chip", has_text="backward 1").click()
    wait_until(page, "document.querySelector('.line.is-lit')?.style !== undefined")
    wait_until(page, "document.querySelector('.st-key-program').scrollTop < 60")

    write(page, TWO)  # the first of several problems is open, the others take a line each
    first, second = page.locator(".st-key-problem_0"), page.locator(".st-key-problem_1")
    expect(second.locator("h3")).to_be_visible()
    assert eventually(lambda: first.locator(".cause").is_visible() and not second.locator(".cause").is_visible())
    expect(second.get_by_role("button", name="Apply")).to_be_hidden()
    [pane] = boxes(page.locator(".st-key-panel"))
    assert pane["height"] < 426  # half of the pane's 852 px
    second.locator("summary").first.click()
    assert eventually(
        lambda: second.locator(".cause").is_visible() and second.get_by_role("button", name="Apply").is_visible()
    )


def test_results_of_the_previous_program_keep_their_lines_during_a_run(open_page):
    page = open_page()
    write(page, "p = torch.tensor(4., requires_grad=True)\nq = p ** 2\nq.backward()\n")
    page.wait_for_selector(".ghost >> text=16")
    write(page, "k = 1\np = torch.tensor(4., requires_grad=True)\nwhile k: k += 1\n")
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    assert [one.text_content() for one in page.locator(".line:has(.ghost) .src").all()] in (
        [],
        ["p = torch.tensor(4., requires_grad=True)"],
    )
    page.get_by_role("button", name="Stop", exact=True).click()


def test_rounds_are_below_the_heading_and_a_plot_is_an_output(open_page):
    page = open_page()
    write(page, "y = x = torch.tensor(1.5, requires_grad=True)\nfor i in range(5):\n    y = y * x\ny.backward()\n")
    card(page, "y = y * x").click()
    expect(page.locator(".st-key-inspector h3.what")).to_have_text("y = y * x")
    wait_until(
        page,
        """() => {
          const [slider, heading] = ["[data-testid=stSlider]", "h3.what"].map((one) =>
            document.querySelector(`.st-key-inspector ${one}`)?.getBoundingClientRect());
          return slider && heading && slider.top > heading.top;
        }""",
    )
    write(page, "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()\n")
    page.wait_for_selector(".st-key-output img.picture")
    assert "No output" not in page.locator(".st-key-output").inner_text()


def test_the_status_of_a_stopped_program_covers_nothing(open_page):
    page = open_page(width=1024, height=768)
    write(page, "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\ny.backward()\n")
    names = (".graph-bar .zoom", ".st-key-inspector", "g.node >> nth=0")
    word, *others = boxes(page.locator(".st-key-graph .stale"), *(page.locator(one).first for one in names))
    for name, other in zip(names, others, strict=True):
        beside = word["x"] + word["width"] <= other["x"] or word["y"] + word["height"] <= other["y"]
        assert beside, name


def test_many_steps_stay_in_their_area(open_page):
    page = open_page(width=1024, height=768)
    lines = "".join(f"y = y * {i}.\n" for i in range(2, 32))
    write(page, f"x = torch.tensor(1., requires_grad=True)\ny = x\n{lines}y.backward()\n")
    page.locator(".player .track").hover()  # the steps are sent when the pointer approaches
    page.locator(".player .stepno", has_text="steps").wait_for()
    last, told = boxes(*(page.locator(f".player {part}") for part in (".track i >> nth=-1", ".stepno")))
    assert last["x"] + last["width"] <= told["x"]
