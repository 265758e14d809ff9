"""Find out how to read a file: its kind, encoding, delimiter, numbers, and irregularities.

This file is a program: its text runs in the confined child, beside the file, and prints the result of `look` as JSON.
The server never calls it. It uses no regular expressions, so its time is linear in the file.
"""

import csv
import io
import json
from datetime import datetime

import pandas as pd

SAMPLE = 2_000  # rows whose cells are examined; the lengths of all rows are counted
SHOWN = 5  # places of each kind that are reported
DELIMITERS = (",", ";", "\t", "|")
SPELLED = (
    *("-", "--", "?", "??", ".", "na", "n.a.", "Na", "none", "NONE", "nil", "missing", "Missing", "unknown", "Unknown"),
    *("NaN.", "#VALUE!", "#REF!", "#DIV/0!", "(null)", "\\N", "\u2013", "\u2014", "无", "缺失", "未知"),
)  # beside those that pandas knows
KNOWN = ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
         "NULL", "NaN", "None", "n/a", "nan", "null")  # fmt: skip
TRUTHS = (("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("ja", "nein"), ("oui", "non"), ("是", "否"))
MAGIC = (
    (b"PK\x03\x04", "zip"), (b"PAR1", "parquet"), (b"\x1f\x8b", "gzip"), (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"), (b"%PDF", "pdf"), (b"\xd0\xcf\x11\xe0", "workbook"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"),
    (b"\x80\x04", "pickle"), (b"\x80\x05", "pickle"),
)  # fmt: skip
WORKBOOKS = (b"xl/workbook", b"application/vnd.oasis.opendocument.spreadsheet")  # what a zip of one holds unpacked


def look(data):
    """What the file is, as plain data: `kind` is table, lines (of JSON) or another name."""
    kind = next((name for magic, name in MAGIC if data.startswith(magic)), "")
    if kind == "zip" and any(sign in data for sign in WORKBOOKS):
        kind = "workbook"
    if kind == "workbook":
        return workbook(data)
    if kind:
        return {"kind": kind}
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        return {"kind": "empty"}
    encoding, text = decoded(data)
    if not encoding:
        return {"kind": "binary", "at": text}
    start = text.lstrip("\ufeff \t\r\n")
    if start[:15].lower().startswith(("<!doctype", "<html")):
        return {"kind": "html"}
    if start.startswith(("{", "[")) and (kind := json_kind(start)):
        return {"kind": kind, "encoding": encoding}
    return {"kind": "table", "encoding": encoding, **table(text)}


def workbook(data):
    """The first sheet with cells, read like the rows of a CSV."""
    options: dict = {"header": None, "dtype": str, "keep_default_na": False, "na_values": [], "engine": "calamine"}
    try:
        sheets = pd.read_excel(io.BytesIO(data), sheet_name=None, nrows=SAMPLE, **options)
    except Exception:  # the library has many words for a workbook that is broken, or locked
        return {"kind": "broken"}
    names = [str(name) for name in sheets]
    sheet = next((name for name in names if sheets[name].size), "")
    if not sheet:
        return {"kind": "empty"}
    rows = [["" if cell != cell else str(cell) for cell in row] for row in sheets[sheet].values.tolist()]
    skipped = above(rows)
    lines = io.StringIO()
    csv.writer(lines).writerows([" ".join(cell.split()) for cell in row] for row in rows[skipped:])
    facts = table(lines.getvalue(), ",")
    facts["skipped"] = skipped
    return {"kind": "workbook", "sheet": sheet[:100], "sheets": [name[:100] for name in names[:50]], **facts}


def above(rows):
    """How many rows of a sheet precede its table: blank ones, and single cells above a wider table."""
    filled = [sum(map(bool, row)) for row in rows]
    least = 2 if max(filled) > 2 else 1
    return next((at for at, count in enumerate(filled[:20]) if count >= least), 0)


def decoded(data):
    """Encoding and text; ("", position of the first invalid byte) if there is none."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return name, data.decode(name)
            except UnicodeDecodeError as problem:
                return "", problem.start
    even, odd = data[0:4000:2].count(0), data[1:4000:2].count(0)
    if max(even, odd) > 0.3 * len(data[:4000]) / 2:
        name = "utf-16-le" if odd > even else "utf-16-be"
        try:
            return name, data.decode(name)
        except UnicodeDecodeError as problem:
            return "", problem.start
    if (at := data.find(0)) >= 0:
        return "", at
    try:
        return "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if chinese(data):
        try:
            return "gb18030", data.decode("gb18030")
        except UnicodeDecodeError:
            pass
    for at, byte in enumerate(data[:100_000]):
        if byte < 32 and byte not in (9, 10, 12, 13):
            return "", at
    try:
        return "cp1252", data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1", data.decode("latin-1")


def chinese(data):
    """Whether most bytes beyond ASCII are pairs of the frequent characters of GB 2312 (rows 16 to 55)."""
    pairs = others = at = 0
    part = data[:200_000]
    while at < len(part):
        if part[at] < 128:
            at += 1
            continue
        following = part[at + 1] if at + 1 < len(part) else 0
        if (0xB0 <= part[at] <= 0xD7 or 0xA1 <= part[at] <= 0xA3) and following >= 0xA1:
            pairs += 1
        else:
            others += 1
        at += 2
    return pairs > 2 * others


def json_kind(text):
    """lines for an object on each line, records for a list of objects, json for any other value, "" for none."""
    first = text.partition("\n")[0]
    try:
        if isinstance(json.loads(first), dict):
            return "lines"
    except ValueError:
        pass
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return "records" if isinstance(whole, list) and whole and all(isinstance(item, dict) for item in whole) else "json"


def table(text, delimiter=""):
    """How the rows of a text are separated, and their irregularities."""
    text = text.lstrip("\ufeff")
    head = text[:200_000]
    if len(text) > len(head):
        head = head[: head.rfind("\n") + 1] or head
    delimiter = delimiter or delimiter_of(head)
    facts = {"delimiter": delimiter}
    rows, widths, places, unclosed = read(text, delimiter)
    if unclosed:
        return {**facts, "unclosed": unclosed}
    if not rows:
        return {**facts, "rows": 0, "width": 0}
    skipped = preamble(places, widths)
    rows, widths, places = rows[skipped:], widths[skipped:], places[skipped:]
    facts["skipped"] = places[0] - 1 if skipped else 0
    head, body = rows[0], rows[1:]
    header = has_header(rows)
    width = len(head)
    body_widths = widths[1:] if header else widths
    common = most_common(body_widths) if body_widths else width
    trailing = header and common == width + 1 and all(len(row) == common and not row[-1] for row in body)
    labelled = header and common == width + 1 and not trailing and min(body_widths) == max(body_widths)
    expected = width + 1 if labelled or trailing else width
    rest = places[1:] if header else places
    long = [(place, size) for place, size in zip(rest, body_widths, strict=True) if size > expected]
    short = [(place, size) for place, size in zip(rest, body_widths, strict=True) if size < expected]
    names = [cell.strip() for cell in head] if header else []
    facts.update(header=header, rows=len(body_widths), width=width, trailing=trailing, labelled=labelled)
    facts.update(
        long=long[:SHOWN], many_long=len(long), longest=max(widths), short=short[:SHOWN], many_short=len(short)
    )
    facts["twice"] = (
        [name[:100] for name in dict.fromkeys(names) if name and names.count(name) > 1][:SHOWN] if width < 500 else []
    )
    facts["unnamed"] = [place + 1 for place, name in enumerate(names) if not name][:SHOWN]
    facts["names"] = [name[:200] for name in names[:200]]
    body = body if header else rows
    facts.update(cells(body[:SAMPLE], min(max(widths), 200), names, delimiter))
    formulas = [
        (rest[at], k + 1)
        for at, row in enumerate(body[:SAMPLE])
        for k, cell in enumerate(row[:200])
        if cell[:1] == "=" and len(cell) > 1
    ]
    facts["formulas"] = formulas[:SHOWN]
    facts["many_formulas"] = len(formulas)
    return facts


def delimiter_of(head):
    """The delimiter: with it most rows have the same number of cells, and more than one."""
    best, score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        _, widths, _, unclosed = read(head, delimiter)
        widths = widths[:500]
        if unclosed or not widths:
            continue
        common = most_common(widths)
        if common < 2:
            continue
        rank = (round(widths.count(common) / len(widths), 1), common)
        if rank > score:
            best, score = delimiter, rank
    if score == (0.0, 0):
        parts = [len(line.split()) for line in head.split("\n")[:200] if line.strip()]
        numbers = [word for line in head.split("\n")[1:20] for word in line.split()]
        if parts and min(parts) == max(parts) > 1 and sum(map(is_number, numbers)) * 2 > len(numbers):
            return " "
    return best


def read(text, delimiter, strict=True):
    """Rows (the first SAMPLE and one), the length of every row, the line on which each begins, and an open quote's.

    A file with quotes in the middle of cells is read once more, without `strict`.
    """
    rows: list = []
    widths: list = []
    places: list = []
    began = 1
    spaced = strict and delimiter == " "
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=spaced, strict=strict)
    try:
        for row in reader:
            if row:
                if len(rows) <= SAMPLE:
                    rows.append(row)
                widths.append(len(row))
                places.append(began)
            began = reader.line_num + 1
    except csv.Error as problem:
        if strict and not any(sign in str(problem) for sign in ("unexpected end", "field limit")):
            return read(text, delimiter, strict=False)
        return rows, widths, places, began
    return rows, widths, places, 0


def most_common(widths):
    counts: dict = {}
    for width in widths:
        counts[width] = counts.get(width, 0) + 1
    return max(counts, key=lambda width: (counts[width], width))


def preamble(places, widths):
    """How many rows precede the table: short ones, if all others are equally long."""
    common = most_common(widths)
    if common < 3:
        return 0
    before = next((at for at, width in enumerate(widths) if width >= common - 1), 0)
    return before if before <= 20 and all(width == 1 for width in widths[:before]) else 0


def is_number(cell):
    try:
        float(cell.replace("\u2212", "-"))
    except ValueError:
        return False
    return cell.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")


def has_header(rows):
    """Whether the first row has names: no numbers, while the rows below are numbers."""
    if len(rows) < 2:
        return not any(map(is_number, rows[0]))
    for place, cell in enumerate(rows[0]):
        below = [row[place] for row in rows[1:50] if len(row) > place and row[place].strip()]
        if is_number(cell) and below and sum(map(is_number, below)) * 2 > len(below):
            return False
    return True


def cells(body, width, names, delimiter):
    """Numbers, missing values, truth values and dates in the cells of each column."""
    missing: dict = {}
    dates: dict = {}
    mixed: list = []
    truths: list = []
    marks: list = []
    for place in range(width):
        column = [row[place].strip() for row in body if len(row) > place]
        there = [cell for cell in column if cell not in KNOWN]
        name = names[place] if place < len(names) else str(place)
        if not there:
            continue
        separated = [cell for cell in there if grouped(cell)]
        numbers = sum(map(is_number, there)) + len(separated)
        odd = [cell for cell in there if cell in SPELLED]
        others = len(there) - numbers - len([cell for cell in odd if not is_number(cell)])
        if numbers and not others:
            marks.extend(separated)
            for cell in odd:
                missing[cell] = missing.get(cell, 0) + 1
        elif numbers > others and numbers >= 3:
            at = next(at for at, cell in enumerate(column) if cell not in KNOWN and cell not in SPELLED
                      and not is_number(cell) and not grouped(cell))  # fmt: skip
            mixed.append([name[:100], at, column[at][:60], others])
        elif not numbers:
            lowered = {cell.lower() for cell in there}
            truths.extend(pair for pair in TRUTHS if lowered == set(pair) and pair not in truths)
            if formats := date_formats(there):
                dates[name[:100]] = formats
    decimal, thousands, unclear = separators(marks, delimiter)
    return {
        "missing": list(missing)[:10], "dates": dates, "mixed": mixed[:SHOWN], "decimal": decimal,
        "thousands": thousands,
        "unclear": unclear, "truths": [list(pair) for pair in spelled(truths, body)],
    }  # fmt: skip


def spelled(truths, body):
    """The pairs as the file writes them: Yes and no, or YES and NO."""
    written = {cell.strip() for row in body for cell in row if len(cell) <= 6} if truths else set()
    pairs = []
    for yes, no in truths:
        for text in sorted(written):
            if text.lower() in (yes, no):
                pairs.append(("true" if text.lower() == yes else "false", text))
    return pairs


def grouped(cell):
    """Whether it reads as a number with a comma in it."""
    digits = cell.lstrip("+-")
    ends = digits[:1].isdigit() and digits[-1:].isdigit()
    return "," in digits and ends and digits.replace(",", "").replace(".", "").isdigit()


def separators(marks, delimiter):
    """What stands before decimals and between thousands; unclear: a number that may be read in both ways."""
    both = next((cell for cell in marks if "." in cell), "")
    if both:
        return (",", ".", "") if both.rfind(",") > both.rfind(".") else (".", ",", "")
    if not marks or any(cell.count(",") > 1 for cell in marks):
        return ".", "," if marks else "", ""
    unclear = marks[0] if all(len(cell.rpartition(",")[2]) == 3 for cell in marks) else ""
    return (".", ",", unclear) if unclear and delimiter == "," else (",", "", unclear)


def date_formats(there):
    """The formats in which every one of these texts is a date, the likeliest first."""
    gap = "T" if "T" in there[0] else " "
    day, _, time = there[0].partition(gap)
    clock = gap + ("%H:%M:%S" if time.count(":") == 2 else "%H:%M") if time else ""
    mark = next((sign for sign in "-/." if sign in day), "")
    orders = ("%Y{0}%m{0}%d", "%d{0}%m{0}%Y", "%m{0}%d{0}%Y", "%d{0}%m{0}%y", "%m{0}%d{0}%y") if mark else ()
    forms = [order.format(mark) + clock for order in orders]
    return [form for form in forms if all(is_date(cell, form) for cell in there[:500])]


def is_date(cell, form):
    try:
        datetime.strptime(cell, form)
    except ValueError:
        return False
    return True
