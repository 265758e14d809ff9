import torch

s = torch.tensor(3.0)
v = torch.tensor([3.0])
A = torch.arange(6).reshape(2, 3)
T = A.T
