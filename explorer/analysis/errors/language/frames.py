"""NumPy and pandas: tables with text in them, columns and files that are not there, arrays that do not fit."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.expressions import near, shorten_code
from explorer.trace import Limit

TABLE = r"pd\.|pandas\.|\.(?:drop|fillna|dropna|iloc|copy|head|join|merge|reset_index|select_dtypes|assign)\b"
REMOVED = {"append": "pd.concat([...])", "ix": ".loc / .iloc", "as_matrix": ".to_numpy()", "get_values": ".to_numpy()"}
_LISTED = 8  # keys that a sentence names

RULES = Rules()


def _is_table(at: FailureContext, name: str) -> bool:
    above = at.last_assignment(name)
    return bool(above and re.search(TABLE, above.value))


@RULES.rule(
    r"ValueError: ^time data (?P<text>\".*?\"|'.*?') does(?:n't| not) match format (?P<format>['\"].*?['\"])(?:[.,]|$)"
)
def date_in_another_format(at: FailureContext) -> Explanation:
    """A date that is written in another way than the format says, or than the first date of the column."""
    if "strptime" in at.code:
        return at.explain("date-not-as-the-format")
    if not re.search(r"\d", at["text"]):
        return at.explain("text-no-date")
    return at.explain("date-in-another-format" if "format" in at.code else "dates-in-several-formats")


@RULES.rule(
    r"TypeError|DataError|ValueError: Cannot perform reduction '(\w+)' with string dtype|dtype 'str' "
    r"does not support (?:reduction|operation) '(\w+)'"
)
def reduction_of_text(at: FailureContext) -> Explanation:
    """The mean of a table with a column of text."""
    name = at.found[1] or at.found[2]
    call = re.fullmatch(rf"(\w+)\.{name}\(\)", at.code)
    above = at.last_assignment(call[1]) if call else None
    table = above and re.search(r"DataFrame\(|read_csv\(|\.iloc\[", above.value)
    return at.explain("mean-of-text", f"{call[1]}.{name}(numeric_only=True)" if table else None, function=name)


@RULES.rule(r"KeyError: ^(?:\"\[)?'([^']*)'(?:\] not (?:in index|found in axis)\")?$|^\"None of \[Index\(\['([^']*)'")
def key_missing(at: FailureContext) -> Explanation:
    """A key or a column that is not there."""
    key, base = at.found[1] or at.found[2], re.match(r"\w+", at.code)
    table = base and (_is_table(at, base[0]) or re.search("not in index|in axis", at.found[0]))
    quoted = re.findall(r"['\"]([^'\"\n]{1,40})['\"]", at.sources) + re.findall(r"\b(\w+)=", at.sources)
    keys = list(at.failure.keys)
    right = near(key, keys or [word.strip() for text in quoted for word in text.split(",")])
    listed = [right] * (right in keys) + [each for each in keys if each != right]
    there: dict[str, str | int] = {"key": key, "keys": ", ".join(listed[:_LISTED]) or "none"}
    there["more"] = max(0, len(keys) - _LISTED)
    if "not found in axis" in at.found[0] and not right and re.search(r"\.drop\((['\"][^'\"]*['\"])\)$", at.code):
        return at.explain("drop-of-a-column", key=key)
    kind = "column-missing" if table else "key-missing"
    if not right:
        return at.explain(kind, **there)
    return at.explain(f"{kind}-near", _other_text(at, key, right), right=right, **there)


def _other_text(at: FailureContext, old: str, new: str) -> str | None:
    """The failing code with another text in its quotes, if the old one is there once."""
    once = [quote + old + quote for quote in "'\"" if at.code.count(quote + old + quote) == 1]
    return at.code.replace(once[0], once[0][0] + new + once[0][0]) if len(once) == 1 else None


@RULES.rule(r"KeyError: ^(?P<key>-?\d+|\(.*\))$")
def number_as_key(at: FailureContext) -> Explanation:
    """A table or a dict is indexed by a number as if it were a list."""
    base = re.match(r"\w+", at.code)
    above = at.last_assignment(base[0]) if base else None
    if ".loc" in at.code:
        return at.explain("row-missing")
    if base and _is_table(at, base[0]):
        return at.explain("number-as-column")
    pandas = re.search(r"\bimport pandas\b", at.sources) and not (above and re.match(r"\{|dict\(", above.value))
    return at.explain("label-or-key-missing" if pandas else "key-missing", keys="none", more=0)


@RULES.rule(r"FileNotFoundError: No such file or directory: ['\"](?P<file>.*?)['\"]")
def file_not_here(at: FailureContext) -> Explanation:
    """A file that the program has not written."""
    path, looked_in = at["file"], at.failure.looked_in
    folder = path.rpartition("/")[0]
    if at.failure.outside:
        names = ", ".join(map(shorten_code, at.failure.near)) or "none"
        return at.explain(
            "file-outside-folder", folder=looked_in, names=names, repository=at.failure.repository or "none"
        )
    if looked_in and not at.failure.near:
        return at.explain("file-not-in-folder", folder=looked_in)
    if looked_in:
        return _near_in_folder(at, path, folder, looked_in)
    if folder and re.search(r"""open\(.*,\s*(?:mode=)?['"][wax]|\.to_csv\(|torch\.save\(|np\.save""", at.code):
        return at.explain("folder-not-here", folder=shorten_code(folder))
    written = re.findall(r"(?:open|to_csv|save)\([^\n]*?['\"]([^'\"\n]+\.\w+)['\"]", at.sources)
    if right := near(path, [word for word in written if word != path]):
        return at.explain("file-near", _other_text(at, path, right), right=right)
    return at.explain("file-not-here")


@RULES.rule(r"RuntimeError: PytorchStreamReader failed")
def file_cut(at: FailureContext) -> Explanation | None:
    """A file that is not whole because an earlier cell reached the limit of files while it wrote it."""
    for cell, before in enumerate(at.trace.cells[: at.cell]):
        if any(isinstance(output, Limit) and output.limit == "files" for output in before.outputs):
            return at.explain("file-cut-by-limit", cell=cell + 1)
    return None


def _near_in_folder(at: FailureContext, path: str, folder: str, looked_in: str) -> Explanation:
    """A file that is not in the folder that the program may read, where others have similar names."""
    names, repair = at.failure.near, None
    right = f"{folder}/{names[0]}".lstrip("/")
    if len(names) == 1 and not path.startswith("/") and looked_in.endswith(folder) and not set(right) & set("'\"\\"):
        repair = _other_text(at, path, right)
    return at.explain("file-near-in-folder", repair, folder=looked_in, names=", ".join(map(shorten_code, names)))


@RULES.rule(
    r"AttributeError: '(?P<type>DataFrame|Series|numpy\.ndarray|ndarray)' object has no attribute '(?P<name>\w+)'"
)
def table_attribute(at: FailureContext) -> Explanation:
    """An attribute of tensors, lists or another pandas version read from a table or an array."""
    name, base = at["name"], shorten_code(at.before_attribute(at["name"]))
    if "ndarray" in at["type"]:
        return at.explain("array-is-no-tensor", base=base)
    if name in REMOVED:
        return at.explain("removed-from-pandas", instead=REMOVED[name])
    if name in ("to_tensor", "tensor", "view", "backward", "requires_grad", "float", "unsqueeze"):
        return at.explain("table-is-no-tensor", base=base)
    return at.explain("table-attribute-missing")


RULES.message_rules(
    {
        r"ValueError: Unable to parse string (?P<text>['\"].*?['\"]) at position "
        r"(?P<position>\d+)": "text-no-number-at",
        r"TypeError: Cannot interpret '(?P<value>\S+)' as a data type": "array-shape-in-two-arguments",
        r"ValueError: operands could not be broadcast together with shapes (?P<first>\(.*?\)) "
        r"(?P<second>\(.*?\))": "arrays-do-not-broadcast",
        r"ValueError: matmul: Input operand 1 has a mismatch.*size (?P<second>\d+) is different from "
        r"(?P<first>\d+)": "arrays-do-not-multiply",
        r"ValueError: shapes (?P<first>\(.*?\)) and (?P<second>\(.*?\)) not aligned": "arrays-not-aligned",
        r"ValueError: ^x and y must have same first dimension, but have shapes (?P<first>\(.*?\)) and "
        r"(?P<second>\(.*?\))$": "plot-lengths",
        r"ValueError: ^x and y must be the same size$": "plot-sizes",
        r"TypeError: ^Invalid shape (?P<shape>\(.*?\)) for image data$": "image-shape",
        r"ValueError: inhomogeneous shape": "array-rows-of-different-length",
        r"ValueError|TypeError: setting an array element with a sequence|only length-1 arrays can be "
        r"converted": "array-element-from-sequence",
        r"ValueError: cannot reshape array of size (?P<size>\d+) into shape (?P<shape>\(.*?\))": "array-reshape",
        r"IndexError: index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size "
        r"(?P<size>\d+)": "array-index",
        r"AxisError: axis (?P<axis>-?\d+) is out of bounds for array of dimension (?P<rank>\d+)": "array-axis",
        r"ValueError: The truth value of (?:an array|a \w+ is ambiguous)": "truth-of-array",
        r"UFuncTypeError|_UFuncOutputCastingError: from dtype\('(?P<made>\w+)'\) to "
        r"dtype\('(?P<kept>\w+)'\)": "array-keeps-its-dtype",
        r"ValueError: all the input array": "arrays-do-not-concatenate",
        r"IntCastingNaNError|ValueError: Cannot convert non-finite values|cannot convert float NaN to "
        r"integer": "missing-values-to-integer",
        r"ValueError: All arrays must be of the same length": "columns-of-different-length",
        r"ValueError: Length of values \((?P<given>\d+)\) does not match length of index "
        r"\((?P<rows>\d+)\)": "column-of-another-length",
        r"IndexError: single positional indexer is out-of-bounds|positional indexers are "
        r"out-of-bounds": "table-position",
        r"EmptyDataError: No columns to parse": "file-is-empty",
        r"ParserError: Expected (?P<wanted>\d+) fields in line (?P<row>\d+), saw (?P<given>\d+)": "file-row-too-long",
        r"MergeError: No common columns": "merge-without-common-column",
        r"UnicodeDecodeError: '(?P<encoding>[\w-]+)' codec can't decode": "bytes-are-no-text",
        r"DateParseError: (?:unable to parse|out of range[^:\n]*): (\S[^\n]*?)(?:, at "
        r"position|$)|specified \(([^)\n]*)\)": lambda at: at.explain(
            "text-no-date", text=shorten_code(repr(at.found[1] or at.found[2]))
        ),
        r"ValueError: could not convert string to float: (?:np\.str_\()?(?P<text>'.*?'|\".*?\"|\S+)": lambda at: (
            at.explain("text-no-number" if at.code.startswith("float(") else "column-with-text")
        ),
    }
)
