"""Plain rows as an HTML table: st.dataframe draws on a canvas no reader finds, st.table reads cells as Markdown."""

from collections.abc import Sequence
from html import escape


def table_html(title: str, rows: Sequence[dict[str, str]]) -> str:
    """A table with its caption and a column for every key of the rows; every text is escaped."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(row.get(column, ''))}</td>" for column in columns) + "</tr>" for row in rows
    )
    return f'<div class="rows"><table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table></div>'
