import torch

x = torch.tensor(3.0, requires_grad=True)
u = (x * x).detach()
z = u * x
z.backward()
print(z, x.grad)
