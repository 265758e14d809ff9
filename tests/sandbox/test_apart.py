"""Channels by which two runs could reach each other or count their neighbours."""

import ast
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec
import pyseccomp
import pytest

from explorer.paths import FONT_FOLDERS
from explorer.program import read_text
from explorer.sandbox import Runner, child_call, libraries, probe
from explorer.sandbox.parent import Parent
from explorer.sandbox.preloaded_process import search_path
from explorer.trace import Options
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS, child, looks, running, waiting

LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nplaces = [ctypes.c_long(), ctypes.c_long()]\n"


def number(call: str) -> int:
    """Return a system call's number on this machine."""
    return pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call)


@pytest.fixture(
    scope="module", params=["all", pytest.param("without Landlock and namespaces", marks=pytest.mark.thorough)]
)
def apart(request):
    without = () if request.param == "all" else {"landlock", "namespaces"}
    runner = Runner("plain_child", make=partial(Parent, without=without))
    runner.programs.start()
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


def told(runner: Runner, text: str):
    (output,) = runner.submit(read_text(text)).result(PATIENT).cells[0].outputs
    return ast.literal_eval(output.text)


@pytest.mark.thorough
def test_stream_flags_of_a_run_are_private(apart):
    flags = "import fcntl\nanswer = str([fcntl.fcntl(stream, fcntl.F_GETFL) for stream in range(3)])"
    before = told(apart, flags)
    sets = "import fcntl, os\nfor stream in range(3): fcntl.fcntl(stream, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)\n"
    changed = told(apart, f"{sets}{flags}")
    assert changed != before
    assert [told(apart, flags) for _ in range(3)] == [before] * 3  # for children forked ahead, and for others


@pytest.mark.thorough
def test_parallel_runs_do_not_share_settings(apart):
    text = f"import fcntl, os\nfcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)\n{ENDLESS}"
    run = apart.submit(read_text(text), Options(time_limit=PATIENT), session="one")
    assert eventually(lambda: run.seconds > 1)
    flags = told(apart, "import fcntl\nanswer = str(fcntl.fcntl(0, fcntl.F_GETFL))")
    assert not flags & os.O_NONBLOCK and not run.done()
    run.cancel()


FOREIGN = {
    "affinity": "os.sched_getaffinity({pid})",
    "scheduler": "os.sched_getscheduler({pid})",
    "priority": "os.getpriority(os.PRIO_PROCESS, {pid})",
    "group": "os.getpgid({pid})",
    "session": "os.getsid({pid})",
    "interval": "os.sched_rr_get_interval({pid})",
    "parameters": "os.sched_getparam({pid})",
    "limits": "__import__('resource').prlimit({pid}, 7)",
    "signal nothing": "os.kill({pid}, 0)",
    "open": "os.pidfd_open({pid})",
    "processor time": "__import__('time').clock_gettime((~{pid} << 3) | 2)",
    "processor time, to the tick": "__import__('time').clock_getres((~{pid} << 3) | 2)",
    "lock with priorities": f"libc.syscall({number('futex')}, word(pid), 8 | 128, 0, 0, 0, 0) == 0 or [][0]",
    "waiting for such a lock": f"libc.syscall({number('futex')}, word(pid), 6 | 128, 0, 0, 0, 0) == 0 or [][0]",
    "newer lock with priorities": f"libc.syscall({number('futex')}, word(pid), 13 | 128, 0, 0, 0, 0) == 0 or [][0]",
    "robust locks": f"libc.syscall({number('get_robust_list')}, {{pid}}, *map(ctypes.byref, places)) == 0 or [][0]",
}


@pytest.mark.thorough
@pytest.mark.parametrize("question", FOREIGN.values(), ids=FOREIGN)
def test_queries_about_other_processes_are_refused(apart, question):
    """Neither a running nor a missing process: different answers would distinguish them."""
    text = (
        f"{LIBC}answer, word = [], lambda pid: ctypes.byref(ctypes.c_uint32(pid))\n"
        "for pid in (os.getppid(), 1, 4_000_000):\n"
        f"    try: answer.append(str({question.replace('{pid}', 'pid')}))\n"
        "    except IndexError: answer.append(ctypes.get_errno())\n"
        "    except OSError as e: answer.append(e.errno)\nanswer = str(answer)"
    )
    assert told(apart, text) == [1, 1, 1]


def test_a_process_may_query_itself(apart):
    asked = "len(os.sched_getaffinity(0)), time.process_time(), time.monotonic()"
    text = f"import os, time\nanswer = str([told > 0 for told in ({asked})])"
    assert told(apart, text) == [True, True, True]


def test_memory_cannot_be_shared(apart):
    """Neither new memory nor library pages can be shared; a futex on a library page would connect all runs."""
    text = (
        f"{LIBC}libc.mmap.restype = ctypes.c_long\n"
        "shared = [libc.mmap(None, ctypes.c_size_t(4096), 3, flags | 32, -1, 0) for flags in (1, 3)]\n"
        "private = libc.mmap(None, ctypes.c_size_t(4096), 3, 34, -1, 0)\n"
        "page = ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~3\n"
        f"wake = [libc.syscall({number('futex')}, ctypes.c_void_p(page), op, 1, 0, 0, 0) for op in (0, 1, 1 | 128)]\n"
        "answer = str([shared, private > 0, wake])"
    )
    assert told(apart, text) == [[-1, -1], True, [-1, -1, 0]]


@looks
def test_a_child_shares_no_writable_memory_with_its_parent(apart, monkeypatch):
    monkeypatch.setattr(child_call, "LIFE_S", 0.1)  # no process stays for long
    assert eventually(lambda: not running(apart.programs.pid))  # wait for children of earlier tests
    run = apart.submit(read_text(ENDLESS), Options(time_limit=PATIENT))
    for pid in (apart.programs.pid, child(apart.programs.pid), *waiting(apart.programs.pid)):
        with open(f"/proc/{pid}/maps") as maps:
            kinds = {line.split()[1] for line in maps}
        assert kinds and not any(kind[1] == "w" and kind[3] == "s" for kind in kinds)
    run.cancel()


def test_the_machines_load_cannot_be_queried(apart):
    text = f"{LIBC}answer = str([libc.sysinfo(ctypes.create_string_buffer(256)), ctypes.get_errno()])"
    assert told(apart, text) == [-1, 1]


@pytest.mark.skipif(not probe().namespaces or os.geteuid() != 0, reason="needs its own mounts, and root to set times")
def test_reading_a_library_changes_no_access_time(runner):
    path = Path(libraries.__file__).parents[1] / "types.d.ts"  # no other code reads this file
    of = path.stat()
    os.utime(path, ns=(1, of.st_mtime_ns))
    assert told(runner, f"answer = str(len(open({str(path)!r}).read()) > 0)") is True
    assert path.stat().st_atime_ns == 1


FOREIGN_ABI = f"""{LIBC}
import mmap
code = bytes.fromhex({{code!r}})
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, ctypes.c_size_t(4096), 7, 34, -1, 0)
ctypes.memmove(page, code, len(code))
answer = str(ctypes.CFUNCTYPE(ctypes.c_long)(page)())
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="these are its other ways into the kernel")
@pytest.mark.parametrize(
    "code",
    ["b814000000cd80c3", "b827000040" + "0f05c3"],  # getpid: mov eax, 20; int 0x80 and mov eax, x32 | 39; syscall
    ids=["32 bits", "x32"],
)
def test_foreign_system_call_numbers_end_the_process(apart, code):
    """The whole process ends, including its watching thread; nothing runs on until the time limit."""
    (output,) = apart.submit(read_text(FOREIGN_ABI.format(code=code))).result(PATIENT).cells[0].outputs
    assert (output.limit, output.detail) == ("crash", "SIGSYS")


def test_the_servers_arguments_and_environment_are_not_in_memory(monkeypatch, tmp_path):
    """They are at the top of the stack, whose address getauxval reveals."""
    monkeypatch.setenv("OWNERS_SECRET", "variable-of-the-owner")
    monkeypatch.setenv("PYTHONPATH", "/path-of-the-owner")
    monkeypatch.syspath_prepend(str(tmp_path / "path-of-the-owner"))
    runner = Runner("plain_child")
    text = (
        f"import sys\n{LIBC}libc.getauxval.restype = ctypes.c_ulong\ntop = libc.getauxval(31)\n"
        "found = ctypes.string_at(top - 2000, 2000) + repr([sys.argv, sys.orig_argv, sys.path]).encode()\n"
        "answer = str([word in found for word in (b'HASHSEED', b'of-the-owner', b'plain_child', b'zygote')])"
    )
    assert told(runner, text) == [True, False, False, False]
    runner.close()


LATE = """
    colorsys sqlite3 ssl hashlib _ssl bz2 lzma zlib _decimal _ctypes readline curses xml.etree.ElementTree unittest.mock
    pyexpat zoneinfo asyncio multiprocessing concurrent.futures graphlib tomllib cProfile wave statistics turtle
"""


@pytest.mark.thorough
@pytest.mark.skipif(not probe().landlock, reason="without Landlock a child opens no file")
def test_late_imports_work(runner):
    """Includes extensions with libraries in system folders; modules missing in this Python are skipped."""
    here = subprocess.run(
        [sys.executable, "-c", _importing(LATE) + "print(answer)"], capture_output=True, text=True, check=True
    )
    assert told(runner, _importing(LATE)) == ast.literal_eval(here.stdout)


def _importing(names: str) -> str:
    return (
        f"import importlib\nanswer = []\nfor name in {names.split()}:\n"
        "    try: importlib.import_module(name)\n    except ImportError: answer.append(name)\nanswer = str(answer)\n"
    )


@pytest.mark.thorough
@pytest.mark.skipif(not probe().landlock, reason="without Landlock a child opens no file")
def test_only_single_libraries_in_system_folders_can_be_opened(runner):
    inside = [folder + os.sep for folder in libraries.folders()]
    candidates = [
        os.path.join(place, name)
        for top in ("/usr/lib", "/usr/share", "/etc", "/usr/local/lib", "/opt")
        for place, _, names in os.walk(top)
        for name in names
        if not any(os.path.join(place, name).startswith(folder) for folder in inside)
    ]
    candidates = random.Random(0).sample(candidates, min(1500, len(candidates)))
    text = (
        "import os\nopened = []\n"
        f"for path in {candidates!r}:\n"
        "    try: os.close(os.open(path, os.O_RDONLY)); opened.append(path)\n    except OSError: pass\n"
        "answer = str(opened)"
    )
    opened = told(runner, text)
    open_to_all = ("/locale/", "/gconv/", "/usr/share/fonts/")
    assert all(".so" in os.path.basename(path) or any(part in path for part in open_to_all) for path in opened)
    assert len(libraries.places()) < 200
    assert (
        told(
            runner,
            "import os\nanswer = []\nfor place in ('/usr/lib', '/usr', '/', '/etc', '/home', '/tmp'):\n"
            "    try: answer.append(os.listdir(place))\n    except OSError: pass\nanswer = str(answer)",
        )
        == []
    )


def readable() -> list[str]:
    """Return a file of each kind that SECURITY.md names, as far as this machine has it."""
    fonts = [Path(place, name) for top in FONT_FOLDERS for place, _, names in os.walk(top) for name in names]
    with open("/proc/self/maps") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if len(line.split(maxsplit=5)) == 6}
    package = Path(libraries.__file__).parents[1]
    return [
        *map(str, (os.__file__, msgspec.__file__, package / "types.d.ts", *fonts[:1], "/etc/ld.so.cache")),
        os.path.realpath(sys.executable),
        *sorted(path for path in mapped if os.path.basename(path).startswith("libc."))[:1],
        *sorted(path for path in mapped if path.startswith("/usr/lib/locale/"))[:1],
    ]


@pytest.mark.skipif(not probe().landlock, reason="without Landlock a child opens no file")
@pytest.mark.parametrize(
    "without", [(), pytest.param(("namespaces",), marks=pytest.mark.thorough)], ids=["all", "without namespaces"]
)
def test_only_named_kinds_of_files_can_be_read(without, tmp_path):
    (tmp_path / "private").write_text("private")
    beside = Path(libraries.__file__).parents[2] / "pyproject.toml"
    others = [tmp_path / "private", beside, __file__, Path.home() / ".profile", "/etc/passwd", "/etc/fonts/fonts.conf"]
    others += ["/etc/hostname", "/etc/ssl/openssl.cnf", "/proc/self/maps", "/proc/uptime", "/sys/kernel/notes"]
    others += ["/dev/null", "/dev/urandom", "/usr/bin/env", "/usr/share/zoneinfo/UTC", "/usr/lib/os-release"]
    text = (
        "import os\nanswer = []\nfor path, mode in {asked!r}:\n"
        "    try: descriptor = os.open(path, mode); answer.append(len(os.read(descriptor, 1))); os.close(descriptor)\n"
        "    except OSError: answer.append(-1)\nanswer = str(answer)"
    )
    reads, writes = ([(path, how) for path in readable()] for how in (os.O_RDONLY, os.O_RDWR))
    refused = [(str(path), os.O_RDONLY) for path in others]
    runner = Runner("plain_child", make=partial(Parent, without=set(without)))
    answers = [told(runner, text.format(asked=asked)) for asked in (reads, writes, refused)]
    runner.close()
    assert answers == [[1] * len(reads), [-1] * len(writes), [-1] * len(refused)]


@pytest.mark.skipif(not probe().landlock, reason="without Landlock a child opens no file")
def test_packages_in_another_folder_can_be_imported_and_neighbouring_files_cannot_be_read(tmp_path, monkeypatch):
    """As after `pip install --target`."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("three = 3")
    (tmp_path / "package-1.dist-info").mkdir()
    (tmp_path / "package-1.dist-info" / "RECORD").write_text("package/__init__.py,,\npackage-1.dist-info/METADATA,,\n")
    (tmp_path / "package-1.dist-info" / "METADATA").write_text("Name: package\nVersion: 1\n")
    (tmp_path / "private.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    runner = Runner("plain_child")
    imports = "import package\ntry: import private; private = 'read'\nexcept OSError: private = 'refused'\n"
    version = "from importlib.metadata import version\n"
    found = told(runner, f"{imports}{version}answer = str((package.three, version('package'), private))")
    runner.close()
    assert found == (3, "1", "refused")


def test_a_librarys_dependencies_are_read_from_it():
    import _ctypes

    names = libraries.needed(_ctypes.__file__)
    assert any(name.startswith("libffi") for name in names) and any(name.startswith("libc.") for name in names)
    assert libraries.needed(__file__) == [] == libraries.needed("/missing")


DROPPED = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
for capability in range(64): libc.prctl(24, capability, 0, 0, 0)
assert libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", 0, 0, 0, 0, 0, 0)) == 0
os.execv(sys.executable, [sys.executable, "-m", "explorer", "doctor"])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be root without rights")
@pytest.mark.thorough
def test_root_that_cannot_change_user_does_not_serve_strangers():
    """In a container without capabilities, a program would run as root despite the filter."""
    environment = search_path() | {"EXPLORER_HOSTED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", DROPPED], env=environment, capture_output=True, text=True, timeout=PATIENT
    )
    assert done.returncode == 1, done.stderr
    assert "level: limits" in done.stdout and "user" in done.stdout.rsplit("Missing:", 1)[1]
