import torch

x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
y.backward()
with torch.no_grad():
    x -= 0.1 * x.grad
