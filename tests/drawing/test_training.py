"""Pictures of a training: strips, the loss with gaps, an earlier run in grey, a step."""

import base64
import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

import explorer
from explorer.analysis.views.training.strips import MEASURES, Numbers, remark
from explorer.analysis.views.training.training_view import ParameterSteps, TrainingView, training_view
from explorer.drawing.training.film import film_data, film_html
from explorer.drawing.training.loss import Earlier
from explorer.drawing.training.plots import bands_plot, entries_plot, losses_html
from explorer.drawing.training.step import step_html
from explorer.text import LANGUAGES
from tests.plots import figure_in

WILD = '=w"<u>'  # a malicious name


def view_of(loss: list[float], gradients: list[float], name: str = "w") -> TrainingView:
    n = len(loss)
    row = Numbers(np.array(gradients), np.ones(n, bool))
    measures = dict.fromkeys(MEASURES, row)
    entries = np.arange(2.0 * n).reshape(n, 2)
    one = ParameterSteps(
        name, (2,), measures, n, np.arange(n), entries, -entries, ((0,), (1,)), False, remark(measures, moved=True)
    )
    steps = np.arange(1, n + 1)
    return TrainingView(0, 3, 0, "loss", n, steps, np.full(n, -1), ("",) * n, np.array(loss), {}, (one,))


def test_a_strip_has_one_path_per_colour_and_labels_the_anomaly():
    view = view_of([4, 3, 2, 1, 0.5], [1.0, 1.0, 1e-9, 1e-9, 1e-9])
    html = film_html(view, "gradient", "en")
    strip = html.split('class="film-strip"')[1].split("</span>")[0]
    assert strip.count("<path") == 2 and "M0 0h2v1h-2z" in strip and "M2 0h3v1h-3z" in strip
    assert "below 1e−7 from step 3" in html
    assert 'aria-label="w: size of the gradient, from 1 to 1e−9. below 1e−7 from step 3"' in html


def test_a_loss_that_is_not_finite_is_a_gap_with_its_name():
    html = film_html(view_of([4, 3, math.inf, math.nan, 1], [1.0] * 5), "gradient", "en")
    line = html.split('class="now" d="')[1].split('"')[0]
    assert line.count("M") == 2  # before and after the gap
    assert '<b class="film-nan" data-at="2" style="left:40.00%">∞</b>' in html


def test_sampled_measures_are_marked_approximate():
    model = torch.nn.Linear(400, 300)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with explorer.record(detail="light") as trace:
        for _ in range(10):
            model(torch.ones(1, 400)).relu().sum().backward()
            optimizer.step()
    view = training_view(trace, 0)
    row = step_html(view, 0, "en").split("model.weight")[1].split("</tr>")[0].split("<td")[2:]
    told = dict(zip(MEASURES, ("≈" in cell for cell in row), strict=True))
    assert told == {"gradient": False, "value": False, "update": True, "ratio": True, "zeros": True, "units": False}
    assert film_data(view, "zeros", "en")["sampled"] == [True, False]  # the bias has 300 entries


def test_the_previous_run_is_drawn_behind_at_the_same_steps():
    view, past = view_of([4, 3, 2], [1.0] * 3), view_of([8, 7, 6, 5, 4], [1.0] * 5)
    html = film_html(view, "gradient", "en", earlier=Earlier(past, ("lr 0.1 → 0.2",)))
    before, now = (html.split(f'class="{kind}" d="')[1].split('"')[0] for kind in ("before", "now"))
    across = [
        [part.split(" ")[0].lstrip("ML") for part in path.replace("h.1", "").split("L")] for path in (before, now)
    ]
    assert across[0] == across[1] == ["166.7", "500.0", "833.3"]


def test_two_losses_share_the_longer_range_and_mark_nonfinite_values():
    short, long = view_of([4, math.nan, 3], [1.0] * 3), view_of([8, 7, 6, 5], [1.0] * 4)
    for views, names in (((short, long), ("A", "<u>")), ((long, short), ("<u>", "A"))):
        html = losses_html(views, names, False, "en")
        figure = figure_in(html)
        assert [len(line["y"]) for line in figure["data"]] == [len(view.steps) for view in views]
        assert figure["layout"]["xaxis"]["range"] == [0.5, 4.5]
        assert [note["text"] for note in figure["layout"]["annotations"]] == ["A NaN"]
        assert "3 at step 3" in html and "5 at step 4" in html and "<u>" not in str(figure) + html


def test_compared_runs_share_a_scale():
    small, large = view_of([4, 3, 2], [1.0] * 3), view_of([8, 7, 6], [100.0] * 3)
    legends = [
        film_html(view, "gradient", "en", earlier=Earlier(other, ())).split('class="film-legend')[1]
        for view, other in ((small, large), (large, small))
    ]
    assert legends[0] == legends[1] != film_html(small, "gradient", "en").split('class="film-legend')[1]


def test_the_cursor_shows_exact_numbers():
    told = film_data(view_of([4, 3, 2], [1.0, math.nan, 0.25]), "gradient", "en")
    (row,) = (np.frombuffer(base64.b64decode(one), "<f4") for one in told["rows"])
    assert row[0] == 1 and math.isnan(row[1]) and row[2] == 0.25
    assert told["steps"] == [1, 2, 3]


def test_the_players_data_has_every_step_its_events_and_the_previous_run():
    view, past = view_of([4, 1, math.nan], [1.0] * 3), view_of([8, 7], [1.0] * 2)
    told = film_data(view, "gradient", "en", Earlier(past, ("lr 0.1 → 0.2",), ("lr 0.1", "lr 0.2")))
    assert told["marks"] == [(1, "lowest loss"), (2, "")]
    before = np.frombuffer(base64.b64decode(told["before"]), "<f4").tolist()
    assert before == [8, 7, -math.inf]  # the previous run had two steps
    assert len(told["beside"]) == len(told["rows"]) and not told["opens"]


def test_a_mark_is_at_its_step_and_both_lines_are_labelled():
    view, past = view_of([4, 1, 2, 3], [1.0] * 4), view_of([8, 7, 7, 7], [1.0] * 4)
    html = film_html(view, "gradient", "en", earlier=Earlier(past, (), ("lr 0.1", "<u>")))
    assert 'is-lowest" data-at="1" style="left:37.50%' in html
    assert ">lr 0.1</span>" in html and "&lt;u&gt;" in html and "<u>" not in html


def test_labels_of_two_lines_do_not_overlap():
    for loss, past in (([4, 1], [4, 1]), ([1, 4], [1, 3.9]), ([4, 1.1], [4, 1])):
        earlier = Earlier(view_of(past, [1.0] * 2), (), ("one", "two"))
        html = film_html(view_of(loss, [1.0] * 2), "gradient", "en", earlier=earlier)
        tops = sorted(float(one.split("top:")[1].split("%")[0]) for one in html.split('class="film-of')[1:])
        assert tops[1] - tops[0] >= 11 - 0.1 and tops[0] >= 22 and tops[1] <= 84


def test_crowded_rate_changes_are_labelled_sparsely():
    rates = np.array([0.1, 0.1, 0.05, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01])
    view = replace(view_of([4.0] * 10, [1.0] * 10), rates={"SGD": rates})
    words = re.findall(r"is-rate[^>]*>([^<]*)<", film_html(view, "gradient", "en"))
    assert words == ["lr → 0.05", "", "lr → 0.01"]


def test_both_ends_of_a_legend_have_the_digits_of_the_rows():
    html = film_html(view_of([4, 3], [np.float32(0.00011812), np.float32(1.84786)]), "gradient", "en")
    legend = html.split('class="film-ramp"')[1]
    assert "<span>0.000118</span>" in legend and "<span>1.85</span>" in legend


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("measure", MEASURES)
def test_names_are_escaped_everywhere(lang, measure):
    view = view_of([4, 3, 2], [0.0] * 3, WILD)
    for html in (film_html(view, measure, lang, row=0), step_html(view, 1, lang)):
        assert "<u>" not in html and "&lt;u&gt;" in html
    (one,) = view.parameters
    for drawn in (entries_plot(view, one, False, True, lang, 1), bands_plot(view, one, True, False, lang)):
        assert "<u>" not in str(drawn.to_json())
