import torch

x = torch.tensor(3.0)
y = x * x
x.requires_grad_()
z = y + x
z.backward()
print(x.grad)
