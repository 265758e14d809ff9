"""What the benchmarks say of their figures, on figures made up for it: nothing here is timed."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from benchmarks.figures import Figure, Results, keep, latest, plot, slower, table


def figure(program: str, tool: str, loops: float, plain: float = 2.0) -> Figure:
    """A figure of which only the ratios matter."""
    return Figure(program, tool, loops, plain, 0.01, 1.0)


def results(date: str, *figures: Figure) -> Results:
    """A run of a day."""
    return Results(date, "one processor", {"torch": "2"}, list(figures))


BEFORE = results("2026-01-02", figure("chain 1000", "light", 10), figure("mlp", "light", 4))


def test_more_than_a_fifth_longer_is_told():
    now = results("2026-01-03", figure("chain 1000", "light", 12.5), figure("mlp", "light", 4))
    assert [(new.program, old.loops, new.loops) for old, new in slower(BEFORE, now)] == [("chain 1000", 10, 12.5)]


def test_a_fifth_faster_and_new_are_not_told():
    now = results(
        "2026-01-03", figure("chain 1000", "light", 11.9), figure("mlp", "light", 2), figure("gpt", "light", 9)
    )
    assert slower(BEFORE, now) == []


def test_the_worst_comes_first():
    now = results("2026-01-03", figure("chain 1000", "light", 13), figure("mlp", "light", 8))
    assert [new.program for _, new in slower(BEFORE, now)] == ["mlp", "chain 1000"]


def test_seconds_and_the_ratio_to_plain_are_not_compared():
    """Another machine, or a slower torch beneath: the fixed loop is the measure."""
    now = results("2026-01-03", Figure("mlp", "light", 4, 9, 99, 9))
    assert slower(BEFORE, now) == []


def test_what_was_kept_last_is_read_again(tmp_path: Path):
    assert latest(tmp_path / "none") is None
    later = results("2026-02-01", figure("mlp", "light", 5))
    keep(later, tmp_path)
    keep(BEFORE, tmp_path)
    known = latest(tmp_path)
    assert known is not None and known.date == later.date
    assert known.figures == [BEFORE.figures[0], *later.figures]  # what was not measured again is that of before


def test_the_results_in_the_repository_are_readable():
    kept = latest(Path(__file__).parents[2] / "benchmarks" / "results")
    assert kept is not None and {"plain", "light", "complete"} <= {one.tool for one in kept.figures}


def test_a_table_says_what_a_tool_cannot_do():
    rows = table([figure("a", "plain", 1, 1), figure("a", "light", 3, 3.14), figure("b", "torch_viz", 9, 355)]).split(
        "\n"
    )
    assert rows[0] == "| CPU · memory × plain | plain, ms | light | torch viz |"
    assert rows[2:] == ["| a | 10 | 3.14 · 1 | – |", "| b | – | – | 355 · 1 |"]


def test_a_bar_is_longer_for_what_takes_longer_and_names_are_escaped():
    drawn = plot([figure("<a>", "light", 1, 3), figure("<a>", "torchlens", 1, 300)], ("light",))
    bars = {
        bar.get("class"): float(bar.get("width", "0"))
        for bar in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")
    }
    assert bars["ours"] < bars["peer"] and "&lt;a&gt;" in drawn
