"""The story of a program: what each leaf of a small graph gets, derived as Why? does; none of a larger one."""

import re

import pytest

from explorer.analysis.autograd import graph_view
from explorer.drawing.graph.why import story_html
from tests.traces import trace_of

LEAVES = "import torch\nw = torch.tensor(1., requires_grad=True)\nx = torch.tensor(2., requires_grad=True)\n"


def story(program: str) -> str:
    trace = trace_of(LEAVES + program)
    return story_html(trace, graph_view(trace), "en")


def test_each_leaf_is_told_and_every_part_leads_to_its_card():
    told = story("a = w + x\nb = w + 1\ny = a * b\ny.backward()")
    heads = [
        re.sub("<[^>]*>", "", one) for one in re.findall(r'class="answer"><p class="step"><code>(.*?)</code>', told)
    ]
    assert [head.split(" = ")[1] for head in heads] == ["+5", "+2"]
    assert told.count("data-goto") >= 3


def test_a_backward_that_never_ran_has_a_story():
    assert "story" in story("y = w * x")


@pytest.mark.parametrize("program", ["print(w)", "y = (w * torch.ones(3, requires_grad=True)).sum()\ny.backward()"])
def test_a_graph_without_gradients_or_of_many_numbers_has_none(program):
    assert story(program) == ""
