"""`record --on EVENT`: find the step in which something happens, and record it in a second run of the script.

The first run is a separate process, so the second one starts as fresh as it did.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from explorer.analysis.views.training.step_events import event_text
from explorer.cli.commands.terminal import CannotRun, reason_of, visible
from explorer.text import say
from explorer.trace import MAX_BYTES
from explorer.trace.step_statistics import StepRow

_JUMP = "loss_jump"


class FirstRun(msgspec.Struct, frozen=True):
    """Result of the first run.

    Attributes:
        parts: what happened in the last step, [] if nothing did.
        rows: all steps.
        batch: indices of the last batch's samples.
        status: the script's exit status.
    """

    parts: list[list[str]]
    rows: list[StepRow]
    batch: list[int]
    status: int


def record_on(asked: argparse.Namespace, output: Path, reader: Callable[[], str]) -> int:
    """Record the step of an event. Return the exit status: 0 if it happened and was recorded.

    Args: reader: returns what can read the saved run.
    """
    event_of(asked.on)
    found = _search(asked)
    if not found.parts:
        print(visible(say(asked.lang, "record-on-nothing", steps=len(found.rows), event=asked.on)))
        return found.status
    step, event = len(found.rows), event_text(found.parts, asked.lang)
    print(visible(say(asked.lang, "record-on-found", step=step, event=event)), file=sys.stderr)
    return _record(asked, output, found, reader)


def event_of(text: str) -> Any:
    """Return the event that the option names: nonfinite, loss_jump or loss_jump:FACTOR. Raises CannotRun."""
    from explorer.api.step_events import events, loss_jump

    name, _, factor = text.partition(":")
    try:
        if name == _JUMP:
            return [loss_jump(float(factor or 3))]
        return events(text)
    except ValueError:
        raise CannotRun("record-on-unknown", given=text) from None


def _search(asked: argparse.Namespace) -> FirstRun:
    """Run the script in another process until something happens."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "found"
        module = [sys.executable, "-m", "explorer.cli.commands.event_search"]
        options = [str(answer), asked.on, "-m" if asked.by_name else "-", asked.script, *asked.arguments]
        ended = subprocess.run([*module, *options], check=False)
        try:
            return msgspec.msgpack.decode(answer.read_bytes(), type=FirstRun)
        except (OSError, msgspec.MsgspecError):
            raise CannotRun("record-on-ended", status=ended.returncode) from None


def _record(asked: argparse.Namespace, output: Path, found: FirstRun, reader: Callable[[], str]) -> int:
    """Run the script again up to the step, and save and report its Trace."""
    from explorer.analysis.views.training.samples import sample_lines
    from explorer.api.answers import answering
    from explorer.api.saved_files import write
    from explorer.runtime.script import run_script
    from explorer.runtime.watching.scripts import StepInScript, seen_steps

    again = StepInScript(len(found.rows), asked.detail, MAX_BYTES)
    status = run_script(again, asked.script, asked.arguments, asked.by_name)  # type: ignore[arg-type]
    sys.stdout.flush()
    if again.trace is None:
        raise CannotRun("record-on-ended", status=status)
    try:
        write(again.trace, output, asked.lang)
    except (OSError, ValueError) as problem:
        raise CannotRun("draw-unwritten", path=str(output), reason=reason_of(problem)) from None
    pairs = zip(seen_steps(found.rows), seen_steps(again.rows), strict=False)
    differs = next((step for step, (one, other) in enumerate(pairs, 1) if one != other), 0)
    lines = [say(asked.lang, "record-on-differs" if differs else "record-on-equal", step=differs)]
    lines += sample_lines(again.trace, found.batch, asked.lang)
    lines += ["", str(answering(again.trace).report(lang=asked.lang)), ""]
    lines.append(say(asked.lang, "record-saved", path=str(output), by=reader()))
    print(visible("\n".join(lines)))
    return 0
