"""Rows without an object each, held against a dictionary of rows."""

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.runtime.recorder.table import RowTable

_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 4)),
        st.tuples(st.just("drop"), st.sets(st.integers(1, 30), min_size=1, max_size=8)),
        st.tuples(st.just("skip"), st.integers(1, 3)),
        st.tuples(st.just("add and take back"), st.none()),
    ),
    max_size=25,
)


@settings(deadline=None)  # a busy machine takes longer
@given(_STEPS)
def test_a_table_is_a_dictionary_of_rows_whose_ids_only_grow(steps):
    table, rows, given_out = RowTable(2), {}, 0
    for step, by in steps:
        if step == "add":
            for number in range(by):
                given_out += 1
                rows[given_out] = [number, f"row {given_out}"]
                assert table.add(*rows[given_out]) == given_out
        elif step == "drop":
            table.drop(by)
            rows = {index: row for index, row in rows.items() if index not in by}
        elif step == "skip":
            given_out += by
            table.skip_to(given_out)
        else:
            assert table.add(0, "") == given_out + 1
            table.take_back()
        assert list(table.ids()) == list(rows) and len(table) == len(rows) and table.count == given_out
        assert [table.column(field) for field in (0, 1)] == [[row[field] for row in rows.values()] for field in (0, 1)]
        assert all([table.field(index, 0), table.field(index, 1)] == row for index, row in rows.items())
        assert [index for index in range(given_out + 3) if index in table] == list(rows)
