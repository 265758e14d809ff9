"""Differences between two versions of a program."""

import pytest

from explorer.analysis.views.training.changes import Changed, changes

PROGRAM = "lr = 0.03\nfor step in range(20):\n    w2 = w - lr * 2\n"


def found(before: str, after: str):
    return changes([before], [after])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("lr = 0.03", "lr = 0.1", Changed(1, 1, "lr", "0.03", "0.1")),
        ("range(20)", "range(200)", Changed(2, 2, "range", "20", "200")),
        ("lr * 2", "lr * 3", Changed(3, 3, "", "2", "3")),
        ("lr = 0.03", "lr = 1e-3", Changed(1, 1, "lr", "0.03", "1e-3")),
        ("w2 = w", "w3 = w", Changed(3, 3)),
        ("w - lr", "w + lr", Changed(3, 3)),
        ("    w2 = w - lr * 2\n", "", Changed(3, 3)),
    ],
)
def test_a_changed_number_is_named_and_other_changes_show_their_line(old, new, said):
    assert found(PROGRAM, PROGRAM.replace(old, new)) == (said,)


def test_several_changed_numbers_on_a_line_are_named():
    assert found("SGD(w, lr=0.1, momentum=0)", "SGD(w, lr=0.2, momentum=0.9)") == (
        Changed(1, 1, "lr", "0.1", "0.2"),
        Changed(1, 1, "momentum", "0", "0.9"),
    )


def test_an_inserted_line_is_reported_by_its_position():
    assert found("a\nb\nc", "a\nnew\nb\nc") == (Changed(2, 2),)
    assert found("a\nb", "a\nb") == ()


def test_a_different_program_is_not_a_version_of_this_program():
    lines = [f"x{i} = {i}" for i in range(20)]
    assert found("\n".join(lines), "\n".join(f"y{i}" for i in range(20))) is None
    assert found("\n".join(lines), "one") is None


def test_cells_are_compared_as_one_text():
    assert changes(["a = 1", "b = 2"], ["a = 1", "b = 3"]) == (Changed(2, 2, "b", "2", "3"),)


@pytest.mark.thorough
def test_time_is_proportional_for_long_texts():
    many = "1." * 100_000
    assert found(many, many + "2") == (Changed(1, 1),)
