"""A search finds examples and lessons by terms, parts of words and names of torch, in both languages."""

import pytest

from explorer.lessons import course
from explorer.lessons.gallery import gallery
from explorer.lessons.search import search


def found(query: str, lang: str = "en") -> list[str]:
    return [hit.id for hit in search(query, lang, gallery(), course())]


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_term_is_found_by_its_name(lang):
    for english, chinese in gallery().terms.items():
        best = found(english if lang == "en" else chinese.split("（")[0], lang)[0]
        about = gallery().examples[best].terms if best in gallery().examples else course().lessons[best].data.concepts
        assert english in about, english


def test_lessons_are_found_beside_examples():
    hits = search("leaf", "zh", gallery(), course())
    assert ("lesson", "autograd/leaf", "叶子张量保存梯度", "自动微分") in [
        (h.kind, h.id, h.title, h.says) for h in hits[:4]
    ]
    assert {hit.kind for hit in hits[:4]} == {"example", "lesson"}


def test_parts_of_words_and_words_of_torch_are_found():
    assert found("retain gr")[0] in ("retain-graph", "retain-grad", "retain-grad-is-no-argument")
    assert "fan-out" in found("路径", "zh")
    assert found("through the graph a second time") == ["backward-twice"]
    assert found("梯度消失", "zh")[:3] == ["vanishing", "residual", "exploding"]


NAMES = {
    "tensors/creating": ["ones_like", "zeros_like"],
    "tensors/printing": ["__version__"],
    "tensors/dtype": ["LongTensor"],
    "tensors/elementwise": ["torch.sub", "torch.mul", "torch.div"],
    "tensors/masks": ["torch.eq", "masked_select"],
    "calculus/plotting": ["xlabel", "ylim", "yscale"],
}


@pytest.mark.parametrize(("lesson", "name"), [(lesson, name) for lesson, names in NAMES.items() for name in names])
def test_a_name_that_the_notebooks_use_leads_to_its_lesson(lesson, name):
    assert lesson in found(name) and lesson in found(name, "zh")


def test_nothing_and_everything():
    assert found("no such thing anywhere") == []
    assert len(found(" ")) == len(gallery().examples) + len(course().lessons)
    assert found("x" * 10_000) == []


def test_every_concept_of_a_lesson_is_a_term_with_its_chinese():
    named = {concept for lesson in course().lessons.values() for concept in lesson.data.concepts}
    assert named - set(gallery().terms) == set()
