import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(5.0, requires_grad=True)
y = w * x * x
(dx,) = torch.autograd.grad(y, x)
print(dx, x.grad)
