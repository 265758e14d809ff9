# How well programs are confined on this machine.

level = level
level-full = full
level-seccomp-and-limits = seccomp and limits
level-limits = limits
level-none = none
level-hint-full = programs of strangers may run here
level-hint-seccomp-and-limits = programs of strangers may run here, with one wall less around them
level-hint-limits = run only programs that you trust
level-hint-none = run only programs that you trust; the system does not even bound their memory

mechanism-rlimits = memory, time, descriptors and processes are bounded
mechanism-no_new_privs = nothing gains rights
mechanism-undumpable = no other process reads its memory
mechanism-descriptors = nothing of the server's is open
mechanism-environment = no environment variables
mechanism-user = neither root nor capabilities
mechanism-namespaces = no network, no other process in sight
mechanism-landlock = only libraries can be opened, nothing changed
mechanism-seccomp = allowlisted system calls only
mechanism-control_group = the kernel counts all memory, processes and computing of a run in a group of its own
system-unconfined = Only Linux confines programs: here nothing keeps them from your files and the network. The app itself ends a program that takes too long or too much memory.
missing-library = libseccomp is missing: install the package libseccomp2 of your system

hosted-refused = This server does not run programs: it is open to strangers, and the level of confinement here is “{ $level }”, at least “{ $needed }” is needed. Missing: { $missing }.
hosted-word = This server does not run programs: EXPLORER_HOSTED is “{ $word }”, which is neither yes ({ $yes }) nor no ({ $no }). Set it to one of these words and start the server again.
scheduler-address = EXPLORER_SCHEDULER is “{ $given }”. It has to be like tls://scheduler.example:8786, the place where the scheduler listens.
scheduler-plain = EXPLORER_SCHEDULER is “{ $given }”, but without certificates anyone on the network path could run programs there. Use tcp:// only on this machine, as in tcp://127.0.0.1:8786. Otherwise use tls://.
scheduler-certificates = EXPLORER_SCHEDULER is “{ $given }”, which needs certificates. Not set: { $missing }, each the path of a PEM file.
scheduler-unread = The certificates for EXPLORER_SCHEDULER cannot be used: { $reason }
server-full-of-yours = { $most ->
    [one] From your address one page is open, as many as one address may have here.
   *[other] From your address { $most } pages are open, as many as one address may have here.
 } Leave this page open: it begins by itself when one of them is closed.
left-out = { $count ->
    [one] One request of this page was left out: it was too large, or came too soon after others.
   *[other] { $count } requests of this page were left out: they were too large, or came too soon after one another.
 }
server-full = { $most ->
    [one] The only place of this server is taken.
   *[other] All { $most } places of this server are taken.
 } Leave this page open: it opens by itself when a place is free.
