"""Programs and facts in text files: `=== name`, a program, and the facts about its run below it: `-> fact`.

A fact is an expression that holds, or a name for something. It may use the `program`, its `trace`, and what
`explorer.trace`, `tests/programs.py` and the module of the test define. Facts without a program are about that before.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer import trace as records
from tests import programs

HERE = Path(__file__).parent


def read(path: Path) -> dict[str, str]:
    """Return the programs of a file with their facts, by name."""
    cases, program = {}, ""
    for part in re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]:
        name, case = part.split("\n", 1)
        if case.startswith("-> "):
            case = f"{program}\n{case}"
        program = case.partition("\n-> ")[0]
        cases[name] = case
    return cases


def facts_beside(module: str, names: dict[str, Any], **more: Any) -> Callable[[str], None]:
    """Make tests from the facts next to a module: `test_nodes.py` has `nodes.txt`.

    Args:
        module: path of the module.
        names: the module's names, which facts may use.
        more: names that only the facts use, so that the module has no unused import.
    """
    path = Path(module)
    cases = read(path.with_name(f"{path.stem.removeprefix('test_')}.txt"))

    @pytest.mark.parametrize("case", cases.values(), ids=cases)
    def test_facts(case: str) -> None:
        check_facts(case, names | more)

    return test_facts


def check_facts(case: str, names: dict[str, Any]) -> None:
    """Ask a program for the facts below it. Args: names: that facts may use."""
    program, *facts = case.removesuffix("\n").split("\n-> ")
    names = {**vars(records), **vars(programs), **names, "program": f"{program}\n"}
    first = next((fact for fact in facts if re.search(r"\btrace\b", fact)), "")
    if first and not re.match(r"trace[\w, ]* = ", first):  # otherwise the facts create the trace, or need none
        names["trace"] = programs.traced(names["program"])
    assert facts
    for fact in facts:
        try:
            told = compile(fact, "fact", "eval")
        except SyntaxError:  # the part before = is only a name
            exec(fact, names)
        else:
            assert eval(told, names), fact


EVERYDAY = read(HERE / "runtime/everyday.txt")  # typical notebook programs: training, data, NumPy, printing
RARE = read(HERE / "runtime/rare.txt")  # programs that use hooks, custom functions, torch.func or graphs of gradients
TUTORIALS = read(HERE / "runtime/tutorials.txt")  # typical tutorial code
