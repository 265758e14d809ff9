"""Started by an environment's Python: runs the blocks of a document, a line of JSON for each, with shared names."""

import contextlib
import io
import json
import linecache
import sys
import traceback

NAMES: dict = {"__name__": "__main__"}
FILENAME = "example.py"  # each block is a complete file, as for a reader


def run(block: dict) -> None:
    """Run a block and let its exceptions through."""
    if block["language"] == "ipython":
        from IPython.core.interactiveshell import InteractiveShell

        InteractiveShell.instance(user_ns=NAMES).run_cell(block["code"]).raise_error()
        return
    linecache.cache[FILENAME] = (len(block["code"]), None, block["code"].splitlines(keepends=True), FILENAME)
    exec(compile(block["code"], FILENAME, "exec"), NAMES)


for line in sys.stdin:
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            run(json.loads(line))
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps({"printed": printed.getvalue(), "error": error}), flush=True)
