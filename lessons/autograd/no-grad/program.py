import torch

x = torch.tensor(2.0, requires_grad=True)
y1 = x ** 2
with torch.no_grad():
    y2 = x ** 3
y = y1 + y2
y.backward()
print(x.grad)
