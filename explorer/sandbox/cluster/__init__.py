"""Programs and layouts on other machines: workers of a dask.distributed cluster.

Belongs here: the cluster's settings, calls sent to it as bytes, their endings, workers and schedulers. Does not belong
here: limits and confinement of a program (the rest of explorer.sandbox, which a worker uses as a server does), turns
(the server decides), and user-facing text. Nothing here imports torch, and dask is imported only for a configured
cluster.

In the server: settings, remote. Between server and worker: task. In a worker and in the scheduler: nodes.
"""
