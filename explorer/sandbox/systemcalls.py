"""seccomp: the allowed system calls, by name. All others fail with "not permitted".

A call by another ABI's numbers (32 bits, x32) kills the process, because no honest program makes one.

libseccomp translates names to this machine's numbers on any architecture, through pyseccomp. Without the library
nothing is filtered, and doctor reports that.
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

Files = Literal["mounted", "given"] | None  # a child's own mounts, or a folder of the server's; None: no files
_NOTHING = pyseccomp.ERRNO(0) if pyseccomp else None  # the call does nothing and reports success
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_SET_MODE_FILTER, _ALL_THREADS = 1, 1  # linux/seccomp.h
_NEW_NAMESPACES, _NEW_MOUNTS = 0x7E020080, 0x00020000  # all CLONE_NEW* flags, then CLONE_NEWNS
_INSTRUCTION = struct.Struct("=HBBI")  # filter instruction: code, jumps for true and false, number
_ANYONE = 0x5AFEC0DE  # placeholder for a child's number, unused by processes and elsewhere in a filter

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

# Clocks of the machine and of the caller; larger numbers mean other processes' CPU time.
_CLOCKS, _LAST_CLOCK = "clock_gettime clock_getres clock_nanosleep", 11

# Shared memory without a file is not counted, and a shared file page is the child's own or read-only. The limit on
# writable memory ignores growing stacks. Scattered pages cost uncounted page tables, so a process chooses mapping
# addresses only within its window.
_MAP_KIND, _MAP_SHARED, _MAP_PRIVATE, _MAP_ANONYMOUS = 0x03, 0x01, 0x02, 0x20
_MAP_FIXED, _MAP_GROWSDOWN, _MAP_NOREPLACE = 0x10, 0x100, 0x100000
_MREMAP = (0, 1)  # flags of mremap: grow or shrink in place, and move to a place that the kernel chooses (MAYMOVE)
_INT = 0xFFFFFFFF  # the bits of an argument that is an int
_BLOCK = _INT << 32  # block of the window, from an address

# Advice on its own memory, except sharing equal pages, which reveals other processes' contents.
_ADVICE = (
    *(0, 1, 2, 3, 4, 8),  # MADV_NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTNEED, FREE
    *(10, 11, 14, 15, 16, 17, 18, 19),  # DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEP…
)

# Waiting within the process: FUTEX_WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, and the bitset variants. Priority
# inheritance would reveal processes and threads.
_FUTEXES, _FUTEX_PRIVATE, _FUTEX_REALTIME = (0, 1, 3, 4, 5, 9, 10), 128, 256

# Finding and reading late-imported modules, only with Landlock. Otherwise nothing can be opened, and files' existence
# cannot be tested.
_LOOK = "access faccessat faccessat2 getdents64 stat lstat newfstatat statx getcwd"

# The argument with the flags of an opening call, and the flags that would change files or bypass Landlock.
_OPENING = {"open": 1, "openat": 2}

# Calls for a child's own files, which Landlock chooses, and for entering a folder.
_CHANGE = """
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 umask
    ftruncate fsync fdatasync msync fallocate pwrite64 pwritev chdir fchdir readlink readlinkat
"""
# Modes, times and locks, which Landlock does not restrict. They affect only the child's files if everything else is
# mounted read-only, and otherwise do nothing. Locks always do nothing, because locks on a library's file would connect
# runs.
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

# Checked flags for writable files, and their required values. A file opened for reading cannot be truncated, which
# older versions of Landlock do not forbid.
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

# Allowed requests on a descriptor, never readiness signals to another process (F_SETOWN, F_SETSIG).
_REQUESTS = {
    "ioctl": [0x5401, 0x5421, 0x5450, 0x5451],  # TCGETS, FIONBIO, FIONCLEX, FIOCLEX
    "fcntl": [0, 1, 2, 3, 4, 1030],  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
}


def known() -> bool:
    """Return whether libseccomp is available. Without it there are no filters."""
    return pyseccomp is not None


def program_filter(
    pid: int, window: tuple[int, ...], may_open: bool, files: Files = None, network: bool = False
) -> bytes | None:
    """Return the filter of a child by number: compute, use descriptors, signal itself.

    None without libseccomp. `window`: as in ConfinedParent. `may_open` allows opening files and changing its own, which
    Landlock must then restrict. `network` allows connecting.
    """
    code = anyones_filter(window, may_open, files, network)
    if code is None:
        return None
    instructions = _INSTRUCTION.iter_unpack(code)
    return b"".join(_INSTRUCTION.pack(*jump, pid if number == _ANYONE else number) for *jump, number in instructions)


@cache
def anyones_filter(window: tuple[int, ...], may_open: bool, files: Files = None, network: bool = False) -> bytes | None:
    """Return the filter with `_ANYONE` as number, prepared once because building it is slow."""
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
    """Return a preloaded parent's filter: a child's plus forking, without exec or outside sockets.

    With `files` its children mount their own, and Landlock restricts opening. Their further calls are allowed here too.
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
    """Filter this process, its threads and forks. Needs no_new_privs. Returns False on failure."""
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
        _try_rule(rules, pyseccomp.ERRNO(errno.ENOTSUP), name)  # a copy then continues without them
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
    """Return the calls allowed for every process."""
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
    # Its flags are in memory, unreadable for a filter, so the C library falls back to clone.
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
    """Add a rule if libseccomp knows the call."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if number >= 0:  # negative numbers are names of other architectures
        with contextlib.suppress(OSError):
            rules.add_rule(action, number, *arguments)


def _code(rules: Any) -> bytes:
    """Return the filter as bytes for the kernel."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as out, os.fdopen(write, "wb") as into:
        rules.export_bpf(into)
        return os.read(out.fileno(), 1 << 16)
