"""Recorded facts about tables: which statement changed which table, a window of rows, columns that became tensors."""

import pytest

from explorer.trace import Table, TableWindow, Trace
from tests.traces import trace_of

PROGRAM = """
import pandas as pd
data = pd.DataFrame({"a": [3.0, None, 1.0, 2.0], "b": ["x", "y", None, "x"]})
data.head()
data["a"] = data["a"].fillna(0)
less = data.drop(index=[1])
wide = pd.get_dummies(less, dtype=float)
wide["a"] = wide["a"].astype(int)
"""


def kept(program: str = PROGRAM, **window) -> tuple[Table, Trace]:
    trace = trace_of(program, tables=(TableWindow(**window),))
    return trace.tables[0], trace


def test_the_last_changed_table_is_kept():
    table, _ = kept()
    assert (table.name, table.rows, [column.dtype for column in table.columns]) == ("wide", 3, ["int64", "float64"])
    assert kept("\n".join(PROGRAM.splitlines()[:5]))[0].cells == [["3", "x"], ["0", "y"], ["1", None], ["2", "x"]]
    assert kept(name="less")[0].labels == ["0", "2", "3"]


def test_tables_are_searched_in_the_first_cells():
    program = "import pandas as pd\ndata = pd.DataFrame({'a': [1]})\n# %%\nlater = pd.DataFrame({'b': [1]})"
    assert [kept(program, cells=cells)[0].name for cells in (0, 1)] == ["later", "data"]


def test_a_window_has_the_first_rows_or_the_largest():
    program = "import pandas as pd\ndata = pd.DataFrame({'a': range(9)})"
    assert kept(program, count=4)[0].labels == ["0", "1", "2", "3"]
    assert kept(program, count=3, sort="a")[0].labels == ["8", "7", "6"]


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        ([1.5, 22 / 7, None, -2.0], ["1.500000", "3.142857", None, "-2.000000"]),
        ([0.25, 10.5], ["0.25", "10.50"]),
        ([3.0, 4.0], ["3", "4"]),
        ([3, 40], ["3", "40"]),
        ([1e-9, 2.0], ["1e-09", "2"]),
        ([0.5, float("inf")], ["0.5", "inf"]),
    ],
)
def test_the_numbers_of_a_column_have_equally_many_decimals(entries, texts):
    (table, _) = kept(f"import pandas as pd\ninf = float('inf')\ndata = pd.DataFrame({{'a': {entries}}})")
    assert [row[0] for row in table.cells] == texts


def test_a_column_has_its_statistics():
    table, _ = kept("\n".join(PROGRAM.splitlines()[:3]))
    a, b = table.columns
    assert (a.kind, a.missing, a.distinct, a.low, a.high, a.mean) == ("number", 1, 3, "1", "3", 2.0)
    assert (b.kind, b.missing, b.distinct) == ("text", 1, 2)


@pytest.mark.parametrize(
    ("cells", "bars"),
    [
        ("[1, 2, 2, None]", [1, 2]),
        ("['x', 'y', 'x', None]", [2, 1]),
        ("pd.to_datetime(['2024-01-01', '2024-01-03'] * 2)", [2, 2]),
        ("range(160)", [10] * 16),
        ("[f'name {k}' for k in range(90)]", []),
        ("['a', 'b', 'c']", []),
        ("[k * 1e307 for k in range(-17, 18)]", []),
    ],
)
def test_a_column_has_a_histogram(cells, bars):
    assert kept(f"import pandas as pd\ndata = pd.DataFrame({{'a': {cells}}})")[0].columns[0].bars == bars


def test_a_wide_table_has_all_columns_and_fewer_rows():
    table, _ = kept("import pandas as pd\ndata = pd.DataFrame([range(400)] * 60)")
    assert len(table.columns) == 400 and 5 < len(table.cells) < 50


def test_a_tensor_with_the_numbers_of_a_table_is_known_by_its_columns():
    program = """
        import pandas as pd
        data = pd.DataFrame({"a": [1.5, 2.0], "b": [True, False], "c": ["x", "y"]})
        inputs = data[["b", "a"]]
        X = torch.tensor(inputs.to_numpy(dtype="float32"))
        other = torch.tensor([[1.0, 1.5], [0.0, 3.0]])
        y = torch.tensor(data["a"].to_numpy())
        """
    _, trace = kept(program)
    assert [(one.name, one.table, one.columns) for one in trace.table_tensors] == [("X", "inputs", ["b", "a"])]
    assert trace.table_tensors[0].entries == [[1.0, 1.5], [0.0, 2.0]]


@pytest.mark.parametrize(
    "made",
    [
        'pd.DataFrame({"a": [[1], [2]], "b": [{}, {}]})',
        'pd.DataFrame({"a": [1, "x", None, 2.5]})',
        'pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])',
        'pd.DataFrame({0: [1 + 2j, 3j], (1, 2): [b"x", None]})',
        'pd.DataFrame({"a": [float("inf"), float("-inf"), 1e308, -1e308]})',
        'pd.DataFrame({"a": pd.to_datetime(["2024-01-01", None])}, index=[1, 1])',
        'pd.DataFrame({"a": pd.Categorical(["x", None])})',
        'pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})',
        'pd.DataFrame({"a": pd.to_timedelta([1, None], unit="D")})',
        "pd.DataFrame()",
        'pd.DataFrame(columns=["a"])',
        'pd.DataFrame({"a": [1]}).set_index("a")',
        'pd.DataFrame({"a": [1, 2], "b": [1, 2]}).set_index(["a", "b"], drop=False)',
        'pd.Series([1, 2])',
    ],
)  # fmt: skip
def test_no_table_is_too_odd_to_be_kept(made):
    program = f"import pandas as pd\ndata = {made}\ndata = data.copy()\nother = data.iloc[::-1]\n"
    program += "other = other.reset_index(drop=True)"
    trace = trace_of(program, tables=(TableWindow(), TableWindow(sort="a"), TableWindow(name="data", sort="0")))
    assert trace.status == "ok" and len(trace.tables) == 3
    trace.check()


def test_an_error_in_a_table_window_does_not_end_the_program():
    class_of = (
        "class Odd(pd.DataFrame):\n    def copy(self, deep=True):\n        raise ValueError\ndata = Odd({'a': [1]})\n"
    )
    trace = trace_of("import pandas as pd\n" + class_of + "print(1)", tables=(TableWindow(),))
    assert trace.status == "ok" and trace.tables == []


def test_without_windows_no_table_is_recorded():
    assert trace_of(PROGRAM).tables == []
