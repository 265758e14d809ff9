"""seccomp: the system calls a process may still make, by name; every other answers "not permitted".

A call by the numbers of another system (32 bits, x32) ends the process: no program means it.

libseccomp turns names into this machine's numbers, on any architecture; pyseccomp reaches it by ctypes. Where the
library is missing nothing is filtered, and the report says so.
"""

import contextlib
import ctypes
import errno
import os
import socket
import struct
import sys
from functools import cache
from typing import Any

try:
    import pyseccomp
except (ImportError, RuntimeError):  # RuntimeError: the package is there, the system's library is not
    pyseccomp = None

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_SET_MODE_FILTER, _ALL_THREADS = 1, 1  # linux/seccomp.h
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEW*, all of them
_INSTRUCTION = struct.Struct("=HBBI")  # of a filter: code, where to go when it holds and when not, and a number
_ANYONE = 0x5AFEC0DE  # stands for a child's number; no process has it, and nothing else in a filter is it

# What a program's computation needs: memory, its pipes, time, its own signals, its own numbers, its end.
_COMPUTE = """
    brk mremap munmap mprotect madvise mincore membarrier
    read write readv writev pread64 lseek close fstat dup poll ppoll select pselect6 _newselect
    nanosleep gettimeofday time times getitimer setitimer alarm pause
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall
    set_robust_list rseq sched_yield getcpu getrandom
    getpid getppid gettid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid
    getrusage getrlimit uname exit exit_group
"""

# The clocks of the machine and of the caller; every number above is the processor time of some process.
_CLOCKS, _LAST_CLOCK = "clock_gettime clock_getres clock_nanosleep", 11

# What two runs could share at a page of a library: memory, and waiting until somebody says so there.
_MAP_KIND, _MAP_PRIVATE = 0x03, 0x02  # of the fourth argument of mmap
_FUTEX_PRIVATE = 128

# Modules imported late: finding and reading their files. Only where Landlock says which;
# elsewhere nothing is opened, and a file's being there cannot be asked for.
_LOOK = "access faccessat faccessat2 getdents64 stat lstat newfstatat statx getcwd"

# At which place the flags of an opening call stand, and those that would change something or leave Landlock aside.
_OPENING = {"open": 1, "openat": 2}

# What a preloaded parent does beside that: fork, watch, tell, and let its children confine themselves.
_SERVE = """
    fork wait4 waitid pidfd_open kill tgkill recvmsg recvfrom sendto sendmsg pipe2
    setpgid prctl seccomp prlimit64 setrlimit close_range dup2 dup3
    landlock_create_ruleset landlock_add_rule landlock_restrict_self
"""

# What may be asked of a descriptor; not, above all, that its being ready kills another process (F_SETOWN, F_SETSIG).
_REQUESTS = {
    "ioctl": [0x5401, 0x5421, 0x5450, 0x5451],  # TCGETS, FIONBIO, FIONCLEX, FIOCLEX
    "fcntl": [0, 1, 2, 3, 4, 1030],  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
}


def known() -> bool:
    """Whether libseccomp is there; without it there are no filters."""
    return pyseccomp is not None


def program_filter(pid: int, may_open: bool) -> bytes | None:
    """The filter of the child with this number, which computes, reads and writes what is open and signals itself.

    None without libseccomp. `may_open` lets it open files, which Landlock must bound then.
    """
    code = anyones_filter(may_open)
    if code is None:
        return None
    instructions = _INSTRUCTION.iter_unpack(code)
    return b"".join(_INSTRUCTION.pack(*jump, pid if number == _ANYONE else number) for *jump, number in instructions)


@cache
def anyones_filter(may_open: bool) -> bytes | None:
    """The same with `_ANYONE` for the number: made once by a parent, since it takes longer than to confine a child."""
    rules = _rules(may_open)
    if rules is None:
        return None
    for name in ("kill", "tgkill", "sched_getaffinity"):
        rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.EQ, _ANYONE))
    for name in ("prlimit64", "sched_getaffinity"):
        rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.EQ, 0))
    return _code(rules)


def parent_filter(may_open: bool) -> bytes | None:
    """The filter of a preloaded parent: a child's, and forking, but neither exec nor sockets that lead out of it."""
    rules = _rules(may_open)
    if rules is None:
        return None
    _allow(rules, _SERVE)
    _allow(rules, "sched_getaffinity")
    rules.add_rule(pyseccomp.ALLOW, "socketpair", pyseccomp.Arg(0, pyseccomp.EQ, socket.AF_UNIX))
    rules.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_NAMESPACES, 0))
    return _code(rules)


def install(code: bytes | None) -> bool:
    """Filters this process, all its threads, and all it forks. Needs no_new_privs. False where it does not hold."""
    if code is None:
        return False
    instructions = ctypes.create_string_buffer(code, len(code))
    count = len(code) // _INSTRUCTION.size
    program = _Program(count, ctypes.cast(instructions, ctypes.c_void_p))
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "seccomp")
    return _libc.syscall(number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0


class _Program(ctypes.Structure):  # struct sock_fprog
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _rules(may_open: bool) -> Any:
    if pyseccomp is None:
        return None
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    _allow(rules, _COMPUTE)
    for name in _CLOCKS.split():
        _try_rule(rules, pyseccomp.ALLOW, name, pyseccomp.Arg(0, pyseccomp.LE, _LAST_CLOCK))
    for name in ("mmap", "mmap2"):
        _try_rule(rules, pyseccomp.ALLOW, name, pyseccomp.Arg(3, pyseccomp.MASKED_EQ, _MAP_KIND, _MAP_PRIVATE))
    _try_rule(rules, pyseccomp.ALLOW, "futex", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, _FUTEX_PRIVATE, _FUTEX_PRIVATE))
    if may_open:
        _allow(rules, _LOOK)
        changing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_PATH | (os.O_TMPFILE & ~os.O_DIRECTORY)
        for name, place in _OPENING.items():
            _try_rule(rules, pyseccomp.ALLOW, name, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, changing, 0))
    for name, requests in _REQUESTS.items():
        for request in requests:
            rules.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(1, pyseccomp.EQ, request))
    # Its flags lie in memory, where a filter cannot read them: without it the C library takes clone.
    _try_rule(rules, pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    return rules


def _allow(rules: Any, names: str) -> None:
    for name in names.split():
        _try_rule(rules, pyseccomp.ALLOW, name)


def _try_rule(rules: Any, action: int, name: str, *arguments: Any) -> None:
    """A rule for a call that this architecture or this libseccomp may not know: then it stays forbidden."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if number >= 0:  # below are names of other architectures
        with contextlib.suppress(OSError):
            rules.add_rule(action, number, *arguments)


def _code(rules: Any) -> bytes:
    """The filter as the kernel reads it: at most a few kilobytes, so that a pipe holds it."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as out, os.fdopen(write, "wb") as into:
        rules.export_bpf(into)
        return os.read(out.fileno(), 1 << 16)
