"""The gallery: examples match their sentences, every term has an example, searches work in both languages."""

import re
from dataclasses import replace
from functools import cache

import pytest

from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.lessons.course import own_course
from explorer.lessons.facts import LessonRun, found, holds
from explorer.lessons.gallery import HERE, gallery, read_gallery
from explorer.lessons.pictures import lesson_picture, picture_of
from explorer.runtime.execute import execute
from explorer.text.numbers import number
from explorer.trace import Failure, ends_cell
from explorer.ui.pages.gallery.page import SURPRISING, _shown
from explorer.ui.session.addresses import PROPERTIES
from tests.cases import with_thorough
from tests.traces import trace_of
from tools.generate_pictures import drawn_picture, of_program
from tools.thumbnail_curves import training_thumbnail
from tools.thumbnail_graph import graph_thumbnail

EXAMPLES = gallery().examples


@cache
def ran(id: str) -> LessonRun:
    trace = trace_of(EXAMPLES[id].program, full=("*",))
    failed = [(i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs if isinstance(one, Failure)]
    kinds = [told.kind for cell, one in failed if (told := explain(trace, cell, one))]
    return LessonRun(trace, lambda: kinds, lambda: [one.kind for one in diagnose(trace)])


HEAVY = ("batch-norm", "gan", "spirals", "rnn-vanishes", "rnn-clipped", "gradient-descent", "momentum", "schedule")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("id", with_thorough(EXAMPLES, HEAVY))
def test_an_examples_run_satisfies_its_facts(id):
    example = EXAMPLES[id]
    assert all(fact.requires for fact in example.check)
    wrong = [(fact.subject, found(fact, ran(id))) for fact in example.check if not holds(fact, ran(id))]
    assert wrong == []
    meant = any(fact.raises or (fact.error and fact.error != "none") for fact in example.check)
    stopped = any(ends_cell(one) for cell in ran(id).trace.cells for one in cell.outputs)
    assert meant == stopped, "a program that stops says so in its facts"
    assert stopped or ("diagnosis" in example.terms) == bool(ran(id).diagnosis_kinds())


@pytest.mark.sampled(12)
@pytest.mark.parametrize("id", with_thorough(EXAMPLES, HEAVY))
def test_an_examples_picture_matches_its_run(id):
    drawn = (drawn_picture(EXAMPLES[id], execute) for _ in range(5))  # on a busy machine, Graphviz may not get a turn
    assert any(picture == picture_of(id) for picture in drawn), f"python tools/generate_pictures.py {id}"


@pytest.mark.sampled(25)
@pytest.mark.parametrize("id", own_course().lessons)
def test_a_lessons_picture_matches_its_run(id):
    lesson = own_course().lessons[id]
    drawn = (of_program(lesson.program, True, execute) for _ in range(5))
    assert any(picture == lesson_picture(lesson) for picture in drawn), f"python tools/generate_pictures.py {id}"


def test_a_packs_lesson_has_no_picture_of_ours():
    lesson = own_course().lessons["zero/slope"]
    assert lesson_picture(lesson).startswith("<svg")
    assert lesson_picture(replace(lesson, program="x = 1\n")) == ""


def test_a_picture_shows_names_and_gradients_and_escapes_the_program():
    traced = trace_of("w = torch.tensor(1., requires_grad=True)\ny = w * w + 3 * w\ny.backward()")
    assert re.findall(r"<text[^>]*>([^<]*)<", graph_thumbnail(traced))[-2:] == ["+1", "y"]
    assert ">+5<" in graph_thumbnail(traced)
    hostile = trace_of("d = {'<b>': 1}\nx = torch.ones(2, requires_grad=True)\n(x*d['<b>']).sum().backward()")
    assert "&lt;b&gt;" in graph_thumbnail(hostile) and "<b>" not in graph_thumbnail(hostile)
    assert graph_thumbnail(trace_of("a = 1")) == ""


@pytest.mark.parametrize("id", [id for id in EXAMPLES if 'class="thumb"' in picture_of(id)])
def test_edges_end_inside_their_picture(id):
    left, top, width, height = map(float, re.findall(r'viewBox="([^"]+)"', picture_of(id))[0].split())
    for edge in re.findall(r'<path class="w[^"]*" d="M([^"]+)"', picture_of(id)):
        for point in (edge.split("C")[0], edge.split(" ")[-1]):
            x, y = map(float, point.split(","))
            assert left <= x <= left + width and top <= y <= top + height


def test_only_a_training_has_first_and_last_loss_in_its_thumbnail():
    loop = "x = torch.tensor(4., requires_grad=True)\nfor i in range(12):\n    loss = x * x\n    loss.backward()\n"
    loop += "    with torch.no_grad():\n        x -= 0.25 * x.grad\n    x.grad = None\n"
    numbers = re.findall(r">([^<]+)</text>", training_thumbnail(trace_of(loop)))
    assert numbers == ["16", number(16 * 0.25**11), "log"]
    assert training_thumbnail(trace_of("x = torch.ones(2, requires_grad=True)\nx.sum().backward()")) == ""


def test_the_gallery_starts_with_surprises_and_lists_every_example_once():
    shown = [id for ids in _shown("", gallery()).values() for id in ids]
    assert shown[: len(SURPRISING)] == [*SURPRISING] and sorted(shown) == sorted(EXAMPLES)
    assert _shown("tensors", gallery()) == {"tensors": [*gallery().subjects["tensors"]]}


def test_every_term_has_an_example_and_every_example_known_terms():
    shown = {term for example in EXAMPLES.values() for term in example.terms}
    assert shown == set(gallery().terms)


def test_example_states_are_valid_address_properties():
    for example in EXAMPLES.values():
        known = PROPERTIES[example.page]
        for name, said in example.state.items():
            assert str(known[name].read(said)) in (said, f"{said}.0"), example.id
        assert example.state or example.page in ("autograd", "training", "tensors", "operations")


def test_a_duplicate_id_is_an_error(tmp_path):
    (tmp_path / "terms.toml").write_text("")
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text((HERE / "training.toml").read_text())
    with pytest.raises(ValueError, match="the example loss stands there twice"):
        read_gallery(tmp_path)
