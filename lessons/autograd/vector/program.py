import torch

x = torch.tensor([5.0, 6.0, 7.0], requires_grad=True)
y = x.cumsum(0)
v = torch.tensor([1.0, 1.0, 1.0])
y.backward(v)
print(y)
print(x.grad)
