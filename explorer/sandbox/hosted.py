"""What is different where strangers type: the confinement it takes, and a log of runs without what they typed."""

import ipaddress
import os
import sys
import time
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from explorer.sandbox.confine import Confinement, Level, probe

LEAST: Level = "seccomp and limits"  # below it a stranger's program could open files or connections
SWITCH = "EXPLORER_HOSTED"  # the environment variable that says whether strangers type here
YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class UnfitMachine(Struct, frozen=True):
    """Why this machine is not fit for strangers.

    Attributes:
        level, needed: how much confines programs here, and how much must.
        missing: the mechanisms that do not hold, by their names in Confinement.
        word: what the variable says when it is neither yes nor no; then nothing else is known.
    """

    level: Level
    needed: Level
    missing: list[str]
    word: str = ""

    def said(self) -> tuple[str, dict[str, str]]:
        """The sentence's id in the catalogue, and its values."""
        if self.word:
            return "hosted-word", {"word": self.word, "yes": " ".join(YES), "no": " ".join(NO[1:])}
        return "hosted-refused", {"level": self.level, "needed": self.needed, "missing": ", ".join(self.missing)}


class RunRecord(Struct, frozen=True):
    """What the log says of one run: never its text, a link to it, or who asked.

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
    """Whether strangers type here: EXPLORER_HOSTED=1. A word that is neither yes nor no counts as yes; see `check`."""
    return _word() not in NO


def check() -> UnfitMachine | None:
    """Why the app must not start here; None where it may, and where nobody but its owner uses it."""
    if not hosted():
        return None
    return problem(probe()) if _word() in YES else UnfitMachine("none", LEAST, [], os.environ[SWITCH][:40])


def _word() -> str:
    return os.environ.get(SWITCH, "").strip().lower()


def problem(held: Confinement) -> UnfitMachine | None:
    """Why a machine on which this holds is not fit for strangers, None if it is."""
    if held.reaches(LEAST):
        return None
    missing = [name for name, holds in msgspec.structs.asdict(held).items() if not holds]
    return UnfitMachine(held.level, LEAST, missing)


def visitor(address: str | None) -> str:
    """Who shares one visitor's turns: an address, of IPv6 the half that one household or host has; "" at home."""
    try:
        known = ipaddress.ip_address(address or "")
    except ValueError:
        return ""
    if known.version == 6 and known.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))
    return str(getattr(known, "ipv4_mapped", None) or known)


class Drawing(Struct, frozen=True):
    """A drawing that took long. Attributes: at: as in RunRecord; page: which; seconds: of the server's own time."""

    at: float
    page: str
    seconds: float


class Undrawn(Struct, frozen=True):
    """A drawing that failed. Attributes: at, page: as in Drawing; error: its type; place: file and line of ours."""

    at: float
    page: str
    error: str
    place: str


def log(record: RunRecord) -> None:
    """Writes what is to be said of a run."""
    tell("run", record)


def tell(event: str, record: Struct) -> None:
    """Writes a record as one line of JSON to standard error."""
    line = msgspec.json.encode({"event": event} | msgspec.structs.asdict(record)).decode()
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def record(status: str, limits: Sequence[str], seconds: float, waited: float) -> RunRecord:
    """A record that ends now; milliseconds are enough."""
    return RunRecord(round(time.time(), 3), status, list(limits), round(seconds, 3), round(waited, 3))
