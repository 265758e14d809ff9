import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x + 2
row = y[0]
row.mul_(10)
y.sum().backward()
print(y)
print(x.grad)
