import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([4.0, 3.0])
d = torch.dot(x, w)

A = torch.tensor([[1.0, 0.0],
                  [2.0, 1.0],
                  [0.0, 3.0]])
y = torch.mv(A, x)
G = torch.mm(A.T, A)
