"""Access that users grant to their own programs.

Nothing is open by default. The server checks the folder, and the kernel enforces the access.
"""

import os
import sys
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from explorer.program import Folder
from explorer.program.followed_file import from_environment
from explorer.sandbox import hosting, landlock, systemcalls
from explorer.sandbox.cluster.settings import elsewhere
from explorer.text import SayableError
from explorer.trace import Trace

FOLDER, WRITE, NETWORK = "EXPLORER_FOLDER", "EXPLORER_WRITE", "EXPLORER_NETWORK"  # environment variables of the server
_ROOTS = (".git", "pyproject.toml")  # entries in a repository's root
_OPENED = "opened"  # key next to a Trace's fields


class Opened(Struct, frozen=True):
    """Access of one user's programs besides installed libraries.

    Attributes:
        folder: absolute path without symbolic links, or "".
        named: absolute path as typed, if different.
        write: whether programs may change its contents.
        network: whether programs may connect to other machines.
        start: subfolder where relative paths start, that of the program's file, or "".
        trial: whether the app started the run by itself, for a fix or a second recording. It may only read the
            folder.
    """

    folder: str = ""
    write: bool = False
    network: bool = False
    trial: bool = False
    named: str = ""
    start: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is open."""
        return bool(self.folder or self.network)

    def tried(self) -> "Opened":
        """Return the access for a run that the user did not request."""
        return replace(self, trial=True)

    def of_run(self) -> Folder:
        """Return the part that is sent to the run."""
        write, network = self.write and not self.trial, self.network and not self.trial
        return Folder(self.folder, self.named, write, network, self.start, repository(self.folder))


class CannotOpen(SayableError):
    """Raised if something cannot be opened."""

    prefix = "cannot-open."


def opened(folder: str = "", write: bool = False, network: bool = False) -> Opened:
    """Check the requested folder and rights. Raises CannotOpen."""
    if not folder and not network:
        if write:
            raise CannotOpen("write")
        return Opened()
    _check_machine()
    if not folder:
        return Opened(network=network)
    if "\0" in folder:  # no file name contains NUL, and Python refuses such paths
        raise CannotOpen("missing", folder=folder)
    named = os.path.abspath(os.path.expanduser(folder))
    path = os.path.realpath(named)
    if not os.path.isdir(path):
        raise CannotOpen("missing" if not os.path.exists(path) else "file", folder=folder)
    if path == os.sep:
        raise CannotOpen("everything", folder=folder)
    if not os.access(path, os.R_OK | os.X_OK | (os.W_OK if write else 0)):
        raise CannotOpen("unreadable" if not os.access(path, os.R_OK | os.X_OK) else "unwritable", folder=folder)
    return Opened(path, write, network, named=named if named != path else "")


def started_at(access: Opened, path: str) -> Opened:
    """Start relative paths in the file's folder, if it is open."""
    start = os.path.dirname(os.path.realpath(path))
    if not access.folder or os.path.commonpath([access.folder, start]) != access.folder:
        return access
    return replace(access, start="" if start == access.folder else start)


def repository(folder: str) -> str:
    """Return the nearest parent folder with a repository or Python project, or ""."""
    above = os.path.dirname(folder)
    while folder and above not in (os.path.dirname(above), os.path.expanduser("~")):
        if any(os.path.exists(os.path.join(above, name)) for name in _ROOTS):
            return above
        above = os.path.dirname(above)
    return ""


def own_folder(path: str, write: bool = False) -> Opened:
    """Return read access to a program file's folder, or none.

    Raises CannotOpen if writing is requested and impossible.
    """
    try:
        return opened(os.path.dirname(os.path.abspath(path)), write)
    except CannotOpen:
        if write:
            raise
        return Opened()


def environment_access(environment: Mapping[str, str] = os.environ) -> Opened:
    """Return the access that a server's environment grants. Raises CannotOpen."""
    values = {name: environment.get(name, "").strip() for name in (FOLDER, WRITE, NETWORK)}
    wanted = {name: values[name].lower() not in hosting.NO for name in (WRITE, NETWORK)}
    access, program = opened(values[FOLDER], wanted[WRITE], wanted[NETWORK]), from_environment(environment)
    return access if program is None else started_at(access, str(program.path))


def variables(access: Opened) -> dict[str, str]:
    """Return the environment variables that grant the same access."""
    values = {FOLDER: access.folder, WRITE: "1" * access.write, NETWORK: "1" * access.network}
    return {name: value for name, value in values.items() if value}


def possible() -> bool:
    """Return whether a folder can be opened on this machine."""
    try:
        _check_machine()
    except CannotOpen:
        return False
    return True


def confines() -> bool:
    """Return whether this system can deny programs files and network."""
    return sys.platform == "linux"


def _check_machine() -> None:
    if hosting.hosted():
        raise CannotOpen("hosted")
    if elsewhere():
        raise CannotOpen("elsewhere")
    if not confines() or landlock.version() == 0 or not systemcalls.known():
        raise CannotOpen("landlock")


NOTHING_OPEN = Opened()


def remember(opened: Opened, trace: Trace) -> None:
    """Attach a run's access to its Trace, outside the untrusted fields."""
    trace.__dict__[_OPENED] = opened


def opened_to(trace: Trace) -> Opened:
    """Return the access of a Trace's run, none for a Trace of another server."""
    return trace.__dict__.get(_OPENED, NOTHING_OPEN)
