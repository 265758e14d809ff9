# ruff: noqa: E501
"""Programs that have left Python altogether: machine code of their own, every system call, forged answers.

Each of QUIET is a function's body, run after START in one child with all others; it returns what it got hold of, which
must be nothing. Each of ENDING is a program that ends its own process in some way, and must harm no other.
"""

START = r"""
import ctypes, errno, mmap, os, signal, struct, sys
code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# the system call rdi with rsi, rdx, rcx, r8, r9 and the first number on the stack
code.write(bytes.fromhex("4889f8 4889f7 4889d6 4889ca 4d89c2 4d89c8 4c8b4c2408 0f05 c3".replace(" ", "")))
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
raw = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 7)(address)
memory = ctypes.create_string_buffer(1 << 16)
at = ctypes.addressof(memory)


def call(number, *given):
    values = [at if one is memory else one for one in given]
    held = [ctypes.create_string_buffer(one) if isinstance(one, bytes) else one for one in values]
    numbers = [ctypes.addressof(one) if hasattr(one, "raw") else one for one in held]
    return raw(number, *[*numbers, 0, 0, 0, 0, 0, 0][:6])


def opens(path, flags=0):
    found = call(NR["openat"], -100, path.encode(), flags, 0o600)
    if found >= 0:
        os.close(found)
    return found >= 0


def refused(answer):
    return answer in (-errno.EPERM, -errno.ENOSYS, -errno.EACCES)
"""

QUIET = {
    "descriptors that are open": """
        found = [fd for fd in range(4096) if call(NR["fstat"], fd, memory) >= 0]
        return [] if found[:3] == [0, 1, 2] and len(found) <= 5 else found""",
    # every system call, with nothing, with what is no address, and with memory of its own
    "all calls, zeros": "return answered(lambda n: (n, 0, 0, 0, 0, 0, 0))",
    "all calls, no addresses": "return answered(lambda n: (n, -1, -1, -1, -1, -1, -1))",
    "all calls, memory": "return answered(lambda n: (n, at, at, at, at, at, at))",
    "all calls, a descriptor": "return answered(lambda n: (n, 0, at, 8, 0, at, 8))",
    "all calls, itself": "return answered(lambda n: (n, os.getpid(), 0, at, 0, 0, 0))",
    "all calls, its parent": "return answered(lambda n: (n, os.getppid(), 0, at, 64, 0, 0))",
    # what can be asked of descriptors
    "all ioctls": """
        allowed = {0x5401, 0x5421, 0x5450, 0x5451}
        asked = [*range(0x5400, 0x5500), 0x40049409, 0x8004667e, 0xc0185500, *range(0x4B00, 0x4B80), *range(0x700, 0x740)]
        return [hex(n) for n in asked for fd in (0, 1, emergency) if n not in allowed and not refused(call(NR["ioctl"], fd, n, at))]""",
    "all fcntls": """
        allowed = {0, 1, 2, 3, 4, 1030}
        return [n for n in [*range(64), *range(1024, 1060)] if n not in allowed and not refused(call(NR["fcntl"], 1, n, 1))]""",
    "all ways to open": """
        changing = (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_PATH, os.O_TMPFILE)
        return [oct(flag) for flag in changing if opens(os.__file__, flag) or opens(os.__file__, flag | os.O_DIRECTORY)]""",
    "more descriptors than allowed": "fds = []\nwhile (fd := call(NR['dup'], 0)) >= 0: fds.append(fd)\n[os.close(fd) for fd in fds]\nreturn len(fds) > 64",
    # files
    "/proc": """
        own = "mem maps environ cmdline fd/0 status exe cwd root ns/net ns/user task auxv stack oom_score_adj setgroups uid_map"
        paths = [f"/proc/{pid}/{one}" for pid in ("self", os.getppid(), 1, "thread-self") for one in own.split()]
        paths += ["/proc", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/kcore", "/proc/kallsyms", "/proc/mounts"]
        return [path for path in paths if opens(path) or opens(path, os.O_WRONLY) or opens(path, os.O_PATH)]""",
    "/sys": "return [one for one in ('/sys', '/sys/fs/cgroup', '/sys/kernel/debug', '/sys/devices/system/cpu/online', '/sys/kernel/mm/ksm/run') if opens(one) or opens(one, 1)]",
    "/dev": "return [one for one in 'null zero full random urandom kmsg mem kvm fuse ptmx tty console shm mqueue net/tun vhost-net dri/card0 nvidia0 userfaultfd'.split() if opens('/dev/' + one) or opens('/dev/' + one, 2)]",
    "places of the machine": "return [one for one in '/ /etc /etc/passwd /etc/shadow /etc/hostname /etc/resolv.conf /root /home /tmp /var/tmp /run /run/docker.sock /var/log /boot /srv /opt /mnt'.split() if opens(one) or opens(one, os.O_DIRECTORY) or opens(one, os.O_PATH)]",
    "out of a library's folder": """
        folder = os.path.dirname(os.__file__)
        up = "/.." * 20
        found = [path for path in (f"{folder}{up}/etc/passwd", f"{folder}/./{up}/tmp", f"{folder}/json/../{up}/etc") if opens(path)]
        inner = call(NR["openat"], -100, folder.encode(), os.O_DIRECTORY, 0)
        return found + [one for one in ("../" * 20 + "etc/passwd", "../" * 20 + "tmp") if inner >= 0 and call(NR["openat"], inner, one.encode(), 0, 0) >= 0]""",
    "the canary": "return [flags for flags in (0, 1, 2, 0o1000, 0o2000, 0o100, os.O_PATH) if opens(CANARY, flags)] + [n for n in ('unlink', 'truncate', 'chmod', 'rmdir', 'mkdir', 'chown') if call(NR[n], CANARY.encode(), 0, 0) == 0]",
    "beside the canary": "return [n for n in ('mkdir', 'mknod', 'creat') if call(NR[n], (CANARY + n).encode(), 0o777, 0) >= 0] + [n for n in ('symlink', 'link', 'rename') if call(NR[n], CANARY.encode(), (CANARY + n).encode()) >= 0]",
    "through other calls": "return [n for n in ('openat2', 'open_by_handle_at', 'name_to_handle_at', 'open_tree', 'fsopen', 'fspick', 'quotactl', 'statfs', 'getxattr', 'inotify_add_watch', 'fanotify_mark', 'uselib', 'acct', 'swapon') if n in NR and not refused(call(NR[n], -100, CANARY.encode(), memory, 24))]",
    # other processes
    "signals": """
        others = [1, os.getppid(), 0, -1, -os.getpid(), -os.getppid(), os.getpid() + 1, os.getpid() - 1]
        found = [(pid, s) for pid in others for s in (0, 9, 15, 19) if call(NR["kill"], pid, s) >= 0]
        return found + [pid for pid in others if pid > 0 and call(NR["tgkill"], pid, pid, 9) >= 0]""",
    "signals with high bits": "return [high for high in range(32, 63) if call(NR['kill'], os.getppid() | 1 << high, 0) >= 0 or call(NR['tgkill'], os.getppid() | 1 << high, os.getppid(), 0) >= 0]",
    "queued signals": "return [n for n in ('rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'tkill', 'pidfd_send_signal') if not refused(call(NR[n], os.getppid(), os.getppid(), 0, memory))]",
    "tracing": "return [r for r in [*range(0, 25), *range(0x4200, 0x4212)] if not refused(call(NR['ptrace'], r, os.getppid(), memory, memory))]",
    "memory of others": "return [n for n in ('process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease', 'move_pages', 'migrate_pages', 'kcmp', 'get_robust_list') if not refused(call(NR[n], os.getppid(), memory, 1, memory, 1))]",
    "descriptors of others": "return [n for n in ('pidfd_open', 'pidfd_getfd') if not refused(call(NR[n], os.getppid(), 0, 0))]",
    "the clock of others": "return [pid for pid in (1, os.getppid(), os.getpid() + 1) for kind in (2, 3, 6) if call(NR['clock_gettime'], (~pid << 3 | kind) & 0xffffffff, memory) >= 0]",
    "limits of others": "return [pid for pid in (1, os.getppid()) if call(NR['prlimit64'], pid, 7, 0, memory) >= 0 or call(NR['sched_getaffinity'], pid, 128, memory) >= 0]",
    "its own limits": "return [k for k in (0, 1, 2, 3, 4, 6, 7, 9) if call(NR['prlimit64'], 0, k, struct.pack('QQ', 1 << 40, 1 << 40), 0) >= 0]",
    "accounts of others": "return [n for n in ('getpriority', 'ioprio_get', 'sched_getscheduler', 'sched_getparam', 'sched_getattr', 'getpgid', 'getsid', 'capget') if not refused(call(NR[n], 0 if n == 'getpriority' else os.getppid(), os.getppid(), memory, 64))]",
    # new processes
    "fork": "return [n for n in ('fork', 'vfork') if not refused(call(NR[n]))]",
    "clone with any flag": "return [bit for bit in range(33) if not refused(call(NR['clone'], 1 << bit | 17 * (bit > 8), 0, 0, 0, 0))]",
    "a thread": "return not refused(call(NR['clone'], 0x3d0f00, at + 4096, 0, 0, 0))",
    "clone3": "return not refused(call(NR['clone3'], struct.pack('11Q', *[0] * 11), 88))",
    "exec": "return [n for n in ('execve', 'execveat') if not refused(call(NR[n], sys.executable.encode(), memory, memory))]",
    "code without a file": "return [n for n in ('memfd_create', 'memfd_secret') if not refused(call(NR[n], b'x', 0))]",
    "namespaces": "return [bit for bit in range(7, 32) if not refused(call(NR['unshare'], 1 << bit))] + [n for n in ('setns', 'pivot_root', 'chroot', 'mount', 'umount2', 'mount_setattr', 'move_mount', 'fsmount', 'sethostname') if not refused(call(NR[n], 0, memory, memory, 0, memory))]",
    # rights
    "another user": "return [n for n in ('setuid', 'setgid', 'setreuid', 'setregid', 'setresuid', 'setresgid', 'setgroups', 'setfsuid', 'setfsgid', 'capset') if not refused(call(NR[n], 0, 0, 0))]",
    "prctl": "return [n for n in [*range(80), 0x53564d41, 0x59616d61, 0x4d575f46] if not refused(call(NR['prctl'], n, 1, memory, 0, 0))]",
    "another filter": "return [op for op in range(4) if not refused(call(NR['seccomp'], op, 0, struct.pack('QQ', 0, 0)))]",
    "another Landlock": "return [n for n in ('landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self') if not refused(call(NR[n], 0, 0, 1))]",
    "segments": "return [f for f in range(3) if not refused(call(NR['modify_ldt'], f, memory, 16))] + [c for c in (0x1001, 0x1002, 0x1003, 0x1012, 0x4001, 0x5001) if not refused(call(NR['arch_prctl'], c, at))]",
    "ports": "return [n for n in ('iopl', 'ioperm') if not refused(call(NR[n], 3, 1, 1))]",
    "personality": "return [n for n in (0, 0xffffffff, 0x0400000, 0x0040000) if not refused(call(NR['personality'], n))]",
    "keys": "return [n for n in ('add_key', 'request_key', 'keyctl') if not refused(call(NR[n], b'user', b'x', b'y', 1, -3))]",
    # the kernel's larger doors
    "io_uring": "return [n for n in ('io_uring_setup', 'io_uring_enter', 'io_uring_register', 'io_setup', 'io_submit') if not refused(call(NR[n], 8, memory, 0, 0))]",
    "bpf and perf": "return [c for c in range(40) if not refused(call(NR['bpf'], c, memory, 128))] + [call(NR['perf_event_open'], memory, 0, -1, -1, 0)] * (not refused(call(NR['perf_event_open'], memory, 0, -1, -1, 0)))",
    "userfaultfd": "return [f for f in (0, 1, 0o4000, 0o2000000) if not refused(call(NR['userfaultfd'], f))]",
    "kernel modules": "return [n for n in ('init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'reboot', 'syslog', 'settimeofday', 'clock_settime', 'adjtimex') if not refused(call(NR[n], 0, memory, memory))]",
    "sockets of every family": "return [(f, t) for f in range(48) for t in (1, 2, 3, 5) if not refused(call(NR['socket'], f, t, 0))] + [f for f in range(48) if not refused(call(NR['socketpair'], f, 1, 0, memory))]",
    "messages on what is open": "return [n for n in ('sendto', 'sendmsg', 'sendmmsg', 'recvfrom', 'recvmsg', 'recvmmsg', 'shutdown', 'connect', 'bind', 'listen', 'accept', 'accept4', 'getsockopt', 'setsockopt', 'getpeername', 'getsockname') for fd in (3, 4, emergency) if not refused(call(NR[n], fd, memory, 16, 0, 0, 0))]",
    "descriptors of other kinds": "return [n for n in ('eventfd', 'eventfd2', 'timerfd_create', 'timer_create', 'signalfd', 'signalfd4', 'epoll_create', 'epoll_create1', 'inotify_init', 'inotify_init1', 'fanotify_init', 'pipe', 'pipe2') if not refused(call(NR[n], 0, 0, memory, 8, 0))]",
    "moving bytes between descriptors": "return [n for n in ('splice', 'tee', 'vmsplice', 'sendfile', 'copy_file_range') if not refused(call(NR[n], emergency, 0, memory, 1, 0))]",
    # what two runs could share
    "shared memory by name": "return [n for n in ('shmget', 'shmat', 'shmctl', 'msgget', 'msgsnd', 'semget', 'semop', 'semtimedop', 'mq_open', 'mq_unlink') if not refused(call(NR[n], 0, 4096, 0o1777))]",
    "shared maps": "return [hex(f) for f in (0x01, 0x21, 0x03, 0x23, 0x121, 0x100022, 0x40021) if f & 3 != 2 and call(NR['mmap'], 0, 4096, 3, f, -1, 0) > 0]",
    "shared maps of a library": """
        fd = call(NR["openat"], -100, os.__file__.encode(), 0, 0)
        found = [f for f in (1, 3) if fd >= 0 and call(NR["mmap"], 0, 4096, 1, f, fd, 0) > 0]
        return found + [n for n in ("flock", "fsync", "fallocate", "ftruncate", "fchmod", "fchown", "futimesat", "fsetxattr") if fd >= 0 and not refused(call(NR[n], fd, 2, 0, 0))]""",
    "a futex that others see": "return [op for op in range(16) if not refused(call(NR['futex'], memory, op, 1, 0, 0, 0))] + [n for n in ('futex_waitv', 'futex_wake', 'futex_wait', 'futex_requeue') if n in NR and not refused(call(NR[n], memory, 1, 0, 0, 0))]",
    "a stack that grows": "return [hex(f) for f in (0x122, 0x102, 0x40122) if call(NR['mmap'], 0, 4096, 3, f, -1, 0) > 0]",
    "more memory than allowed": "return [size for size in (1 << 33, 1 << 36, 1 << 40) if call(NR['mmap'], 0, size, 3, 0x22, -1, 0) > 0 or call(NR['mremap'], at & ~4095, 4096, size, 1) > 0]",
    "memory that stays": "return [n for n in ('mlock', 'mlock2', 'mlockall', 'mbind', 'set_mempolicy', 'pkey_alloc', 'remap_file_pages', 'map_shadow_stack') if n in NR and not refused(call(NR[n], at & ~4095, 4096, 0, 0, 0))]",
    "a place that others see": "return [n for n in ('chdir', 'fchdir', 'umask', 'setsid', 'setpgid', 'vhangup', 'nice') if n in NR and not refused(call(NR[n], b'/', 0))]",
    "its own name": "return [n for n in ('set_tid_address', 'sched_setaffinity', 'sched_setscheduler', 'setpriority', 'ioprio_set') if not refused(call(NR[n], 0, 8, memory))]",
}

ENDING = {  # a program, and how its run ends: limits, or "end" where it may come to its end
    "the numbers of 32 bits": ("code[:16] = bytes.fromhex('5389f889f331c931d2cd805bc3909090')\nctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(address)(5, 0)", "crash"),
    "the numbers of x32": ("call(0x40000000 | 39)", "crash"),
    "code of 32 bits": ("code[:8] = bytes.fromhex('6a23 68 00000000 cb'.replace(' ', ''))\nctypes.CFUNCTYPE(ctypes.c_int)(address)()", "crash"),
    "a call that no filter sees": ("call(335)", "crash"),
    "no code at all": ("code[:2] = b'\\x0f\\x0b'\nctypes.CFUNCTYPE(ctypes.c_int)(address)()", "crash"),
    "nothing mapped any more": ("call(NR['munmap'], 0, 1 << 46)", "crash end"),
    "nothing readable any more": ("for at in range(0x1000, 1 << 24, 4096): pass\ncall(NR['mprotect'], address, 4096, 0)\ncall(39)", "crash"),
    "a fault that is handled for ever": ("signal.signal(signal.SIGSEGV, lambda *a: None)\nctypes.string_at(8)", "time"),
    "every signal ignored": ("for i in range(1, 65):\n    try: signal.signal(i, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass", "time"),
    "every signal blocked": ("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass", "time"),
    "a wait without an end": ("call(NR['ppoll'], 0, 0, 0, 0, 0)", "time"),
    "a stop": ("call(NR['kill'], os.getpid(), 19)", "time"),
    "its own channel read": ("[os.read(fd, 1 << 16) for fd in channels]", "time"),
    "its own channel closed": ("[os.close(fd) for fd in channels]", "crash"),
    "every descriptor closed": ("os.closerange(0, 64)", "crash"),
    "half an answer": ("[os.write(fd, HEAD.pack(REPLY, 1000) + b'x') for fd in channels]\nos._exit(0)", "crash"),
    "an answer that is announced too large": ("[os.write(fd, HEAD.pack(REPLY, 1 << 31)) for fd in channels]\nwhile True: pass", "result"),
    "an answer that is none": ("[os.write(fd, HEAD.pack(REPLY, 4) + b'junk') for fd in channels]", "result"),
    "a flood of messages": ("for fd in channels:\n    while True: os.write(fd, HEAD.pack(TOLD, 0))", "result"),
    "a flood of bytes": ("for fd in channels:\n    while True: os.write(fd, b'x' * 65536)", "result"),
    "a flood of its last words": ("while True: os.write(emergency, b'File \"<cell 999999>\", line 999999 in f\\n' * 1000)", "time"),
    "an abort in the middle": ("os.abort()", "crash"),
    "an end without a word": ("call(NR['exit_group'], 0)", "crash"),
    "a stack that overflows": ("sys.setrecursionlimit(1 << 30)\ndef f(): return f()\nf()", "crash time memory"),
    "all of its memory": ("kept = []\nwhile True: kept.append(bytearray(1 << 20))", "memory time"),
    "pages by the million": ("while call(NR['mmap'], 0, 4096, 3, 0x22, -1, 0) > 0: pass\nkept = [bytes(10**6) for _ in range(10**6)]", "memory time"),
    "advice of every kind": ("for advice in [*range(30), 100, 101, 102]: call(NR['madvise'], at & ~4095, 8192, advice)", "crash end"),
    "timers": ("signal.signal(14, signal.SIG_IGN)\n[call(NR['setitimer'], n, struct.pack('4Q', 0, 1, 0, 1), 0) for n in (0,)]\nanswer = 'on'", "end"),
}  # fmt: skip
