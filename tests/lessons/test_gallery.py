"""The gallery: every example does what its sentence says, every term has one, a search finds it in both languages."""

import re
from functools import cache

import pytest

from explorer.analysis.faults import diagnose
from explorer.analysis.errors import explain
from explorer.lessons import LessonRun
from explorer.lessons.facts import found, holds
from explorer.lessons.gallery import HERE, gallery, read_gallery
from explorer.trace import Failure, goes_wrong
from explorer.ui.pages.gallery.page import SUBJECTS
from explorer.ui.session.links import PROPERTIES
from tests.cases import with_thorough
from tests.traces import trace_of

EXAMPLES = gallery().examples


@cache
def ran(id: str) -> LessonRun:
    trace = trace_of(EXAMPLES[id].program, full=("*",))
    failed = [(i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs if isinstance(one, Failure)]
    kinds = [told.kind for cell, one in failed if (told := explain(trace, cell, one))]
    return LessonRun(trace, lambda: kinds, lambda: [one.kind for one in diagnose(trace)])


HEAVY = ("batch-norm", "gan", "spirals", "rnn-vanishes", "rnn-clipped", "gradient-descent", "momentum", "schedule")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("id", with_thorough(EXAMPLES, HEAVY))
def test_an_example_does_what_its_sentence_rests_on(id):
    example = EXAMPLES[id]
    assert all(fact.requires for fact in example.check)
    wrong = [(fact.subject, found(fact, ran(id))) for fact in example.check if not holds(fact, ran(id))]
    assert wrong == []
    meant = any(fact.raises or (fact.error and fact.error != "none") for fact in example.check)
    stopped = any(goes_wrong(one) for cell in ran(id).trace.cells for one in cell.outputs)
    assert meant == stopped, "a program that stops says so in its facts"
    assert stopped or ("diagnosis" in example.terms) == bool(ran(id).diagnosis_kinds())


def test_every_term_has_an_example_and_every_example_known_terms():
    shown = {term for example in EXAMPLES.values() for term in example.terms}
    assert shown == set(gallery().terms)


def test_the_state_of_a_page_is_one_that_its_address_knows():
    for example in EXAMPLES.values():
        known = {one.name: one for one in PROPERTIES if one.page == example.page}
        for name, said in example.state.items():
            assert str(known[name].read(said)) in (said, f"{said}.0"), example.id
        assert example.state or example.page in ("autograd", "training", "tensors", "operations")


def test_every_subject_is_one_that_the_page_shows():
    (shown,) = (one.choices for one in PROPERTIES if (one.page, one.name) == ("gallery", "subject"))
    assert set(shown) == {"", *gallery().subjects} == {"", *SUBJECTS}


def test_both_languages_name_the_same_numbers():
    for example in EXAMPLES.values():
        names = [set(re.findall(r"[A-Za-z_]{4,}(?=\()|\d+\.\d+", said)) for said in (example.says.en, example.says.zh)]
        assert names[0] == names[1], example.id


def test_an_id_that_stands_twice_is_told(tmp_path):
    (tmp_path / "terms.toml").write_text("")
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text((HERE / "training.toml").read_text())
    with pytest.raises(ValueError, match="the example loss stands there twice"):
        read_gallery(tmp_path)
