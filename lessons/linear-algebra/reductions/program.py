import torch

A = torch.arange(6.0).reshape(2, 3)
down = A.sum(axis=0)
across = A.mean(axis=1)
running = A.cumsum(axis=0)
