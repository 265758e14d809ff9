import torch
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
y.backward()
x = x - 0.1 * x.grad
y = x ** 2
y.backward()
print(x.grad)
