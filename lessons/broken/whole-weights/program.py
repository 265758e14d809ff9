import torch
weights = torch.tensor([1, 2, 3])
weights[0] = 0.7
x = torch.ones(3, requires_grad=True)
(weights * x).sum().backward()
print(x.grad)
