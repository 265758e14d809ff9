import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 2
x.data.mul_(10)
y.backward()
print(x.grad)
