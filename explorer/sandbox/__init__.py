"""The runner: programs and layouts in confined children of preloaded parents.

Belongs here: starting, limiting, confining, watching and ending those processes, the turns, and reading their untrusted
replies. Does not belong here: executing programs (explorer.runtime), interpretation of Traces, and user-facing text.
Nothing here imports torch.

Server side: runner (programs of many sessions), access (the folder and network that users open to their programs),
fair_queue, parent (forks, on Linux) and spares (elsewhere), calls and child_call, staying (processes that answer about
their runs), watch and control_group, replies, preloaded_process, partial_traces, limits, layout, hosting. Inside the
processes: zygote, child_process, layout_child (explorer.workers has what they preload). Confinement: confine, with
landlock, libraries, systemcalls, identity, rlimits, memory_map. Between them: protocol. On other machines: cluster.
"""

from explorer.sandbox import hosting, systemcalls
from explorer.sandbox.access import CannotOpen, Opened
from explorer.sandbox.cluster.settings import BadScheduler, cluster_settings
from explorer.sandbox.confine import Confinement, probe
from explorer.sandbox.layout import can_lay_out, graph_svg, layout, layouts, start_layouts
from explorer.sandbox.limits import BadLimit, Limits, limits
from explorer.sandbox.partial_traces import limited_trace
from explorer.sandbox.runner import Cancelled, Runner, SubmittedRun, default_runner
