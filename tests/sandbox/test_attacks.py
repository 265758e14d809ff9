"""What the operating system refuses a program that nothing else holds back: no language ring, plain Python, ctypes."""

import os
from functools import partial

import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, probe
from explorer.sandbox.parent import Parent
from tests.patience import PATIENT
from tests.sandbox.processes import MAY_LOOK

SECRET = "only for its owner"
TRY = "try:\n    answer = 'did: ' + str({})\nexcept BaseException as e:\n    answer = 'refused: ' + type(e).__name__"


@pytest.fixture(scope="module", params=["all", "without Landlock, namespaces and another user"])
def attacked(request):
    without = () if request.param == "all" else {"landlock", "namespaces", "user"}
    runner = Runner("plain_child", make=partial(Parent, without=without))
    yield runner
    runner.close()


def told(runner: Runner, text: str) -> str:
    trace = runner.submit(read_text(text)).result(PATIENT)
    (output,) = trace.cells[0].outputs
    return output.text


@pytest.fixture
def secret(tmp_path):
    tmp_path.chmod(0o777)
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o666)
    return path


FILES = {
    "read": "open({0!r}).read()",
    "append": "open({0!r}, 'a').write('x')",
    "truncate": "__import__('os').truncate({0!r}, 0)",
    "delete": "__import__('os').unlink({0!r})",
    "rename": "__import__('os').rename({0!r}, {0!r} + '2')",
    "link": "__import__('os').link({0!r}, {0!r} + '2')",
    "symbolic link": "__import__('os').symlink({0!r}, {0!r} + '2')",
    "permissions": "__import__('os').chmod({0!r}, 0)",
    "times": "__import__('os').utime({0!r}, (0, 0))",
    "folder": "__import__('os').mkdir({0!r} + '2')",
    "pipe": "__import__('os').mkfifo({0!r} + '2')",
    "through descriptors": "__import__('os').open({0!r}, __import__('os').O_PATH)",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("attempt", FILES.values(), ids=FILES)
def test_files_of_the_machine_are_out_of_reach(attacked, secret, attempt):
    before = secret.stat()
    assert told(attacked, TRY.format(attempt.format(str(secret)))).startswith("refused: ")
    assert secret.read_text() == SECRET
    assert os.listdir(secret.parent) == ["secret"]
    assert (secret.stat().st_mode, secret.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


OTHERS = {
    "fork": "__import__('os').fork()",
    "exec": "__import__('os').execv('/bin/true', ['true'])",
    "spawn": "__import__('os').posix_spawn('/bin/true', ['true'], {})",
    "subprocess": "__import__('subprocess').run(['/bin/true'])",
    "shell": "int(__import__('os').system('true') == 0) or [][0]",
    "thread": "__import__('_thread').start_new_thread(print, ())",
    "multiprocessing": "__import__('multiprocessing').Process(target=print).start()",
    "kill the parent": "__import__('os').kill(__import__('os').getppid(), 9)",
    "look for the parent": "__import__('os').kill(__import__('os').getppid(), 0)",
    "kill everybody": "__import__('os').kill(-1, 9)",
    "kill the group": "__import__('os').killpg(0, 9)",
    "kill the parent when a pipe is ready": "[__import__('fcntl').fcntl(emergency, 8, __import__('os').getppid())]",
    "choose the signal of a pipe": "__import__('fcntl').fcntl(emergency, 10, 9)",
    "become root": "__import__('os').setuid(0)",
    "list processes": "__import__('os').listdir('/proc')",
    "read the environment": "open('/proc/self/environ').read()",
    "read memory": "open('/proc/self/mem', 'rb')",
    "list folders": "__import__('os').listdir('/')",
    "list home": "__import__('os').listdir('/home')",
    "password file": "open('/etc/passwd').read()",
    "devices": "open('/dev/urandom', 'rb').read(1)",
    "internet socket": "__import__('socket').socket()",
    "unix socket": "__import__('socket').socket(1)",
    "pair of sockets": "__import__('socket').socketpair()",
    "netlink": "__import__('socket').socket(16, 3, 0)",
    "name lookup": "__import__('socket').create_connection(('localhost', 80), 1)",
    "file in memory": "__import__('os').memfd_create('x')",
    "named shared memory": "__import__('_posixshmem').shm_open('/x', 0o102, 0o600)",
    "raise a limit": "__import__('resource').setrlimit(7, (4096, 4096))",
    "limits of the parent": "__import__('resource').prlimit(__import__('os').getppid(), 7)",
    "change folder": "__import__('os').chdir('/tmp')",
    "change root": "__import__('os').chroot('/tmp')",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("attempt", OTHERS.values(), ids=OTHERS)
def test_processes_network_and_rights_are_out_of_reach(attacked, attempt):
    attacked.programs.start()  # with everything: a parent of one short program would be replaced
    before = attacked.programs.pid
    assert told(attacked, TRY.format(attempt)).startswith("refused: ")
    assert before == attacked.programs.pid


def test_a_program_sees_no_other_process(attacked):
    if probe().landlock and not probe().namespaces:
        pytest.skip("it may look at names, and /proc is the machine's")
    text = "import os\nanswer = str([os.path.exists(f'/proc/{pid}') for pid in (1, os.getpid(), os.getppid())])"
    assert told(attacked, text) == "[False, False, False]"


def test_libraries_that_no_program_imported_yet_can_be_imported(runner):
    assert told(runner, "import sys\nold = 'colorsys' in sys.modules\nimport colorsys\nanswer = str(old)") == "False"


def test_the_parent_has_given_up_what_its_children_have(runner):
    with open(f"/proc/{runner.programs.pid}/status") as file:
        fields = dict(line.split(":\t", 1) for line in file.read().splitlines())
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"
    assert "0" not in fields["Uid"].split()
    for namespace in ("net", "ipc", "mnt", "uts") if probe().namespaces and MAY_LOOK else ():
        assert os.readlink(f"/proc/{runner.programs.pid}/ns/{namespace}") != os.readlink(f"/proc/self/ns/{namespace}")
