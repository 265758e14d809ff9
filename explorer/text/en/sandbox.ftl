# How well programs are confined on this machine.

level = level
level-full = full
    .hint = programs from strangers may run here
level-seccomp-and-limits = seccomp and limits
    .hint = programs from strangers may run here, but one layer of protection is missing
level-limits = limits
    .hint = run only programs that you trust
level-none = none
    .hint = run only programs that you trust, because the system doesn't even limit their memory

mechanism =
    .rlimits = memory, time, descriptors and processes are limited
    .no_new_privs = no process gains rights
    .undumpable = no other process reads its memory
    .descriptors = none of the server's descriptors are open
    .environment = no environment variables
    .user = no root, no capabilities
    .namespaces = no network, no other process visible
    .landlock = only libraries can be opened, and nothing can be changed
    .seccomp = allowlisted system calls only
    .control_group = each run has its own group, in which the kernel counts memory, processes and CPU time
system-unconfined = Only Linux confines programs. Here they can access your files and the network. The app itself stops programs that run too long or use too much memory.
missing-library = libseccomp is missing: install your system's package libseccomp2

hosted-refused = This server does not run programs: it is open to strangers, but its level of confinement is only “{ $level }”, and at least “{ $needed }” is required. Missing: { $missing }.
hosted-word = This server does not run programs: EXPLORER_HOSTED is “{ $word }”, which is neither yes ({ $yes }) nor no ({ $no }). Set it to one of these words and restart the server.
scheduler-address = EXPLORER_SCHEDULER is “{ $given }”. It must be the scheduler's address, such as tls://scheduler.example:8786.
scheduler-plain = EXPLORER_SCHEDULER is “{ $given }”, but without certificates anyone on the network path could run programs there. Use tcp:// only on this machine, as in tcp://127.0.0.1:8786. Otherwise use tls://.
scheduler-certificates = EXPLORER_SCHEDULER is “{ $given }”, which needs certificates. Not set: { $missing }. Each must be the path of a PEM file.
scheduler-unread = The certificates for EXPLORER_SCHEDULER cannot be used: { $reason }
server-full-of-yours = { $most ->
    [one] One page is already open from your address, which is the limit here.
   *[other] { $most } pages are already open from your address, which is the limit here.
 } Leave this page open: it starts when another page is closed.
left-out = { $count ->
    [one] One request of this page was dropped because it was too large or too soon after another.
   *[other] { $count } requests of this page were dropped because they were too large or too close together.
 }
server-full = { $most ->
    [one] The only place on this server is taken.
   *[other] All { $most } places on this server are taken.
 } Leave this page open: it starts when a place becomes free.
