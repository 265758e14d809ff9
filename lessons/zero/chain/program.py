import torch

x = torch.tensor(3.0, requires_grad=True)
u = x ** 2
y = 4 * u
y.backward()
