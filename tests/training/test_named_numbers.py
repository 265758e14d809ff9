"""Numbers with a name: found, and put back."""

from explorer.analysis.training.named_numbers import named_numbers


def test_numbers_assigned_once_at_the_top_level():
    text = "lr = 0.1  # slow\nwidth = 16\nif width:\n    deep = 3\nn = 1\nn = 2\nk = lr * 2\nname = 'x'\n"
    found = named_numbers((text, "rounds = 20"))
    assert [(one.name, one.text, one.cell) for one in found] == [
        ("lr", "0.1", 0),
        ("width", "16", 0),
        ("rounds", "20", 1),
    ]
    lr, width, _ = found
    assert lr.replaced(text, "0.5").startswith("lr = 0.5  # slow\nwidth = 16")
    assert "0.1" in lr.choices() and "0.01" in lr.choices() and "1.0" in lr.choices()
    assert [int(one) for one in width.choices()] == sorted({2, 4, 8, 12, 16, 24, 32, 48, 64})
    assert all(float(one) > 0 for one in lr.choices())


def test_a_number_beyond_all_floats_is_none_that_one_slides():
    assert named_numbers(("lr = 1e999",)) == ()
