"""The document: effects of typing, pasting, opening and undoing."""

import pytest

from explorer.program import Unusable
from explorer.ui.session.document import Cursor, Document, edited, opened, pasted, undone, with_cell_after
from explorer.ui.session.edits import Edit, Insert, with_edit

ONE = Document(("x = 1\n",), (0,))
NOTEBOOK = opened(
    ONE, "a.md", b"# Title\n\n```python\na = 1\n```\n\nMore.\n\n```python\nb = 2\n```\n\nEnd.\n", may_run=False
)


def test_an_opened_file_is_shown_before_it_runs():
    assert NOTEBOOK.texts == ("a = 1", "b = 2")
    assert NOTEBOOK.notes == ((1, "# Title"), (2, "More."), (-1, "End."))
    assert (NOTEBOOK.name, NOTEBOOK.revision, NOTEBOOK.may_run) == ("a.md", 1, False)


def test_a_program_up_to_a_cell_has_the_earlier_cells():
    program = NOTEBOOK.program(upto=0)
    assert [cell.text for cell in program.cells] == ["a = 1"]
    assert [(note.before, note.markdown) for note in NOTEBOOK.program().notes] == [
        (0, "# Title"),
        (1, "More."),
        (2, "End."),
    ]


def test_typing_keeps_the_revision():
    typed = edited(ONE, [(0, "x = 2\n")], Cursor(0, 1, 5))
    assert (typed.texts, typed.revision) == (("x = 2\n",), 0)


def test_a_note_stays_when_its_cell_is_removed():
    assert edited(NOTEBOOK, [(1, "a = 1\nb = 2")], None).notes == ((1, "# Title"), (-1, "More."), (-1, "End."))


def test_a_mark_makes_two_cells_once_its_line_is_left():
    typing = edited(ONE, [(0, "x = 1\n# %%")], Cursor(0, 2, 4))
    assert typing.texts == ("x = 1\n# %%",)
    left = edited(typing, [(0, "x = 1\n# %%\ny")], Cursor(0, 3, 1))
    assert left.texts == ("x = 1", "y")
    assert (left.focus, left.revision) == (Cursor(1, 1, 1), 1)


def test_a_pasted_session_is_cleaned_and_can_be_restored():
    session = ">>> 1 + 1\n2\n"
    typed = edited(ONE, [(0, session)], None)
    cleaned = pasted(typed, 0, 0, session)
    assert cleaned.texts == ("1 + 1",)
    assert cleaned.cleaned.counts == {"prompts": 1, "outputs": 1}
    assert undone(cleaned).texts == (session,)
    assert undone(cleaned).revision > cleaned.revision


def test_text_around_a_paste_is_kept():
    typed = edited(ONE, [(0, "x = 1\n>>> y = 2\nz = 3\n")], None)
    assert pasted(typed, 0, 6, ">>> y = 2\n").texts == ("x = 1\ny = 2\nz = 3\n",)


def test_a_plain_program_is_pasted_unchanged():
    typed = edited(ONE, [(0, "a = 1\nb = 2\n")], None)
    assert pasted(typed, 0, 0, "a = 1\nb = 2\n") is typed


def test_typing_discards_a_pastes_undo():
    cleaned = pasted(edited(ONE, [(0, ">>> 1")], None), 0, 0, ">>> 1")
    assert edited(cleaned, [(0, "12")], None).before is None
    assert edited(cleaned, [(0, "1")], None).before is not None


def test_a_new_cell_is_inserted():
    made = with_cell_after(NOTEBOOK, 1)
    assert made.texts == ("a = 1", "", "b = 2")
    assert made.notes == NOTEBOOK.notes and made.focus == Cursor(1, 1)


def test_a_repeated_act_is_done_once_and_names_its_edit():
    first = Edit(7, ONE.revision, [(0, "a")], [], act=Insert(0))
    made, _ = with_edit(ONE, first)
    again = Edit(9, made.revision, [(0, "ab"), (1, "")], [], act=Insert(0), asked=7)
    assert (made.texts, made.of) == (("a", ""), 7)
    assert with_edit(made, again)[0].texts == ("ab", "")


@pytest.mark.parametrize("text", ["#" * 200_001, "x = '\ud800'", "x = 1\0"])
def test_an_invalid_text_is_not_a_program(text):
    with pytest.raises(Unusable):
        Document((text,), (0,)).program()
