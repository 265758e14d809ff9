"""seccomp: the system calls that a process may still make, by name; all others fail with "not permitted".

A call by the numbers of another ABI (32 bits, x32) kills the process: no honest program makes one.

libseccomp turns names into this machine's numbers, on any architecture; pyseccomp reaches it by ctypes. Without the
library nothing is filtered, and doctor says so.
"""

import contextlib
import ctypes
import errno
import os
import socket
import struct
import sys
from functools import cache
from typing import Any, Literal

try:
    import pyseccomp
except (ImportError, RuntimeError):  # RuntimeError: the package is there, the system's library is not
    pyseccomp = None

Files = Literal["mounted", "given"] | None  # a child's own: its mounts, or a folder of the server's; None: no files
_NOTHING = pyseccomp.ERRNO(0) if pyseccomp else None  # the call does nothing, and says that it succeeded
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_SET_MODE_FILTER, _ALL_THREADS = 1, 1  # linux/seccomp.h
_NEW_NAMESPACES, _NEW_MOUNTS = 0x7E020080, 0x00020000  # CLONE_NEW*, all of them; CLONE_NEWNS
_INSTRUCTION = struct.Struct("=HBBI")  # of a filter: code, jumps for true and false, and a number
_ANYONE = 0x5AFEC0DE  # placeholder for a child's number; no process has it, and it occurs nowhere else in a filter

# Calls for computing: memory, its pipes, time, its own signals, its own ids, exit.
_COMPUTE = """
    brk munmap mprotect mincore membarrier
    read write readv writev pread64 lseek close fstat dup poll ppoll select pselect6 _newselect
    nanosleep gettimeofday time times getitimer setitimer alarm pause
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall
    set_robust_list rseq sched_yield getcpu getrandom
    getpid getppid gettid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid
    getrusage getrlimit uname exit exit_group
"""

# Clocks of the machine and of the caller; larger numbers mean other processes' processor time.
_CLOCKS, _LAST_CLOCK = "clock_gettime clock_getres clock_nanosleep", 11

# Memory that is shared without a file is not counted; a shared page of a file is the child's own, or read-only. The
# limit on writable memory does not count a stack that grows. Pages far apart cost page tables, which no limit counts:
# only in its window does a process choose the address of a mapping.
_MAP_KIND, _MAP_SHARED, _MAP_PRIVATE, _MAP_ANONYMOUS = 0x03, 0x01, 0x02, 0x20
_MAP_FIXED, _MAP_GROWSDOWN, _MAP_NOREPLACE = 0x10, 0x100, 0x100000
_MREMAP = (0, 1)  # flags of mremap: grow or shrink in place, and move to a place that the kernel chooses (MAYMOVE)
_INT = 0xFFFFFFFF  # the bits of an argument that is an int
_BLOCK = _INT << 32  # of an address: which block of the window

# Advice on memory of its own; not to share equal pages with other processes, which tells what those hold.
_ADVICE = (
    *(0, 1, 2, 3, 4, 8),  # MADV_NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTNEED, FREE
    *(10, 11, 14, 15, 16, 17, 18, 19),  # DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEP…
)

# Waiting within the process: FUTEX_WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, and the two with a bit set. Those with
# priority inheritance would tell which processes and threads exist.
_FUTEXES, _FUTEX_PRIVATE, _FUTEX_REALTIME = (0, 1, 3, 4, 5, 9, 10), 128, 256

# Finding and reading files of modules imported late. Only with Landlock; otherwise nothing can be opened, nor can a
# file's existence be tested.
_LOOK = "access faccessat faccessat2 getdents64 stat lstat newfstatat statx getcwd"

# The argument with the flags of an opening call, and the flags that would change files or bypass Landlock.
_OPENING = {"open": 1, "openat": 2}

# Calls for a child's own files, which Landlock chooses, and for entering a folder.
_CHANGE = """
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 umask
    ftruncate fsync fdatasync msync fallocate pwrite64 pwritev chdir fchdir readlink readlinkat
"""
# Modes, times and locks, which Landlock does not choose. They are the child's own where all else is mounted read-only;
# elsewhere they do nothing. Locks never do: those of a library's file would connect runs.
_ATTRIBUTES = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat"
_LOCKS = [5, 6, 7]  # requests of fcntl: F_GETLK, F_SETLK, F_SETLKW

# Calls for the network.
_CONNECT = """
    connect sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown getsockname getpeername getsockopt setsockopt
    epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
"""
_FAMILIES = (socket.AF_INET, socket.AF_INET6)

_CHANGING = (
    os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_PATH | (os.O_TMPFILE & ~os.O_DIRECTORY)
    if sys.platform == "linux"
    else 0
)

# The flags that are looked at where files may be written, and what they must be. One that is opened for reading cannot
# be truncated: older versions of Landlock do not forbid it.
_WRITING = (
    [
        (os.O_ACCMODE | os.O_PATH | os.O_TRUNC, os.O_RDONLY),
        *((os.O_ACCMODE | os.O_PATH, kind) for kind in (os.O_WRONLY, os.O_RDWR)),
    ]
    if sys.platform == "linux"
    else []
)

# Further calls of a preloaded parent: fork, watch, report, and confining its children.
_SERVE = """
    fork wait4 waitid pidfd_open kill tgkill recvmsg recvfrom sendto sendmsg pipe2
    setpgid prctl seccomp prlimit64 setrlimit close_range dup2 dup3
    landlock_create_ruleset landlock_add_rule landlock_restrict_self
"""

# Allowed requests on a descriptor; above all not that its readiness signals another process (F_SETOWN, F_SETSIG).
_REQUESTS = {
    "ioctl": [0x5401, 0x5421, 0x5450, 0x5451],  # TCGETS, FIONBIO, FIONCLEX, FIOCLEX
    "fcntl": [0, 1, 2, 3, 4, 1030],  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
}


def known() -> bool:
    """Whether libseccomp is available; without it there are no filters."""
    return pyseccomp is not None


def program_filter(
    pid: int, window: tuple[int, ...], may_open: bool, files: Files = None, network: bool = False
) -> bytes | None:
    """The filter of the child with this number: it may compute, use open descriptors and signal itself.

    None without libseccomp. `window`: as in ConfinedParent. `may_open` lets it open files, and change its own, which
    Landlock must bound then; `network` lets it connect.
    """
    code = anyones_filter(window, may_open, files, network)
    if code is None:
        return None
    instructions = _INSTRUCTION.iter_unpack(code)
    return b"".join(_INSTRUCTION.pack(*jump, pid if number == _ANYONE else number) for *jump, number in instructions)


@cache
def anyones_filter(window: tuple[int, ...], may_open: bool, files: Files = None, network: bool = False) -> bytes | None:
    """The filter with `_ANYONE` for the number: a parent prepares it once, since that takes longer than confining a
    child.
    """
    rules = _rules(window, may_open, files is not None)
    if rules is None:
        return None
    for name in ("kill", "tgkill", "sched_getaffinity"):
        rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.EQ, _ANYONE))
    for name in ("prlimit64", "sched_getaffinity"):
        rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.EQ, 0))
    if files is not None:
        _allow_files(rules, files)
    if network:
        _allow_network(rules)
    return _code(rules)


def parent_filter(window: tuple[int, ...], may_open: bool, files: bool = False, network: bool = False) -> bytes | None:
    """The filter of a preloaded parent: a child's and forking, but neither exec nor outside sockets.

    With `files` its children mount their own, and Landlock bounds what they open; their further calls are allowed here
    too.
    """
    rules = _rules(window, may_open, files)
    if rules is None:
        return None
    _allow(rules, _SERVE)
    _allow(rules, "sched_getaffinity")
    rules.add_rule(pyseccomp.ALLOW, "socketpair", pyseccomp.Arg(0, pyseccomp.EQ, socket.AF_UNIX))
    rules.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_NAMESPACES, 0))
    if files:
        _allow(rules, "mount mount_setattr capset capget openat open")
        _try_rule(rules, pyseccomp.ALLOW, "unshare", pyseccomp.Arg(0, pyseccomp.EQ, _NEW_MOUNTS))
        _allow_files(rules, "mounted")
    if network:
        _allow_network(rules)
    return _code(rules)


def install(code: bytes | None) -> bool:
    """Filter this process, all its threads, and all its forks. Needs no_new_privs. Returns False if it fails."""
    if code is None:
        return False
    instructions = ctypes.create_string_buffer(code, len(code))
    count = len(code) // _INSTRUCTION.size
    program = _Program(count, ctypes.cast(instructions, ctypes.c_void_p))
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "seccomp")
    return _libc.syscall(number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0


class _Program(ctypes.Structure):  # struct sock_fprog
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _allow_files(rules: Any, files: Literal["mounted", "given"]) -> None:
    _allow(rules, _CHANGE)
    mounted = files == "mounted"
    for name in _ATTRIBUTES.split():
        _try_rule(rules, pyseccomp.ALLOW if mounted else _NOTHING, name)
    if mounted:
        _allow(rules, "truncate")
    for name in ("listxattr", "llistxattr", "flistxattr"):
        _try_rule(rules, pyseccomp.ERRNO(errno.ENOTSUP), name)  # a copy then goes on without them
    _try_rule(rules, _NOTHING, "flock")
    for request in _LOCKS:
        _try_rule(rules, _NOTHING, "fcntl", pyseccomp.Arg(1, pyseccomp.EQ, request))
    refused = _MAP_KIND | _MAP_ANONYMOUS | _MAP_GROWSDOWN | _MAP_FIXED | _MAP_NOREPLACE
    for name in ("mmap", "mmap2"):
        shared = pyseccomp.Arg(0, pyseccomp.EQ, 0), pyseccomp.Arg(3, pyseccomp.MASKED_EQ, refused, _MAP_SHARED)
        _try_rule(rules, pyseccomp.ALLOW, name, *shared)


def _allow_network(rules: Any) -> None:
    _allow(rules, _CONNECT)
    for family in _FAMILIES:
        rules.add_rule(pyseccomp.ALLOW, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))


def _rules(window: tuple[int, ...], may_open: bool, files: bool) -> Any:
    """The calls that every process may make. `files`: whether it may open some for writing."""
    if pyseccomp is None:
        return None
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    _allow(rules, _COMPUTE)
    for name in _CLOCKS.split():
        _try_rule(rules, pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.LE, _LAST_CLOCK))
    _allow_memory(rules, window)
    for waiting in _FUTEXES:
        called = pyseccomp.Arg(1, pyseccomp.MASKED_EQ, _INT & ~_FUTEX_REALTIME, _FUTEX_PRIVATE | waiting)
        _try_rule(rules, pyseccomp.ALLOW, "futex", called)
    if may_open:
        _allow(rules, _LOOK)
        for name, place in _OPENING.items():
            for refused, kind in _WRITING if files else [(_CHANGING, os.O_RDONLY)]:
                _try_rule(rules, pyseccomp.ALLOW, name, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, refused, kind))
    for name, requests in _REQUESTS.items():
        for request in requests:
            rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(1, pyseccomp.EQ, request))
    # Its flags are in memory, which a filter cannot read; the C library then falls back to clone.
    _try_rule(rules, pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    return rules


def _allow_memory(rules: Any, window: tuple[int, ...]) -> None:
    for name in ("mmap", "mmap2"):
        refused = _MAP_KIND | _MAP_GROWSDOWN | _MAP_FIXED | _MAP_NOREPLACE
        free = pyseccomp.Arg(0, pyseccomp.EQ, 0), pyseccomp.Arg(3, pyseccomp.MASKED_EQ, refused, _MAP_PRIVATE)
        _try_rule(rules, pyseccomp.ALLOW, name, *free)
        for block in window:
            there = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _BLOCK, block)
            fixed = pyseccomp.Arg(3, pyseccomp.MASKED_EQ, refused, _MAP_PRIVATE | _MAP_FIXED)
            _try_rule(rules, pyseccomp.ALLOW, name, there, fixed)
    for flags in _MREMAP:
        _try_rule(rules, pyseccomp.ALLOW, "mremap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, _INT, flags))
    for advice in _ADVICE:
        _try_rule(rules, pyseccomp.ALLOW, "madvise", pyseccomp.Arg(2, pyseccomp.MASKED_EQ, _INT, advice))


def _allow(rules: Any, names: str) -> None:
    for name in names.split():
        _try_rule(rules, pyseccomp.ALLOW, name)


def _try_rule(rules: Any, action: int, name: str, *arguments: Any) -> None:
    """Add a rule for a call that this architecture or libseccomp may not know: then it stays forbidden."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if number >= 0:  # negative numbers are names of other architectures
        with contextlib.suppress(OSError):
            rules.add_rule(action, number, *arguments)


def _code(rules: Any) -> bytes:
    """The filter as bytes for the kernel: a few kilobytes, which fit into a pipe."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as out, os.fdopen(write, "wb") as into:
        rules.export_bpf(into)
        return os.read(out.fileno(), 1 << 16)
