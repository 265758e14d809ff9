"""Lines for the shell: run the few commands on the program's own files, skip or refuse the others.

No process is started. A command that prepares or describes a machine is reported and skipped. One that names a
place outside the program's own files, an address, or code of another language is refused.
"""

import importlib.util
import math
import os
import re
import shlex
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from explorer.runtime.files.tree import Files

KNOWN = frozenset("1lhaAtSr")  # options
BLOCK = 4096  # bytes
HALF_A_YEAR = 31_556_952 // 2  # seconds
OWNER = "notebook"

Entry = tuple[str, os.stat_result]


def listing(entries: Sequence[Entry], options: set[str], total: bool = False) -> list[str]:
    """A line for each entry. With `total` the space of all comes before, as of a folder."""
    if "t" in options:
        entries = sorted(entries, key=lambda entry: -entry[1].st_mtime)
    elif "S" in options:
        entries = sorted(entries, key=lambda entry: -entry[1].st_size)
    if "r" in options:
        entries = entries[::-1]
    if "l" not in options:
        return [name for name, _ in entries]
    human = "h" in options
    sizes = [_human(facts.st_size) if human else str(facts.st_size) for _, facts in entries]
    width = max(map(len, sizes), default=0)
    links = max((len(str(facts.st_nlink)) for _, facts in entries), default=0)
    lines = [
        f"{stat.filemode(facts.st_mode)} {facts.st_nlink:{links}} {OWNER} {OWNER} {size:>{width}} "
        f"{_date(facts.st_mtime)} {name}"
        for (name, facts), size in zip(entries, sizes, strict=True)
    ]
    used = sum(math.ceil(facts.st_size / BLOCK) * BLOCK for _, facts in entries)
    return [f"total {_human(used) if human else used // 1024}", *lines] if total else lines


def _human(size: int) -> str:
    """A size with one digit behind the point below 10, rounded up.

    >>> [_human(size) for size in (0, 1023, 1025, 10241, 5 * 1024**2)]
    ['0', '1023', '1.1K', '11K', '5.0M']
    """
    if size < 1024:
        return str(size)
    power = min(int(math.log2(size)) // 10, 4)
    amount = size / 1024**power
    return (
        f"{math.ceil(amount * 10) / 10:.1f}{'KMGT'[power - 1]}"
        if amount <= 9.9
        else f"{math.ceil(amount)}{'KMGT'[power - 1]}"
    )


def _date(moment: float) -> str:
    """The time of day of a file of the last half year, the year of any other."""
    when = time.localtime(moment)
    late = 0 <= time.time() - moment < HALF_A_YEAR
    return time.strftime("%b", when) + f" {when.tm_mday:2d} " + time.strftime("%H:%M" if late else " %Y", when)


INSTALLERS = {"pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get", "brew", "npm"}
OF_MAGIC = ("pip", "conda", "mamba", "micromamba", "uv")  # magics that install something
SHELLS = ("bash", "sh", "!", "sx", "system")  # cells for a shell
SCRIPTS = (*SHELLS, "script", "perl", "ruby", "python", "python2", "python3", "pypy")  # cells for another process
SERVERS = ("tensorboard",)  # magics that start a server
LANGUAGES = {"python", "python3", "perl", "ruby", "node", "bash", "sh", "zsh", "eval", "exec"}
PACKAGES = {"scikit-learn": "sklearn", "opencv-python": "cv2", "pillow": "PIL", "pyyaml": "yaml"}  # to their modules
MOST_LINES = 2_000  # lines of one file that are printed

_NOT_SIMPLE = set(";|&><`$\n{}*")  # more than one command, or words that a shell would expand


class CellEnded(BaseException):
    """Raised if a line was not run whose value the cell needs: the cell ends, the run goes on."""


class CommandLine:
    """The shell of one run.

    Args:
        files: the program's own.
        refuse, skip: called with the line and the reason, `skip` also with a name for the sentence.
        written: returns the running line, as written.
    """

    def __init__(
        self,
        files: Files,
        refuse: Callable[[str, str], None],
        skip: Callable[[str, str, str], None],
        written: Callable[[], str],
    ) -> None:
        self._files, self._report_refusal, self._skip, self._written = files, refuse, skip, written
        self._line = ""  # that runs

    def script(self, name: str, lines: str) -> None:
        """Run a cell for the shell line by line, as far as lines concern the program's files. Refuse others."""
        if name[2:].split(" ")[0] not in SHELLS:
            self._refuse(name, "shell")
        for line in lines.split("\n"):
            if line.strip() and not line.lstrip().startswith("#"):
                for printed in self.run(line.strip(), f"{name} {line.strip()}") or ():
                    print(printed)

    def _refuse(self, command: str, reason: str) -> NoReturn:
        self._report_refusal(command, reason)
        raise CellEnded(command)

    def run(self, line: str, command: str = "") -> list[str] | None:
        """The lines that a command prints; None if the command was not run. `command` is its reported name."""
        line = line.strip()
        if not line:
            return []
        command, self._line = command or self._written() or f"!{line}", line
        words = _words(line)
        if words is None and line.split(" ")[0] in INSTALLERS:
            self._skip(command, "shell", "")
            return None
        if words is None:
            self._pass_by(command, line)
            return None
        name, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
        method = _COMMANDS.get(name)
        if method is None:
            self._other(name, words[1:], command)
            return None
        try:
            return list(method(self, rest, command))
        except OSError as problem:
            return [f"{name}: {problem.filename}: {problem.strerror}"]

    # ---- commands over the program's own files ----------------------------------------------------------------------

    def _ls(self, names: list[str], command: str) -> list[str]:
        options = set("".join(word[1:] for word in _words(self._line) or () if word.startswith("-")))
        if options - KNOWN:
            self._pass_by(command, self._line)
            return []
        files: list[str] = []
        folders: list[str] = []
        for name in names or ["."]:
            self._own(name, command)
            (folders if stat.S_ISDIR(self._files.stat(name).st_mode) else files).append(name)
        lines = listing([(name, self._files.stat(name)) for name in files], options)
        for folder in folders:
            inside = [name for name in self._files.listdir(folder) if options & {"a", "A"} or not name.startswith(".")]
            entries = [(name, self._files.stat(f"{folder}/{name}")) for name in inside]
            if "a" in options:
                entries = [(name, self._files.stat(folder)) for name in (".", "..")] + entries
            if len(names) > 1:
                lines += [*[""] * bool(lines), f"{folder}:"]
            lines += listing(entries, options, total="l" in options)
        return lines

    def _cat(self, names: list[str], command: str) -> list[str]:
        return [line for text in self._texts(names, command) for line in text]

    def _head(self, names: list[str], command: str) -> list[str]:
        return [line for text in self._texts(names, command) for line in text[: _count(self._line)]]

    def _tail(self, names: list[str], command: str) -> list[str]:
        return [line for text in self._texts(names, command) for line in text[-_count(self._line) :]]

    def _wc(self, names: list[str], command: str) -> Iterator[str]:
        for name in names:
            if not self._own(name, command):
                return
            with self._files.open(name, "rb") as file:
                data = file.read()
            counts = (data.count(b"\n"), len(data.split()), len(data))
            yield (
                f"{counts[0]} {name}"
                if "-l" in self._line.split()
                else f"{counts[0]:7d} {counts[1]:7d} {counts[2]:7d} {name}"
            )

    def _pwd(self, names: list[str], command: str) -> list[str]:
        return [self._files.cwd]

    def _mkdir(self, names: list[str], command: str) -> list[str]:
        for name in names:
            os.makedirs(name, exist_ok="-p" in self._line.split())
        return []

    def _rm(self, names: list[str], command: str) -> list[str]:
        for name in names:
            if not self._own(name, command):
                return []
            if self._files.path(name) in self._files.folders:
                shutil.rmtree(name)
            else:
                self._files.remove(name)
        return []

    # ---- the rest ---------------------------------------------------------------------------------------------------

    def _other(self, name: str, words: list[str], command: str) -> None:
        if name in ("python", "python3") and words[:2] == ["-m", "pip"]:
            name, words = "pip", words[2:]
        if name in INSTALLERS:
            self._installed(words if words[:1] == ["install"] else [], command)
        elif any("://" in word for word in words):
            self._fetched(words, command)
        else:
            self._pass_by(command, " ".join([name, *words]))

    def _installed(self, words: list[str], command: str) -> None:
        requirements = [word for word in words[1:] if re.match(r"[A-Za-z]", word)]
        names = [re.split(r"[=<>!~\[@;]", requirement)[0] for requirement in requirements]
        absent = [name for name in names if not _importable(name)]
        if names:
            self._skip(command, "absent" if absent else "installed", ", ".join(absent or names))
        else:
            self._skip(command, "shell", "")

    def _fetched(self, words: list[str], command: str) -> None:
        parts = [
            re.split(r"[?#]", word)[0].rstrip("/").rpartition("/")[2] for word in words if not word.startswith("-")
        ]
        given = [part for part in parts if part in self._files.given]
        if given:
            self._skip(command, "given", given[0])
        else:
            self._refuse(command, "network")

    def _pass_by(self, command: str, line: str) -> None:
        """Skip and report a command; refuse one that names a place outside the program's files or is not Python."""
        words = [word for word in re.split(r"[\s;|&<>()=\"'`]+", line) if word]
        code = command.startswith("%%") or (words[:1] and words[0] in LANGUAGES and {"-c", "-e"} & set(words))
        if code or any(map(self._outside, words)):
            self._refuse(command, "shell")
        else:
            self._skip(command, "shell", "")

    def _outside(self, word: str) -> bool:
        """Whether a word names a place outside the program's files."""
        if word == "/dev/null" or not (word.startswith(("/", "~")) or ".." in word or "://" in word):
            return False
        path = self._files.path(word)
        return "://" in word or not (self._files.known(path) or path.startswith(f"{self._files.home}/"))

    def _own(self, name: str, command: str) -> bool:
        if self._files.known(self._files.meant(self._files.path(name))) or not self._outside(name):
            return True
        self._refuse(command, "shell")
        return False

    def _texts(self, names: list[str], command: str) -> Iterator[list[str]]:
        for name in names:
            if not name.isdigit() and self._own(name, command):  # the number of `-n 5`
                with self._files.open(name, errors="replace") as file:
                    yield [line.rstrip("\n") for _, line in zip(range(MOST_LINES), file, strict=False)]


_COMMANDS = {
    method.__name__[1:]: method
    for method in (CommandLine._ls, CommandLine._cat, CommandLine._head, CommandLine._tail, CommandLine._wc)
}
_COMMANDS |= {method.__name__[1:]: method for method in (CommandLine._pwd, CommandLine._mkdir, CommandLine._rm)}


def _count(line: str) -> int:
    """The number of lines requested from `head` or `tail`."""
    match = re.search(r"\s-n? ?(\d{1,9})\b", line)
    return int(match[1]) if match else 10


def _words(line: str) -> list[str] | None:
    """The words of a simple command; None if it is more than one command, or none."""
    if _NOT_SIMPLE & set(line):
        return None
    try:
        return shlex.split(line, comments=True) or None
    except ValueError:
        return None


def _importable(package: str) -> bool:
    """Whether the modules of this package can be imported."""
    name = PACKAGES.get(package.lower(), package.replace("-", "_"))
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
