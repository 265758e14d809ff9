import torch

A = torch.arange(1, 10).reshape(3, 3)
t = torch.trace(A)
upper = torch.triu(A, diagonal=1)
middle = torch.diag(A)
back = torch.diag(middle)
