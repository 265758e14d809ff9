import torch

A = torch.tensor([[3.0, 0.0],
                  [0.0, -2.0]])
U, S, Vh = torch.linalg.svd(A)
