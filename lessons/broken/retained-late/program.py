import torch
x = torch.tensor(2.0, requires_grad=True)
h = x * x
y = 3 * h
y.backward()
h.retain_grad()
print(h.grad)
