import torch

drop = torch.nn.Dropout(0.5)
x = torch.ones(8, requires_grad=True)
with torch.no_grad():
    y = drop(3 * x)
print(y)
