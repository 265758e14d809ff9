import torch

x = torch.arange(12)
A = x.reshape(3, 4)
B = x.reshape(2, -1)
C = A.reshape(4, 3)
