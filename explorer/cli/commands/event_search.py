"""Run a script until something happens in one of its steps: the first run of `record --on`.

Arguments: the file for the answer, the event, `-m` or `-`, the script and its arguments.
"""

import sys
from pathlib import Path

import msgspec

from explorer.api.step_events import happened
from explorer.cli.commands.recording_on import FirstRun, event_of
from explorer.runtime.script import run_script
from explorer.runtime.watching.scripts import EventSearch


def main(answer: str, event: str, by_name: str, script: str, *arguments: str) -> None:
    """Write what was found into the file."""
    asked = event_of(event)
    search = EventSearch(lambda row: happened(row, asked))
    status = run_script(search, script, arguments, by_name == "-m")  # type: ignore[arg-type]
    found = FirstRun(search.found, search.rows, search.batch, status)
    Path(answer).write_bytes(msgspec.msgpack.encode(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
