import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * x * x
y.backward(retain_graph=True)
y.backward()
print(x.grad)
