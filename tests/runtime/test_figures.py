"""matplotlib figures are shown as in Jupyter, with a bounded size."""

import re

import matplotlib
import msgspec
import pytest

from explorer.program import CellSource, Program
from explorer.runtime.execute import execute
from explorer.runtime.figures import matplotlib_figures
from explorer.runtime.kernel import run_environment
from explorer.trace import Echo, Failure, Figure, Options, Printed, Result
from explorer.trace.outputs import faulty_figure, png_size
from tests.programs import operation_names
from tests.runtime.test_cells import cells, ran, texts

IMPORTS = "import numpy as np\nimport matplotlib.pyplot as plt\n"


def figures(source: str) -> list[Figure]:
    """Return the figures of the only cell; it must not fail."""
    outputs = cells(IMPORTS + source)[0]
    assert not texts(outputs, Failure)
    return [output for output in outputs if isinstance(output, Figure)]


def test_a_figure_is_shown_once_at_its_place_in_a_notebook():
    source = "plt.plot([1])\nplt.show()\nprint('between')\nplt.plot([2])\nplt.savefig('a.png')"
    outputs = cells(
        IMPORTS + source,
        "plt.plot([3])\n1/0",
        "fig = plt.figure()",
        "open('a.png', 'rb').read(4)",
        "fig.gca().set_title('later')\nfig",
    )
    assert [type(output) for output in outputs[0]] == [Figure, Printed, Figure]
    assert [type(output) for output in outputs[1]] == [Failure, Figure]
    assert texts(outputs[2], Result) == ["<Figure size 640x480 with 0 Axes>"]  # the figure is empty
    assert texts(outputs[3], Echo) == [r"b'\x89PNG'"]
    assert [type(output) for output in outputs[4]] == [Echo, Figure]
    [svg] = [one for one in outputs[4] if isinstance(one, Figure)]
    assert svg.format == "svg" and svg.alt == "later" and svg.data.startswith(b"<?xml") and not faulty_figure(svg)


def test_several_figures_and_panels_are_described_by_their_labels():
    source = """
fig, (left, right) = plt.subplots(1, 2, figsize=(6, 2), dpi=50)
left.plot([1, 2], label="train"), left.set(title="loss", xlabel="epoch"), left.legend()
right.set_xlabel("epoch"), fig.suptitle("both")
plt.figure(), plt.bar(["a"], [1]), plt.close()
plt.figure(), plt.imshow(np.eye(3))"""
    first, second = figures(source)
    assert first.alt == "both; loss; epoch; train" and second.alt == ""
    assert 250 < first.width < 320 and 300 < second.width < 500


@pytest.mark.thorough
def test_a_long_drawing_is_a_png_of_twice_the_density_within_the_bounds(monkeypatch):
    monkeypatch.setattr(matplotlib_figures, "SVG_BYTES", 20_000)
    [points] = figures("plt.scatter(range(3_000), range(3_000))")
    width, height = png_size(points.data)
    assert (round(width / 2), round(height / 2)) == (points.width, points.height) and not faulty_figure(points)
    monkeypatch.setattr(matplotlib_figures, "FIGURE_BYTES", 20_000)
    [noise] = figures("plt.imshow(np.random.RandomState(0).rand(200, 200))")
    assert len(noise.data) <= 20_000 and png_size(noise.data)[0] < noise.width < 600
    monkeypatch.setattr(matplotlib_figures, "PIXELS", 300_000)
    [wide] = figures("plt.figure(figsize=(50, 20)).add_axes([0, 0, 1, 1]).scatter(range(3_000), range(3_000))")
    assert png_size(wide.data)[0] < 800 and 4_900 < wide.width < 5_300


def test_too_many_figures_print_a_warning(monkeypatch):
    monkeypatch.setattr(run_environment, "MOST_BYTES", 1_000)
    source = "from PIL import Image\nfor i in range(20): display(Image.new('RGB', (9, 9)))"
    found = cells(source)[0]
    assert 0 < len([one for one in found if isinstance(one, Figure)]) < 20
    assert texts(found, Printed) == ["UserWarning: too many figures: the rest is not shown\n"]


def test_plotting_records_no_operations():
    source = (
        "x = torch.arange(3.)\nplt.plot(x, x)\nplt.bar([1, 2, 3], x)\nplt.scatter(x, x, c=x)\nplt.xlim(x[0], x[1])\n"
        "plt.imshow(torch.ones(2, 2))"
    )
    assert operation_names(ran(IMPORTS + source)) == ["arange", "__getitem__", "__getitem__", "ones"]


def test_equal_runs_have_equal_pictures():
    source = IMPORTS + "plt.plot([1, 2]), plt.fill_between([0, 1], [1, 2]), plt.title('$x^2$');"
    once, again = (cells(source)[0] for _ in range(2))
    assert once == again


@pytest.mark.parametrize(
    "source, error",
    [
        ("plt.plot([1, 2], [1, 2, 3])", "x and y must have same first dimension, but have shapes (2,) and (3,)"),
        ("plt.plot(torch.ones(2, requires_grad=True))", "Can't call numpy() on Tensor that requires grad."),
    ],
)
def test_an_error_in_matplotlib_is_located_at_the_programs_line(source, error):
    trace = ran(IMPORTS + source)
    [failure] = [output for output in trace.cells[0].outputs if isinstance(output, Failure)]
    assert failure.text.startswith(error) and trace.text(failure.span) == source


def test_undrawable_figures_do_not_end_the_cell():
    outputs = cells(IMPORTS + "plt.title(r'$\\frac{a$')\nplt.plot([1]);", "1")
    assert "ParseSyntaxException" in texts(outputs[0], Printed)[0] and texts(outputs[1], Echo) == ["1"]


def test_any_backend_shows_its_figures_here_and_settings_end_with_the_run():
    before = dict(matplotlib.rcParams)
    source = (
        "import matplotlib\nmatplotlib.use('TkAgg')\nplt.switch_backend('Agg')\nplt.rcParams['lines.linewidth'] = 9\n"
    )
    assert len(figures(source + "plt.plot([1])\nplt.show()")) == 1
    assert dict(matplotlib.rcParams) == before


def test_tables_plot_themselves():
    [figure] = figures("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [3, 4]}).plot(subplots=True, title='t')")
    assert figure.alt == "t; a; b"


def test_a_growing_plot_is_drawn_once():
    """The loop that the book and many notebooks draw with: the picture before is taken back."""
    loop = """
from IPython import display
calls = []
class Counted(type(plt.figure())):
    def draw(self, *args):
        calls.append(1)
        return super().draw(*args)
plt.close("all")
fig = plt.figure(FigureClass=Counted)
for i in range(20):
    fig.gca().plot([i, i + 1])
    display.display(fig)
    display.clear_output(wait=True)
print("done", len(calls) < 10)"""
    outputs = cells(IMPORTS + loop)[0]
    assert [type(output) for output in outputs] == [Printed, Figure]
    assert texts(outputs, Printed) == ["done True\n"]


def test_the_books_figures_are_drawn():
    source = """
from d2l import torch as d2l
from matplotlib_inline import backend_inline
backend_inline.set_matplotlib_formats('svg')
d2l.set_figsize()
x = np.arange(0, 3, 1.)
d2l.plot(x, [3 * x, 2 * x - 3], 'x', 'f(x)', legend=['f', 'tangent'])
lines = d2l.plt.gca().lines
print([line.get_linestyle() for line in lines], d2l.plt.rcParams['figure.figsize'])"""
    outputs = cells(IMPORTS + source)[0]
    assert texts(outputs, Printed) == ["['-', '--'] [3.5, 2.5]\n"]
    [figure] = [one for one in outputs if isinstance(one, Figure)]
    assert figure.alt == "x; f(x); f; tangent"


def test_images_from_other_libraries_are_shown():
    picture = "from PIL import Image\nfrom IPython.display import Image as Shown\nim = Image.new('RGB', (30, 20))\n"
    outputs = cells(picture + "im", "display(im)\nim.save('a.png')", "Shown('a.png')", "im.convert('F')")
    for number, kinds in enumerate(([Echo, Figure], [Figure], [Echo, Figure], [Echo, Figure])):
        assert [type(one) for one in outputs[number]] == kinds
    [figure] = outputs[1]
    assert (figure.format, figure.width, figure.height) == ("png", 30, 20) and png_size(figure.data) == (30, 20)


def test_an_svg_is_shown_in_its_own_size():
    source = "from IPython.display import SVG\nplt.plot([1]), plt.savefig('a.svg'), plt.close()\nSVG('a.svg')"
    [figure] = figures(source)
    assert figure.format == "svg" and (figure.width, figure.height) == (614, 461) and not faulty_figure(figure)
    [boxed] = figures("from IPython.display import SVG\nSVG('<svg viewBox=\"0 0 30 20.5\"/>')")
    assert (boxed.width, boxed.height) == (30, 20)


def test_interactive_mode_changes_nothing():
    assert len(figures("plt.ion(), plt.clf(), plt.plot([1]), plt.pause(0.01), plt.draw()\nplt.ioff()\nplt.show()")) == 1


def test_a_plotly_figure_is_recorded_as_json():
    source = "import plotly.graph_objects as go\nfig = go.Figure(go.Scatter(y=[1, 2]), layout={'title': 'growth'})\n"
    outputs = cells(source + "fig.show()", "fig")
    [shown] = [one for one in outputs[0] if isinstance(one, Figure)]
    assert shown.format == "plotly" and shown.alt == "growth" and msgspec.json.decode(shown.data)["data"]
    assert [type(output) for output in outputs[1]] == [Echo, Figure]


def test_a_graphviz_graph_is_recorded_as_dot():
    source = "import graphviz\ngraph = graphviz.Digraph(engine='neato')\ngraph.edge('a', 'b')\n"
    outputs = cells(source + "display(graph)", "graph", "graphviz.Source('graph { c }')")
    assert [[type(one) for one in cell] for cell in outputs] == [[Figure], [Echo, Figure], [Echo, Figure]]
    drawn = outputs[0][0]
    assert drawn == outputs[1][1] and (drawn.format, drawn.data) == ("dot", b"digraph { layout=neato;\n\ta -> b\n}\n")
    assert outputs[2][1].data.strip() == b"graph { c }"


def test_the_graph_that_torchviz_makes_is_shown():
    pytest.importorskip("torchviz")
    source = "from torchviz import make_dot\nw = torch.ones(2, requires_grad=True)\nmake_dot(w.exp().sum(), {'w': w})"
    _, figure = [one for one in cells(source)[0] if isinstance(one, Echo | Figure)]
    assert b"ExpBackward0" in figure.data and b"SumBackward0" in figure.data


def test_a_progress_bar_is_its_final_text():
    source = """
from tqdm.auto import tqdm, trange
from tqdm.notebook import tqdm as widget
for i in tqdm(range(500), desc="train", mininterval=0):
    pass
for i in widget(range(3)):
    tqdm.write(f"step {i}")"""
    outputs = cells(source)[0]
    bars = "".join(one.text for one in outputs if isinstance(one, Printed) and one.stream == "stderr")
    assert re.match(r"train: 100%\|█+\| 500/500 \[.*it/s\]\n", bars) and len(bars) < 1_000
    assert "step 0\n" in "".join(texts(outputs, Printed))


@pytest.mark.thorough
def test_drawing_a_figure_takes_of_the_time_of_a_run():
    endless = """
class Endless(plt.Line2D):
    def draw(self, renderer):
        while True:
            pass

plt.gca().add_artist(Endless([0], [0]))"""
    assert execute(Program([CellSource(IMPORTS + endless)]), Options(time_limit=0.5), True).status == "limited"


def test_an_image_in_html_is_shown_as_image():
    data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    [_, figure] = cells(f"from IPython.display import HTML\nHTML('<img src=\"data:image/png;base64,{data}\">')")[0]
    assert figure.format == "png" and (figure.width, figure.height) == (1, 1)
