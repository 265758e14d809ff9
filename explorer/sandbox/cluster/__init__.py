"""Past one machine: programs and layouts run by workers of a dask.distributed cluster.

Here belongs what reads how the cluster is reached, sends calls to it as bytes, tells how they ended, and what a worker
and a scheduler are. Not here: what bounds and confines a program (the rest of explorer.sandbox, which a worker uses as
a server would), whose turn it is (the server decides that), and any text a person reads. Nothing here imports torch,
and dask only where a cluster is asked for.

In the server: settings, remote. Between server and worker: task. In a worker and in the scheduler: serving, nodes.
"""
