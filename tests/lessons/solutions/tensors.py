"""Further right answers of the chapter tensors."""

SOLUTIONS = {
    "tensors/creating countdown": [
        [("torch.arange(0, 10, 2)", "torch.arange(10, -2, -2)")],
        [("torch.arange(0, 10, 2)", "10 - 2 * torch.arange(6)")],
    ],
    "tensors/printing read-back": [
        [("y = torch.tensor([7, 8])", "y = torch.tensor([7, 8]).reshape(1, 2, 1)")],
        [("y = torch.tensor([7, 8])", "y = torch.tensor([[7], [8]]).unsqueeze(0)")],
    ],
    "tensors/shape turn": [
        [("A.reshape(4, 3)", "A.transpose(0, 1)")],
        [("A.reshape(4, 3)", "torch.stack([A[:, i] for i in range(4)])")],
    ],
    "tensors/dtype mean": [
        [("total = small", "mean = torch.mean(whole, dtype=torch.float32)\ntotal = small")],
        [("total = small", "mean = whole.sum() / len(whole)\ntotal = small")],
    ],
    "tensors/device own": [
        [("same = x.to(torch.float32)", "same = x.clone()")],
        [("same = x.to(torch.float32)", "same = torch.empty_like(x)\nsame.copy_(x)")],
    ],
    "tensors/random fair": [
        [("torch.randint(0, 6, (1000,))", "torch.randint(0, 6, (1000,)) + 1")],
        [("torch.randint(0, 6, (1000,))", "(torch.rand(1000) * 6).floor().long() + 1")],
    ],
    "tensors/elementwise slide-rule": [
        [("product = x * y", "product = (x.log() + y.log()).exp()")],
        [("product = x * y", "logs = torch.add(torch.log(x), torch.log(y))\nproduct = torch.exp(logs)")],
    ],
    "tensors/broadcasting gaps": [
        [("place - place", "place - place[:, None]")],
        [("place - place", "place.expand(3, 3) - place.unsqueeze(1)")],
    ],
    "tensors/silent-broadcast mend": [
        [("error = guess - target", "error = guess.squeeze(1) - target")],
        [("error = guess - target", "error = guess[:, 0] - target")],
    ],
    "tensors/indexing frame": [
        [("picture[0] = 1", "picture[:] = 1\npicture[1:-1, 1:-1] = 0")],
        [("picture[0] = 1", "picture[0] = picture[3] = 1\npicture[:, 0] = picture[:, 4] = 1")],
    ],
    "tensors/joining chessboard": [
        [("board = tile", "two = torch.cat([tile, tile])\nboard = torch.cat([two, two], 1)")],
        [("board = tile", "board = torch.cat([torch.cat([tile] * 2, dim=1)] * 2)")],
    ],
    "tensors/masks leaky": [
        [("y = x.clone()", "y = x.clone()\ny[y < 0] /= 10")],
        [("y = x.clone()", "y = torch.nn.functional.leaky_relu(x, 0.1)")],
    ],
    "tensors/gather other-axis": [
        [("best = scores[:1]", "best = torch.gather(scores, 0, torch.tensor([[1, 0, 0]]))")],
        [("best = scores[:1]", "best = scores.gather(0, scores.argmax(0, keepdim=True))")],
    ],
    "tensors/views separate": [
        [("rows = x.reshape(2, 3)", "rows = x.clone().reshape(2, 3)")],
        [("x[0] = 100", "rows = rows.clone()\nx[0] = 100")],
    ],
    "tensors/in-place reuse": [
        [("result = p + q", "torch.add(p, q, out=result)")],
        [("result = p + q", "result.copy_(p + q)")],
    ],
    "tensors/numpy back": [
        [("t = t + 5", "t.add_(5)")],
        [("t = t + 5", "t[:] = 5")],
    ],
}
