"""Programs that reach into autograd: hooks, custom functions, checkpoints, torch.func, modes, graphs of gradients."""

VECTOR = "x = torch.tensor([1., 2.], requires_grad=True)\n"
RARE = {
    "a graph of a gradient": VECTOR
    + """
g, = torch.autograd.grad((x**3).sum(), x, create_graph=True)
print(g)
g.pow(2).sum().backward()
print(x.grad)
""",
    "hooks": VECTOR
    + """
y = x * 2
handle = y.register_hook(lambda g: g * 10)
y.retain_grad()
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
y.sum().backward(retain_graph=True)
handle.remove()
y.sum().backward()
print(x.grad, y.grad)
""",
    "a hook that writes into what it is given": VECTOR
    + """
y = x + 0
z = y * 1
y.register_hook(lambda g: g.mul_(2))
z.sum().backward()
print(x.grad)
""",
    "hooks on modules": """
m = torch.nn.Linear(2, 1)
m.register_forward_hook(lambda mod, args, out: print("forward", out.shape))
m.register_full_backward_hook(lambda mod, gi, go: print("backward", go[0]))
m(torch.ones(1, 2)).sum().backward()
print(m.weight.grad)
""",
    "gradients accumulate": VECTOR
    + """
for i in range(3):
    (x*x).sum().backward()
    print(x.grad, x.grad._version, x.grad is x.grad)
""",
    "saved-tensor hooks": VECTOR
    + """
n = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: (n.append("p"), t)[1], lambda t: (n.append("u"), t)[1]):
    y = (x*x).sum()
y.backward()
print(n, x.grad)
""",
    "checkpoint": VECTOR
    + """
from torch.utils.checkpoint import checkpoint
y = checkpoint(lambda t: (print("run"), t.sin().exp())[1], x, use_reentrant=False)
y.sum().backward()
print(x.grad)
""",
    "reentrant checkpoint": VECTOR
    + """
from torch.utils.checkpoint import checkpoint
y = checkpoint(lambda t: (print("run"), t.sin().exp())[1], x, use_reentrant=True)
y.sum().backward()
print(x.grad)
""",
    "func.grad": "f = lambda x: (x.sin()*x).sum()\nprint(torch.func.grad(f)(torch.tensor([1., 2.])))",
    "func.vjp, called later": "print(torch.func.vjp(torch.sin, torch.ones(3))[1](torch.ones(3)))",
    "func.vmap": "print(torch.func.vmap(lambda r: (r*r).sum())(torch.randn(3, 2)))",
    "func.jacrev": "print(torch.func.jacrev(lambda x: x**2)(torch.tensor([1., 2.])))",
    "func.jacfwd": "print(torch.func.jacfwd(lambda x: x**2)(torch.tensor([1., 2.])))",
    "func.hessian": "print(torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1., 2.])))",
    "func.jvp": "print(torch.func.jvp(lambda x: x**2, (torch.ones(2),), (torch.ones(2),)))",
    "vmap of grad": "print(torch.func.vmap(torch.func.grad(lambda x: (x**3).sum()))(torch.ones(3, 2)))",
    "func and autograd": VECTOR + "(torch.func.vmap(torch.sin)(x) * x).sum().backward()\nprint(x.grad)",
    "functional.jacobian": "print(torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1., 2.])))",
    "functional.hessian": "print(torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1., 2.])))",
    "functional_call": """
m = torch.nn.Linear(2, 1)
print(torch.func.functional_call(m, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2)))
""",
    "gradcheck": """
print(torch.autograd.gradcheck(torch.sin, (torch.randn(2, dtype=torch.float64, requires_grad=True),)))
""",
    "forward mode": """
import torch.autograd.forward_ad as fw
with fw.dual_level():
    d = fw.make_dual(torch.tensor([1., 2.]), torch.ones(2))
    print(fw.unpack_dual((d*d).sum()))
""",
    "anomaly detection": """
x = torch.tensor([0.], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        (torch.where(x > 0, x.sqrt(), x)).sum().backward()
    except RuntimeError as e:
        print(e)
""",
    "a thread": VECTOR
    + """
import threading
t = threading.Thread(target=lambda: (x*x).sum().backward())
t.start()
t.join()
print(x.grad)
""",
    "inference mode": """
with torch.inference_mode():
    x = torch.ones(3) * 2
    x += 1
print(x, x.is_inference())
try:
    (x * torch.ones(3, requires_grad=True)).sum().backward()
except RuntimeError as e:
    print(e)
""",
    "a custom function": VECTOR
    + """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, factor):
        ctx.save_for_backward(t)
        ctx.factor = factor
        ctx.mark_non_differentiable()
        return t * factor
    @staticmethod
    def backward(ctx, upstream):
        t, = ctx.saved_tensors
        print("backward", t.sum(), ctx.needs_input_grad, torch.is_grad_enabled())
        return upstream * ctx.factor, None
y = Scaled.apply(x, 3)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad, Scaled.backward.__name__)
""",
    "a custom function with setup_context": VECTOR
    + """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3, x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.set_materialize_grads(False)
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, first, second):
        print(first, second)
        return 3 * ctx.saved_tensors[0] ** 2 * first
out, same = Cube.apply(x)
out.sum().backward()
print(x.grad, out.grad_fn.name(), Cube.apply.__name__)
""",
    "a custom function that writes in place": VECTOR
    + """
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.mark_dirty(t)
        return t.mul_(2)
    @staticmethod
    def backward(ctx, upstream):
        return upstream * 2
y = x * 1
z = Doubled.apply(y)
print(z is y, y._version, y.grad_fn.name())
z.sum().backward()
print(x.grad)
""",
    "a custom function differentiated twice": VECTOR
    + """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t
    @staticmethod
    def backward(ctx, upstream):
        t, = ctx.saved_tensors
        return 2 * t * upstream
g, = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
g.sum().backward()
print(g, x.grad)
""",
    "a hook over several leaves": VECTOR
    + """
z = torch.ones(2, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook([x, z], lambda gs: print("all", gs))
(x * z).sum().backward()
print(x.grad, z.grad)
""",
    "hooks on nodes": VECTOR
    + """
y = (x * 2).sum()
y.grad_fn.register_prehook(lambda gs: print("before", gs))
y.grad_fn.register_hook(lambda out, gs: print("after", out, gs))
y.backward()
print(x.grad)
""",
    "gradients at edges": VECTOR
    + """
h = x * 2
edge = torch.autograd.graph.get_gradient_edge(h)
y = (h * h).sum()
print(torch.autograd.grad(y, [edge, x], retain_graph=True))
torch.autograd.backward([torch.autograd.graph.get_gradient_edge(y)], [torch.tensor(1.)])
print(x.grad)
""",
    "saved on the CPU": VECTOR
    + """
with torch.autograd.graph.save_on_cpu():
    y = (x.exp() * x).sum()
y.backward()
print(x.grad)
""",
    "writing into what was saved, allowed": VECTOR
    + """
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    h = x * 2
    y = h.exp()
    h.zero_()
    y.sum().backward()
print(x.grad, h)
""",
    "functional products": """
f = lambda t: t ** 3
v = torch.ones(2)
print(torch.autograd.functional.vjp(f, torch.tensor([1., 2.]), v), torch.autograd.functional.jvp(f, v, v))
print(torch.autograd.functional.hvp(lambda t: f(t).sum(), torch.tensor([1., 2.]), v))
""",
    "a gradient that is set by hand": VECTOR
    + """
(x * x).sum().backward()
g = x.grad
x.grad = None
(x * x).sum().backward()
x.grad *= 2
print(g, x.grad, x.grad is g)
del x.grad
print(x.grad)
""",
    "subclass": """
class Named(torch.Tensor):
    pass
t = torch.ones(2).as_subclass(Named)
print(type(t + 1), (t * 2).sum())
""",
    "torch function mode of one's own": """
from torch.overrides import TorchFunctionMode
class Counting(TorchFunctionMode):
    n = 0
    def __torch_function__(self, f, types, args=(), kwargs=None):
        Counting.n += 1
        return f(*args, **(kwargs or {}))
with Counting():
    torch.ones(2) + 1
print(Counting.n)
""",
    "dispatch mode of one's own": """
from torch.utils._python_dispatch import TorchDispatchMode
class Names(TorchDispatchMode):
    seen = []
    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        Names.seen.append(str(f))
        return f(*args, **(kwargs or {}))
with Names():
    (torch.ones(2) + 1).sum()
print(Names.seen)
""",
    "memory of a graph is released": """
import weakref
x = torch.ones(2, requires_grad=True)
y = (x * 2).exp()
there = weakref.ref(y)
y.sum().backward()
del y
print(there())
""",
}
