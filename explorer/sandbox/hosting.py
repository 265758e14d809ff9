"""What differs on a hosted site: the confinement it needs, and a log of runs without what users typed."""

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

LEAST: Level = "seccomp and limits"  # a lower level lets a stranger's program open files or connections
SWITCH = "EXPLORER_HOSTED"  # environment variable that makes this a hosted site
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")
SPACE = "SPACE_ID"  # environment variable that every Hugging Face Space has
CLOUD = "/mount/src/"  # where Streamlit Community Cloud keeps the files of an app
SITE = "STREAMLIT_BROWSER_SERVER_ADDRESS"  # environment variable, Streamlit's own: the name of the site
EVERY_NAME = "*"


class UnfitMachine(Struct, frozen=True):
    """Why this machine may not host programs of strangers.

    Attributes:
        level, needed: the level of confinement here, and the required one.
        missing: the mechanisms that do not hold, by their names in Confinement.
        word: the value of the variable if it is neither yes nor no; then nothing else is known.
    """

    level: Level
    needed: Level
    missing: list[str]
    word: str = ""

    @property
    def message(self) -> Message:
        """What is said of it."""
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
    """Whether strangers use this app: EXPLORER_HOSTED says so, or where it is empty the place that the app runs at.

    An unclear word counts as yes; see `check`.
    """
    return _word() not in NO if _word() else (SPACE in os.environ or __file__.startswith(CLOUD))


def check() -> UnfitMachine | None:
    """Why the app must not start here; None if it may, and if it is not hosted."""
    if not hosted():
        return None
    return problem(probe()) if _word() in ("", *YES) else UnfitMachine("none", LEAST, [], os.environ[SWITCH][:40])


def _word() -> str:
    return os.environ.get(SWITCH, "").strip().lower()


def site_names(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names that the environment gives to the site, beside those of this machine itself.

    At Streamlit Community Cloud it is EVERY_NAME: its proxy finds an app by the name of the request.
    """
    names = (environment.get(SITE, "").strip(), EVERY_NAME if __file__.startswith(CLOUD) else "")
    return tuple(filter(None, names))


def problem(held: Confinement) -> UnfitMachine | None:
    """Why a machine with this confinement may not host strangers' programs, None if it may."""
    if held.reaches(LEAST):
        return None
    missing = [name for name, holds in msgspec.structs.asdict(held).items() if not holds]
    return UnfitMachine(held.level, LEAST, missing)


def visitor(address: str | None) -> str:
    """The visitor of an address, for sharing turns: the first 64 bits of an IPv6 address; "" if not hosted."""
    try:
        number = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if number.version == 6 and number.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(number) >> 64 << 64, 64)))
    return str(getattr(number, "ipv4_mapped", None) or number)


class Drawing(Struct, frozen=True):
    """A slow drawing. Attributes: at: as in RunRecord; page: which; seconds: of the server's own time."""

    at: float
    page: str
    seconds: float


class Undrawn(Struct, frozen=True):
    """A failed drawing. Attributes: at, page: as in Drawing; error: its type; place: file and line of ours."""

    at: float
    page: str
    error: str
    place: str


def log_undrawn(page: str, problem: Exception) -> str:
    """Log that a drawing failed, without anything that was drawn. Returns where in our own code."""
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
