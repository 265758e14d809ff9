import torch
w = torch.tensor(5.0, requires_grad=True)
for step in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
print(w)
