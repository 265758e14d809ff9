import torch
w = torch.tensor([2.0, -1.0], requires_grad=True)
for k in range(5):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w += 0.1 * w.grad
        w.grad.zero_()
    print(loss.item())
