"""The Data page: actions add lines to its program, and the table, the tensors and the gradient follow."""

import itertools
import re

import pytest

from explorer.analysis.views.data.data_steps import START, reads
from explorer.program import GivenFile
from explorer.ui.session.given_files import FILES
from tests.ui.pages import component, html, linked, new_page, told, type_program

COUNTS = itertools.count(1)


@pytest.fixture
def app():
    return new_page("data").run()


def drawn(app) -> str:
    """Return all HTML of the page, including components."""
    tables = " ".join(one["html"] for one in told(app, "table"))
    return f"{linked(app)} {tables} {html(app)}"


def ask(app, action: str, *columns: int, value: str = "") -> None:
    """Choose an action in the menu of a header, or of the corner, like the browser."""
    count = next(COUNTS)
    app.session_state["dt_table"] = {"asked": {"do": action, "columns": list(columns), "value": value, "at": count}}
    app.run()


def program(app) -> str:
    return "\n".join(app.session_state["_dt_document"].texts)


@pytest.mark.thorough
def test_from_a_table_to_the_gradient_of_a_weight_and_back(app):
    assert '<b class="dt-lack">5 missing</b>' in drawn(app)
    ask(app, "fill.mean", 1)
    assert program(app).endswith("data['rooms'] = data['rooms'].fillna(data['rooms'].mean())\n")
    assert ">4.714286</td>" in drawn(app)
    assert component(app, "editor")["cells"][0]["marks"] == [[14, "changed"]]
    app.segmented_control(key="dt_view").set_value("gradient").run()
    app.button(key="dt_to_tensors").click().run()  # a model needs this first
    assert "<code>garden</code> contains text" in drawn(app)
    assert app.selectbox(key="dt_target").value == "price"
    app.button(key="dt_make").click().run()
    assert "X: shape (40, 2), float32, column by column from inputs" in drawn(app)
    app.button(key="dt_to_gradient").click().run()
    app.button(key="dt_model_add").click().run()
    assert "(data[columns] - data[columns].mean()) / data[columns].std()" in program(app)  # the area is close to 100
    assert "after one step" in drawn(app) and "too large" not in drawn(app)
    assert "All 40 rows together: " in drawn(app)
    app.text_input(key="dt_rate").set_value("3").run()
    app.button(key="dt_model_add").click().run()
    assert "the step was too large" in drawn(app) and program(app).count("std()") == 1
    app.button(key="dt_undo").click().run()
    assert '<tr><th scope="row">7</th>' in drawn(app).partition("dt-pulls")[2][:400]  # the outlier comes first
    app.segmented_control(key="dt_view").set_value("table").run()
    for _ in range(3):  # the step includes its scaling
        app.button(key="dt_undo").click().run()
    assert app.selectbox(key="dt_source").value == "houses"


def test_an_action_is_taken_once_and_only_if_its_columns_offer_it(app):
    start = program(app)
    for action, columns in (("fill.mean", [2]), ("drop-columns", [9]), ("drop-columns", [-1]), ("__import__", [0])):
        ask(app, action, *columns)
        assert program(app) == start, action
    ask(app, "drop-columns", 2, 3)
    app.run()
    assert program(app) == f"{start}data = data.drop(columns=['garden', 'city'])\n"
    ask(app, "scale.standard")
    assert "columns = data.select_dtypes('number').columns\n" in program(app)


def test_a_columns_header_is_aligned_with_its_numbers(app):
    heads = re.findall(r'<th scope="col"[^>]* class="(num|txt)', drawn(app))
    assert heads == re.findall(r'<td class="(num|txt)', drawn(app))[: len(heads)] and "num" in heads


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content, shown",
    [("Ort;Preis\nKöln;1.5\n<b>;\n", "&lt;b&gt;"), ("a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3")],
)
def test_an_uploaded_file_is_read_or_refused_with_pandas_message(app, content, shown):
    app.session_state[FILES] = (GivenFile("a.csv", content.encode()),)
    type_program(app, START + reads("a.csv"))
    assert shown in drawn(app) and "<b></td>" not in drawn(app)


@pytest.mark.thorough
def test_a_program_without_a_table_shows_a_note(app):
    for count, text in enumerate(
        ("a = (", "print(1)", "\x00", "data = 1", "import pandas as pd\ndata = pd.DataFrame()")
    ):
        type_program(app, text, count=count)
        said = drawn(app)
        assert "This program has no table." in said or 'class="problem' in said or "dt-table" in said, text


def test_printed_output_is_shown(app):
    type_program(app, "import pandas as pd\ndata = pd.DataFrame({'a': [1]})\nprint('<i>seen')")
    assert "&lt;i&gt;seen" in drawn(app) and "<i>seen" not in drawn(app)


@pytest.mark.thorough
def test_column_names_are_escaped_everywhere(app):
    hostile = "<b>[x](http://a.example)"
    type_program(app, f"import pandas as pd\ndata = pd.DataFrame({{{hostile!r}: [1.0, None], 'y': [1, 2]}})")
    assert "&lt;b&gt;" in drawn(app) and "<b>[x]" not in drawn(app)
    ask(app, "fill.mean", 0)
    assert f"data[{hostile!r}].mean()" in program(app) and ">1</td>" in drawn(app)


def test_missing_cells_are_reported_only_for_columns_that_become_tensors(app):
    app.segmented_control(key="dt_view").set_value("tensors").run()
    lacking = "<code>rooms</code> has 5 missing cells"
    assert app.multiselect(key="dt_inputs").value == ["area"] and lacking not in drawn(app)
    assert "<code>garden</code> contains text" in drawn(app)
    app.multiselect(key="dt_inputs").set_value(["area", "rooms"]).run()
    assert lacking in drawn(app)
    app.multiselect(key="dt_inputs").set_value(["area"]).run()
    app.selectbox(key="dt_target").set_value("rooms").run()
    assert lacking in drawn(app)


def test_a_table_with_gaps_in_every_column_offers_them_all_and_reports_the_gaps(app):
    type_program(app, "import pandas as pd\ndata = pd.DataFrame({'a': [1, None], 'b': [None, 2], 'y': [3, 4]})")
    app.segmented_control(key="dt_view").set_value("tensors").run()
    assert app.multiselect(key="dt_inputs").value == ["a", "b"]
    assert "<code>a</code> has one missing cell" in drawn(app)
