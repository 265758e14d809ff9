import torch

a = torch.tensor(0.3, requires_grad=True)
b = a
while b < 10:
    b = b * 3
if b > 20:
    c = b
else:
    c = 100 * b
c.backward()
print(a.grad)
