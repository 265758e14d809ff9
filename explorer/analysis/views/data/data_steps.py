"""Actions on a table as lines of pandas, with column names as literals."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from explorer.trace import TableColumn

START = "import pandas as pd\nimport torch\n\n"
CELL = "# %%"
TENSORS, GRADIENT = "# Tensors", "# Gradient"  # first lines of the cells after the table's cell
MOST_ONE_HOT, MOST_NUMBERS = 1_000, 20  # distinct values up to which one column each is offered
READERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "read_excel({0!r})"),
    **dict.fromkeys((".jsonl", ".ndjson"), "read_json({0!r}, lines=True)"),
    ".json": "read_json({0!r})",
}  # by file extension
_RATES = ("0.1", *(f"0.{'0' * zeros}{digit}" for zeros in range(1, 6) for digit in range(9, 0, -1)))
BESIDE = ("y predicted", "y given")  # columns of that table in addition to the inputs
Model = Literal["linear", "logistic"]


def reads(name: str) -> str:
    """Write the line that reads a file. Pandas detects the separator.

    >>> reads("a.csv")
    "data = pd.read_csv('a.csv', sep=None, engine='python')"
    """
    call = READERS.get(Path(name).suffix.lower(), "read_csv({0!r}, sep=None, engine='python')")
    return f"data = pd.{call.format(name)}"


def label(column: TableColumn) -> str:
    r"""Write a column's name as a Python literal.

    >>> label(TableColumn("it's", "str", "text", 0, 0))
    '"it\'s"'
    """
    return column.name if column.numbered and column.name.lstrip("-").isdigit() else repr(column.name)


def _all(columns: Sequence[TableColumn]) -> str:
    return f"[{', '.join(map(label, columns))}]"


def actions(column: TableColumn) -> list[str]:
    """Return the actions that change something in a column, as `line` knows them."""
    numeric, simple = column.kind == "number", column.distinct >= 0
    fills = (["fill.mean", "fill.median"] * numeric + ["fill.mode"] * simple + ["fill.constant"]) * (
        column.distinct != 0
    )
    offered = [*(fills or ["fill.constant"]), "drop-rows"] if column.missing else []
    if numeric and column.distinct > 1:
        offered += ["scale.standard", "scale.range"]
    if column.kind != "date" and 0 < column.distinct <= (MOST_NUMBERS if numeric else MOST_ONE_HOT):
        offered.append("one-hot")
    if column.kind in ("text", "mixed", "other") and simple:
        offered += ["retype.codes", "retype.number", "retype.date"]
    return [*offered, *(["retype.days"] if column.kind == "date" else []), "drop-columns"]


def actions_on_all(columns: Sequence[TableColumn]) -> list[str]:
    """Return the actions that change something in a whole table."""
    kinds = {column.kind for column in columns}
    lacking = any(column.missing for column in columns)
    fills = ["fill.mean", "fill.median"] * ("number" in kinds) + ["fill.mode", "fill.constant", "drop-rows"]
    offered = [*fills, "drop-columns"] if lacking else []
    return [*offered, *(["scale.standard", "scale.range"] * ("number" in kinds)), *(["one-hot"] * ("text" in kinds))]


def line(table: str, action: str, columns: Sequence[TableColumn], value: str = "") -> str:
    """Write the line of an action on these columns, or without any on all. `value`: for fill.constant."""
    kind, _, how = action.partition(".")
    match kind:
        case "fill":
            return fill(table, columns, how, value)
        case "drop-rows":
            return drop_rows(table, columns)
        case "drop-columns":
            return drop_columns(table, columns)
        case "one-hot":
            return one_hot(table, columns, any(column.missing for column in columns) or not columns)
        case "retype":
            return retype(table, columns, how)
        case "scale":
            return scale(table, columns, how)
    raise ValueError(action)


def fill(table: str, columns: Sequence[TableColumn], how: str, value: str = "") -> str:
    """Write the line that fills missing cells in these columns, or in all."""
    if not columns:
        if how == "constant":
            return f"{table} = {table}.fillna({_literal(value)})"
        means = f"{table}.mode().iloc[0]" if how == "mode" else f"{table}.{how}(numeric_only=True)"
        return f"{table} = {table}.fillna({means})"
    return "\n".join(_write_fill(f"{table}[{label(column)}]", column, how, value) for column in columns)


def _write_fill(place: str, column: TableColumn, how: str, value: str) -> str:
    if how == "constant":
        text = _literal(value) if column.kind in ("number", "truth", "mixed", "other") else repr(value)
        return f"{place} = {place}.fillna({text})"
    return f"{place} = {place}.fillna({place}.{how}(){'[0]' if how == 'mode' else ''})"


def _literal(text: str) -> str:
    """Write a typed value as Python: a number if possible, otherwise a string.

    >>> [_literal("3"), _literal("2.50"), _literal("none"), _literal("nan")]
    ['3', '2.5', "'none'", "'nan'"]
    """
    for kind in (int, float):
        try:
            number = kind(text[:40])
        except ValueError:
            continue
        if len(text) <= 40 and number - number == 0:
            return repr(number)
    return {"True": "True", "False": "False"}.get(text.strip(), repr(text))


def drop_rows(table: str, columns: Sequence[TableColumn]) -> str:
    """Write the line that drops rows with missing cells."""
    return f"{table} = {table}.dropna({f'subset={_all(columns)}' if columns else ''})"


def drop_columns(table: str, columns: Sequence[TableColumn]) -> str:
    """Drop these columns, or all columns with a missing cell if none are given."""
    return f"{table} = {table}.{f'drop(columns={_all(columns)})' if columns else 'dropna(axis=1)'}"


def one_hot(table: str, columns: Sequence[TableColumn], missing: bool, dtype: str = "int") -> str:
    """Write one-hot columns, with `missing` also for missing values. dtype: int, float or bool."""
    asked = f", columns={_all(columns)}" if columns else ""
    return f"{table} = pd.get_dummies({table}{asked}{', dummy_na=True' if missing else ''}, dtype={dtype})"


def retype(table: str, columns: Sequence[TableColumn], to: str) -> str:
    """Convert columns to numbers, category codes, dates, or days since the first date."""
    written = {
        "number": "pd.to_numeric({0}, errors='coerce')",
        "codes": "{0}.astype('category').cat.codes",
        "date": "pd.to_datetime({0}, errors='coerce')",
        "days": "({0} - {0}.min()).dt.days",
    }[to]
    places = [f"{table}[{label(column)}]" for column in columns]
    return "\n".join(f"{place} = {written.replace('{0}', place)}" for place in places)


def scale(table: str, columns: Sequence[TableColumn], how: str) -> str:
    """Scale numeric columns, or all of them, to mean 0 and deviation 1, or to 0 … 1."""
    many, flat = len(columns) != 1, not columns or any(column.distinct == 1 for column in columns)
    place = f"{table}[columns]" if many else f"{table}[{label(columns[0])}]"
    spread = f"{place}.std()" if how == "standard" else f"({place}.max() - {place}.min())"
    if flat:
        spread = f"{spread}.replace(0, 1)" if many else f"({spread} or 1)"
    middle = "mean" if how == "standard" else "min"
    scaled = f"{place} = ({place} - {place}.{middle}()) / {spread}"
    chosen = _all(columns) if columns else f"{table}.select_dtypes('number').columns"
    return f"columns = {chosen}\n{scaled}" if many else scaled


def unscaled(columns: Iterable[TableColumn]) -> list[TableColumn]:
    """Return the numeric columns with a value beyond ±1."""
    return [column for column in columns if column.kind == "number" and max(reach(column.low), reach(column.high)) > 1]


def reach(text: str) -> float:
    """Return the magnitude of a column's minimum or maximum, ∞ if not a number."""
    try:
        return abs(float(text))
    except ValueError:
        return math.inf


def suiting_rate(count: int) -> str:
    """Return a learning rate that lowers the loss for scaled columns and a bias.

    Mean squares of at most 1 bound the curvature of both losses by its trace, 2 (count + 1),
    and a step below 2 / curvature goes down.

    >>> [suiting_rate(count) for count in (1, 8, 9, 200)]
    ['0.1', '0.1', '0.09', '0.004']
    """
    return next(text for text in _RATES if float(text) < 1 / (count + 1))


def to_tensors(table: str, inputs: Sequence[TableColumn], target: TableColumn) -> str:
    """Select input and target columns, and create both tensors."""
    return (
        f"{CELL}\n{TENSORS}\n"
        f"inputs, target = {table}[{_all(inputs)}], {table}[{label(target)}]\n"
        "X = torch.tensor(inputs.to_numpy(dtype='float32'))\n"
        "y = torch.tensor(target.to_numpy(dtype='float32'))\n"
    )


def gradient(model: Model, rate: str = "0.1") -> str:
    """Write a linear or logistic model, a gradient step and each row's contributions.

    The loss is a mean over rows. Row i reaches weight j only through its own prediction, so by the chain rule it adds
    (∂loss/∂prediction_i) · X_ij: prediction.grad times its row of X.
    """
    out = "prediction" if model == "linear" else "score"
    loss = (
        "loss = ((prediction - y) ** 2).mean()"
        if model == "linear"
        else "loss = torch.nn.functional.binary_cross_entropy_with_logits(score, y)"
    )
    after = loss.replace("loss =", "new_loss =").replace(f"({out} ", "(X @ w + b ").replace(f"({out},", "(X @ w + b,")
    prediction = "" if model == "linear" else "prediction = torch.sigmoid(score)\n"
    return (
        f"{CELL}\n{GRADIENT}\n"
        "w = torch.zeros(X.shape[1], requires_grad=True)\n"
        "b = torch.zeros(1, requires_grad=True)\n"
        f"{out} = X @ w + b\n"
        f"{out}.retain_grad()\n"
        f"{prediction}"
        f"{loss}\n"
        "loss.backward()\n"
        f"added = ({out}.grad[:, None] * X).detach().numpy()\n"
        "pulls = pd.DataFrame(added, index=inputs.index, columns=inputs.columns)\n"
        "pulls['y predicted'], pulls['y given'] = prediction.detach().numpy(), y.numpy()\n"
        "with torch.no_grad():\n"
        f"    w -= {_literal(rate)} * w.grad\n"
        f"    b -= {_literal(rate)} * b.grad\n"
        f"    {after}\n"
    )


# ---- placing a line ----------------------------------------------------------------------------------------------


def before_tensors(program: str) -> tuple[str, str]:
    """Split the program before the tensors are created. The rest may be ""."""
    return _split(program, (TENSORS, GRADIENT))


def with_line(program: str, line: str) -> str:
    r"""Insert a step before the tensors are created.

    >>> with_line("data = 1\n\n# %%\n# Tensors\nX = data\n", "data = 2")
    'data = 1\ndata = 2\n\n# %%\n# Tensors\nX = data\n'
    """
    head, tail = before_tensors(program)
    return f"{head}{line}\n" + (f"\n{tail}" if tail else "")


def with_tensors(program: str, text: str) -> str:
    """Return the program with its tensors created this way, keeping an existing model."""
    head, tail = before_tensors(program)
    _, model = _split(tail, (GRADIENT,))
    return f"{head}\n{text}" + (f"\n{model}" if model else "")


def with_gradient(program: str, text: str) -> str:
    """Return the program with this model instead of an existing one."""
    return f"{_split(program, (GRADIENT,))[0]}\n{text}"


def _split(program: str, marks: Sequence[str]) -> tuple[str, str]:
    """Split before the first marked cell, without trailing blank lines."""
    lines = program.split("\n")
    at = next((k for k, text in enumerate(lines) if text.strip().replace("# %% ", "# ") in marks), len(lines))
    at -= at < len(lines) and at > 0 and lines[at - 1].strip() == CELL
    head = "\n".join(lines[:at]).rstrip()
    return (f"{head}\n" if head else ""), "\n".join(lines[at:])
