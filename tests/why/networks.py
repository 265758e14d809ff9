"""Programs with a few training steps of usual networks, whose tensors are too large to record in full."""

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
"""

MLP = """
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 3))
loss = F.cross_entropy(model(torch.randn(64, 10)), torch.randint(0, 3, (64,)))
loss.backward()
"""

CNN = """
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AvgPool2d(2),
    nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * 8 * 8, 10),
)
loss = F.cross_entropy(model(torch.randn(16, 3, 32, 32)), torch.randint(0, 10, (16,)))
loss.backward()
"""

TRANSFORMER = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(50, 32), nn.Parameter(torch.randn(16, 32) * 0.1)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 50)
    def forward(self, ids):
        return self.head(self.enc(self.tok(ids) + self.pos))
model = Model()
ids = torch.randint(0, 50, (8, 17))
loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
loss.backward()
"""

LSTM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(40, 16)
        self.lstm, self.gru = nn.LSTM(16, 24, 2, batch_first=True), nn.GRU(24, 24, batch_first=True)
        self.cell, self.head = nn.LSTMCell(24, 24), nn.Linear(24, 40)
    def forward(self, ids):
        h, _ = self.gru(self.lstm(self.emb(ids))[0])
        state = None
        for t in range(h.shape[1]):
            state = self.cell(h[:, t], state)
        return self.head(state[0])
model = Model()
ids = torch.randint(0, 40, (8, 12))
loss = F.cross_entropy(model(ids[:, :-1]), ids[:, -1])
loss.backward()
"""

GAN = """
G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 20), nn.Tanh())
D = nn.Sequential(nn.Linear(20, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for step in range(3):
    real, fake = torch.randn(32, 20), G(torch.randn(32, 8))
    right = F.binary_cross_entropy_with_logits(D(real), torch.ones(32, 1))
    d_loss = right + F.binary_cross_entropy_with_logits(D(fake.detach()), torch.zeros(32, 1))
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = F.binary_cross_entropy_with_logits(D(fake), torch.ones(32, 1))
    og.zero_grad()
    g_loss.backward()
    og.step()
"""

UNET = """
def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU())
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.mid = block(1, 8), block(8, 16), block(16, 16)
        self.up, self.up1, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), block(16, 8), nn.Conv2d(8, 1, 1)
    def forward(self, x):
        a = self.down1(x)
        b = self.mid(self.down2(F.max_pool2d(a, 2)))
        return self.out(self.up1(torch.cat([self.up(b), a], 1)))
model = UNet()
x = torch.randn(4, 1, 16, 16)
loss = F.mse_loss(model(x), (x > 0).float())
loss.backward()
"""

NETWORKS = {"mlp": MLP, "cnn": CNN, "transformer": TRANSFORMER, "lstm": LSTM, "gan": GAN, "unet": UNET}
