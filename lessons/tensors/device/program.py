import torch

device = "cuda" if torch.cuda.is_available() else "cpu"

x = torch.ones(3, device=device)
x.to(torch.float64)

same = x.to(torch.float32)
same[0] = 7
