"""`%%explore`: record a Jupyter cell and show its graph. `%load_ext explorer` registers it."""

import ast
import sys
from typing import Any

from explorer.api.recording import Recorded
from explorer.runtime.record import Scope
from explorer.text import say

DEFAULT = "trace"


def register(shell: Any) -> None:
    """Register the magic with an IPython shell."""

    def explore(line: str, cell: str) -> Recorded:
        """Record the cell and show its graph. `%%explore name` binds the recording to a name."""
        return run_cell(shell, line, cell)

    shell.register_magic_function(explore, "cell", "explore")


def run_cell(shell: Any, line: str, cell: str) -> Recorded:
    """Record a cell in the notebook's namespace and bind the recording.

    It is bound to `trace` or to the name in the line. The value of the last expression is displayed. The cell's
    exception is raised again once the recording is bound.

    Raises:
        ValueError: the line is not a name.
    """
    name = line.strip() or DEFAULT
    if not name.isidentifier():
        raise ValueError(say("en", "magic-name", given=name[:80]))
    source = shell.transform_cell(cell)
    filename = shell.compile.cache(source, shell.execution_count, raw_code=cell)
    body = shell.compile.ast_parse(source, filename=filename).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) and not cell.rstrip().endswith(";") else None
    statements = compile(ast.Module(body, []), filename, "exec", shell.compile.flags)
    recording = Recorded()
    recording.begin(Scope(statements, shell.user_ns))
    try:
        exec(statements, shell.user_ns)  # the user's own cell, in the user's own kernel
        if last is not None:
            value = eval(compile(ast.Expression(last.value), filename, "eval", shell.compile.flags), shell.user_ns)
            if value is not None:
                from IPython.display import display

                display(value)
    finally:
        recording.__exit__(*sys.exc_info())
        shell.user_ns[name] = recording
    return recording
