"""Gradient norms by layer, and the plot of a watched training."""

import json

import numpy as np
import pytest

from explorer.analysis.views.training.watched import watched_training
from explorer.drawing.training.watched import MOST_CURVES, MOST_LAYERS, watched_plot
from explorer.trace.growing_steps import ReadSteps
from explorer.trace.step_statistics import Header, StepRow


def _read(names, *norms, events=()):
    rows = [
        StepRow(step, 0.1, 1.0 / step, 1, [], None, b"" if row is None else np.array(row, "<f4").tobytes())
        for step, row in enumerate(norms, 1)
    ]
    header = Header(list(names), [1] * len(names), "2.13.0")
    return ReadSteps("", header, tuple(rows), tuple(events), len(rows))


def test_a_layers_norm_is_that_of_its_parameters():
    training = watched_training(_read(["0.weight", "0.bias", "2.weight"], [3, 4, 1], [3, -1, -1], None, [1, np.nan, 2]))
    assert training.layers == ("0", "2")
    assert training.norms[0].tolist() == [5, 1]
    assert training.norms[1][0] == 3 and np.isnan(training.norms[1][1]), "no gradient"
    assert np.isnan(training.norms[2]).all(), "not measured"
    assert training.norms[3].tolist() == [np.inf, 2]
    assert training.loss.tolist() == [1, 1 / 2, 1 / 3, 1 / 4]


@pytest.mark.parametrize("dark", [False, True])
def test_the_plot_marks_events_and_cells_that_are_not_finite(dark):
    event = StepRow(2, 0.1, float("nan"), 1, [], None, event="loss NaN")
    read = _read(["0.weight", "2.weight"], [1, 0], [np.inf, 1], events=[event])
    drawn = json.loads(watched_plot(watched_training(read), read.events, dark, "en").to_json())
    finite, zero, bad = [one for one in drawn["data"] if one["type"] == "heatmap"]
    assert zero["z"] == [[None, None], [0.0, None]] and bad["z"] == [[None, 0.0], [None, None]]
    assert finite["z"] == [[0.0, None], [None, 0.0]]
    assert {shape["x0"] for shape in drawn["layout"]["shapes"]} == {2} and len(drawn["layout"]["shapes"]) == 3


def test_a_strangers_names_are_escaped_and_a_wide_model_is_sampled():
    names = [f"<b onclick=alert(1)>{place}</b>.weight" for place in range(500)]
    training = watched_training(_read(names, *[[1.0] * 500] * 3))
    text = watched_plot(training, (), False, "en").to_json()
    assert "<b onclick" not in json.loads(text)["data"][1]["name"] and "\\u003cb onclick" not in text
    drawn = json.loads(text)
    assert sum("name" in one and one["type"] == "scatter" for one in drawn["data"]) <= MOST_CURVES + 1
    heat = [one for one in drawn["data"] if one["type"] == "heatmap"]
    assert all(len(one["z"]) == MOST_LAYERS for one in heat)


def test_a_training_without_a_measured_step_is_drawn():
    assert watched_plot(watched_training(_read(["0.weight"], None)), (), False, "zh").layout.height > 0
