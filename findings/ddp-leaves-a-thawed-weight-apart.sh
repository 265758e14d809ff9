#!/usr/bin/env bash
# torch 2.13.0: DistributedDataParallel does not average the gradient of a parameter that was thawed after wrapping.
# Expected: all gradients of the wrapped model are averaged, or a word that this one is not, as in thawing layer by layer.
# Seen: the layer that was frozen when the model was wrapped keeps each process's own gradient, 1 and 2 here, while the
# other has the mean 1.5. After a step of the optimizer the processes train different models, and nothing says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import tempfile

import torch
import torch.distributed as dist


def work(rank, queue, meeting):
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    model = torch.nn.Sequential(*(torch.nn.Linear(1, 1, bias=False) for _ in range(2)))
    for weight in model.parameters():
        torch.nn.init.ones_(weight)
    model[0].weight.requires_grad_(False)
    wrapped = torch.nn.parallel.DistributedDataParallel(model)
    model[0].weight.requires_grad_(True)
    wrapped(torch.full((1, 1), 1.0 + rank)).sum().backward()
    queue.put([layer.weight.grad.item() for layer in model])
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
assert seen == [[1.0, 1.5], [2.0, 1.5]]
END
