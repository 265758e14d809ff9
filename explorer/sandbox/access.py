"""What users open to their own programs on their own machine: a folder, writing in it, the network.

Nothing is open by default. The server checks the folder here; the kernel enforces it.
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
_ROOTS = (".git", "pyproject.toml")  # what the root of a repository holds
_OPENED = "opened"  # beside the fields of a Trace


class Opened(Struct, frozen=True):
    """What one user's programs may reach beside the installed libraries.

    Attributes:
        folder: an absolute path without symbolic links, "" for none.
        named: the absolute path that the user typed, if it differs.
        write: whether programs may change what is in the folder.
        network: whether programs may connect to other machines.
        start: the folder in it where relative paths start: that of the program's file; "" for the folder itself.
        trial: whether the user did not ask for the run, which tries a repair or watches a run once more: it reads the
            folder, without writing and network.
    """

    folder: str = ""
    write: bool = False
    network: bool = False
    trial: bool = False
    named: str = ""
    start: str = ""

    def __bool__(self) -> bool:
        """Whether anything is open."""
        return bool(self.folder or self.network)

    def tried(self) -> "Opened":
        """The same for a run that the user did not ask for."""
        return replace(self, trial=True)

    def of_run(self) -> Folder:
        """The part that is sent to the run."""
        write, network = self.write and not self.trial, self.network and not self.trial
        return Folder(self.folder, self.named, write, network, self.start, repository(self.folder))


class CannotOpen(SayableError):
    """Raised if something cannot be opened."""

    prefix = "cannot-open-"


def opened(folder: str = "", write: bool = False, network: bool = False) -> Opened:
    """Check the requested folder and rights. Raises CannotOpen."""
    if not folder and not network:
        if write:
            raise CannotOpen("write")
        return Opened()
    _check_machine()
    if not folder:
        return Opened(network=network)
    if "\0" in folder:  # no name has it, and Python refuses to look
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
    """The same, where relative paths start in the folder of a program's file, if that lies in the open folder."""
    start = os.path.dirname(os.path.realpath(path))
    if not access.folder or os.path.commonpath([access.folder, start]) != access.folder:
        return access
    return replace(access, start="" if start == access.folder else start)


def repository(folder: str) -> str:
    """The nearest folder above that holds a repository or a Python project, "" for none."""
    above = os.path.dirname(folder)
    while folder and above not in (os.path.dirname(above), os.path.expanduser("~")):
        if any(os.path.exists(os.path.join(above, name)) for name in _ROOTS):
            return above
        above = os.path.dirname(above)
    return ""


def own_folder(path: str, write: bool = False) -> Opened:
    """The folder of a program's file, for reading; nothing if it cannot be opened.

    Raises CannotOpen if writing is requested and impossible.
    """
    try:
        return opened(os.path.dirname(os.path.abspath(path)), write)
    except CannotOpen:
        if write:
            raise
        return Opened()


def environment_access(environment: Mapping[str, str] = os.environ) -> Opened:
    """What the environment of a server opens. Raises CannotOpen."""
    values = {name: environment.get(name, "").strip() for name in (FOLDER, WRITE, NETWORK)}
    wanted = {name: values[name].lower() not in hosting.NO for name in (WRITE, NETWORK)}
    access, program = opened(values[FOLDER], wanted[WRITE], wanted[NETWORK]), from_environment(environment)
    return access if program is None else started_at(access, str(program.path))


def variables(access: Opened) -> dict[str, str]:
    """The environment variables that open the same."""
    values = {FOLDER: access.folder, WRITE: "1" * access.write, NETWORK: "1" * access.network}
    return {name: value for name, value in values.items() if value}


def possible() -> bool:
    """Whether a folder can be opened on this machine."""
    try:
        _check_machine()
    except CannotOpen:
        return False
    return True


def confines() -> bool:
    """Whether this system can keep a program from files and the network at all."""
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
    """Remember what the run of a Trace could reach, beside its fields: those may come from a stranger."""
    trace.__dict__[_OPENED] = opened


def opened_to(trace: Trace) -> Opened:
    """What the run of a Trace could reach; nothing for a Trace of another server."""
    return trace.__dict__.get(_OPENED, NOTHING_OPEN)
