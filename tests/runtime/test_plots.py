"""What a program draws is recorded as data, under matplotlib's names and with what matplotlib would answer."""

import matplotlib
import numpy as np
import pytest

from explorer.trace import Echo, Failure, Figure, Printed
from tests.runtime.test_cells import cells, ran, texts

IMPORTS = "import numpy as np\nimport matplotlib.pyplot as plt\n"


def figures(source: str) -> list[Figure]:
    """The figures of the only cell; it must not fail."""
    outputs = cells(IMPORTS + source)[0]
    assert not texts(outputs, Failure)
    return [output for output in outputs if isinstance(output, Figure)]


def marks(source: str) -> list[dict]:
    """The series of the one figure, without their panel."""
    [figure] = figures(source)
    return [{key: entry for key, entry in one.items() if key != "panel"} for one in figure.series]


def test_a_curve():
    [figure] = figures("x = np.array([0., 1.])\nplt.plot(x, x ** 2, 'r--', label='f')\nplt.xlabel('x')\nplt.legend()")
    curve = {"kind": "line", "x": [0.0, 1.0], "y": [0.0, 1.0], "color": "r", "dash": "dash", "label": "f"}
    assert figure.series == [{"panel": 0.0, **curve}]
    assert figure.axes == {"rows": 1, "columns": 1, "width": 6.4, "height": 4.8, "0.xlabel": "x", "0.legend": 1}


@pytest.mark.parametrize(
    "call, expected",
    [
        ("plot([3, 4])", {"kind": "line", "x": [0, 1], "y": [3, 4]}),
        ("plot([3, 4], 'o')", {"kind": "line", "x": [0, 1], "y": [3, 4], "marker": "o", "dash": "none"}),
        (
            "plot(torch.arange(2.), color='k', lw=3)",
            {"kind": "line", "x": [0, 1], "y": [0, 1], "color": "k", "width": 3},
        ),
        (
            "scatter([1, 2], [3, 4], s=9, c='g')",
            {"kind": "scatter", "x": [1, 2], "y": [3, 4], "size": [9], "color": "g"},
        ),
        ("bar([0, 1], [2, 3])", {"kind": "bar", "x": [0, 1], "y": [2, 3], "across": [0.8]}),
        ("barh([0, 1], [2, 3])", {"kind": "barh", "x": [2, 3], "y": [0, 1], "across": [0.8]}),
        ("hist([0, 1, 1], bins=2)", {"kind": "hist", "x": [0, 0.5, 1], "y": [1, 2]}),
        ("imshow([[1, 2], [3, 4]])", {"kind": "image", "z": [1, 2, 3, 4], "rows": 2, "columns": 2, "channels": 1}),
        ("fill_between([0, 1], [2, 3])", {"kind": "area", "x": [0, 1], "y": [2, 3], "y2": [0, 0]}),
        ("errorbar([0], [1], yerr=.5)", {"kind": "errorbar", "x": [0], "y": [1], "error": [0.5]}),
        ("axhline(2, ls=':')", {"kind": "hline", "y": [2], "dash": "dot"}),
        ("axvline(x=2)", {"kind": "vline", "x": [2]}),
        ("text(1, 2, 'here')", {"kind": "text", "x": [1], "y": [2], "text": "here"}),
        (
            "annotate('min', (1, 2), (3, 4), arrowprops={})",
            {"kind": "text", "x": [3], "y": [4], "text": "min", "to_x": 1, "to_y": 2},
        ),
        (
            "contour([0, 1], [0, 1, 2], [[1, 2], [3, 4], [5, 6]], [2, 3])",
            {
                **{"kind": "contour", "x": [0, 1], "y": [0, 1, 2], "z": [1, 2, 3, 4, 5, 6]},
                **{"rows": 3, "columns": 2, "levels": [2, 3]},
            },
        ),
    ],
)
def test_marks_are_data(call, expected):
    assert marks(f"plt.{call}") == [expected]


def test_a_matrix_is_several_curves():
    assert [one["y"] for one in marks("plt.plot([[1, 2], [3, 4]])")] == [[1, 3], [2, 4]]


def test_categories_are_named():
    [figure] = figures("plt.bar(['a', 'b'], [2, 3])")
    assert figure.series[0]["x"] == [0, 1] and figure.axes["0.xcategories"] == "a\nb"


def test_panels_and_their_properties():
    source = """
fig, axes = plt.subplots(1, 2, figsize=(8, 3))
axes[0].plot([1, 2])
axes[1].set(title='right', xlim=(0, 2), yscale='log')
axes[1].scatter([1], [2])
fig.suptitle('both')"""
    [figure] = figures(source)
    assert [one["panel"] for one in figure.series] == [0, 1]
    expected = {"rows": 1, "columns": 2, "width": 8, "height": 3, "title": "both"}
    assert figure.axes == expected | {"1.title": "right", "1.xlim": [0, 2], "1.yscale": "log"}


def test_a_figure_is_shown_once_where_a_notebook_shows_it():
    source = "plt.plot([1])\nplt.show()\nprint('between')\nplt.plot([2])\nplt.savefig('a.png')"
    outputs = cells(IMPORTS + source, "plt.plot([3])\n1/0", "fig, ax = plt.subplots()\nax.plot([4])\nfig")
    assert [type(output) for output in outputs[0]] == [Figure, Printed, Figure]
    assert [type(output) for output in outputs[1]] == [Failure, Figure]
    assert [type(output) for output in outputs[2]] == [Echo, Figure]


def test_the_book_plots():
    source = """
from d2l import torch as d2l
from matplotlib_inline import backend_inline
backend_inline.set_matplotlib_formats('svg')
d2l.set_figsize()
x = np.arange(0, 3, 1.)
d2l.plot(x, [3 * x, 2 * x - 3], 'x', 'f(x)', legend=['f', 'tangent'])"""
    [figure] = figures(source)
    assert [(one["label"], one["y"], one["dash"]) for one in figure.series] == [
        ("f", [0, 3, 6], "solid"),
        ("tangent", [-3, -1, 1], "dash"),
    ]
    assert figure.axes["0.xlabel"] == "x" and figure.axes["0.grid"] == 1 and figure.axes["width"] == 3.5


def test_frames_plot_themselves():
    [figure] = figures("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [3, 4]}).plot(title='t')")
    assert [(one["label"], one["y"]) for one in figure.series] == [("a", [1, 2]), ("b", [3, 4])]
    assert figure.axes["0.title"] == "t"


def test_what_is_not_drawn_is_told_once():
    outputs = cells(IMPORTS + "for i in range(2):\n    plt.barbs(1, 2).set_color('r')\nplt.tight_layout()")[0]
    assert texts(outputs, Printed) == ["UserWarning: barbs is not drawn\n"]


def test_points_are_bounded_and_counted():
    [figure] = figures("plt.plot(np.arange(100_000))\nplt.imshow(np.zeros((300, 300)))")
    count = len(figure.series[0]["x"]) + figure.series[1]["rows"] * figure.series[1]["columns"]
    assert 2_000 < count <= 10_000 and figure.axes["points_in_all"] == 190_000
    assert len(figure.series[1]["z"]) == figure.series[1]["rows"] * figure.series[1]["columns"]
    steps = np.diff(figure.series[0]["x"])
    assert (steps == steps[0]).all()


def test_series_are_bounded_and_counted():
    [figure] = figures("for i in range(300): plt.plot([i])")
    assert len(figure.series) == 200 and figure.axes["series_in_all"] == 300


@pytest.mark.parametrize(
    "source",
    [
        "plt.plot([1, 2], [1, 2, 3])",
        "plt.plot([1, 2], 'zz')",
        "plt.plot(torch.ones(2, requires_grad=True))",
        "plt.scatter([1], [1, 2])",
        "plt.imshow([1, 2])",
    ],
)
def test_wrong_calls_fail_as_they_do_in_matplotlib(source):
    matplotlib.use("Agg")
    scope: dict = {}
    with pytest.raises(Exception) as real:
        exec("import torch\nimport matplotlib.pyplot as plt\n" + source, scope)
    scope["plt"].close("all")
    [failure] = [output for output in cells(IMPORTS + source)[0] if isinstance(output, Failure)]
    assert failure.type == real.type.__name__


@pytest.mark.parametrize(
    "source",
    [
        "plt.title('T')",
        "plt.xlabel('x')",
        "plt.ylabel('y')",
        "plt.text(1, 2, 's')",
        "plt.bar([1], [2])",
        "plt.hist([1, 2, 3])[0]",
        "plt.xlim(0, 2)",
        "plt.plot([1, 2, 3]) and plt.ylim()",
        "plt.figure(figsize=(3, 2))",
        "plt.subplots()",
        "plt.subplots(2, 2)[1].shape",
        "plt.axis([0, 1, 0, 2])",
        "plt.errorbar([1], [2], yerr=1)",
    ],
)
def test_answers_are_those_of_matplotlib(source):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from IPython.lib.pretty import pretty

    expected = pretty(eval(source, {"plt": plt}))
    plt.close("all")
    assert texts(cells(IMPORTS + source)[0], Echo) == [expected]


def test_drawing_is_no_operation_of_the_program():
    from tests.programs import operation_names
    from tests.runtime.test_cells import ran

    trace = ran(IMPORTS + "x = torch.arange(3.)\nplt.plot(x, x)\nplt.imshow(torch.ones(2, 2))")
    assert operation_names(trace) == ["arange", "ones"]


@pytest.mark.parametrize(
    "source, kinds",
    [
        ("plt.hist2d([0, 1, 1], [0, 1, 1], bins=2)", ["image"]),
        ("plt.pcolormesh([0, 1, 2], [0, 1, 2], [[1, 2], [3, 4]])", ["image"]),
        ("plt.quiver([0], [0], [1], [2], scale=1)", ["text", "line"]),
        ("plt.boxplot([[1, 2, 3, 9]])", ["line"] * 6 + ["scatter"]),
        ("plt.violinplot([[1, 2, 3.]])", ["line"]),
        ("plt.pie([1, 3], labels=['a', 'b'])", ["line", "text", "line", "text"]),
        ("plt.gca().add_patch(plt.Rectangle((0, 0), 2, 1))", ["line"]),
        ("plt.stackplot([0, 1], [1, 2], [3, 4])", ["area", "area"]),
        ("plt.axes(projection='3d').scatter([0, 1], [0, 1], [0, 1])", ["scatter"]),
        ("ax = plt.figure().add_subplot(projection='3d')\nax.plot([0, 1], [0, 1], [0, 1])", ["line"]),
        ("plt.plot([1, 2], color=plt.get_cmap('gray')(1.0))", ["line"]),
        ("import pandas as pd\npd.DataFrame({'a': [1, 2]}).boxplot()", ["line"] * 6 + ["scatter"]),
    ],
)
def test_rarer_marks_are_made_of_the_common_ones(source, kinds):
    assert [one["kind"] for one in marks(source)] == kinds


def test_tables_plot_their_boxes_and_pairs_under_the_ring():
    table = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3.], 'b': [2, 1, 4.]})\n"
    for source, panels in (("df.boxplot()", 1), ("pd.plotting.scatter_matrix(df)", 4), ("df.plot(subplots=True)", 2)):
        found = ran(table + source, language_ring=True).cells[0].outputs
        assert [len({mark["panel"] for mark in one.series}) for one in found if isinstance(one, Figure)] == [panels]


def test_grids_place_their_axes():
    source = "gs = plt.GridSpec(2, 2)\nf = plt.figure()\nf.add_subplot(gs[0, :])\nf.add_subplot(gs[1, 1]).plot([1])"
    assert figures(source)[0].series[0]["panel"] == 3
    [figure] = figures("f, ax = plt.subplot_mosaic('ab;cc')\nax['c'].plot([1])")
    assert figure.series[0]["panel"] == 2 and (figure.axes["rows"], figure.axes["columns"]) == (2, 2)


@pytest.mark.parametrize(
    "source, shown",
    [
        ("plt.plot([1, 2])", "[<matplotlib.lines.Line2D at 0x"),
        ("plt.scatter([1], [2])", "<matplotlib.collections.PathCollection at 0x"),
        ("plt.imshow([[1]])", "<matplotlib.image.AxesImage at 0x"),
        ("plt.title('t')", "Text(0.5, 1.0, 't')"),
        ("plt.legend(['a'])", "<matplotlib.legend.Legend at 0x"),
        ("plt.colorbar()", "<matplotlib.colorbar.Colorbar at 0x"),
        ("plt.stem([1, 2])", "<StemContainer object of 3 artists>"),
        ("line, = plt.plot([1, 2])\nline.set_ydata([3, 4])\nline.get_ydata()", "array([3., 4.])"),
        ("plt.plot([1, 2])\nplt.gca().lines", "<Axes.ArtistList of 1 lines>"),
    ],
)
def test_marks_print_as_matplotlib_prints_them(source, shown):
    assert texts(cells(IMPORTS + source)[0], Echo)[0].startswith(shown)


@pytest.mark.parametrize("call", ["tight_layout()", "subplots_adjust(wspace=1)", "clim(0, 1)", "ion()", "margins(1)"])
def test_settings_echo_nothing(call):
    assert texts(cells(IMPORTS + "plt.plot([1]);\nplt." + call)[0], Echo) == []


def test_what_a_program_puts_into_a_mark_is_made_plain():
    outputs = cells(
        IMPORTS + "line, = plt.plot([1, 2])\nline.series['x'] = object()\nline.series['y'] = [np.float64(1), 2]"
    )
    [figure] = [one for one in outputs[0] if isinstance(one, Figure)]
    assert "x" not in figure.series[0] and figure.series[0]["y"] == [1, 2]


@pytest.mark.parametrize(
    "source, shown",
    [
        ("plt.rcParams['axes.prop_cycle'].by_key()['color'][0]", "'#1f77b4'"),
        ("plt.rcParams['axes.labelsize'], plt.rcParams.get('font.size')", "('medium', 10.0)"),
        ("import matplotlib\nmatplotlib.__version__ > '2'", "True"),
        ("ax = plt.gca()\nax.plot([1, 3])\nax.invert_xaxis()\nax.get_xlim()[0] > ax.get_xlim()[1]", "np.True_"),
    ],
)
def test_settings_that_programs_read(source, shown):
    found = ran(IMPORTS + source, language_ring=True).cells[0].outputs
    assert texts(found, Echo) == [shown]


def test_a_column_plots_itself_in_a_style_of_its_own():
    [mark] = marks("import pandas as pd\npd.Series([1, 2]).plot(style='r--', label='mean').legend()")
    assert (mark["label"], mark["dash"], mark["color"]) == ("mean", "dash", "r")
