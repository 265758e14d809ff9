"""A notebook with the outputs of its cells."""

import json

import msgspec
import nbformat

from explorer.io.notebook import PLOTLY, DrawnProgram, notebook
from explorer.program import CellSource, Program, read_program
from explorer.sandbox.partial_traces import limited_trace
from explorer.trace import (
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    Options,
    Output,
    Printed,
    Refusal,
    Result,
    Skipped,
    TableData,
)

PROGRAM = Program([CellSource("x = 1"), CellSource("x")])


def shown(*outputs: Output) -> list[dict]:
    """Return the content of a notebook's first cell that displayed this."""
    cells = [Cell("x = 1", list(outputs)), Cell("x", [])]
    text = notebook(PROGRAM, msgspec.structs.replace(limited_trace(PROGRAM, Options(), "crash", 0), cells=cells), "en")
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert [cell.text for cell in read_program("a.ipynb", text.encode()).cells] == ["x = 1", "x"]
    ran, empty = json.loads(text)["cells"]
    assert (ran["execution_count"], empty["execution_count"], empty["outputs"]) == (1 if outputs else None, None, [])
    return ran["outputs"]


def test_printed_text_and_the_last_value_are_written():
    stdout, stderr, echo, error = shown(
        Printed("stdout", "1\n"),
        Printed("warning", "careful\n"),
        Echo("   a\n0  1", TableData(["a"], [["<1>"]], 1)),
        Failure("ValueError", "no", -1, []),
    )
    assert (stdout["name"], stdout["text"]) == ("stdout", ["1\n"])
    assert (stderr["name"], stderr["text"]) == ("stderr", ["careful\n"])
    assert echo["data"]["text/plain"] == ["   a\n", "0  1"]
    assert "<td>&lt;1&gt;</td>" in "".join(echo["data"]["text/html"])
    assert (error["ename"], error["evalue"]) == ("ValueError", "no")


def test_displayed_values_are_written():
    [one] = shown(Result(-1, "tensor(1.)", displayed=True), Result(-1, "the value of a bare expression"))
    assert (one["output_type"], one["data"]["text/plain"]) == ("display_data", ["tensor(1.)"])


def test_refused_limited_and_skipped_outputs_are_written():
    skipped, folded, refused, limited = shown(
        Skipped("!pip install x", -1, "install"),
        Limit("output", 64, -1, count=5),
        Refusal("os.system", -1),
        Limit("time", 10, -1),
    )
    assert "pip install" in skipped["text"][0] and folded["output_type"] == "stream" and "64" in folded["text"][0]
    assert (refused["output_type"], limited["output_type"]) == ("error", "error")
    assert "os.system" in refused["evalue"] and "10" in limited["evalue"]


def test_a_plot_is_an_image_for_jupyter():
    plotly = Figure("plotly", b'{"data": [{"type": "scatter", "y": [1, 2]}]}')
    pictures = Figure("svg", b"<svg/>", 30, 20, "growth"), Figure("png", b"png", 30, 20), plotly, Figure()
    image, bitmap, drawn, old = (one["data"] for one in shown(*pictures))
    assert "".join(image["text/html"]).startswith("<img ") and "growth" in "".join(image["text/plain"])
    assert "".join(bitmap["image/png"]) == "cG5n" and list(drawn[PLOTLY]["data"][0]["y"]) == [1, 2]
    assert list(old) == ["text/plain"]


def test_the_graph_is_saved_below_its_cell():
    text = notebook(PROGRAM, None, "en", DrawnProgram(1, "<svg/>", "w.grad is +1."))
    nbformat.validate(nbformat.reads(text, as_version=4))
    first, second = json.loads(text)["cells"]
    assert first["outputs"] == []
    assert second["outputs"][0]["data"] == {"image/svg+xml": ["<svg/>"], "text/plain": ["w.grad is +1."]}
