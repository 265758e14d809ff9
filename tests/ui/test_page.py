"""The page without a browser: its parts, and a program's results."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.drawing.notebook.outputs import as_on_a_terminal
from explorer.sandbox import Limits, limits
from explorer.ui.session.document import Document, with_text
from explorer.ui.session.limits import LIMITS
from tests.patience import PATIENT
from tests.ui.pages import component, editor, html, new_page, open_file, told, type_program, words

ROOT = Path(__file__).parents[2]
NOTEBOOK = [
    "w = torch.tensor(3., requires_grad=True)",
    "n = torch.arange(4)\nn",
    "y = w * w\ny.backward()\nw.grad",
    "print('hello')\n1 / 0",
]


def percent(cells: list[str]) -> str:
    return "".join(f"# %%\n{cell}\n\n" for cell in cells)


def test_the_default_page_is_complete(app):
    told = editor(app)
    assert [cell["text"][-13:] for cell in told["cells"]] == ["y.backward()\n"]
    assert [ghost[4:6] for ghost in told["cells"][0]["ghosts"]] == [[one, ""] for one in ("+5", "+2", "+2", "+3", "+1")]
    assert "ran, up to date" in words(app)


def test_a_damaged_link_shows_the_first_program(app):
    query = {"backward": "x", "fold": "7"}
    came = {"count": 5, "page": "autograd", "query": query, "fragment": "eNpnot-a-program"}
    app.session_state["link"] = {"came": came}
    assert "y = a * b" in graph(app.run())["svg"]


def test_a_choice_that_the_browser_still_sends_ends_with_its_graph(app):
    first, card = editor(app)["cells"][0]["text"], re.search('class="node[^>]*?data-id="([^"]+)"', graph(app)["svg"])[1]

    def sums_up(text: str) -> bool:
        """Return whether the inspector summarizes the whole graph, as it does when no card is chosen."""
        app.session_state["picture"] = {"selected": card, "fold": None, "root": None, "module": None}
        return 'class="why story"' in html(type_program(app, text, count=len(text)))

    assert not sums_up(first + "# the same graph")
    sums_up("x = torch.ones(2, 3)\n")
    assert sums_up(first)  # as of a browser that has not seen the end of the drawing before


def test_output_and_problems_are_shown(app):
    type_program(app, "print('hello')\n1 / 0\n")
    assert "hello" in words(app)
    assert "The program stopped at line 2." in words(app) and "ZeroDivisionError" in words(app)
    assert editor(app)["cells"][0]["faults"] == [[2, 0, 2, 5, "ZeroDivisionError: division by zero"]]


def test_an_unfinished_search_for_bugs_is_not_shown_as_no_problems(app, monkeypatch):
    monkeypatch.setattr("explorer.workers.diagnoses.ask_child", lambda *_: None)
    type_program(app, "print('hello')\n")
    assert "The search for bugs did not finish in time." in words(app) and "No problems" not in words(app)


def test_a_line_that_is_being_typed_is_not_wrong_yet(app):
    type_program(app, "x = 1\nx.y", cursor=[0, 2, 3], settled=False)
    assert editor(app)["typing"] and "stopped" not in words(app) and "typing" in words(app)
    type_program(app, "x = 1\nx.y", cursor=[0, 2, 3], settled=True, count=2)
    assert not editor(app)["typing"] and "stopped at line 2" in words(app)


NO_BACKWARD = """w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    loss = w * w
    opt.step()
"""


def test_a_half_typed_line_keeps_the_previous_run(app):
    type_program(app, "x = torch.tensor(3., requires_grad=True)\ny = x * x\nprint('told')\ny.backward()")
    before = graph(app)["svg"], editor(app)["cells"][0]["ghosts"]
    half = "x = torch.tensor(3., requires_grad=True)\ny = x.relu\nprint('told')\ny.backward()"  # fails two lines below
    type_program(app, half, cursor=[0, 2, 10], settled=False, count=2)
    assert editor(app)["before"] and "told" in words(app) and "stopped" not in words(app)
    assert (graph(app)["svg"], editor(app)["cells"][0]["ghosts"]) == before
    type_program(app, half, cursor=[0, 2, 10], settled=True, count=3)
    assert not editor(app)["before"] and "stopped at line 4" in words(app)


def test_a_bug_is_reported_after_typing_stops(app):
    type_program(app, NO_BACKWARD, settled=False)
    assert editor(app)["typing"] and not editor(app)["before"] and '<div class="problem' not in html(app)
    type_program(app, NO_BACKWARD, settled=True, count=2)
    assert not editor(app)["typing"] and '<div class="problem' in html(app)
    type_program(app, NO_BACKWARD.replace("0.1", "0.2"), settled=False, count=3)  # the picture stays
    assert not editor(app)["typing"] and '<div class="problem' in html(app)


VECTOR = "x = torch.arange(4., requires_grad=True)\ny = x * x\ny.backward()\n"


def test_a_known_error_is_explained_and_fixed(app):
    type_program(app, VECTOR)
    card = html(app)[html(app).index('<div class="problem') :]
    assert "<code>y</code> has the shape <code>(4,)</code>" in card and "<code>y.sum().backward()</code>" in card
    assert '<span class="new"><b>3</b><i>+</i>y.sum().backward()' in card
    app.button(key="fix_0").click().run()
    assert editor(app)["cells"][0]["text"] == VECTOR.replace("y.backward()", "y.sum().backward()")
    assert "ran, up to date" in words(app) and '<div class="problem' not in html(app)


def graph(app) -> dict:
    """Return the graph's data."""
    return component(app, "graph")


def test_a_file_that_fails_at_once_shows_no_other_picture(app):
    open_file(app, "broken.py", "import torch\nx = torch.tensor(2.\n")
    assert "Nothing to draw" in words(app)
    assert told(app, "graph") == []


@pytest.mark.thorough
def test_a_recording_up_to_the_time_limit_is_drawn(app):
    app.session_state[LIMITS] = Limits(seconds=2.0)
    type_program(app, "x = torch.tensor(2., requires_grad=True)\ny = x * x\nwhile True:\n    pass\n")
    assert not graph(app)["stale"] and "y = x * x" in graph(app)["svg"]
    assert "time limit of 2" in words(app)


@pytest.mark.thorough
def test_code_in_problem_sentences_is_formatted(app):
    type_program(app, "a = torch.ones(2)\nb = torch.ones(3)\n(a +\n    b)  # <b>\n")
    assert "<b>" not in html(app).split('<p class="cause">')[1].split("</p>")[0]


def test_a_program_that_was_edited_meanwhile_is_not_overwritten():
    document = Document(("x = 2",), (0,))
    assert with_text(document, 0, "x = 1", "x = 1.") is document
    assert with_text(document, 0, "x = 2", "x = 2.").texts == ("x = 2.",)
    assert with_text(document, 1, "x = 2", "x = 2.") is document


def test_problems_open_by_themselves_and_close_again(app):
    assert app.session_state["panel_tab"] == "output"
    type_program(app, "1 / 0")
    assert app.session_state["panel_tab"] == "problems"
    type_program(app, "1 / 1", count=2)
    assert app.session_state["panel_tab"] == "output"


FALSIFIED = "x = torch.tensor(2., requires_grad=True)\ny = x ** 2\nx.data.mul_(10)\ny.backward()\n"


@pytest.mark.thorough
def test_a_silent_fault_is_shown_with_the_problems_the_line_and_the_graph(app):
    type_program(app, FALSIFIED)
    title = "The gradient was computed from overwritten values"
    assert (
        editor(app)["cells"][0]["hints"] == [[3, 0, 3, 15, f"Fault: {title}"]] and not editor(app)["cells"][0]["faults"]
    )
    assert app.session_state["panel_tab"] == "problems" and "problem is-explained is-fault" in html(app)
    assert "ran, up to date" in words(app)
    assert f'<p class="silent is-fault"><b>{title}</b> Fault · line 3</p>' in html(app)
    assert component(app, "player")["rest"] == f"Fault · line 3: {title}"
    type_program(app, FALSIFIED.replace(".data", ".detach().clone()"), count=2)
    assert "problem is-explained is-fault" not in html(app) and "Fault" not in component(app, "player")["rest"]
    assert app.session_state["panel_tab"] == "output" and not editor(app)["cells"][0]["hints"]


def test_program_output_is_escaped(app):
    type_program(app, "print('<script>alert(1)</script>')\nraise ValueError('<b>')\n")
    assert "<script>" not in html(app) and "<b>'" not in html(app)
    assert "&lt;script&gt;" in html(app)


def test_a_program_that_is_too_large_is_refused(app):
    type_program(app, "#" * 200_001)
    assert "200" in words(app) and "stopped" in words(app)


def test_texts_and_html_are_sent_once(app):
    told = editor(open_file(app, "a.py", percent(NOTEBOOK)))
    keys = list(told["html"])
    assert keys and all(cell["text"] is None for cell in told["cells"])
    again = editor(type_program(app, *NOTEBOOK, count=5, have=keys))
    assert again["html"] == {} and [cell["outs"] for cell in again["cells"]] == [cell["outs"] for cell in told["cells"]]


def test_every_output_is_below_its_cell(app):
    told = editor(open_file(app, "a.py", percent(NOTEBOOK)))
    outputs = [told["html"].get(cell["outs"], "") for cell in told["cells"]]
    assert [cell["state"] for cell in told["cells"]] == ["ok", "ok", "ok", "error"]
    assert outputs[0] == "" and "tensor([0, 1, 2, 3])" in outputs[1] and "tensor(6.)" in outputs[2]
    assert "hello" in outputs[3] and "Cell 4 stopped at line 2." in outputs[3]


def test_a_file_is_shown_before_it_runs_and_notes_stay(app):
    text = "# Title\n\n```python\n1 + 1\n```\n"
    data = base64.b64encode(text.encode()).decode()
    told = editor(type_program(app, act={"do": "open", "name": "b.md", "size": len(text), "data": data}))
    assert told["cells"][0]["text"] == "1 + 1" and told["cells"][0]["state"] == ""
    assert "<h1>Title</h1>" in told["html"][told["cells"][0]["note"]]
    assert "not run yet" in words(app)


@pytest.mark.thorough
def test_an_invalid_notebook_file_changes_nothing(app):
    data = base64.b64encode(b'{"cells": [').decode()
    own = editor(app)["cells"][0]["text"]
    type_program(app, own, act={"do": "open", "name": "c.ipynb", "size": 11, "data": data})
    assert "c.ipynb is damaged" in words(app)
    assert len(editor(app)["cells"][0]["ghosts"]) == 5 and "ran, up to date" in words(app)


@pytest.mark.thorough
def test_a_cell_runs_again_with_the_previous_cells(app):
    open_file(app, "a.py", percent(NOTEBOOK))
    told = editor(type_program(app, *NOTEBOOK, count=7, upto=1))
    assert [cell["state"] for cell in told["cells"]] == ["ok", "ok", "unrun", "unrun"]


def test_text_removed_by_pasting_is_reported_and_can_be_restored(app):
    session = ">>> 1 + 1\n2\n"
    type_program(app, session, act={"do": "paste", "cell": 0, "start": 0, "text": session})
    assert "one prompt removed, one line of output removed" in words(app)
    assert editor(app)["cells"][0]["text"] == "1 + 1"
    app.button(key="undo_paste").click().run()
    assert editor(app)["cells"][0]["text"] == session


def test_the_language_follows_the_address():
    app = new_page(lang="zh")
    app.run()
    assert app.segmented_control(key="language").value == "zh"


def test_a_page_opened_directly_has_its_frame():
    app = AppTest.from_file(str(ROOT / "pages" / "autograd.py"), default_timeout=PATIENT).run()
    assert editor(app)["cells"][0]["text"]


# ---- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_program_stopped_by_its_time_limit_may_continue(app, monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    app.session_state[LIMITS] = Limits(seconds=0.3)
    type_program(app, "x = 1\nwhile True: x += 1\n")
    assert "The program was stopped at the time limit of 0.3 s." in words(app)
    type_program(
        app,
        "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.6: pass\nprint('ended')\n",
        count=2,
    )
    app.button(key="more_time_60").click().run()
    assert "ended" in words(app) and "stopped the program" not in words(app)
    assert app.session_state[LIMITS].seconds == 60.0


@pytest.mark.thorough
def test_limits_are_set_in_the_menu(app, monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    app.session_state["menu_settings"] = True
    app.run()
    app.number_input(key="limit_memory_mb").set_value(300.0).run()
    assert app.session_state[LIMITS].memory_mb == 300.0
    type_program(app, "torch.ones(110_000_000)\n")
    assert "The program tried to use more than 300 MB." in words(app)
    app.button(key="limits_default").click().run()
    assert app.number_input(key="limit_memory_mb").value == limits().memory_mb and LIMITS not in app.session_state


def test_a_visitor_of_a_host_sets_no_limits(app, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    app.session_state[LIMITS] = Limits(memory_mb=5_000.0)
    app.session_state["menu_settings"] = True
    type_program(app, "x = 1\n")
    assert not app.number_input and "Memory in addition to PyTorch, MB: 200" in words(app)
    assert held_by(app) == Limits()


def test_an_invalid_limit_in_the_environment_replaces_the_page(monkeypatch):
    monkeypatch.setenv("EXPLORER_TIME_LIMIT", "soon")
    app = new_page().run()
    assert app.error[0].value == "EXPLORER_TIME_LIMIT must be a number from 0.05 to 86400, not soon"


def held_by(app) -> Limits:
    """Return the limits of the run that the page shows."""
    options = app.session_state["_runs"].shown.options
    return Limits(options.memory_limit, options.time_limit, options.output_limit)


@pytest.mark.thorough
def test_excess_output_is_folded_without_a_problem(app):
    type_program(
        app, "for i in range(20_000): print(i)\nw = torch.tensor(1., requires_grad=True)\n(w * w).backward()\n"
    )
    told = words(app)
    assert "characters were left out here" in told and "19999" in told and "ran, up to date" in told


@pytest.mark.parametrize(
    "text, shown", [("10 %\r100 %\ndone", "100 %\ndone"), ("\rabc\rx\n", "xbc\n"), ("a\r\nb", "a\nb"), ("\r\r", "")]
)
def test_an_overwritten_line_shows_its_last_state(text, shown):
    assert as_on_a_terminal(text) == shown


def test_the_timeline_is_sent_when_the_player_requests_it(app):
    program = "n = 2\nw = torch.tensor(3., requires_grad=True)\ny = w * n\ny.backward()\n"
    type_program(app, program)
    untold = component(app, "player")
    assert [(one["kind"], one["count"]) for one in untold["chapters"]] == [("forward", 2), ("backward", 2)]
    assert lines(app) == []
    app.session_state["player"] = {"act": None, "wanted": "of an earlier picture"}
    assert lines(app.run()) == []
    app.session_state["player"] = {"act": None, "wanted": untold["key"]}
    [told] = lines(app.run())
    assert told["key"] == untold["key"]
    line = json.loads(zlib.decompress(base64.b64decode(told["packed"])))
    assert line["moments"][0]["beside"] == [[0, [1, "", "2", "", "", "", False]]]  # Python values, from a second run
    assert [one["kind"] for one in line["chapters"]] == ["forward", "backward"]
    type_program(app, program.replace("3.", "4."), count=2)
    assert component(app, "player")["key"] != untold["key"]


def lines(app) -> list[dict]:
    """Return the lines that the browser was sent for its player."""
    return [one for one in told(app, "reel") if one["what"] == "line"]
