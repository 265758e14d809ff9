import torch

x = torch.tensor(2.0, requires_grad=True)
for step in range(3):
    y = x * x
    y.backward()
    print(step, x.grad)
