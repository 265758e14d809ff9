"""The file of a watched training, read while it grows."""

import pytest

from explorer.trace import growing_steps
from explorer.trace.growing_steps import MOST_EVENTS, MOST_SHOWN, GrowingSteps
from explorer.trace.step_statistics import Header, StepRow, append, begin, read

HEADER = Header(["0.weight", "0.bias"], [8, 2], "2.13.0")
NORMS = b"\0\0\x80\x3f" * 2  # 1.0 twice


def _row(step: int, event: str = "") -> StepRow:
    return StepRow(step, 0.1, 0.5, 1, [0.1], None, NORMS, event=event)


def _written(path, steps, mode="wb"):
    with path.open(mode) as file:
        if mode == "wb":
            begin(file, HEADER)
        append(file, [_row(step) for step in steps])


def test_only_what_is_new_is_read(tmp_path, monkeypatch):
    path = tmp_path / "steps.stats"
    _written(path, range(1, 4))
    growing = GrowingSteps(path)
    assert [row.step for row in growing.read().rows] == [1, 2, 3]
    assert growing.read() is growing.read()
    _written(path, range(4, 6), "ab")
    monkeypatch.setattr(growing_steps, "read_header", None)  # must not be called again
    assert [row.step for row in growing.read().rows] == [1, 2, 3, 4, 5]


def test_a_row_that_is_being_written_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "steps.stats"
    _written(path, range(1, 4))
    whole = path.read_bytes()
    growing, seen = GrowingSteps(path), []
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        seen.append(growing.read().steps)
    assert seen == sorted(seen) and seen[-1] == 3 and set(seen) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("data", "problem"),
    [(None, "missing"), (b"", "waiting"), (b"autograd-expl", "waiting"), (b"PK\x03\x04 something else", "foreign"),
     (b"x" * 5_000_000, "foreign")],
)  # fmt: skip
def test_files_without_steps_are_told_apart(tmp_path, data, problem):
    path = tmp_path / "steps.stats"
    if data is not None:
        path.write_bytes(data)
    assert GrowingSteps(path).read().problem == problem


@pytest.mark.parametrize("damage", [b"\xff\xff\xff\xff", b"\x01\0\0\0\xc1", b"\x04\0\0\0abcd"])
def test_a_damaged_row_makes_the_file_foreign_until_another_replaces_it(tmp_path, damage):
    path = tmp_path / "steps.stats"
    _written(path, range(1, 4))
    path.write_bytes(path.read_bytes() + damage)
    growing = GrowingSteps(path)
    assert growing.read().problem == "foreign"
    path.unlink()
    assert growing.read().problem == "missing"
    _written(path, range(1, 3))
    assert (growing.read().problem, growing.read().steps) == ("", 2)


def test_a_row_of_other_columns_is_foreign(tmp_path):
    path = tmp_path / "steps.stats"
    _written(path, [])
    with path.open("ab") as file:
        append(file, [StepRow(1, 0.1, 0.5, 1, [0.1], None, NORMS[:4])])
    assert GrowingSteps(path).read().problem == "foreign"


def test_a_long_training_keeps_some_steps_and_every_event(tmp_path):
    path = tmp_path / "steps.stats"
    with path.open("wb") as file:
        begin(file, HEADER)
        append(file, [_row(step, "loss NaN" if step % 1000 == 7 else "") for step in range(1, 50_001)])
    read = GrowingSteps(path).read()
    assert read.steps == 50_000 and MOST_SHOWN / 2 <= len(read.rows) <= MOST_SHOWN
    assert [row.step for row in read.rows[:3]] == [1, 1 + read.stride, 1 + 2 * read.stride]
    assert [row.step for row in read.events] == list(range(7, 50_001, 1000)) and not read.more


def test_too_many_events_are_counted(tmp_path):
    path = tmp_path / "steps.stats"
    with path.open("wb") as file:
        begin(file, HEADER)
        append(file, [_row(step, "x") for step in range(1, 301)])
    read = GrowingSteps(path).read()
    assert (len(read.events), read.left_out) == (MOST_EVENTS, 300 - MOST_EVENTS)


def test_one_read_takes_a_part_and_says_that_there_is_more(tmp_path, monkeypatch):
    path = tmp_path / "steps.stats"
    _written(path, range(1, 1001))
    monkeypatch.setattr(growing_steps, "PER_READ", 10_000)
    growing, seen = GrowingSteps(path), []
    while not seen or seen[-1].more:
        seen.append(growing.read())
    assert len(seen) > 3 and seen[0].steps < 500 and seen[-1].steps == 1000
    monkeypatch.setattr(growing_steps, "MOST_READ", 10_000)
    growing = GrowingSteps(path)
    assert growing.read().more and growing.read() is growing.read(), "no further than the limit"


def test_reading_all_at_once_returns_the_same_rows(tmp_path):
    path = tmp_path / "steps.stats"
    _written(path, range(1, 6))
    header, rows = read(path)
    assert header == HEADER and [row.step for row in rows] == [1, 2, 3, 4, 5]
