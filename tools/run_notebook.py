"""Run a notebook's cells in a real IPython shell, and write their outputs into the file.

usage: python tools/run_notebook.py examples/real_model.ipynb [-o OTHER.ipynb]   (from the project's root) The exit
status is 1 if a cell raised; the notebook is written anyway.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


def run(notebook: nbformat.NotebookNode) -> bool:
    """Run all code cells in order in this process, keep their outputs; return whether all succeeded."""
    shell = InteractiveShell.instance()
    shell.colors = "nocolor"
    results: list[object] = []
    shell.display_trap.hook = results.append  # instead of printing "Out[3]: "
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        results.clear()
        with capture_output() as shown:
            ended = shell.run_cell(cell.source, store_history=True)
        cell.execution_count = number
        cell.outputs = [_stream(name, text) for name in ("stdout", "stderr") if (text := getattr(shown, name))]
        cell.outputs += [_shown("display_data", one.data, one.metadata) for one in shown.outputs]
        for value in results:
            if value is not None:
                found = shell.display_formatter.format(value)
                cell.outputs.append(_shown("execute_result", *found, execution_count=number))
        if not ended.success:
            problem = ended.error_before_exec or ended.error_in_exec
            cell.outputs.append(
                nbformat.v4.new_output("error", ename=type(problem).__name__, evalue=str(problem), traceback=[])
            )
            return False
    return True


def _stream(name: str, text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_output("stream", name=name, text=text)


def _shown(kind: str, data: dict, metadata: dict | None, **more: int) -> nbformat.NotebookNode:
    return nbformat.v4.new_output(kind, data=data, metadata=metadata or {}, **more)


def main() -> int:
    """Run the notebook of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    notebook = nbformat.read(asked.path, as_version=4)
    well = run(notebook)
    nbformat.write(notebook, asked.output or asked.path)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
