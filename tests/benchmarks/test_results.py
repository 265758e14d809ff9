"""The table of results, on figures made up for it: nothing here is timed."""

from pathlib import Path

import pytest

from benchmarks.results import hold, kept


@pytest.mark.parametrize(
    ("ratio", "slower"), [(12.5, True), (12.1, True), (11.9, False), (10, False), (2, False)], ids=str
)
def test_a_slowdown_above_a_fifth_is_reported_by_ratio_not_seconds(ratio, slower, tmp_path, capsys):
    table = tmp_path / "results.json"
    hold("loops", {"for": (1.0, 10.0), "break": (1.0, 4.0)}, write=True, path=table)
    assert hold("loops", {"for": (99.0, ratio), "break": (99.0, 4.0)}, path=table) is not slower
    told = capsys.readouterr().out
    assert ("for" in told) is slower and "break" not in told


def test_rows_not_measured_again_stay_in_the_table(tmp_path):
    table: Path = tmp_path / "results.json"
    hold("loops", {"for": (1.0, 10.0), "break": (1.0, 4.0)}, write=True, path=table)
    hold("loops", {"for": (1.0, 13.0)}, write=True, path=table)
    assert {name: row.ratio for (_, name), row in kept(table).items()} == {"for": 13, "break": 4}


def test_the_results_table_has_every_compared_benchmark():
    assert {promise for promise, _ in kept()} >= {"loops", "record", "start"}
