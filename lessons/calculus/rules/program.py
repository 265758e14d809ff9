import torch

x = torch.tensor(3.0, requires_grad=True)
u = x ** 2
v = 3 * x + 1
y = u * v
y.backward()
