"""Check the public API's arguments, with errors that help."""

import math
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from explorer.text import LANGUAGES, say
from explorer.trace import Options, Trace


def finished_trace(given: Any, call: str) -> Trace:
    """Return the Trace of a finished recording or run.

    Raises TypeError for anything else. `call` names the function in the message.
    """
    finished = getattr(given, "_finished", None)
    trace = finished() if callable(finished) else given
    if isinstance(trace, Trace):
        return trace
    if _is_read_as_json(given):
        raise TypeError(say("en", "api-trace-json", call=call))
    raise TypeError(say("en", "api-trace", call=call, given=short(given)))


def is_recorded(given: Any) -> bool:
    """Return whether it is a Trace, a recording or a run loaded from JSON."""
    return isinstance(given, Trace) or hasattr(type(given), "_finished") or _is_read_as_json(given)


def _is_read_as_json(given: Any) -> bool:
    return type(given).__name__ == "LoadedTrace"  # avoids a circular import


def language(lang: Any) -> str:
    """Return the language. Raises ValueError if it is unknown."""
    if lang not in LANGUAGES:
        raise ValueError(
            say("en", "api-language", languages=", ".join(f'"{each}"' for each in LANGUAGES), given=short(lang))
        )
    return lang


def is_a_files_name(source: str) -> bool:
    """Return whether a text names a program file rather than being a program."""
    return "\n" not in source and source.endswith((".py", ".ipynb", ".md")) and Path(source).is_file()


def name(given: Any) -> str:
    """Return a name of the program. Raises TypeError unless it is a string."""
    if not isinstance(given, str):
        raise TypeError(say("en", "api-name", given=short(given)))
    return given


def tolerance(what: str, given: Any) -> float | None:
    """Return a tolerance. Raises TypeError or ValueError unless None or ≥ 0."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(say("en", "api-value", name=what, must="tolerance", given=short(given)))
    if math.isnan(given) or given < 0:
        raise ValueError(say("en", "api-value", name=what, must="tolerance", given=short(given)))
    return given


def texts(given: Any, message: str) -> tuple[str, ...]:
    """Return strings as a tuple. Raises TypeError for anything else."""
    parts = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(part, str) for part in parts):
        raise TypeError(say("en", message, given=short(given)))
    return parts


def path(given: Any) -> Any:
    """Return a file name. Raises TypeError for anything else."""
    if not isinstance(given, str | PathLike):
        raise TypeError(say("en", "api-path", given=short(given)))
    return given


def whole_number(what: str, given: Any) -> int:
    """Return an integer. Raises TypeError for anything else."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(say("en", "api-value", name=what, must="integer", given=short(given)))
    return given


def run_options(given: dict[str, Any], base: Options) -> Options:
    """Return run options with keywords applied. Raises TypeError for unknown or invalid ones."""
    names = Options.__struct_fields__
    unknown = next((option for option in given if option not in names), None)
    if unknown is not None:
        raise TypeError(say("en", "api-option", name=unknown, known=", ".join(names)))
    for option, value in given.items():
        try:
            msgspec.convert({option: value}, Options, from_attributes=True)
        except msgspec.ValidationError:
            raise TypeError(say("en", "api-option-value", name=option, given=short(value))) from None
    return msgspec.structs.replace(base, **given)


def short(given: Any) -> str:
    """Return a short form of a wrong argument: plain values themselves, otherwise the type."""
    if given is None or isinstance(given, str | int | float | bool):
        return repr(given)[:80]
    kind = type(given)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
