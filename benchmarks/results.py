"""Table of results that new measurements are compared with."""

import datetime
from pathlib import Path

import msgspec

KEPT = Path(__file__).with_name("results.json")
SLOWER = 1.2  # reported from this ratio to the previous result


class Row(msgspec.Struct, frozen=True):
    """A measured result.

    Attributes:
        promise, row: the measuring module, and the name.
        ratio: to a reference measured in turns, such as the plain program; comparable between days and machines.
        seconds: absolute time.
        date: ISO.
    """

    promise: str
    row: str
    ratio: float
    seconds: float
    date: str


def kept(path: Path = KEPT) -> dict[tuple[str, str], Row]:
    """Return the rows of a table by promise and name. Raises msgspec.MsgspecError for another file."""
    rows = msgspec.json.decode(path.read_bytes(), type=list[Row]) if path.exists() else []
    return {(row.promise, row.row): row for row in rows}


def hold(promise: str, measured: dict[str, tuple[float, float]], write: bool = False, path: Path = KEPT) -> bool:
    """Compare rows with the table and print the slower ones, worst first; with `write`, update the table.

    Args:
        measured: seconds and ratio to the reference, by name.

    Returns:
        Whether no row became slower.
    """
    table, today = kept(path), datetime.date.today().isoformat()
    now = {name: Row(promise, name, _short(ratio), _short(took), today) for name, (took, ratio) in measured.items()}
    grown = {name: now[name].ratio / table[promise, name].ratio for name in now if (promise, name) in table}
    worse = sorted((name for name, times in grown.items() if times > SLOWER), key=lambda name: -grown[name])
    for name in worse:
        print(f"slower than on {table[promise, name].date}: {name}: {grown[name]:.2f} times as long")
    if write:
        table |= {(promise, name): row for name, row in now.items()}
        lines = [msgspec.json.encode(row).decode() for _, row in sorted(table.items())]
        path.write_text("[\n " + ",\n ".join(lines) + "\n]\n")
    return not worse


def _short(number: float) -> float:
    return float(f"{number:.3g}")
