"""A control group for each run. Most tests need a machine that has delegated one: see docs/hosting.md."""

import os

import pytest

from explorer.program import read_text
from explorer.sandbox import control_group
from explorer.trace import Options
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS, child

delegated = pytest.mark.skipif(not control_group.available(), reason="no control group is delegated to this process")


def groups() -> set[str]:
    return {path.name for path in control_group._groups()._base.glob("explorer-run-*")}


@delegated
def test_each_run_has_a_group_with_its_limits_and_leaves_none(runner):
    run = runner.submit(read_text(ENDLESS), Options(memory_limit=50, time_limit=PATIENT))
    pid = child(runner.programs.pid)
    with open(f"/proc/{pid}/cgroup") as file:
        (name,) = [line.strip() for line in file if line.startswith("0::")]
    path = control_group._groups()._base / name.rpartition("/")[2]
    assert path.name in groups()
    assert int((path / "memory.max").read_text()) < 300_000_000
    assert (path / "pids.max").read_text().strip() != "max"
    run.cancel()
    assert eventually(lambda: runner.submit(read_text("x = 1")).result(PATIENT) and path.name not in groups())


@delegated
def test_memory_that_no_other_limit_counts_is_bounded(runner):
    """A program frees its parent's address space and takes as much for itself, written and then read-only."""
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
taken = 0
for _ in range(1000):
    place = libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x22, -1, 0)
    if place in (None, 2**64 - 1):
        break
    ctypes.memset(place, 1, 1 << 20)
    libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(1 << 20), 1)
    taken += 1
answer = str(taken)"""
    (output,) = runner.submit(read_text(code), Options(memory_limit=50)).result(PATIENT).cells[0].outputs
    assert getattr(output, "limit", "") == "memory" or int(output.text) < 250


def test_a_group_that_is_not_delegated_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "cgroup.controllers").write_text("cpuset io")
    monkeypatch.setenv(control_group.SWITCH, str(tmp_path))
    assert control_group._groups.__wrapped__() is None
    assert os.listdir(tmp_path) == ["cgroup.controllers"]
    for said in (str(tmp_path / "missing"), "no"):
        monkeypatch.setenv(control_group.SWITCH, said)
        assert control_group._groups.__wrapped__() is None
