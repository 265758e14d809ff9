"""NumPy and pandas: tables with text in them, columns and files that are not there, arrays that do not fit."""

import re

from explorer.analysis.errors.assignments import assignments, made
from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import near
from explorer.analysis.errors.text_edits import replaced, with_argument

TABLE = r"pd\.|pandas\.|\.(?:drop|fillna|dropna|iloc|copy|head|join|merge|reset_index|select_dtypes|assign)\b"
_LISTED = 8  # keys that a sentence names
COLUMN_TYPES = "TypeError|DataError|ValueError"


def _is_table(stopped: Stopped, name: str) -> bool:
    at = made(stopped, name)
    return bool(at and re.search(TABLE, at.value))


@rule("ValueError", r"Unable to parse string (['\"].*?['\"]) at position (\d+)")
def no_number(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """pd.to_numeric meets a text that is no number."""
    changed = with_argument(stopped.code, 'errors="coerce"') if "errors" not in stopped.code else None
    fits = changed and stopped.span and re.match(r"(?:pd|pandas)\.to_numeric\(", stopped.code)
    mended = replaced(stopped.source, stopped.span, changed) if fits else ""
    return explanation(stopped, "text-no-number-at", mended, text=shown(found[1]), position=found[2])


@rule(
    "DateParseError", r"(?:unable to parse|out of range[^:\n]*): (\S[^\n]*?)(?:, at position|$)|specified \(([^)\n]*)\)"
)
def no_date(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """pd.to_datetime meets a text that is no date, or a day that no calendar has."""
    return explanation(stopped, "text-no-date", _coerced(stopped), text=shown(repr(found[1] or found[2])))


@rule("ValueError", r"^time data (\".*?\"|'.*?') does(?:n't| not) match format (['\"].*?['\"])(?:[.,]|$)")
def date_in_another_format(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A date that is written in another way than the format says, or than the first date of the column."""
    values = {"text": shown(found[1]), "format": shown(found[2])}
    if "strptime" in stopped.code:
        return explanation(stopped, "date-not-as-the-format", **values)
    if not re.search(r"\d", found[1]):
        return explanation(stopped, "text-no-date", _coerced(stopped), text=values["text"])
    given = "format" in stopped.code
    return explanation(stopped, "date-in-another-format" if given else "dates-in-several-formats", **values)


def _coerced(stopped: Stopped) -> str:
    """The program with invalid dates made missing, if that is the only change."""
    fits = stopped.span and "errors" not in stopped.code and re.match(r"(?:pd|pandas)\.to_datetime\(", stopped.code)
    changed = with_argument(stopped.code, 'errors="coerce"') if fits else None
    return replaced(stopped.source, stopped.span, changed) if changed and stopped.span else ""


@rule("ValueError", r"could not convert string to float: (?:np\.str_\()?('.*?'|\".*?\"|\S+)")
def text_to_float(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """float() or astype(float) of a text that is no number."""
    values = {"text": shown(found[1])}
    code = stopped.code
    whole = re.fullmatch(r"(.+)\.astype\((?:float|np\.float\d*|['\"]float\d*['\"])\)", code)
    series = whole and re.fullmatch(r"(?:pd|pandas)\.Series\(.*\)|\w+\[(?:'[^']*'|\"[^\"]*\")\]", whole[1])
    if series and stopped.span:
        new = f'pd.to_numeric({whole[1]}, errors="coerce")'
        has_pd = any(assignment.name == "pd" for assignment in assignments(stopped.trace))
        mended = replaced(stopped.source, stopped.span, new) if has_pd else ""
        return explanation(stopped, "column-with-text", mended, **values)
    if re.match(r"float\(", code):
        return explanation(stopped, "text-no-number", **values)
    return explanation(stopped, "column-with-text", **values)


@rule(
    COLUMN_TYPES,
    r"Cannot perform reduction '(\w+)' with string dtype|dtype 'str' does not support (?:reduction|operation) '(\w+)'",
)
def reduction_of_text(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The mean of a table with a column of text."""
    name = found[1] or found[2]
    call = re.fullmatch(rf"(\w+)\.{name}\(\)", stopped.code)
    table = call and (at := made(stopped, call[1])) and re.search(r"DataFrame\(|read_csv\(|\.iloc\[", at.value)
    mended = replaced(stopped.source, stopped.span, f"{call[1]}.{name}(numeric_only=True)") if table else ""
    return explanation(stopped, "mean-of-text", mended, function=name)


@rule("KeyError", r"^(?:\"\[)?'([^']*)'(?:\] not (?:in index|found in axis)\")?$|^\"None of \[Index\(\['([^']*)'")
def key_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A key or a column that is not there."""
    key = found[1] or found[2]
    code = stopped.code
    base = re.match(r"\w+", code)
    table = base and (_is_table(stopped, base[0]) or "not in index" in found[0] or "in axis" in found[0])
    sources = "\n".join(cell.source for cell in stopped.trace.cells)[:100_000]
    quoted = re.findall(r"['\"]([^'\"\n]{1,40})['\"]", sources) + re.findall(r"\b(\w+)=", sources)
    keys = list(stopped.failure.keys)
    right = near(key, keys or [word.strip() for text in quoted for word in text.split(",")])
    there: dict[str, str | int] = {"keys": _listed(keys, right), "more": max(0, len(keys) - _LISTED)}
    if "not found in axis" in found[0] and right == "" and re.search(r"\.drop\((['\"][^'\"]*['\"])\)$", code):
        new = re.sub(r"\.drop\((['\"][^'\"]*['\"])\)$", r".drop(columns=\1)", code)
        declared = quoted.count(key) > 1
        mended = replaced(stopped.source, stopped.span, new) if declared and stopped.span else ""
        return explanation(stopped, "drop-of-a-column", mended, key=key)
    kind = "column-missing" if table else "key-missing"
    if not right:
        return explanation(stopped, kind, "", key=key, **there)
    spots = [literal for quote in "'\"" for literal in [f"{quote}{key}{quote}"] if code.count(literal) == 1]
    mended = ""
    if len(spots) == 1 and stopped.span:
        mended = replaced(stopped.source, stopped.span, code.replace(spots[0], spots[0][0] + right + spots[0][0]))
    return explanation(stopped, f"{kind}-near", mended, key=key, right=right, **there)


def _listed(keys: list[str], right: str) -> str:
    """The existing keys, the similar one first; "none" if they are unknown."""
    first = [right] if right in keys else []
    return ", ".join([*first, *(key for key in keys if key not in first)][:_LISTED]) or "none"


@rule("KeyError", r"^(-?\d+|\(.*\))$")
def number_as_key(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A table or a dict is indexed by a number as if it were a list."""
    base = re.match(r"\w+", stopped.code)
    if ".loc" in stopped.code:
        return explanation(stopped, "row-missing", key=found[1])
    if base and _is_table(stopped, base[0]):
        simple = re.fullmatch(r"(\w+)\[(-?\d+(?:, ?-?\d+)?)\]", stopped.code)
        frame = (at := made(stopped, base[0])) and "Series" not in at.value
        inside = simple and simple[2] in ("0", "-1", "0, 0", "0,0") and frame and stopped.span
        mended = replaced(stopped.source, stopped.span, f"{simple[1]}.iloc[{simple[2]}]") if inside else ""
        return explanation(stopped, "number-as-column", mended, key=found[1])
    pandas = any(re.search(r"\bimport pandas\b", cell.source) for cell in stopped.trace.cells)
    dictionary = base and (at := made(stopped, base[0])) and re.match(r"\{|dict\(", at.value)
    return explanation(
        stopped,
        "label-or-key-missing" if pandas and not dictionary else "key-missing",
        key=found[1],
        keys="none",
        more=0,
    )


@rule("FileNotFoundError", r"No such file or directory: ['\"](.*?)['\"]")
def file_not_here(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A file that the program has not written."""
    path = found[1]
    folder, _, _ = path.rpartition("/")
    if looked_in := stopped.failure.looked_in:
        return _not_in_folder(stopped, path, looked_in)
    writes = re.search(r"""open\(.*,\s*(?:mode=)?['"][wax]|\.to_csv\(|torch\.save\(|np\.save""", stopped.code)
    if writes and folder:
        mended = ""
        if stopped.span and re.fullmatch(r"[\w][\w/-]*", folder):
            lines = stopped.source.split("\n")
            at = stopped.span.line - 1
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at:at] = [f"{indent}import os", f"{indent}os.makedirs({folder!r}, exist_ok=True)"]
            mended = "\n".join(lines)
        return explanation(stopped, "folder-not-here", mended, folder=shown(folder), file=shown(path))
    sources = "\n".join(cell.source for cell in stopped.trace.cells)[:100_000]
    written = [
        word for word in re.findall(r"(?:open|to_csv|save)\([^\n]*?['\"]([^'\"\n]+\.\w+)['\"]", sources) if word != path
    ]
    if right := near(path, written):
        spot = next((literal for literal in (f"'{path}'", f'"{path}"') if stopped.code.count(literal) == 1), "")
        new = stopped.code.replace(spot, spot[0] + right + spot[0]) if spot else ""
        mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
        return explanation(stopped, "file-near", mended, file=shown(path), right=right)
    return explanation(stopped, "file-not-here", file=shown(path))


def _not_in_folder(stopped: Stopped, path: str, looked_in: str) -> Explanation:
    """A file that is not in the folder that the program may read."""
    names = stopped.failure.near
    if not names:
        return explanation(stopped, "file-not-in-folder", file=shown(path), folder=looked_in)
    spot = next((literal for literal in (f"'{path}'", f'"{path}"') if stopped.code.count(literal) == 1), "")
    mended = ""
    if spot and stopped.span and len(names) == 1 and not path.startswith("/") and "\\" not in names[0]:
        before = path.rpartition("/")[0]
        right = f"{before}/{names[0]}".lstrip("/")
        if looked_in.endswith(before) and not set(right) & {"'", '"'}:
            mended = replaced(stopped.source, stopped.span, stopped.code.replace(spot, spot[0] + right + spot[0]))
    values = {"file": shown(path), "folder": looked_in, "names": ", ".join(map(shown, names))}
    return explanation(stopped, "file-near-in-folder", mended, **values)


@rule("AttributeError", r"'(DataFrame|Series|numpy\.ndarray|ndarray)' object has no attribute '(\w+)'")
def table_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An attribute of tensors, lists or another pandas version read from a table or an array."""
    kind, name = found[1], found[2]
    base = stopped.code.removesuffix(f".{name}")
    if "ndarray" in kind:
        return explanation(stopped, "array-is-no-tensor", name=name, base=shown(base))
    if name in ("append", "ix", "as_matrix", "get_values"):
        instead = {"append": "pd.concat([...])", "ix": ".loc / .iloc"}.get(name, ".to_numpy()")
        return explanation(stopped, "removed-from-pandas", name=name, instead=instead)
    if name in ("to_tensor", "tensor", "view", "backward", "requires_grad", "float", "unsqueeze"):
        return explanation(stopped, "table-is-no-tensor", name=name, base=shown(base))
    return explanation(stopped, "table-attribute-missing", name=name, type=kind)


RULES: tuple[Rule, ...] = (
    no_number,
    no_date,
    date_in_another_format,
    text_to_float,
    reduction_of_text,
    key_missing,
    number_as_key,
    file_not_here,
    table_attribute,
    known("TypeError", r"Cannot interpret '(?P<value>\S+)' as a data type", "array-shape-in-two-arguments"),
    known(
        "ValueError",
        r"operands could not be broadcast together with shapes (?P<first>\(.*?\)) (?P<second>\(.*?\))",
        "arrays-do-not-broadcast",
    ),
    known(
        "ValueError",
        r"matmul: Input operand 1 has a mismatch.*size (?P<second>\d+) is different from (?P<first>\d+)",
        "arrays-do-not-multiply",
    ),
    known("ValueError", r"shapes (?P<first>\(.*?\)) and (?P<second>\(.*?\)) not aligned", "arrays-not-aligned"),
    known(
        "ValueError",
        r"^x and y must have same first dimension, but have shapes (?P<first>\(.*?\)) and (?P<second>\(.*?\))$",
        "plot-lengths",
    ),
    known("ValueError", r"^x and y must be the same size$", "plot-sizes"),
    known("TypeError", r"^Invalid shape (?P<shape>\(.*?\)) for image data$", "image-shape"),
    known("ValueError", r"inhomogeneous shape", "array-rows-of-different-length"),
    known(
        "ValueError|TypeError",
        r"setting an array element with a sequence|only length-1 arrays can be converted",
        "array-element-from-sequence",
    ),
    known("ValueError", r"cannot reshape array of size (?P<size>\d+) into shape (?P<shape>\(.*?\))", "array-reshape"),
    known(
        "IndexError",
        r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)",
        "array-index",
    ),
    known("AxisError", r"axis (?P<axis>-?\d+) is out of bounds for array of dimension (?P<rank>\d+)", "array-axis"),
    known("ValueError", r"The truth value of an array", "truth-of-array"),
    known("ValueError", r"The truth value of a (?P<type>\w+) is ambiguous", "truth-of-table"),
    known(
        "UFuncTypeError|_UFuncOutputCastingError",
        r"from dtype\('(?P<made>\w+)'\) to dtype\('(?P<kept>\w+)'\)",
        "array-keeps-its-dtype",
    ),
    known("ValueError", r"all the input array", "arrays-do-not-concatenate"),
    known(
        "IntCastingNaNError|ValueError",
        r"Cannot convert non-finite values|cannot convert float NaN to integer",
        "missing-values-to-integer",
    ),
    known("ValueError", r"All arrays must be of the same length", "columns-of-different-length"),
    known(
        "ValueError",
        r"Length of values \((?P<given>\d+)\) does not match length of index \((?P<rows>\d+)\)",
        "column-of-another-length",
    ),
    known(
        "IndexError",
        r"single positional indexer is out-of-bounds|positional indexers are out-of-bounds",
        "table-position",
    ),
    known("EmptyDataError", r"No columns to parse", "file-is-empty"),
    known(
        "ParserError", r"Expected (?P<wanted>\d+) fields in line (?P<row>\d+), saw (?P<given>\d+)", "file-row-too-long"
    ),
    known("MergeError", r"No common columns", "merge-without-common-column"),
    known("UnicodeDecodeError", r"'(?P<encoding>[\w-]+)' codec can't decode", "bytes-are-no-text"),
)
