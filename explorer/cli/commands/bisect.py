"""`bisect`: the first commit after which a gradient differs, found by git's own bisect.

At each commit that git chooses the command runs recorded, as `record` or the pytest plugin do it, and its gradients are
compared with those of the good commit.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from explorer.cli.commands.terminal import STATUS, CannotRun, add_command, visible
from explorer.text import say
from explorer.trace import SUFFIX, Trace

RTOL, ATOL = 1e-3, 1e-5  # as of the pytest plugin's baselines
MOST_NAMED = 5  # parameters of a commit
MOST_LINES = 12  # of what a command wrote before it failed
Verdict = Literal["good", "bad", "skip"]  # as git bisect calls them


class CannotBisect(Exception):
    """Raised where no answer can be found. Its text says why."""


@dataclass(frozen=True)
class Kept:
    """What a command left at a commit. Attributes: traces: by name; whole: whether it ended well; words: its output."""

    traces: dict[str, Trace]
    whole: bool
    words: str


@dataclass(frozen=True)
class Difference:
    """A parameter whose gradient differs. Attributes: norms: at the good commit and here, None without a gradient."""

    name: str
    norms: tuple[float | None, float | None]

    def said(self, lang: str) -> str:
        before, after = ("—" if norm is None else f"{norm:.6g}" for norm in self.norms)
        return say(lang, "pytest-differs-in", name=self.name, before=before, after=after)


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `bisect`; the command to run stands behind `--`."""
    command = add_command(commands, lang, "bisect")
    command.set_defaults(command=run)
    command.add_argument("good", metavar="GOOD", help=say(lang, "help-bisect-good"))
    command.add_argument("bad", metavar="BAD", help=say(lang, "help-bisect-bad"))
    command.add_argument("words", nargs="+", metavar="COMMAND", help=say(lang, "help-bisect-command"))
    command.add_argument("--rtol", type=float, default=RTOL, metavar="X", help=say(lang, "help-rtol"))
    command.add_argument("--atol", type=float, default=ATOL, metavar="X", help=say(lang, "help-atol"))
    return command


def run(asked: argparse.Namespace) -> int:
    """Print the verdict of each commit, then the first bad one: 0; where both ends agree 1, where none is known 2."""
    _check(asked)
    _git("bisect", "start")
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _bisected(asked, Path(folder))
    except CannotBisect as problem:
        print(visible(str(problem)), file=sys.stderr)
        return STATUS["unusable"]
    finally:
        _git("bisect", "reset")


def _check(asked: argparse.Namespace) -> None:
    """Raise CannotRun where the bisection cannot begin."""
    if not _recording(asked.words, Path()):
        raise CannotRun("bisect-command", words=" ".join(asked.words))
    try:
        if _git("rev-parse", "--git-dir").returncode:
            raise CannotRun("bisect-no-repository")
    except FileNotFoundError:
        raise CannotRun("bisect-no-git") from None
    for commit in (asked.good, asked.bad):
        if _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").returncode:
            raise CannotRun("bisect-no-commit", commit=commit)
    if _git("bisect", "log").returncode == 0:
        raise CannotRun("bisect-running")
    if _git("status", "--porcelain", "--untracked-files=no").stdout:
        raise CannotRun("bisect-changed")


def _bisected(asked: argparse.Namespace, folder: Path) -> int:
    """Record both ends, then let git choose commits. Raises CannotBisect."""
    lang = asked.lang
    asked.good, asked.bad = _commit(asked.good), _commit(asked.bad)  # HEAD~4 is another one soon
    good = _kept_at(asked.good, asked, folder / "good")
    again = _kept_at(asked.good, asked, folder / "again")
    if noise := _differences(good, again, asked):
        raise CannotBisect("\n".join([say(lang, "bisect-noise", commit=_title(asked.good)), *_said(noise, lang)]))
    bad = _kept_at(asked.bad, asked, folder / "bad")
    differing = {asked.bad: _differences(good, bad, asked)}
    if not differing[asked.bad]:
        if not bad.whole:
            raise _failed(asked.bad, bad, lang)
        print(visible(say(lang, "bisect-agree", good=_title(asked.good), bad=_title(asked.bad))))
        return STATUS["error"]
    _git("bisect", "bad", asked.bad)
    chosen = _git("bisect", "good", asked.good)
    while not (first := _first_bad()) and chosen.returncode == 0:
        commit = _commit("HEAD")
        present = _kept(asked.words, folder / commit)
        differing[commit] = _differences(good, present, asked)
        verdict = _verdict(good, present, differing[commit])
        print(visible(say(lang, "bisect-step", commit=_title(commit), verdict=verdict)), flush=True)
        chosen = _git("bisect", verdict)
    if not first:
        left = [line for line in chosen.stdout.splitlines() if len(line) == len(asked.bad) and line.isalnum()]
        said = "".join(f"\n  {_title(commit)}" for commit in left)
        reason = chosen.stderr.strip().partition("\n")[0]
        raise CannotBisect(say(lang, "bisect-left") + said if left else say(lang, "bisect-unknown", reason=reason))
    print(visible(say(lang, "bisect-first", commit=_title(first))))
    print(visible("\n".join(_said(differing[first], lang))))
    return STATUS["ok"]


def _kept_at(commit: str, asked: argparse.Namespace, folder: Path) -> Kept:
    """What the command leaves at one of the two ends. Raises CannotBisect where it leaves nothing or fails."""
    moved = _git("checkout", "--quiet", "--detach", commit)
    if moved.returncode:
        raise CannotBisect(say(asked.lang, "bisect-unknown", reason=moved.stderr.strip()))
    results = _kept(asked.words, folder)
    if not results.traces or not (results.whole or commit == asked.bad):
        raise _failed(commit, results, asked.lang)
    return results


def _failed(commit: str, results: Kept, lang: str) -> CannotBisect:
    """The sentence on a command that failed at one of the two ends, and the last lines that it wrote."""
    words = results.words.strip().splitlines()[-MOST_LINES:]
    return CannotBisect("\n".join([say(lang, "bisect-failed", commit=_title(commit)), *words]))


def _kept(words: Sequence[str], folder: Path) -> Kept:
    """Run the command recorded, in the commit that is checked out."""
    folder.mkdir(exist_ok=True)
    # Python may take the compiled file of an earlier commit for that of this one: their times differ by no second.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(_recording(words, folder), capture_output=True, text=True, env=environment)
    except OSError as problem:
        return Kept({}, False, f"{words[0]}: {problem.strerror}")
    from explorer.api.saved_files import load_trace

    traces = {path.stem: load_trace(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return Kept(traces, ended.returncode == 0, ended.stdout + ended.stderr)


def _recording(words: Sequence[str], folder: Path) -> list[str]:
    """The command that records what was asked for into a folder: of pytest or `python SCRIPT`; [] of any other."""
    python = Path(words[0]).name.startswith("python")
    if Path(words[0]).name in ("pytest", "py.test") or (python and list(words[1:3]) == ["-m", "pytest"]):
        return [*words, "--explorer-keep", str(folder), "--explorer-output", str(folder)]
    if python and len(words) > 1 and not words[1].startswith("-"):
        return [words[0], "-m", "explorer", "record", "-o", str(folder / f"run{SUFFIX}"), *words[1:]]
    return []


def _verdict(good: Kept, present: Kept, differing: Sequence[Difference]) -> Verdict:
    """A commit where the command fails before its gradients differ tells nothing."""
    if differing:
        return "bad"
    return "good" if present.whole and good.traces.keys() <= present.traces.keys() else "skip"


def _differences(good: Kept, present: Kept, asked: argparse.Namespace) -> list[Difference]:
    """The parameters whose gradients differ, by their entries or, where these are a sample, by their norms.

    A gradient that a failed command has not computed is unknown.
    """
    import explorer

    differences = []
    for name in good.traces.keys() & present.traces.keys():
        for pair in explorer.compare(
            good.traces[name], present.traces[name], rtol=asked.rtol, atol=asked.atol
        ).parameters:
            before, after = pair.norms
            if before is None or after is None:
                differs = pair.differs and present.whole
            else:
                differs = pair.differs or _apart(before, after, asked)
            if differs:
                differences.append(Difference(pair.name, pair.norms))
    return differences


def _apart(before: float, after: float, asked: argparse.Namespace) -> bool:
    equal = math.isclose(before, after, rel_tol=asked.rtol, abs_tol=asked.atol)
    return not equal and not (math.isnan(before) and math.isnan(after))


def _said(differing: Sequence[Difference], lang: str) -> list[str]:
    more = len(differing) - MOST_NAMED
    named = [one.said(lang) for one in differing[:MOST_NAMED]]
    return [*named, say(lang, "bisect-more", count=more)] if more > 0 else named


def _first_bad() -> str:
    """The commit that git has found, from its log; "" while it is still looking."""
    begin = "# first bad commit: ["
    for line in _git("bisect", "log").stdout.splitlines():
        if line.startswith(begin):
            return line.removeprefix(begin).partition("]")[0]
    return ""


def _commit(name: str) -> str:
    return _git("rev-parse", f"{name}^{{commit}}").stdout.strip()


def _title(commit: str) -> str:
    """A commit's short number and the first line of its message."""
    return _git("log", "-1", "--format=%h %s", commit).stdout.strip()


def _git(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["git", *words], capture_output=True, text=True, encoding="utf-8", env={**os.environ, "LC_ALL": "C"}
    )
