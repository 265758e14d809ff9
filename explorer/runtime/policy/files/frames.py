"""pandas' functions that read and write files. pandas itself is never given a name of one."""

import gzip
import io
import sys
from _string import formatter_field_name_split, formatter_parser

from explorer.runtime.policy.files.paths import content, is_path, last_part, put

_Bytes, _Stream = io.BytesIO, io.IOBase  # under names of their own: `read_excel` calls its file `io`
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zip": "zip", ".xz": "xz"}


def frame_files(guards) -> dict[tuple[str, str], object]:
    """What stands in for pandas' ways to files, by the module's name and the function's."""
    reading: dict[tuple[str, str], object] = {
        ("pandas", name): _read(guards, name) for name in ("read_csv", "read_table", "read_json")
    }
    return reading | {("pandas", "read_excel"): _read_excel(guards)}


def frame_options(guards) -> dict[tuple[str, str], object]:
    """pandas' options; that of the plotting library is the name of a module to import."""

    def checked_options(arguments: tuple) -> list:
        from pandas._config.config import _select_options

        alternate = arguments
        if len(arguments) == 1 and type(arguments[0]) is dict:
            alternate = tuple(part for pair in arguments[0].items() for part in pair)
        given = [str(one) if place % 2 == 0 else one for place, one in enumerate(alternate)]
        for pattern, value in zip(given[::2], given[1::2], strict=False):
            if "plotting.backend" in _select_options(pattern) and value != "matplotlib":
                guards.refuse(f"pandas.set_option({pattern!r:.60})", "code")
        return given

    def set_option(*arguments, **options):
        return sys.modules["pandas"].set_option(*checked_options(arguments), **options)

    def option_context(*arguments):
        return sys.modules["pandas"].option_context(*checked_options(arguments))

    return {("pandas", one.__name__): one for one in (set_option, option_context)}


def written_frame(guards, method: str):
    """In place of `to_csv` and its like: pandas makes a text, and it is written here."""

    def written(self, path=None, *arguments, **keywords):
        what = f"{type(self).__name__}.{method}"
        path = keywords.pop("path_or_buf", keywords.pop("buf", path))
        mode, encoding = keywords.pop("mode", "w"), keywords.pop("encoding", None) or "utf-8"
        template = keywords.get("float_format")
        if isinstance(template, str) and reads_attributes(template):
            guards.refuse(f"{what}(float_format={template!r:.100})", "internals")
        text = getattr(self, method)(None, *arguments, **keywords)
        if path is None:
            return text
        if isinstance(path, io.TextIOBase):
            path.write(text)
            return None
        data = text.encode(encoding)
        if is_path(path) and str(path).endswith(".gz"):
            data = gzip.compress(data, mtime=0)
        put(guards, what, path, data, {"a": "ab", "x": "xb"}.get(mode[:1], "wb"))
        return None

    written.__name__ = method
    return written


def reads_attributes(template: str, depth: int = 0) -> bool:
    """Whether formatting with this text would read an attribute of what it is given."""
    for _, field, specification, _ in formatter_parser(template):
        if field and any(is_attribute for is_attribute, _ in formatter_field_name_split(field)[1]):
            return True
        if specification and depth < 3 and reads_attributes(specification, depth + 1):
            return True
    return False


def _read(guards, name: str):
    def read(filepath_or_buffer, *arguments, **keywords):
        source = filepath_or_buffer
        if is_path(source):
            packed = next((how for end, how in PACKED.items() if last_part(str(source)).endswith(end)), None)
            source = io.BytesIO(_content(guards, f"pandas.{name}", source))
            keywords["compression"] = packed
        elif not isinstance(source, io.IOBase):
            guards.refuse(f"pandas.{name}", "file")
        return getattr(sys.modules["pandas"], name)(source, *arguments, **keywords)

    read.__name__ = name
    return read


def _read_excel(guards):
    """Workbooks, read by calamine: of the engines of pandas it is the one that is safe in memory and quick."""

    def read_excel(io, *arguments, **keywords):
        if is_path(io):
            io = _Bytes(_content(guards, "pandas.read_excel", io))
        elif not isinstance(io, _Stream):
            guards.refuse("pandas.read_excel", "file")
        keywords["engine"] = "calamine"
        return sys.modules["pandas"].read_excel(io, *arguments, **keywords)

    return read_excel


def _content(guards, what: str, path: object) -> bytes:
    """The content of a file. Of a place on the disk pandas says, as `open` does, that there is no such file."""
    if str(path).startswith("/"):
        with open(str(path), "rb") as file:
            return file.read()
    return content(guards, what, path)
