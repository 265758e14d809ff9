import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(2.0)
p = w + x
q = w + 1
y = p * q
y.backward()
print(w.grad)
