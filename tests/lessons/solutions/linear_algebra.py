"""Further right answers of the chapter linear-algebra."""

SOLUTIONS = {
    "linear-algebra/scalars-to-matrices symmetric": [
        [("S = B", "S = 0.5 * (B + B.T)")],
        [("S = B", "S = torch.stack([B, B.T]).mean(0)")],
    ],
    "linear-algebra/reductions cube": [
        [("cube.sum(axis=0)", "cube.sum(axis=0).sum(axis=1)")],
        [("cube.sum(axis=0)", "torch.sum(cube, dim=(0, 2))")],
    ],
    "linear-algebra/keepdim one": [
        [("share = A / rows", "share = A / rows[:, None]")],
        [("share = A / rows", "share = (A.T / rows).T")],
    ],
    "linear-algebra/products rotate": [
        [("torch.eye(2)", "torch.tensor([[0., -1.], [1., 0.]])")],
        [("torch.eye(2)", "torch.eye(2).flip(0) * torch.tensor([[-1.0], [1.0]])")],
    ],
    "linear-algebra/norms unit": [
        [("unit = u", "unit = u / 13")],
        [("unit = u", "unit = torch.nn.functional.normalize(u, dim=0)")],
    ],
    "linear-algebra/triangles causal": [
        [("may = ones", "may = ones.tril()")],
        [("may = ones", "may = (torch.arange(4)[:, None] >= torch.arange(4)).float()")],
    ],
    "linear-algebra/cross triangle": [
        [("torch.linalg.norm(Q - P)", "torch.cross(Q - P, R - P, dim=0).norm() / 2")],
        [("torch.linalg.norm(Q - P)", "0.5 * torch.linalg.cross(P - R, Q - R).norm()")],
    ],
    "linear-algebra/inverse singular": [
        [("[4.0, 3.0]", "[0.0, 0.0]")],
        [("[2.0, 1.0]", "[4.0, 3.0]")],
    ],
    "linear-algebra/svd one-layer": [
        [("U @ torch.diag(S) @ Vh", "S[0] * torch.outer(U[:, 0], Vh[0])")],
        [("rough = U", "S[1:] = 0\nrough = U")],
    ],
}
