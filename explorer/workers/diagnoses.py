"""Find silent bugs in a child with a time limit.

A fix is offered only after running the fixed program: it must end without an error, the fault or a new fault, and a
number must show that the cause is gone (`diagnose/faults/proof.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from explorer.analysis.diagnose.faults.diagnosis import Search
from explorer.analysis.diagnose.faults.proof import proof
from explorer.analysis.diagnose.faults.replies import read, seconds_asked
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import Reportable, finding_text
from explorer.analysis.run.source.code import Repair
from explorer.program import GivenFile
from explorer.sandbox import Runner, default_runner
from explorer.sandbox.calls import Answer as ProcessAnswer
from explorer.sandbox.fair_queue import others_first
from explorer.sandbox.layout import MAX_REPLY
from explorer.sandbox.protocol import CURVE, DIAGNOSIS, ENTRIES, ChildLimits, question
from explorer.sandbox.staying import ORDER, answering, visitor_of
from explorer.trace import MAX_BYTES, FullTensors, Trace, encode
from explorer.workers.second_run import RepairRunner

PATIENCE = 10.0  # CPU seconds for the rules, if a user waits at a terminal
FURTHER = 3  # most additional changes of the same kind in one fix

Answer = TypeVar("Answer")


def ask_child(
    kind: bytes,
    trace: Trace,
    read: Callable[[bytes, Trace], Answer],
    runner: Runner | None = None,
    asked: bytes = b"",
    longer: float = 1.0,
) -> Answer | None:
    """Ask a child about a Trace. Returns None without an answer.

    The process that created the Trace answers if it still exists. Otherwise, or if its answer is invalid, a process
    that ran no program does.

    Args:
        asked: the question, in the form of its kind.
        longer: factor of the usual time. Beyond 1 the process that created the Trace is not asked.
    """
    made = answering(trace)
    if made is not None and longer == 1.0:
        answer = _answer(lambda: made.ask(question(kind, asked), MAX_REPLY), trace, read)
        if answer is not None:
            return answer
    runner = runner or default_runner()
    executor = runner.programs if kind in (CURVE, ENTRIES) else runner.layouts
    request = question(kind, asked, encode(replace(trace, full=FullTensors())))  # no answer needs them

    def ask() -> ProcessAnswer:
        call = executor.call(request, _limits(len(request), longer), MAX_REPLY)
        return runner.ask(call, visitor_of(trace), ORDER.lasting * longer)

    return _answer(ask, trace, read)


def _answer(ask: Callable[[], ProcessAnswer], trace: Trace, read: Callable[[bytes, Trace], Answer]) -> Answer | None:
    try:
        with others_first():
            answer = ask()
        return read(answer.reply, trace) if answer.outcome == "reply" else None
    except (OSError, ValueError, RecursionError):  # the server has no processes left, or the reply is invalid
        return None


def _limits(size: int, longer: float) -> ChildLimits:
    """Return limits scaled to a Trace's bytes. Recordings may exceed the app's runs."""
    larger = max(1.0, size / MAX_BYTES)
    times = larger * longer
    return ORDER._replace(
        seconds=ORDER.seconds * times, lasting=ORDER.lasting * times, memory_mb=ORDER.memory_mb * larger
    )


def has_texts(finding: Reportable) -> bool:
    """Return whether the catalogue has messages, with all values, for a child's finding."""
    try:
        return all(finding_text("en", finding, part) for part in ("title", "cause", "repair"))
    except (KeyError, TypeError, ValueError):
        return False


def search_in_time(trace: Trace, runner: Runner | None = None) -> Search | None:
    """Search a program for bugs, once for each Trace in use. Returns None if no child answered in time.

    None is asked again a little later (`Index.answered`).
    """
    return trace.index.answered(("diagnoses",), lambda: ask_child(DIAGNOSIS, trace, _read, runner))


def _read(reply: bytes, trace: Trace) -> Search:
    """Decode the diagnoses in an untrusted reply that can be written in words. Raises ValueError."""
    done = read(reply, trace)
    return replace(done, findings=tuple(filter(has_texts, done.findings)))


def patient_search(trace: Trace) -> Search | None:
    """Search for bugs as long as a reader at a terminal waits: if needed, once more with more time."""
    done = search_in_time(trace)
    if done is not None and not done.unfinished:
        return done
    asked, longer = seconds_asked(PATIENCE), 2 * PATIENCE / ORDER.seconds
    again = partial(ask_child, DIAGNOSIS, trace, _read, None, asked, longer)
    return trace.index.answered(("diagnoses", "patient"), again) or done


def diagnoses_in_time(trace: Trace, runner: Runner | None = None) -> tuple[Finding, ...] | None:
    """Return a program's diagnoses. None if no child answered in time."""
    done = search_in_time(trace, runner)
    return None if done is None else done.findings


def diagnoses_of(trace: Trace, runner: Runner | None = None) -> tuple[Finding, ...]:
    """Return the known diagnoses, for display. An empty result proves nothing."""
    return diagnoses_in_time(trace, runner) or ()


def diagnose_with_verified_fixes(
    trace: Trace, files: tuple[GivenFile, ...] = (), visitor: str = ""
) -> tuple[Finding, ...]:
    """Diagnose with verified fixes, once for each Trace in use.

    Args:
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
    """

    def proven() -> tuple[Finding, ...] | None:
        findings = diagnoses_in_time(trace)
        return None if findings is None else with_verified_fixes(trace, findings, files, visitor)

    return trace.index.answered(("diagnoses", "proven"), proven) or ()


def with_verified_fixes(
    trace: Trace, findings: Sequence[Finding], files: tuple[GivenFile, ...] = (), visitor: str = ""
) -> tuple[Finding, ...]:
    """Run the fixes of all diagnoses of a program. Each keeps the first that works, with its effect."""
    proving = _Proving(RepairRunner(trace, files, visitor), {finding.kind for finding in findings})
    return tuple(map(proving.verify, findings))


@dataclass(frozen=True)
class _Proving:
    """Runs candidate fixes for a program's diagnoses. Attributes: kinds: diagnosed kinds."""

    trial: RepairRunner
    kinds: set[str]

    def verify(self, finding: Finding) -> Finding:
        """Return a diagnosis with its first working fix and the fix's effect."""
        before = self.trial.trace
        for repair in finding.repairs if before.end == "ok" else ():
            fixed = self._verified_fix(repair, finding.kind, FURTHER)
            shown = None if fixed is None else proof(before, fixed[1], finding)
            if fixed is not None and shown is not None:
                return replace(finding, repairs=(fixed[0],), proof=shown)
        return finding

    def _verified_fix(self, repair: Repair, kind: str, further: int) -> tuple[Repair, Trace] | None:
        """Find a change that removes a diagnosis, and the run of the changed program.

        If the same kind then appears elsewhere, such as at the next leaf, that place is changed too.
        """
        after = self.trial.run(repair.cell, repair.source)
        if after is None or after.end != "ok":
            return None
        done = ask_child(DIAGNOSIS, after, _read)
        if done is None or done.unfinished:  # a rule that did not finish may have found the bug again
            return None
        if not {finding.kind for finding in done.findings if finding.level != "info"} <= self.kinds:
            return None
        again = next((finding for finding in done.findings if finding.kind == kind), None)
        if again is None:
            return repair, after
        if not further or not again.repairs or again.repairs[0].cell != repair.cell:
            return None
        return self._verified_fix(again.repairs[0], kind, further - 1)
