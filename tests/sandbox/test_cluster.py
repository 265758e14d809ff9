"""Programs run by the workers of a cluster: a real scheduler and real workers, with certificates, on this machine."""

import os
import pickle
import pickletools
import shutil
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest

from explorer.analysis.diagnose.messages import limit_text
from explorer.program import read_text
from explorer.sandbox import Cancelled, default_runner, layout
from explorer.sandbox.calls import Answer
from explorer.sandbox.cluster import remote
from explorer.sandbox.cluster.settings import cluster_settings
from explorer.sandbox.cluster.task import decode_answer, encode_task, perform
from explorer.sandbox.protocol import ChildLimits
from explorer.sandbox.runner import cluster_runner
from explorer.trace import Limit, Options, encode
from tests.deploy.proxy import free_port
from tests.patience import PATIENT, eventually
from tests.sandbox.machines import ROOT, Certificates, Machines, environment
from tests.sandbox.processes import gone

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(find_spec("distributed") is None, reason="dask.distributed is missing: pip install .[cluster]"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not there to make certificates"),
]

SQUARE = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)"
SHORT = "import time\ntime.sleep(4)\nprint('done')"
ENDLESS, UNHURRIED = "while True: pass", Options(time_limit=600)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def machines(certificates, tmp_path_factory):
    """Yield a scheduler and two workers, which a test may end: the next one has them again."""
    log = tmp_path_factory.mktemp("cluster") / "log"
    machines = Machines(environment(free_port(), certificates), log)
    machines.start_scheduler()
    yield machines
    machines.end()


@pytest.fixture(scope="module")
def connected(machines):
    """Return the connection of a server in this process that waits longer than a busy machine needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "PATIENCE", 300.0)
        cluster = remote.Cluster(cluster_settings(machines.settings))
        cluster.start()
        yield cluster
        cluster.close()


@pytest.fixture
def cluster(machines, connected):
    """Return the connection, with a scheduler and two workers at its end."""
    while len(machines.workers) < 2:
        machines.start_worker()
    assert machines.full(connected) and machines.idle()
    return connected


@pytest.fixture
def runner(cluster):
    return cluster_runner(cluster)


def printed(run) -> str:
    """Return a run's printed text."""
    return "".join(output.text for output in run.result(PATIENT).cells[0].outputs)


def told(run) -> str:
    """Return the sentence of the limit that ended a run."""
    trace = run.result(PATIENT).check()
    assert trace.status == "limited"
    (limit,) = (output for output in trace.cells[0].outputs if isinstance(output, Limit))
    return limit_text("en", limit)


def test_a_program_has_the_same_trace_as_locally(runner):
    program = read_text(SQUARE)
    assert encode(runner.submit(program).result(PATIENT)) == encode(default_runner().submit(program).result(PATIENT))


def test_limits_and_errors_match_a_local_run(runner):
    here = default_runner()
    for text in ("x = 1\nwhile True: pass", "print(1)\nlost", "torch.ones(10**11)"):
        program, options = read_text(text), Options(time_limit=0.5)
        assert encode(runner.submit(program, options).result(PATIENT)) == encode(
            here.submit(program, options).result(PATIENT)
        )


def test_a_picture_has_the_same_layout_as_locally(runner, machines):
    dot = "digraph { there -> here; here -> again }"
    assert layout(dot, runner) == layout(dot, default_runner()) is not None
    machines.forget_layouts()


def test_two_sessions_run_in_parallel_on_separate_workers(runner, cluster, machines):
    runs = [runner.submit(read_text(ENDLESS), UNHURRIED, session=name) for name in ("ada", "bob")]
    assert sorted(machines.busy(2)) == sorted(machines.workers)
    third = runner.submit(read_text(SQUARE), session="eve")
    assert third.position == 1  # as many turns as there are workers
    runs[0].cancel()
    assert printed(third) == "tensor([2., 2., 2.])\n"
    runs[1].cancel()


def test_a_session_has_one_program_running_and_one_waiting(runner):
    first, second, third = (runner.submit(read_text(text), UNHURRIED, session="ada") for text in (SHORT, SHORT, SQUARE))
    with pytest.raises(Cancelled):
        second.result(PATIENT)
    assert (first.position, third.position) == (0, 1)
    assert printed(third).startswith("tensor") and first.done()


def test_cancelling_ends_the_process(runner, cluster, machines):
    run = runner.submit(read_text(ENDLESS), UNHURRIED)
    (name,) = machines.busy()
    (process,) = machines.programs(name)
    assert run.cancel()
    assert gone(process)


def test_a_vanished_server_leaves_nothing_running(cluster, machines):
    text = f"""
from explorer.program import read_text
from explorer.sandbox import default_runner
from explorer.sandbox.cluster import remote
from explorer.trace import Options
remote.PATIENCE = 300.0
default_runner().submit(read_text({ENDLESS!r}), Options(time_limit=600)).result()
"""
    server = subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, env=os.environ | machines.settings)
    (name,) = machines.busy()
    (process,) = machines.programs(name)
    server.kill()
    server.wait()
    assert gone(process)


def test_a_run_restarts_on_another_worker_after_a_loss(runner, cluster, machines):
    run = runner.submit(read_text(SHORT), UNHURRIED)
    (name,) = machines.busy()
    machines.kill(name)
    assert printed(run) == "done\n"


def test_a_new_worker_takes_waiting_runs(runner, cluster, machines):
    machines.kill(next(iter(machines.workers)))
    assert machines.full(cluster)
    runs = [runner.submit(read_text(ENDLESS), UNHURRIED, session=name) for name in ("ada", "bob")]
    machines.busy()
    assert [run.position for run in runs] == [0, 1]
    machines.start_worker()
    assert sorted(machines.busy(2)) == sorted(machines.workers)
    for run in runs:
        run.cancel()


def test_a_terminated_worker_leaves_nothing_and_its_run_restarts(runner, cluster, machines):
    run = runner.submit(read_text(SHORT), UNHURRIED)
    (name,) = machines.busy()
    left, process = machines.parents(name), machines.workers.pop(name)
    process.terminate()
    assert process.wait(PATIENT) == 0
    assert all(gone(parent) for parent in left)
    assert printed(run) == "done\n"


def test_a_run_that_loses_two_workers_reports_it(runner, cluster, machines):
    run = runner.submit(read_text(ENDLESS), UNHURRIED)
    for _ in range(2):
        (name,) = machines.busy()
        machines.kill(name)
    assert "was lost, and so was the worker" in told(run)


def test_a_run_without_workers_reports_it(runner, cluster, machines, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 1.0)
    for name in list(machines.workers):
        machines.kill(name)
    assert "no worker is available" in told(runner.submit(read_text(SQUARE)))


def test_a_restarted_scheduler_is_found_again(runner, cluster, machines):
    run = runner.submit(read_text(SHORT), UNHURRIED)
    machines.busy()
    machines.end_scheduler()
    machines.start_scheduler()
    assert printed(run) == "done\n"
    assert machines.full(cluster)
    assert printed(runner.submit(read_text(SQUARE))).startswith("tensor")


def test_a_run_without_a_scheduler_reports_it(certificates, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 1.0)
    nobody = remote.Cluster(cluster_settings(environment(free_port(), certificates)))
    run = cluster_runner(nobody).submit(read_text(SQUARE))
    assert "the cluster scheduler is not responding" in told(run)
    nobody.close()


def test_a_missing_scheduler_leaves_nothing_behind(certificates, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 0.2)
    monkeypatch.setattr(remote, "INTERVAL", 0.05)
    nobody = remote.Cluster(cluster_settings(environment(free_port(), certificates)))
    tries, connect = [], remote._connected
    monkeypatch.setattr(remote, "_connected", lambda *given: (tries.append(given), connect(*given)))
    nobody.start()
    assert eventually(lambda: len(tries) == 3)
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    assert eventually(lambda: len(tries) == 15)
    assert threading.active_count() <= threads + 2 and len(os.listdir("/proc/self/fd")) <= descriptors + 6
    nobody.close()


def test_a_hanging_worker_does_not_delay_others(runner, cluster, machines):
    hanging = runner.submit(read_text(SHORT), session="ada")
    (name,) = machines.busy()
    machines.workers[name].send_signal(signal.SIGSTOP)
    others = [runner.submit(read_text(SQUARE), session="bob").result(PATIENT).status for _ in range(5)]
    assert others == ["ok"] * 5 and not hanging.done()
    machines.workers[name].send_signal(signal.SIGCONT)
    assert printed(hanging) == "done\n"


def test_clients_without_a_valid_certificate_are_refused(machines, tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 2.0)
    foreign = Certificates(tmp_path)
    port = int(machines.settings["EXPLORER_SCHEDULER"].rpartition(":")[2])
    mixed = environment(port, foreign) | {"EXPLORER_SCHEDULER_CA": machines.settings["EXPLORER_SCHEDULER_CA"]}
    for settings in (mixed, environment(port, foreign), {"EXPLORER_SCHEDULER": f"tcp://127.0.0.1:{port}"}):
        stranger = remote.Cluster(cluster_settings(settings))
        assert stranger.client(4) is None
        stranger.close()


def test_the_server_starts_no_process_and_imports_no_torch(cluster, machines):
    text = f"""
import os, sys
from explorer.program import read_text
from explorer.sandbox import default_runner, layout
from explorer.sandbox.cluster import remote
from tests.sandbox.processes import children
remote.PATIENCE = 300.0
trace = default_runner().submit(read_text({SQUARE!r})).result()
assert trace.status == "ok" and layout("digraph {{ a -> b }}")
assert "torch" not in sys.modules and not children(os.getpid()), children(os.getpid())
"""
    subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, env=os.environ | machines.settings, check=True, timeout=PATIENT
    )
    machines.forget_layouts()


def test_bytes_and_one_name_travel(cluster, monkeypatch):
    """A call pickles only dask's own names, the name of our function, and the bytes."""
    from distributed.protocol import deserialize

    sent = []
    client = cluster.client(10)
    pass_on = client._send_to_scheduler
    monkeypatch.setattr(client, "_send_to_scheduler", lambda message: (sent.append(message), pass_on(message)))
    cluster_runner(cluster).submit(read_text(SQUARE)).result(PATIENT)
    (one,) = (message["expr_ser"] for message in sent if message["op"] == "update-graph")
    names = {name for frame in one.frames for name in named(bytes(frame))}
    ours = {(module, name) for module, name in names if module.partition(".")[0] != "dask"}
    assert ours == {("explorer.sandbox.cluster.task", "perform")}
    (task,) = deserialize(one.header, one.frames).dsk.values()
    assert task.func is perform and [type(argument) for argument in task.args] == [bytes]


def named(frame: bytes) -> set[tuple[str, str]]:
    """Return the modules and names that a pickle asks for."""
    found, texts = set(), []
    memo: list[str] = []
    try:
        for code, argument, _ in pickletools.genops(frame):
            if code.name in ("SHORT_BINUNICODE", "BINUNICODE"):
                texts.append(argument)
            elif code.name == "MEMOIZE":
                memo.append(texts[-1] if texts else "")
            elif code.name in ("BINGET", "LONG_BINGET"):
                texts.append(memo[argument])
            elif code.name == "STACK_GLOBAL":
                found.add((texts[-2], texts[-1]))
            elif code.name == "GLOBAL":
                found.add(tuple(argument.split(" ", 1)))
    except (ValueError, IndexError):  # not a pickle
        return set()
    return found


def test_a_pickles_globals_are_listed():
    assert named(pickle.dumps(perform)) == {("explorer.sandbox.cluster.task", "perform")}
    assert named(pickle.dumps([ChildLimits, limit_text, ChildLimits])) == {
        ("explorer.sandbox.protocol", "ChildLimits"),
        ("explorer.analysis.diagnose.messages", "limit_text"),
    }


def test_a_worker_answers_whatever_it_is_sent():
    from explorer.sandbox.cluster.nodes import Serving

    serving = Serving()
    too_long = encode_task("programs", "none", ChildLimits(1.0, 1.0, 1.0), 10, b"")[:-1]
    for data in (b"", b"no task", too_long):
        assert decode_answer(serving.perform("key", data), 10).outcome == "lost"
    with pytest.raises(ValueError, match="more than a reply"):
        decode_answer(bytes(10**8), 10)
    with pytest.raises(ValueError, match="or none"):
        decode_answer(Answer("reply"), 10)
    serving.close()


@pytest.mark.parametrize(
    "own, asked, held",
    [("none", "none", "none"), ("none", "seccomp and limits", "seccomp and limits"), ("full", "limits", "full")],
)
def test_a_worker_uses_the_stricter_confinement(own, asked, held, monkeypatch):
    from explorer.sandbox.cluster import nodes

    class Telling:
        """A runner whose calls return their required confinement."""

        def __init__(self, least):
            self.programs = self.layouts = self
            self._libraries = "a call finds none loaded"
            self.call = lambda request, order, most: self
            self.wait = lambda: Answer("crash", detail=f"{least}, {self._libraries}")
            self.ready = lambda seconds: True

        def start(self):
            self._libraries = "all loaded"

    monkeypatch.setattr(nodes, "Runner", Telling)
    task = encode_task("programs", asked, ChildLimits(1.0, 1.0, 1.0), 10, b"")
    worker = nodes.Serving(own)
    worker.preloaded(0)
    assert decode_answer(worker.perform("key", task), 10).detail == f"{held}, all loaded"


def test_an_abandoned_call_is_cancelled():
    from explorer.sandbox.cluster.nodes import Serving

    serving = Serving()
    serving.transition("key", "executing", "released")
    task = encode_task("programs", "none", ChildLimits(1.0, 1.0, 1.0), 10, b"")
    assert decode_answer(serving.perform("key", task), 10) == Answer("cancelled")
    assert eventually(lambda: serving._runners["none"].programs.pid is None)
    serving.close()
