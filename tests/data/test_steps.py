"""Each step is a pandas line; its effect is read from the Trace of the extended program."""

import ast

import pytest

from explorer.analysis.views.data import data_steps as steps
from explorer.analysis.views.data.examples import EXAMPLES
from explorer.trace import Table, TableColumn, TableWindow
from tests.traces import trace_of

TABLE = """import pandas as pd
import torch

data = pd.DataFrame({"n": [1.0, None, 4.0, 1.0], "t": ["x", None, "y", "x"], "d": ["31/01/2024", "01/02/2024"] * 2})
data["it's"] = [1, 2, 3, 4]
"""
COLUMNS = {
    name: TableColumn(name, "", kind, lacking, 3)
    for name, kind, lacking in (("n", "number", 1), ("t", "text", 1), ("d", "text", 0), ("it's", "number", 0))
}
N, T, D, QUOTED = COLUMNS.values()


def after(line: str, name: str = "data") -> Table:
    """Return the table after a line was added to the program."""
    trace = trace_of(steps.with_line(TABLE, line), tables=(TableWindow(name=name),))
    assert trace.status == "ok", [one for cell in trace.cells for one in cell.outputs]
    return trace.tables[0]


def column(part: Table, name: str) -> list[str | None]:
    place = [one.name for one in part.columns].index(name)
    return [row[place] for row in part.cells]


@pytest.mark.parametrize(
    ("how", "numbers", "texts"),
    [
        ("mean", ["1", "2", "4", "1"], None),
        ("median", ["1", "1", "4", "1"], None),
        ("mode", ["1", "1", "4", "1"], ["x", "x", "y", "x"]),
        ("constant", ["1", "7", "4", "1"], ["x", "7", "y", "x"]),
    ],
)
def test_missing_values_are_filled(how, numbers, texts):
    filled = after(steps.fill("data", [N, T] if texts else [N], how, "7"))
    assert column(filled, "n") == numbers
    assert texts is None or column(filled, "t") == texts


@pytest.mark.parametrize("how", ["mean", "median", "mode"])
def test_all_columns_are_filled_in_one_line(how):
    filled = after(steps.fill("data", [], how))
    assert None not in column(filled, "n")


def test_rows_and_columns_are_removed():
    assert after(steps.drop_rows("data", [N])).rows == 3
    assert after(steps.drop_rows("data", [])).rows == 3
    assert [one.name for one in after(steps.drop_columns("data", [N, QUOTED])).columns] == ["t", "d"]
    assert [one.name for one in after(steps.drop_columns("data", [])).columns] == ["d", "it's"]


@pytest.mark.parametrize(("missing", "names"), [(True, ["t_x", "t_y", "t_nan"]), (False, ["t_x", "t_y"])])
def test_one_hot_has_the_requested_dtype(missing, names):
    made = after(steps.one_hot("data", [T], missing, "float"))
    assert [(one.name, one.dtype) for one in made.columns[3:]] == [(name, "float64") for name in names]


@pytest.mark.parametrize(
    ("to", "of", "dtype", "cells"),
    [
        ("number", T, "float64", [None] * 4),
        ("codes", T, "int8", ["0", "-1", "1", "0"]),
    ],
)
def test_a_column_is_converted(to, of, dtype, cells):
    made = after(steps.retype("data", [of], to))
    assert next(one.dtype for one in made.columns if one.name == of.name) == dtype
    assert column(made, of.name) == cells


def test_numbers_are_scaled():
    assert column(after(steps.scale("data", [QUOTED], "range")), "it's") == ["0.000000", "0.333333", "0.666667", "1.000000"]
    both = after(steps.scale("data", [N, QUOTED], "standard"))
    assert all(abs(one.mean or 0) < 1e-9 for one in both.columns if one.name in ("n", "it's"))


@pytest.mark.parametrize("how", ["standard", "range"])
def test_a_column_with_one_value_becomes_0(how):
    flat = TableColumn("f", "int64", "number", 0, 1, "7", "7")
    for columns in ([flat], [flat, QUOTED]):
        assert column(after(f"data['f'] = 7\n{steps.scale('data', columns, how)}"), "f") == ["0"] * 4


def test_column_names_are_never_code():
    hostile = TableColumn("']; import os #\n", "", "number", 0, 0)
    for line in (steps.fill("data", [hostile], "mean"), steps.to_tensors("data", [hostile], hostile)):
        tree = ast.parse(line)
        assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
    assert steps.label(TableColumn("0", "", "number", 0, 0, numbered=True)) == "0"
    assert steps.label(TableColumn("0; x", "", "number", 0, 0, numbered=True)) == "'0; x'"


def test_a_step_is_inserted_before_the_tensors_and_new_tensors_keep_the_model():
    made = steps.with_gradient(steps.with_tensors("data = 1\n", "# %%\n# Tensors\nX = 1\n"), "# %%\n# Gradient\nw = 1\n")
    assert steps.with_line(made, "data = 2").split() == (
        "data = 1 data = 2 # %%\n# Tensors X = 1 # %%\n# Gradient w = 1".split()
    )
    assert steps.with_tensors(made, "# %%\n# Tensors\nX = 2\n").split() == (
        "data = 1 # %%\n# Tensors X = 2 # %%\n# Gradient w = 1".split()
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_table_can_be_created(name):
    trace = trace_of(EXAMPLES[name], tables=(TableWindow(),))
    assert trace.tables[0].rows > 3
    assert (trace.status == "ok") == (name != "tiny")  # the book's line fails with current pandas


@pytest.mark.parametrize(
    ("column", "offered", "not_offered"),
    [
        (TableColumn("n", "float64", "number", 2, 9), {"fill.mean", "drop-rows", "scale.standard"}, {"retype.date"}),
        (TableColumn("n", "float64", "number", 0, 9), {"scale.range"}, {"fill.mean", "drop-rows"}),
        (TableColumn("t", "str", "text", 1, 3), {"fill.mode", "one-hot", "retype.codes"}, {"fill.mean", "scale.range"}),
        (TableColumn("id", "str", "text", 0, 40_000), {"retype.codes"}, {"one-hot"}),
        (TableColumn("d", "datetime64[ns]", "date", 0, 9), {"retype.days"}, {"scale.range", "one-hot"}),
        (TableColumn("l", "object", "mixed", 0, -1), {"drop-columns"}, {"one-hot", "fill.mode"}),
        (TableColumn("e", "float64", "number", 9, 0), {"fill.constant"}, {"fill.mean", "scale.range"}),
    ],
)
def test_a_column_is_offered_what_changes_something(column, offered, not_offered):
    actions = set(steps.actions(column))
    assert offered <= actions and not not_offered & actions


@pytest.mark.parametrize("action", [one for column in COLUMNS.values() for one in steps.actions(column)])
def test_every_offered_action_runs(action):
    column = next(column for column in COLUMNS.values() if action in steps.actions(column))
    after(steps.line("data", action, [column], "7"))


@pytest.mark.parametrize("how", ["fill.mean", "fill.mode", "drop-rows", "scale.standard", "one-hot"])
def test_a_whole_table_is_changed_in_one_step(how):
    trace = trace_of(steps.with_line(TABLE.replace('"n": [1.0', '"k": [5] * 4, "n": [1.0'), steps.line("data", how, [])))
    assert trace.status == "ok"


def test_dates_become_days():
    made = after(f"{steps.retype('data', [D], 'date')}\n{steps.retype('data', [D], 'days')}")
    assert next(one for one in made.columns if one.name == "d").kind == "number"
