import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.add_(1)
y.sum().backward()
print(x.grad)
