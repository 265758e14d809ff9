"""Kinds of training as people have them in their own processes, small: each returns the tensors it ends with."""

import contextlib
import copy
import itertools
import threading
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.patience import leave_process_group

STEPS = 3
HOSTS: dict[str, Callable[[], list]] = {}


def host(function: Callable[[], list]) -> Callable[[], list]:
    """One of HOSTS."""
    HOSTS[function.__name__] = function
    return function


def trained(model: nn.Module, loss: Callable[[], torch.Tensor], optimizer=None, **options) -> list:
    """Train with an optimizer; return losses, parameters with gradients, and buffers."""
    optimizer = (optimizer or torch.optim.SGD)(model.parameters(), lr=0.05, **options)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return [*losses, *state(model)]


def state(*models: nn.Module) -> list:
    """Parameters with their gradients, and buffers."""
    parameters = [one for model in models for one in model.parameters()]
    return [*parameters, *(one.grad for one in parameters), *(one for model in models for one in model.buffers())]


def perceptron(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers = [layer for a, b in itertools.pairwise(sizes) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


def squared(model: nn.Module, rows: int = 4, width: int = 3) -> Callable[[], torch.Tensor]:
    """Return a loss on new random rows."""
    return lambda: model(torch.randn(rows, width)).square().mean()


# ---- optimizers -----------------------------------------------------------------------------------------------------


@host
def plain_loop():
    w = torch.randn(3, requires_grad=True)
    for _ in range(STEPS):
        loss = (w * torch.randn(3)).sum().exp()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    return [w, w.grad, loss]


@host
def adam():
    return trained(model := perceptron(3, 4, 1), squared(model), torch.optim.Adam)


@host
def adamw_foreach():
    return trained(model := perceptron(3, 4, 1), squared(model), torch.optim.AdamW, foreach=True)


@host
def adam_fused():
    return trained(model := perceptron(3, 4, 1), squared(model), torch.optim.Adam, fused=True)


@host
def lbfgs():
    model, x = perceptron(2, 3, 1), torch.randn(5, 2)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        return loss

    return [*(optimizer.step(closure).detach() for _ in range(STEPS)), *state(model)]


@host
def a_schedule_and_clipping():
    model = perceptron(3, 4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    norms = []
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=False)
        squared(model)().backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 0.1))
        optimizer.step()
        schedule.step()
    return [*norms, torch.tensor(schedule.get_last_lr()), *state(model)]


@host
def accumulation():
    model = perceptron(3, 4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(2 * STEPS):
        (squared(model)() / 2).backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
    return state(model)


@host
def moving_average():
    model = perceptron(3, 4, 1)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    kept = trained(model, squared(model))
    average.update_parameters(model)
    average.update_parameters(model)
    return [*kept, *state(average)]


@host
def an_optimizer_in_the_backward():
    model = perceptron(3, 4, 1)
    optimizers = {one: torch.optim.SGD([one], lr=0.1) for one in model.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for one in model.parameters():
        one.register_post_accumulate_grad_hook(step)
    for _ in range(STEPS):
        squared(model)().backward()
    return state(model)


# ---- models ---------------------------------------------------------------------------------------------------------


class Block(nn.Module):
    """A block of a GPT."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.into, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (2, -1)).transpose(1, 2) for part in self.into(self.norm(x)).chunk(3, 2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1)
        x = x + self.drop(self.out(mixed.transpose(1, 2).flatten(2)))
        return x + self.drop(self.mlp(x))


@host
def gpt_with_dropout_and_tied_weights():
    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.at = nn.Embedding(11, 8), nn.Embedding(6, 8)
            self.blocks = nn.Sequential(*(Block(8) for _ in range(2)))
            self.head = nn.Linear(8, 11, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens):
            return self.head(self.blocks(self.embed(tokens) + self.at(torch.arange(tokens.shape[1]))))

    model = Gpt()

    def loss():
        tokens = torch.randint(11, (2, 6))
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    return trained(model, loss, torch.optim.AdamW)


@host
def packed_lstm():
    model = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True, dropout=0.2)

    def loss():
        packed = nn.utils.rnn.pack_padded_sequence(torch.randn(3, 4, 3), [4, 2, 1], batch_first=True)
        out, _ = nn.utils.rnn.pad_packed_sequence(model(packed)[0], batch_first=True)
        return out.square().mean()

    return trained(model, loss)


@host
def convolutions_with_batch_norm():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(True), nn.MaxPool2d(2), nn.Flatten())
    return trained(model, lambda: model(torch.randn(2, 1, 6, 6)).square().mean())


@host
def lazy_layers():
    model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))
    model(torch.ones(1, 3))
    return trained(model, squared(model))


@host
def spectral_norm():
    model = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
    return trained(model, squared(model))


@host
def an_embedding_with_sparse_gradients():
    model = nn.EmbeddingBag(6, 3, sparse=True)
    kept = trained(model, lambda: model(torch.randint(6, (2, 3))).square().sum())
    return [one.to_dense() if one.is_sparse else one for one in kept]


@host
def sparse_products():
    weight = torch.randn(3, 3).relu().to_sparse().requires_grad_()
    out = torch.sparse.mm(weight, torch.randn(3, 2, requires_grad=True))
    out.square().sum().backward()
    return [out, weight.grad.to_dense()]


@host
def nested_tensors():
    parts = [torch.randn(2, 3, requires_grad=True), torch.randn(1, 3, requires_grad=True)]
    out = torch.nested.as_nested_tensor(parts, layout=torch.jagged) * 2
    out.values().square().sum().backward()
    return [out.values(), *(one.grad for one in parts)]


# ---- adversaries and higher orders ----------------------------------------------------------------------------------


@host
def wgan_with_gradient_penalty():
    critic = perceptron(2, 4, 1)

    def loss():
        x = torch.randn(3, 2, requires_grad=True)
        out = critic(x)
        (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        return out.mean() + 10 * (slope.norm(2, 1) - 1).square().mean()

    return trained(critic, loss)


@host
def maml():
    model = perceptron(2, 3, 1)

    def loss():
        x = torch.randn(3, 2)
        fast = dict(model.named_parameters())
        for _ in range(2):
            inner = torch.func.functional_call(model, fast, (x,)).square().mean()
            slopes = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {name: one - 0.1 * slope for (name, one), slope in zip(fast.items(), slopes, strict=True)}
        return torch.func.functional_call(model, fast, (torch.randn(3, 2),)).square().mean()

    return trained(model, loss)


@host
def hessian_vector_products():
    x = torch.randn(3, requires_grad=True)
    value, product = torch.autograd.functional.hvp(lambda x: x.prod() * x.exp().sum(), x, torch.randn(3))
    return [value, product, torch.autograd.functional.jacobian(lambda x: x.sin() * x.sum(), x)]


@host
def gradients_by_sample():
    model = perceptron(2, 3, 1)
    held = {name: one.detach() for name, one in model.named_parameters()}

    def loss(held, x):
        return torch.func.functional_call(model, held, (x,)).square().sum()

    return list(torch.func.vmap(torch.func.grad(loss), (None, 0))(held, torch.randn(3, 2)).values())


@host
def func_transforms():
    def f(x):
        return x.sin().prod()

    x = torch.randn(3)
    out, pull = torch.func.vjp(f, x)
    return [torch.func.hessian(f)(x), torch.func.jacfwd(f)(x), out, *pull(torch.tensor(2.0))]


@host
def forward_mode():
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        out = forward_ad.make_dual(torch.randn(3), torch.randn(3)).exp().sum()
        return [part.clone() for part in forward_ad.unpack_dual(out)]


# ---- contexts of a training ------------------------------------------------------------------------------------------


def _checkpointed(reentrant: bool) -> list:
    first, last = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.3)), nn.Linear(3, 1)

    def loss():
        x = torch.randn(2, 3, requires_grad=True)
        return last(checkpoint(first, x, use_reentrant=reentrant)).sum()

    return trained(nn.ModuleList([first, last]), loss)


@host
def checkpoint_reentrant():
    return _checkpointed(True)


@host
def checkpoint_not_reentrant():
    return _checkpointed(False)


@host
def autocast_to_bfloat16():
    model = perceptron(3, 4, 1)

    def loss():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(torch.randn(2, 3)).float().square().mean()

    return trained(model, loss)


@host
def compiled():
    model = perceptron(3, 4, 1)
    return trained(model, squared(torch.compile(model, backend="eager")))


@host
def scripted():
    model = torch.jit.trace(perceptron(3, 4, 1), torch.ones(1, 3))
    return trained(model, squared(model))


@host
def distributed_in_one_process():
    with _process_group():
        model = nn.parallel.DistributedDataParallel(perceptron(3, 4, 1))
        return trained(model, squared(model))


@contextlib.contextmanager
def _process_group():
    group = torch.distributed
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        leave_process_group()


@host
def threads_that_compute():
    model, found = perceptron(3, 4, 1), {}
    rows = torch.randn(2, 4, 3)

    def work(i):
        found[i] = torch.autograd.grad(model(rows[i]).square().mean(), list(model.parameters()))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [*found[0], *found[1], *trained(model, squared(model))]


@host
def a_loader():
    rows = torch.utils.data.TensorDataset(torch.randn(6, 3))
    model = perceptron(3, 4, 1)
    batches = iter(torch.utils.data.DataLoader(rows, batch_size=2, shuffle=True))
    return trained(model, lambda: model(next(batches)[0]).square().mean())


@host
def hooks_of_all_kinds():
    model, seen = perceptron(3, 4, 1), []
    model[0].register_forward_pre_hook(lambda _, args: (args[0] * 2,))
    model[0].register_forward_hook(lambda *args: seen.append(args[2].detach().clone()))
    model[2].register_full_backward_hook(lambda _, into, out: seen.append(out[0].clone()))
    model[0].weight.register_hook(lambda gradient: gradient * 0.5)
    return [*trained(model, squared(model)), *seen]


@host
def saved_tensors_packed():
    model = perceptron(3, 4, 1)
    with torch.autograd.graph.saved_tensors_hooks(lambda one: one.double(), lambda one: one.float()):
        return trained(model, squared(model))


@host
def a_function_of_ones_own():
    class Clamped(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clamp(min=0)

        @staticmethod
        def backward(ctx, gradient):
            return gradient * (ctx.saved_tensors[0] > 0)

    model = nn.Linear(3, 3)
    return trained(model, lambda: Clamped.apply(model(torch.randn(2, 3))).sum())


class Named(torch.Tensor):
    """A subclass that counts how often torch asks it."""

    asked = 0

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        """Do what torch does, and count the call."""
        cls.asked += 1
        return super().__torch_function__(function, types, args, kwargs)


@host
def a_subclass_of_tensor():
    Named.asked = 0
    x = torch.randn(3).as_subclass(Named).requires_grad_()
    (x * 2).sum().backward()
    return [x.as_subclass(torch.Tensor), x.grad.as_subclass(torch.Tensor), torch.tensor(Named.asked)]


@host
def an_error_that_is_caught():
    model = perceptron(3, 4, 1)
    with contextlib.suppress(RuntimeError):
        model(torch.randn(2, 5))
    kept = trained(model, squared(model))
    loss = squared(model)()
    loss.backward()
    with contextlib.suppress(RuntimeError):
        loss.backward()
    return [*kept, *state(model)]


@host
def anomaly_mode():
    model = perceptron(3, 4, 1)
    with torch.autograd.detect_anomaly(check_nan=False):
        return trained(model, squared(model))


@host
def frozen_then_thawed():
    model = perceptron(3, 4, 1)
    model[0].requires_grad_(False)
    first = trained(model, squared(model))
    return [*first, *trained(model.requires_grad_(True), squared(model))]


@host
def copied_and_loaded():
    model = perceptron(3, 4, 1)
    kept = trained(model, squared(model))
    other = copy.deepcopy(model)
    other.load_state_dict({name: one * 2 for name, one in model.state_dict().items()})
    with torch.inference_mode():
        out = other(torch.ones(1, 3)).clone()
    return [*kept, *trained(other, squared(other)), out]


@host
def an_encoder_that_skips_padding():
    """In evaluation mode torch reads the layers' weights directly and skips padding: zeros, and another mean."""
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    x, padding = torch.rand(2, 4, 8), torch.tensor([[False, False, True, True], [False, False, False, True]])
    with torch.no_grad():
        read = encoder(x, src_key_padding_mask=padding), nn.MultiheadAttention(8, 2).eval()(x, x, x)[0]
    return [*read, encoder(x, src_key_padding_mask=padding)]


@host
def a_compiled_encoder():
    """The compiler knows only torch's functions. Any other would break the graph, which `fullgraph` forbids."""
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    compiled, x = torch.compile(encoder, backend="eager", fullgraph=True), torch.rand(2, 4, 8)
    with torch.no_grad():
        return [encoder(x), compiled(x), encoder(x)]
