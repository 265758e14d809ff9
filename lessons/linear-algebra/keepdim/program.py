import torch

A = torch.tensor([[1.0, 3.0],
                  [6.0, 2.0]])
rows = A.sum(axis=1)
share = A / rows
