"""`record`: run the user's script, save its Trace, print a report."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from explorer.cli.commands.terminal import CannotRun, Run, fitting, reason_of, visible
from explorer.collector import paused_collector
from explorer.program import Unusable
from explorer.program.saved_run import read_run
from explorer.text import say
from explorer.trace import SUFFIX


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `record`. Arguments after the script go to the script."""
    command.add_argument("-o", "--output", metavar="FILE", help=say(lang, "help-record-output"))
    command.add_argument("--detail", choices=("light", "complete"), default="complete", help=say(lang, "help-detail"))
    command.add_argument("--on", metavar="EVENT", help=say(lang, "help-record-on"))
    command.add_argument("-m", dest="by_name", action="store_true", help=say(lang, "help-record-module"))
    command.add_argument("script", metavar="SCRIPT", help=say(lang, "help-record-script"))
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help=say(lang, "help-record-arguments"))
    return run


def run(asked: argparse.Namespace) -> int:
    """Run the script here and save its Trace. Return the script's exit status."""
    if find_spec("torch") is None:
        raise CannotRun("record-torch-missing")
    with paused_collector():
        from explorer.api.recording import Recorded
        from explorer.api.saved_files import write
        from explorer.runtime.script import Unreadable, run_script

    name = asked.script.rpartition(".")[2] if asked.by_name else Path(asked.script).stem
    output = _file_of_rank(Path(asked.output or name + SUFFIX))
    if output.suffix not in (SUFFIX, ".json"):
        raise CannotRun("draw-suffix", path=str(output), known=".trace, .json")
    print(visible(say(asked.lang, "record-unconfined", path=asked.script)), file=sys.stderr)
    if asked.on is not None:
        from explorer.cli.commands.recording_on import record_on

        return record_on(asked, output, lambda: _reader(output))
    recorded = Recorded(detail=asked.detail)
    try:
        status = run_script(recorded, asked.script, asked.arguments, asked.by_name)
    except Unreadable as problem:
        raise CannotRun("file-unread", path=asked.script, reason=str(problem)) from None
    sys.stdout.flush()
    try:
        write(recorded.check(), output, asked.lang)
    except (OSError, ValueError) as problem:
        raise CannotRun("draw-unwritten", path=str(output), reason=reason_of(problem)) from None
    print(fitting(visible(str(recorded.report(lang=asked.lang)))))
    print()
    print(visible(say(asked.lang, "record-saved", path=str(output), by=_reader(output))))
    return status


def _reader(output: Path) -> str:
    """Return which tool can read the saved run: app, command line or library."""
    if output.suffix != SUFFIX:
        return "load"
    try:
        read_run(output.name, output.read_bytes())
    except (OSError, Unusable):
        return "commands"
    return "app"


def _file_of_rank(output: Path) -> Path:
    """Return this torchrun rank's own file, such as train.rank1.trace."""
    alone = os.environ.get("WORLD_SIZE", "1") == "1"
    return output if alone else output.with_suffix(f".rank{os.environ.get('RANK', '0')}{output.suffix}")
