import torch

x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), x)
y.sum().backward()
print(y)
print(x.grad)
