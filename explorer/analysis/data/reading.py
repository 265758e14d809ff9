"""The line of pandas that reads a given file, and the program that tries how in the child."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from explorer.trace import Printed, Trace

OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "read_excel({0!r})"),
    **dict.fromkeys((".jsonl", ".ndjson"), "read_json({0!r}, lines=True)"),
    ".json": "read_json({0!r})",
}  # files that need no trial, by the end of their name


class Arguments(Struct, frozen=True):
    """The result of `first_look.look`: arguments of `pd.read_csv`, and whether the first row has names."""

    sep: Literal[",", ";", "\t", "|", r"\s+"] = ","
    encoding: Literal["utf-8", "utf-16", "gb18030", "cp1252"] = "utf-8"
    decimal: Literal[".", ","] = "."
    header: bool = True


def trial(name: str) -> str:
    """The program that tries how pandas reads a given file, and prints it; "" where there is no need."""
    if Path(name).suffix.lower() in OTHERS:
        return ""
    program = Path(__file__).with_name("first_look.py").read_text(encoding="utf-8")
    return f'{program}\n\nimport json\n\nwith open({name!r}, "rb") as file:\n    print(json.dumps(look(file.read())))\n'


def found(trace: Trace) -> Arguments:
    """What the trial printed; the defaults of pandas where it did not end, or printed anything else."""
    printed = "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))
    try:
        return msgspec.json.decode(printed.encode(), type=Arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return Arguments()


def read_line(name: str, arguments: Arguments) -> str:
    """The line of pandas that reads the file.

    >>> read_line("a.csv", Arguments(sep=";", decimal=","))
    "data = pd.read_csv('a.csv', sep=';', decimal=',')"
    """
    if (other := OTHERS.get(Path(name).suffix.lower())) is not None:
        return f"data = pd.{other.format(name)}"
    given = {key: getattr(arguments, key) for key in ("sep", "encoding", "decimal")}
    options = "".join(f", {key}={value!r}" for key, value in given.items() if value != getattr(Arguments(), key))
    end = ")" if arguments.header else ", header=None).add_prefix('c')"
    return f"data = pd.read_csv({name!r}{options}{end}"
