"""The Compare page without a browser: what both sides are, what is said of them, and what the address holds."""

import itertools
from html import escape

import pytest

from explorer import save
from explorer.analysis.comparison.variants import with_form
from explorer.program import Unusable
from explorer.text import say
from explorer.ui.pages.compare.other import OTHER, Other, from_file
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
    """The page with a small network as A, and B as its copy."""
    opened.session_state["_document"] = Document((NET,), (0,))
    opened.session_state[OTHER] = None
    return opened.run()


def said(app) -> str:
    """The HTML of the page and of what is compared."""
    return html(app) + linked(app)


def texts(app) -> list[str]:
    """The programs in both editors."""
    return ["\n".join(cell["text"] for cell in one["cells"]) for one in told(app, "editor")]


def put(app, text: str) -> None:
    """Put a program in the place of B."""
    app.session_state[OTHER] = from_file("other.py", text.encode(), next(REVISIONS))
    app.run()


@pytest.mark.thorough
def test_a_copy_is_the_same_to_the_last_bit(app):
    assert "The same to the last bit" in said(app) and texts(app) == [NET, NET]
    assert [one["apart"] for one in told(app, "editor")] == [True, False]
    (address,) = told(app, "link")
    assert address["page"] == "compare" and address["fragment"]


@pytest.mark.thorough
def test_one_click_compares_another_seed_and_another_dtype(app):
    app.segmented_control(key="cp_variant").set_value("seed").run()
    assert texts(app)[1] == NET.replace("seed(0)", "seed(1)") and "differs first" in said(app)
    assert "≠" in said(app) and "net.weight" in said(app)
    assert "B · program.py with seed 1" in said(app)
    marks = [one["cells"][0]["marks"] for one in told(app, "editor")]
    assert marks[0] == marks[1] and [2, "changed"] in marks[0] and [3, "parting"] in marks[0]
    pictures = [one["svg"] for one in told(app, "graph")]
    assert len(pictures) == 2 and all(one.count("is-parting") == 1 for one in pictures)
    app.segmented_control(key="cp_variant").set_value("bfloat16").run()
    assert "set_autocast_enabled" in texts(app)[1] and "bfloat16" in said(app)
    assert app.segmented_control(key="cp_variant").value == "bfloat16"
    put(app, NET.replace("mean", "sum"))
    assert app.segmented_control(key="cp_variant").value is None
    app.segmented_control(key="cp_variant").set_value("copy").run()
    assert "The same to the last bit" in said(app)


@pytest.mark.thorough
def test_bits_are_compared_where_they_are_asked_for(app):
    app.session_state["_document"] = Document((NET.replace("net(x)", "(net(x) * 1)"),), (0,))
    put(app, NET.replace("net(x)", "(net(x) * (1 + 1.2e-7))"))
    assert "The same up to rounding" in said(app)
    app.segmented_control(key="cp_bits").set_value(True).run()
    assert "differs first" in said(app) and told(app, "link")[0]["query"]["bits"] == "1"
    app.segmented_control(key="cp_bits").set_value(False).run()


def test_a_program_that_stops_is_compared_as_far_as_it_got(app):
    put(app, NET.replace("backward()", "backwards()"))
    assert "B stopped before its end" in said(app) and "AttributeError" in said(app)
    put(app, "x = (")
    assert 'class="problem' in said(app)
    app.session_state[OTHER] = Other(Document(("x = 1\0",), (0,), revision=next(REVISIONS)))
    app.run()
    assert "there is nothing to compare yet" in said(app)


def test_a_saved_run_is_compared_as_it_was_saved(app, tmp_path):
    path = tmp_path / "before.trace"
    save(trace_of(NET.replace("manual_seed(0)", "manual_seed(7)")), path)
    app.session_state[OTHER] = from_file(path.name, path.read_bytes(), next(REVISIONS))
    app.run()
    assert "B · before.trace" in said(app) and "A saved run" in said(app) and "differs first" in said(app)
    with pytest.raises(Unusable) as refused:
        from_file("broken.trace", path.read_bytes()[:-9], 1)
    assert refused.value.values["found"] == "cut"


def test_what_is_said_of_a_pair_is_said_of_its_two_programs_alone():
    app = new_page("compare").run()
    sentence = escape(say("en", f"comparing-see-{PAIRS[0].name}"))
    assert sentence in html(app)
    put(app, PAIRS[0].other.replace("0.1", "0.2"))
    assert sentence not in html(app)


def test_the_page_begins_with_a_pair_of_programs_until_the_user_has_written_one():
    app = new_page("compare").run()
    assert texts(app) == [PAIRS[0].program, PAIRS[0].other] and "<code>h</code>" in said(app)
    app.session_state["menu_cp_pairs"] = True
    app.run()
    app.button(key="cp_pair_overflow").click().run()
    assert texts(app)[1].splitlines()[1] == "total = torch.log(torch.exp(x).sum())" and "NaN" in said(app)
    app.session_state["_document"] = Document((NET,), (0,))
    app.switch_page("pages/tensors.py").run()
    app.switch_page("pages/compare.py").run()
    assert texts(app) == [NET, NET]


@pytest.mark.thorough
def test_b_is_created_with_its_model_in_another_form(app):
    """Only forms that the program's text allows are offered; the exported model gets the same gradients."""
    app.session_state["menu_cp_forms"] = True
    app.run()
    app.button(key="cp_form_fx").click().run()
    assert "net = torch.fx.symbolic_trace(net)" in texts(app)[1] and "fx" in said(app)
    loop = "import torch\nnet = torch.nn.Linear(3, 2)\nfor x in range(3):\n    net(x)\n"
    assert with_form((loop,), "export") == (loop,) != with_form((loop,), "deepcopy")
