"""Facts of a Trace, correct answers, and messages for a program that fails a check."""

import pytest

from explorer.lessons.answers import judge, judge_make, nearness, node_of, stretched
from explorer.lessons.asks import (
    AxesAsk,
    CardAsk,
    CardName,
    ChoiceAsk,
    Fact,
    MakeAsk,
    Mistake,
    NumberAsk,
    PrintsAsk,
    ShapeAsk,
    Tried,
)
from explorer.lessons.facts import LessonRun, describe_failed_check, found, holds
from explorer.program.scanner import code_of, words_of
from tests.lessons.test_format import play

TWO_PATHS = """
import torch
w = torch.tensor(2., requires_grad=True)
x = torch.ones(2, 3)
y = x.t()
a = w + 1  # detach
b = w * 2
(a * b).backward()
kept = w.detach()
print(w.grad)
"""


@pytest.fixture(scope="module")
def paths() -> LessonRun:
    return play(TWO_PATHS)


@pytest.mark.parametrize(
    ("fact", "is_"),
    [
        (Fact(value="w"), 2.0),
        (Fact(gradient="w"), 10.0),
        (Fact(gradient="a"), 4.0),
        (Fact(gradient="x"), None),
        (Fact(value="nothing"), None),
        (Fact(shape="y"), [3, 2]),
        (Fact(stride="y"), [1, 3]),
        (Fact(value="y", entry=[0, 1]), 1.0),
        (Fact(value="y", entry=[5, 1]), None),
        (Fact(dtype="y"), "float32"),
        (Fact(version="w"), 0),
        (Fact(requires_grad="x"), False),
        (Fact(leaf="a"), False),
        (Fact(grad_fn="a"), "AddBackward0"),
        (Fact(grad_fn="w"), "none"),
        (Fact(shares=("x", "y")), True),
        (Fact(shares=("w", "kept")), True),
        (Fact(shares=("w", "x")), False),
        (Fact(prints=-1), "tensor(10.)"),
        (Fact(plots=0), 0),
        (Fact(backwards=1), 1),
        (Fact(node="MulBackward0"), 2),
        (Fact(edge=("MulBackward0", "AddBackward0")), 1),
        (Fact(uses="detach"), True),
        (Fact(uses="torch.tensor"), True),
        (Fact(uses="@"), False),
        (Fact(absent=["for", "print"]), ["print"]),
        (Fact(error="none"), []),
        (Fact(raises="none"), []),
        (Fact(diagnosis="none"), []),
        (Fact(number=2), 2),
    ],
)
def test_a_fact_is_read_from_the_run(paths, fact, is_):
    assert found(fact, paths) == is_


def test_facts_about_empty_tensors_stay_small():
    ran = play("e = torch.empty(1_000_000_000, 0)")
    assert found(Fact(value="e"), ran) == [] and found(Fact(value="e", entry=[0, 0]), ran) is None


def test_a_fact_checks_its_requirements(paths):
    assert holds(Fact(gradient="w", equals=10), paths) and not holds(Fact(gradient="w", equals=9.9), paths)
    assert holds(Fact(gradient="w", equals=9.9, near=0.2), paths)
    assert holds(Fact(value="x", equals=1), paths), "one number is meant for all entries"
    assert holds(Fact(value="x", equals=[[1, 1, 1], [1, 1, 1]]), paths)
    assert holds(Fact(value="w", least=2, most=2), paths) and not holds(Fact(value="w", least=3), paths)
    assert holds(Fact(prints=0, contains="10"), paths)
    assert holds(Fact(node="MulBackward0", count=2), paths) and not holds(Fact(node="MulBackward0", count=1), paths)
    assert not holds(Fact(gradient="x", equals=0), paths), "no gradient is not 0"


def test_a_program_without_backward_has_no_gradient():
    assert found(Fact(gradient="x"), play("x = torch.tensor(1., requires_grad=True)\ny = x * 2\n")) is None


def test_errors_are_checked_by_kind_and_type():
    ran = play("x = torch.ones(2, requires_grad=True)\nx += 1\n")
    assert holds(Fact(error="leaf-in-place"), ran) or found(Fact(error="some"), ran)
    assert holds(Fact(error="any"), ran) and not holds(Fact(error="none"), ran)
    assert holds(Fact(raises="RuntimeError"), ran) and not holds(Fact(raises="none"), ran)


def test_strings_and_comments_contribute_no_words():
    text = 'x = """for"""\ny = f(x)  # while\nz = \'unclosed\nw = "it\\"s"\n"""open'
    assert words_of(text) == {"x", "y", "f", "z", "w"} and "while" not in code_of(text)


def test_answers_may_be_numbers_shapes_or_prints(paths):
    number = NumberAsk(id="a", expect=Fact(gradient="w"), wrong=(Mistake(5, "half"),))
    assert judge(number, "10", paths).right and judge(number, "20/2", paths).right
    assert judge(number, "5.0", paths).known == "half" and judge(number, "7", paths).known == ""
    assert judge(number, "ten", paths).right is None
    shape = ShapeAsk(id="a", expect=Fact(shape="y"))
    assert judge(shape, "3 x 2", paths).right and judge(shape, "(2, 3)", paths).right is False
    prints = PrintsAsk(id="a", expect=Fact(prints=-1), wrong=(Mistake("10", "bare"),))
    assert judge(prints, " tensor( 10.)", paths).right and judge(prints, "10", paths).known == "bare"


def test_answers_may_be_choices_or_cards(paths):
    choice = ChoiceAsk(id="a", right="b", wrong=(Mistake("c", "why"),))
    assert judge(choice, "b").right and judge(choice, "c").known == "why"
    card = CardAsk(id="a", right=CardName(leaf="w"))
    assert judge(card, [node_of(paths.trace, CardName(leaf="w"))], paths).right
    assert not judge(card, [node_of(paths.trace, CardName(node="AddBackward0"))], paths).right
    assert node_of(paths.trace, CardName(node="MulBackward0", which=5)) is None


def test_answers_may_be_stretched_axes():
    ran = play("a = torch.ones(3, 1)\nb = torch.ones(2)\nc = torch.ones(5)")
    ask = AxesAsk(id="a", tensors=("a", "b"))
    assert stretched(ask, ran) == [[-1], [-2]]
    assert judge(ask, [[-1], [-2]], ran).right and not judge(ask, [[-1], []], ran).right
    assert stretched(AxesAsk(id="a", tensors=("b", "c")), ran) is None


def did(program: str, fact: Fact, lang: str = "en") -> list[str]:
    return [one.text(lang) for one in describe_failed_check(fact, play(program))]


MAKE = "w = torch.tensor(1., requires_grad=True)\n"


@pytest.mark.parametrize(
    ("program", "fact", "said"),
    [
        (
            MAKE + "a = w * 3\nb = w * 4\n(a + b).backward()",
            Fact(gradient="w", equals=12),
            ["Your w.grad is 7.", "3 of it is from w * 3.", "4 of it is from w * 4."],
        ),
        (
            MAKE + "(w * w + w).backward()",
            Fact(gradient="w", equals=12),
            ["Your w.grad is 3.", "1 of it is from w * w + w.", "2 of it is from w * w."],
        ),
        (
            MAKE + "(w * 3).backward()\n(w * 4).backward()",
            Fact(gradient="w", equals=4),
            ["Your w.grad is 7.", "It held 3 before the last backward call added to it."],
        ),
        (MAKE + "w * 3", Fact(gradient="w", equals=3), ["w.grad is None: no backward() reached w."]),
        (
            MAKE + "(w * 3).backward()\nw.grad = None",
            Fact(gradient="w", equals=3),
            ["w.grad is None: backward() stored a gradient there, and it was cleared afterwards."],
        ),
        (
            MAKE + "u = torch.ones(1, requires_grad=True)\n(w.detach() * u).backward()",
            Fact(gradient="w", equals=3),
            ["w.grad is None: the graph is cut between w and the output, as by detach."],
        ),
        ("v = 3", Fact(value="w", equals=3), ["Your program has no tensor named w."]),
        (
            "\nw = torch.ones(2) + torch.ones(3)",
            Fact(value="w", equals=3),
            ["Your program stopped on line 2 with RuntimeError. Fix that error first."],
        ),
        (MAKE + "w.item()", Fact(absent=["item"]), ["Your program uses item."]),
        (MAKE, Fact(raises="RuntimeError"), ["Your program ran to its end without an error."]),
        ("w = torch.ones(2, 3)", Fact(shape="w", equals=[3, 2]), ["The shape of your w is (2, 3)."]),
        ("w = torch.tensor([1, 2])", Fact(value="w", equals=3), ["Your w is [1, 2]."]),
    ],
)
def test_a_failed_check_describes_the_programs_result(program, fact, said):
    assert sorted(did(program, fact)) == sorted(said)
    assert len(did(program, fact, "zh")) == len(said)


def test_a_common_edit_has_its_reply():
    wrong = (Tried(program="", when=Fact(gradient="w", equals=6), reply="twice"),)
    ask = MakeAsk(id="a", check=(Fact(gradient="w", equals=12),), solution="", wrong=wrong)
    assert judge_make(ask, play(MAKE + "(w * 6).backward()")).known == "twice"
    assert judge_make(ask, play(MAKE + "(w * 12).backward()")).right
    assert judge_make(ask, play("")).known == ""


@pytest.mark.parametrize(
    ("said", "how"), [("12", "large"), ("2", "small"), ("-2", "sign"), ("1e999", ""), ("what", "")]
)
def test_an_unforeseen_wrong_number_is_compared_with_the_run(paths, said, how):
    ask = NumberAsk(id="slope", expect=Fact(gradient="w"))
    assert nearness(ask, said, paths) == how


def test_an_unforeseen_wrong_shape_is_compared_with_the_run(paths):
    ask = ShapeAsk(id="turned", expect=Fact(shape="y"))
    assert nearness(ask, "(2, 3)", paths) == "sizes" and nearness(ask, "(6,)", paths) == "axes"
