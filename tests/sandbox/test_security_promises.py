"""Promises of SECURITY.md about the server that no other file tests."""

import ast
import os
from pathlib import Path

import pytest

from explorer.sandbox import probe
from tests.patience import PATIENT

ROOT = Path(__file__).parents[2]

EVALUATING = {"eval", "exec", "compile", "__import__"}
UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "ast", "joblib"}
INSIDE = ("runtime", "api")  # packages that run in the child, or run their owner's code
FORMULAS = ("operations/formulas.py", "autograd/formulas.py", "autograd/edge_gradients.py")  # parse our own formulas
WRITING = ("autograd/backward_code.py", "autograd/backward_terms.py")  # trees of these formulas, written as text
EXPLAINING = ("source/assignments.py",)  # in a confined child: docs/decisions/readers.md


@pytest.mark.thorough
def test_nothing_outside_the_child_evaluates_or_unpickles():
    for path in sorted([ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")]):
        if set(INSIDE) & set(path.parts):
            continue
        allowed = {"ast"} if f"{path.parent.name}/{path.name}" in FORMULAS + WRITING + EXPLAINING else set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in EVALUATING, f"{path}:{node.lineno}"
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert UNPICKLING & {name.split(".")[0] for name in names} <= allowed, path


def status(pid: int) -> dict[str, str]:
    with open(f"/proc/{pid}/status") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines())


@pytest.mark.thorough
def test_the_layout_parent_is_confined_the_same_way(runner):
    runner.layouts.start()
    assert runner.layouts.ready(PATIENT)
    programs, layouts = status(runner.programs.pid), status(runner.layouts.pid)
    for name in ("NoNewPrivs", "Seccomp", "Uid", "Gid", "CapEff", "CapPrm", "CapInh", "CapAmb", "Groups"):
        assert programs[name] == layouts[name]


def test_the_only_capability_is_reading(runner):
    fields = status(runner.programs.pid)
    assert int(fields["CapEff"], 16) & ~(1 << 2) == int(fields["CapPrm"], 16) & ~(1 << 2) == 0
    assert int(fields["CapInh"], 16) == int(fields["CapAmb"], 16) == 0


def test_the_disclosed_information_can_be_read(outputs):
    """And no more of a file than that: a promise that is too dark would be untrue as well."""
    code = "import os\nanswer = repr((os.uname().release, {}))"
    looked = "os.stat('/etc/passwd').st_size" if probe().landlock else "1"
    release, size = ast.literal_eval(outputs(code.format(looked))[1][0].text)
    assert release == os.uname().release and size > 0
