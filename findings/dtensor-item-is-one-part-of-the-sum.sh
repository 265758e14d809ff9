#!/usr/bin/env bash
# torch 2.13.0: item() of the sum of a DTensor gives each process the sum of its own part.
# Expected: the sum, 6, as full_tensor() gives it, or an error: the tensor is one tensor whose parts are elsewhere.
# Seen: 1 in the first process and 5 in the other. sum() leaves the addition over the processes for later, and item() reads
# what lies here. A loss that is logged, or compared with a limit, is another number in each process.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import tempfile

import torch
import torch.distributed as dist
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh


def work(rank, queue, meeting):
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    whole = distribute_tensor(torch.arange(4.0), init_device_mesh("cpu", (2,)), [Shard(0)])
    total = whole.sum()
    queue.put((total.item(), float(total), total.full_tensor().item()))
    dist.barrier()
    dist.destroy_process_group()


context = torch.multiprocessing.get_context("fork")
queue = context.Queue()
with tempfile.TemporaryDirectory() as folder:
    processes = [context.Process(target=work, args=(rank, queue, f"{folder}/meeting")) for rank in range(2)]
    for process in processes:
        process.start()
    seen = sorted(queue.get(timeout=120) for _ in processes)
    for process in processes:
        process.join()
print(torch.__version__, seen)
assert seen == [(1.0, 1.0, 6.0), (5.0, 5.0, 6.0)]
END
