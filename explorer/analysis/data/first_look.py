"""Try how pandas reads a text file, and print the arguments with which it finds most columns and numbers.

This file is a program: its text runs in the confined child, beside the file. The server never calls it.
"""

import io
import re

import pandas as pd

SAMPLE = 1_000  # rows that are read in a trial


def look(data):
    """The arguments of `pd.read_csv`: `sep`, `encoding`, `decimal`, and whether the first row is a `header`."""
    encoding = encoding_of(data)
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    widths = {sep: width(tried(text, sep=sep)) for sep in (",", ";", "\t", "|")}
    sep = max(widths, key=widths.__getitem__)
    if widths[sep] < 2 and width(tried(text, sep=r"\s+")) > 1:
        sep = r"\s+"
    frame, other = tried(text, sep=sep), tried(text, sep=sep, decimal=",") if sep != "," else None
    header = frame is None or pd.to_numeric(frame.columns.to_series(), errors="coerce").isna().any()
    decimal = "," if other is not None and numbers(other) > numbers(frame) else "."
    return {"sep": sep, "encoding": encoding, "decimal": decimal, "header": bool(header)}


def encoding_of(data):
    """UTF-16 by its mark, UTF-8 where it fits; of others GB 18030 where most bytes beyond ASCII come in pairs."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        runs = re.findall(rb"[\x80-\xff]+", data)
        return "gb18030" if 3 * sum(len(run) % 2 for run in runs) < len(runs) else "cp1252"


def tried(text, **options):
    """The first rows as pandas reads them, None where it refuses; the program's own reading then says why."""
    try:
        return pd.read_csv(io.StringIO(text), nrows=SAMPLE, on_bad_lines="skip", **options)
    except Exception:
        return None


def width(frame):
    """How many columns hold something."""
    if frame is None:
        return 0
    return int(frame.notna().any().sum()) if len(frame) else frame.shape[1]


def numbers(frame):
    """How many columns are numbers."""
    return frame.select_dtypes("number").shape[1]
