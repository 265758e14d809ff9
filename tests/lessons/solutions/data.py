"""Further right answers of the chapter data."""

SOLUTIONS = {
    "data/csv column": [
        [("homes.iloc[0]", "homes.iloc[:, 2]")],
        [("homes.iloc[0]", "homes.iloc[0:3, -1]")],
    ],
    "data/missing complete": [
        [("\nprint(f", '\nfilled["garden"] = filled["garden"].fillna("unknown")\nprint(f')],
        [("(homes.mean(numeric_only=True))", '({"size": homes["size"].mean(), "garden": "unknown"})')],
    ],
    "data/one-hot by-hand": [
        [("hot = codes", "hot = torch.nn.functional.one_hot(codes)")],
        [("hot = codes", "hot = (codes[:, None] == torch.arange(3)).float()")],
    ],
    "data/to-tensors multiply": [
        [("w = torch.tensor", "X = X.float()\nw = torch.tensor"), ("16.25])", "16.25])\nprice = X @ w")],
        [("table.to_numpy(dtype=float))", 'table.to_numpy(dtype="float32"))'), ("16.25])", "16.25])\nprice = X.mv(w)")],
    ],
}
