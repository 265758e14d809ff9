"""Only the operating system's ring: harmful system calls, made by number.

Each of these was once a separate program. Harmful calls must be refused, and calls that programs need must not.
"""

import ast
import os
from functools import partial

import pyseccomp
import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, probe, systemcalls
from explorer.sandbox.parent import Parent
from explorer.trace import Options
from tests.patience import PATIENT

# Each line is a call and its arguments in Python. `own` is the path of a file that may be read in full.
CALLS = """
openat -100, b'/etc/passwd', 0, 0
openat -100, b'/etc/passwd', ctypes.c_ulong(1 << 40), 0
openat -100, b'/dev/null', os.O_RDWR, 0
openat -100, b'/dev/urandom', 0, 0
openat -100, b'/', os.O_DIRECTORY, 0
openat -100, b'/proc', os.O_DIRECTORY, 0
openat -100, b'/home', os.O_DIRECTORY, 0
openat -100, b'/tmp', os.O_TMPFILE | os.O_RDWR, 0o600
openat -100, own, os.O_RDWR, 0
openat -100, own, os.O_TRUNC, 0
openat -100, own, os.O_PATH, 0
openat -100, own + b'.new', os.O_CREAT, 0o600
openat2 -100, own, memory, 24
truncate own, 0
utimensat -100, own, 0, 0
chmod own, 0o777
unlink own
rename own, own + b'2'
linkat -100, own, -100, b'/tmp/link', 0
symlink b'a', b'/tmp/link'
mkdir b'/tmp/folder', 0o777
mknod b'/tmp/pipe', 0o10600, 0
readlink b'/proc/self/exe', memory, 100
getxattr own, b'user.x', memory, 100
statfs b'/', memory
name_to_handle_at -100, own, memory, memory, 0
flock 0, 2
fcntl 0, 1024, 0
fcntl 0, 1026, 1
fcntl 0, 5, memory
fcntl 0, 37, memory
fcntl emergency, 8, os.getppid()
fcntl emergency, 10, 9
fcntl emergency, 1031, 1 << 20
fcntl 0, 1033, 1
ioctl 0, 0x5412, b'x'
ioctl 0, ctypes.c_ulong(0x5412 | 1 << 32), b'x'
ioctl emergency, 0x5452, memory
ioctl 0, 0x40049409, 1
kill ctypes.c_ulong(os.getppid() | 1 << 32), 0
kill os.getppid(), 9
kill -os.getpid(), 0
kill 0, 9
kill -1, 0
tgkill os.getppid(), os.getppid(), 0
tkill os.getpid(), 0
rt_sigqueueinfo os.getppid(), 9, memory
pidfd_open os.getpid(), 0
pidfd_getfd 3, 0, 0
process_vm_readv os.getppid(), memory, 1, memory, 1, 0
process_madvise 3, memory, 1, 20, 0
kcmp os.getpid(), os.getppid(), 0, 0, 0
move_pages os.getppid(), 0, 0, 0, 0, 0
ptrace 16, os.getppid(), 0, 0
clone 17, 0, 0, 0, 0
clone 0x4111, 0, 0, 0, 0
clone 0x3d0f00, 0, 0, 0, 0
clone 0x800011, 0, 0, 0, 0
clone3 memory, 88
vfork
execve b'/bin/true', 0, 0
execveat emergency, b'', 0, 0, 0x1000
unshare 0x10000000
setns emergency, 0
prctl 4, 1
prctl 15, b'name'
prctl 0x59616d61, -1
prctl 38, 0
seccomp 1, 0, 0
bpf 0, memory, 48
perf_event_open memory, 0, -1, -1, 0
userfaultfd 1
io_uring_setup 8, memory
memfd_create b'x', 0
memfd_secret 0
eventfd2 0, 0
timerfd_create 0, 0
timer_create 0, 0, memory
signalfd4 -1, memory, 8, 0
epoll_create1 0
inotify_init1 0
fanotify_init 0, 0
pipe2 memory, 0
socketpair 1, 1, 0, memory
socket 1, 1, 0
socket 2, 1, 0
socket 10, 1, 0
socket 16, 3, 0
socket 17, 3, 0
socket 29, 3, 1
socket 31, 3, 0
socket 38, 5, 0
socket 40, 1, 0
socket 44, 3, 0
sendmsg 3, memory, 0
sendto 3, b'x', 1, 0, 0, 0
recvmsg 3, memory, 0
getsockopt 3, 1, 17, memory, memory
shmget 0, 4096, 0o1600
msgget 0, 0o1600
semget 0, 1, 0o1600
mq_open b'x', 0o102, 0o600, 0
add_key b'user', b'x', b'y', 1, -2
keyctl 0, -3, 0
mount b'none', b'/proc', b'proc', 0, 0
umount2 b'/proc', 2
mount_setattr -100, b'/', 0x8000, memory, 32
open_tree -100, b'/', 0
setuid 0
setresuid 0, 0, 0
setfsuid 0
setgroups 0, 0
capset memory, memory
capget memory, memory
personality 0x0040000
setpriority 0, 0, 5
getpriority 0, os.getppid()
ioprio_get 1, os.getppid()
sched_setaffinity 0, 8, memory
sched_setscheduler 0, 5, memory
umask 0
chdir b'/tmp'
chroot b'/'
setsid
setpgid 0, 0
prlimit64 os.getppid(), 7, 0, memory
setrlimit 7, memory
sysinfo memory
syslog 10, 0, 0
clock_settime 0, memory
adjtimex memory
modify_ldt 1, memory, 16
vmsplice emergency, memory, 1, 0
splice 0, 0, emergency, 0, 1, 0
sendfile emergency, 0, 0, 1
mlock memory, 4096
mbind memory, 4096, 0, 0, 0, 0
mmap 0, 4096, 3, 0x21, -1, 0
mmap 0, 4096, 1, 1, 0, 0
mmap 0, 4096, 3, 0x122, -1, 0
mmap 0, ctypes.c_ulong(1 << 40), 3, 0x22, -1, 0
futex memory, 1, 1, 0, 0, 0
arch_prctl 0x1001, 0
"""
# No program needs any of these.
NEVER = """
acct delete_module eventfd fanotify_mark finit_module fsmount fsopen fspick futex_requeue futex_wait futex_waitv
futex_wake get_robust_list getpgid getsid init_module inotify_add_watch inotify_init io_setup io_submit io_uring_enter
io_uring_register ioperm iopl ioprio_set kexec_load map_shadow_stack migrate_pages mlock2 mlockall move_mount mq_unlink
msgsnd open_by_handle_at pidfd_send_signal pipe pivot_root pkey_alloc process_mrelease process_vm_writev quotactl
reboot recvfrom remap_file_pages request_key rt_tgsigqueueinfo sched_getattr sched_getparam sched_getscheduler semop
set_mempolicy set_tid_address setfsgid setgid sethostname setregid setresgid setreuid settimeofday shmat signalfd swapon
tee uselib vhangup
"""
LINES = [line.partition(" ")[::2] for line in CALLS.strip().splitlines()]
LINES += [(name, "0, memory, memory, 0, 0, 0") for name in NEVER.split()]

REFUSED = {1, 12, 13, 38}  # not permitted, no memory, no access, no such call


def text(lines: list[tuple[int, str]]) -> str:
    made = "".join(
        f"    lambda: libc.syscall({', '.join(filter(None, [str(number), given]))}),\n" for number, given in lines
    )
    return (
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nmemory = ctypes.create_string_buffer(4096)\n"
        f"own = os.__file__.encode()\nmade = [\n{made}]\nanswer = []\n"
        "for call in made:\n    ctypes.set_errno(0)\n    answer.append(ctypes.get_errno() if call() == -1 else 0)\n"
        "answer = str(answer)"
    )


@pytest.fixture(
    params=[(), pytest.param(("landlock", "namespaces", "user"), marks=pytest.mark.thorough)],
    ids=["full", "seccomp and limits"],
)
def confined(request):
    runner = Runner("plain_child", make=partial(Parent, without=request.param))
    yield runner, not request.param
    runner.close()


def number(name: str) -> int:
    """Return a system call's number here; negative for another machine's."""
    return pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)


def test_only_computing_is_allowed(confined):
    numbers = [(number(name), given) for name, given in LINES]
    assert len(numbers) > 120
    known = [i for i, (one, _) in enumerate(numbers) if one >= 0]
    answers = ast.literal_eval(told(confined[0], text([numbers[i] for i in known])).text)
    assert [(LINES[i], said) for i, said in zip(known, answers, strict=True) if said not in REFUSED] == []


def test_unlisted_system_calls_are_refused_with_any_arguments(confined):
    runner, may_open = confined
    names = f"{systemcalls._COMPUTE} {systemcalls._CLOCKS} mremap madvise mmap futex ioctl fcntl kill tgkill"
    names += f" sched_getaffinity prlimit64 {f'{systemcalls._LOOK} open openat' if may_open else ''}"
    others = sorted({*range(335), *range(424, 600)} - {number(name) for name in names.split()})
    given = "0, 0, 0, 0, 0, 0", "-1, -1, -1, -1, -1, -1", ", ".join(["memory"] * 6), "os.getppid(), 0, memory, 64, 0, 0"
    asked = [(one, arguments) for one in others for arguments in given]
    answers = ast.literal_eval(told(runner, text(asked)).text)
    assert [(one, said) for one, said in zip(asked, answers, strict=True) if said not in REFUSED] == []


def told(runner: Runner, code: str, **options):
    return runner.submit(read_text(code), Options(**options)).result(PATIENT).cells[0].outputs[0]


@pytest.mark.thorough
def test_stopped_and_waiting_programs_end_at_the_limit(runner):
    assert told(runner, "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", time_limit=0.3).limit == "time"
    ignoring = "import signal\nfor i in range(1, 65):\n    try: signal.signal(i, signal.SIG_IGN)\n    except: pass\n"
    assert told(runner, f"{ignoring}while True: pass", time_limit=0.3).limit == "time"
    assert told(runner, "import signal\nsignal.alarm(1)\nsignal.pause()").detail == "SIGALRM"


def test_a_childs_address_space_is_its_parents_plus_300_mb(runner):
    """Whatever it does with the pages it shares: a library's page that it changes is its own, and is counted there."""
    bound = int(
        told(runner, "import resource\nanswer = str(resource.getrlimit(resource.RLIMIT_AS))").text[1:].split(",")[0]
    )
    with open(f"/proc/{runner.programs.pid}/statm") as file:
        assert bound <= int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE") + 300_000_000


def test_a_program_is_never_root(runner):
    assert (
        "0" not in told(runner, "import os\nanswer = ' '.join(map(str, os.getresuid() + os.getresgid()))").text.split()
    )


@pytest.mark.skipif(probe().level != "full", reason="needs its own mounts, and a kernel that can seal them")
def test_mounts_are_read_only(runner):
    with open(f"/proc/{runner.programs.pid}/mounts") as mounts:
        assert all(line.split()[3].split(",")[0] == "ro" for line in mounts)
