import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(curve,) = torch.autograd.grad(slope, x)
print(slope, curve)
