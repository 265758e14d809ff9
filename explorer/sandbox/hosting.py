"""Hosted sites: required confinement, and a log of runs without the users' texts."""

import ipaddress
import os
import sys
import time
import traceback
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from explorer.sandbox.confine import Confinement, Level, probe
from explorer.text import Message

LEAST: Level = "seccomp and limits"  # at a lower level, a stranger's program could open files or connections
SWITCH = "EXPLORER_HOSTED"  # environment variable that makes this a hosted site
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
SPACE = "SPACE_ID"  # environment variable that every Hugging Face Space has
CLOUD = "/mount/src/"  # where Streamlit Community Cloud keeps the files of an app
SITE = "STREAMLIT_BROWSER_SERVER_ADDRESS"  # Streamlit's environment variable with the name of the site
EVERY_NAME = "*"


class UnfitMachine(Struct, frozen=True):
    """The reason why this machine may not host strangers' programs.

    Attributes:
        level, needed: actual and required confinement level.
        missing: inactive mechanisms, by names in Confinement.
        word: invalid value of the variable. Then nothing else is known.
    """

    level: Level
    needed: Level
    missing: list[str]
    word: str = ""

    @property
    def message(self) -> Message:
        """Message that states the reason."""
        if self.word:
            return Message("hosted-word", {"word": self.word, "yes": " ".join(YES), "no": " ".join(NO[1:])})
        missing = ", ".join(self.missing)
        return Message("hosted-refused", {"level": self.level, "needed": self.needed, "missing": missing})


class RunRecord(Struct, frozen=True):
    """The log entry of one run, without its text, link or visitor.

    Attributes:
        at: when it ended, seconds since 1970.
        status: ok, error, refused, limited, or cancelled.
        limits: which limits struck: time, memory, output, result, crash.
        seconds, waited: of running and of waiting for its turn.
    """

    at: float
    status: str
    limits: list[str]
    seconds: float
    waited: float


def hosted() -> bool:
    """Return whether strangers use this app, judged by EXPLORER_HOSTED or the hosting service.

    An unclear word counts as yes (see `check`).
    """
    return _word() not in NO if _word() else (SPACE in os.environ or __file__.startswith(CLOUD))


def check() -> UnfitMachine | None:
    """Return why the app must not start here, otherwise None."""
    if not hosted():
        return None
    return problem(probe()) if _word() in ("", *YES) else UnfitMachine("none", LEAST, [], os.environ[SWITCH][:40])


def _word() -> str:
    return os.environ.get(SWITCH, "").strip().lower()


def site_names(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the site's host names in the environment, besides the machine's own.

    On Streamlit Community Cloud it is EVERY_NAME, because its proxy finds an app by the request's name.
    """
    names = (environment.get(SITE, "").strip(), EVERY_NAME if __file__.startswith(CLOUD) else "")
    return tuple(filter(None, names))


def problem(held: Confinement) -> UnfitMachine | None:
    """Return why this confinement is insufficient for strangers' programs, or None."""
    if held.reaches(LEAST):
        return None
    missing = [name for name, holds in msgspec.structs.asdict(held).items() if not holds]
    return UnfitMachine(held.level, LEAST, missing)


def visitor(address: str | None) -> str:
    """Return an address's visitor, or "" if not hosted."""
    try:
        number = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if number.version == 6 and number.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(number) >> 64 << 64, 64)))
    return str(getattr(number, "ipv4_mapped", None) or number)


class Drawing(Struct, frozen=True):
    """A slow drawing. Attributes: at: as in RunRecord. page. seconds: of the server's own time."""

    at: float
    page: str
    seconds: float


class Undrawn(Struct, frozen=True):
    """A failed drawing. Attributes: at, page: as in Drawing. error: its type. place: our file and line."""

    at: float
    page: str
    error: str
    place: str


def log_undrawn(page: str, problem: Exception) -> str:
    """Log a failed drawing without its content, and return its place in our code."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{place.filename.rpartition('explorer/')[2]}:{place.lineno}"
    log_event("undrawn", Undrawn(round(time.time(), 3), page, type(problem).__name__, where))
    return where


def log(record: RunRecord) -> None:
    """Log a run."""
    log_event("run", record)


def log_event(event: str, record: Struct) -> None:
    """Write a record as one line of JSON to standard error."""
    line = msgspec.json.encode({"event": event} | msgspec.structs.asdict(record)).decode()
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
