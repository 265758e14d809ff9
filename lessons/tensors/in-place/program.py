import torch

x = torch.tensor([1, 2])
y = x
x = x + 10

a = torch.tensor([1, 2])
b = a
a += 10
