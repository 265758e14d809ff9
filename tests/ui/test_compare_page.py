"""The Compare page without a browser: both sides, the comparison, and the address."""

import itertools
from html import escape

import pytest

from explorer import save
from explorer.program import Unusable
from explorer.text import say
from explorer.ui.pages.compare.other import OTHER, OtherProgram, from_file
from explorer.ui.pages.compare.pair_choice import PAIRS
from explorer.ui.session.document import FIRST_REVISION, Document
from tests.traces import trace_of
from tests.ui.pages import html, linked, new_page, told

REVISIONS = itertools.count(FIRST_REVISION["compared"] + 1_000, 10)
NET = (
    "import torch\ntorch.manual_seed(0)\nnet = torch.nn.Linear(3, 2)\nx = torch.ones(4, 3)\n"
    "loss = (net(x) ** 2).mean()\nloss.backward()\n"
)


@pytest.fixture(scope="module")
def opened():
    return new_page("compare")


@pytest.fixture
def app(opened):
    """Return the page with a small network as A, and B as its copy."""
    opened.session_state["_document"] = Document((NET,), (0,))
    opened.session_state[OTHER] = None
    return opened.run()


def said(app) -> str:
    """Return the HTML of the page and of the comparison."""
    return html(app) + linked(app)


def texts(app) -> list[str]:
    """Return the programs in both editors."""
    return ["\n".join(cell["text"] for cell in one["cells"]) for one in told(app, "editor")]


def put(app, text: str) -> None:
    """Replace B by a program."""
    app.session_state[OTHER] = from_file("other.py", text.encode(), next(REVISIONS))
    app.run()


@pytest.mark.thorough
def test_a_copy_is_the_same_to_the_last_bit(app):
    assert "Identical to the last bit" in said(app) and texts(app) == [NET, NET]
    assert [one["apart"] for one in told(app, "editor")] == [True, False]
    (address,) = told(app, "link")
    assert address["page"] == "compare" and address["fragment"]


@pytest.mark.thorough
def test_the_difference_of_two_seeds_is_marked_in_code_and_pictures(app):
    put(app, NET.replace("seed(0)", "seed(1)"))
    assert "differs first" in said(app) and "≠" in said(app) and "net.weight" in said(app)
    marks = [one["cells"][0]["marks"] for one in told(app, "editor")]
    assert marks[0] == marks[1] and [2, "changed"] in marks[0] and [3, "parting"] in marks[0]
    pictures = [one["svg"] for one in told(app, "graph")]
    assert len(pictures) == 1 and pictures[0].count("is-parting") == 1
    app.button(key="cp_made").click().run()
    assert "Identical to the last bit" in said(app)


@pytest.mark.thorough
def test_programs_with_rounding_differences_are_compared_bit_by_bit(app):
    app.session_state["_document"] = Document((NET.replace("net(x)", "(net(x) * 1)"),), (0,))
    put(app, NET.replace("net(x)", "(net(x) * (1 + 1.2e-7))"))
    assert "The same up to rounding" in said(app) and "differs first" in said(app)


def test_a_failing_program_is_compared_up_to_its_error(app):
    put(app, NET.replace("backward()", "backwards()"))
    assert "B stopped early" in said(app) and "AttributeError" in said(app)
    put(app, "x = (")
    assert 'class="problem' in said(app)
    app.session_state[OTHER] = OtherProgram(Document(("x = 1\0",), (0,), revision=next(REVISIONS)))
    app.run()
    assert "there is nothing to compare yet" in said(app)


def test_a_saved_run_is_compared_without_rerunning(app, tmp_path):
    path = tmp_path / "before.trace"
    save(trace_of(NET.replace("manual_seed(0)", "manual_seed(7)")), path)
    app.session_state[OTHER] = from_file(path.name, path.read_bytes(), next(REVISIONS))
    app.run()
    assert "B · before.trace" in said(app) and "Saved run" in said(app) and "differs first" in said(app)
    with pytest.raises(Unusable) as refused:
        from_file("broken.trace", path.read_bytes()[:-9], 1)
    assert refused.value.values["found"] == "cut"


def test_a_pairs_sentence_is_shown_only_for_its_two_programs():
    app = new_page("compare").run()
    sentence = escape(say("en", f"comparing-pair-{PAIRS[0].name}.see"))
    assert sentence in html(app)
    put(app, PAIRS[0].other.replace("0.1", "0.2"))
    assert sentence not in html(app)


def test_the_page_begins_with_a_pair_of_programs_until_the_user_has_written_one():
    app = new_page("compare").run()
    assert texts(app) == [PAIRS[0].program, PAIRS[0].other] and "<code>h</code>" in said(app)
    app.menu_button(key="menu_cp_pairs").click("overflow").run()
    assert texts(app)[1].splitlines()[1] == "total = torch.log(torch.exp(x).sum())" and "NaN" in said(app)
    app.session_state["_document"] = Document((NET,), (0,))
    app.switch_page("pages/operations.py").run()
    app.switch_page("pages/compare.py").run()
    assert texts(app) == [NET, NET]
