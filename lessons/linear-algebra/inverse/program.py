import torch

A = torch.tensor([[2.0, 1.0],
                  [1.0, 1.0]])
b = torch.tensor([5.0, 3.0])

x = torch.linalg.solve(A, b)
inverse = torch.linalg.inv(A)
power = A ** -1
print(x, inverse, power)
