"""Optimisers: a step of torch.optim, from a state that it reached itself; lion, lamb and lars, which
PyTorch doesn't have, from their papers."""

import torch
from composites.table import normal, uniform

CLOSE = "rel 4e-6 abs 2e-7"


def step_of(kind, state, options, n=1):
    """step(p, g, *arrays): the parameter and state after one step. state: names in torch.optim's
    state, in the order of the arrays; n: this is the n-th step."""

    def step(p, g, *arrays):
        arrays = arrays[:len(state)]
        q = p.clone().requires_grad_()
        optimizer = kind([q], foreach=False, **options)
        q.grad = torch.zeros_like(p)
        optimizer.step()  # makes the state
        with torch.no_grad():
            q.copy_(p)
            for name, array in zip(state, arrays, strict=True):
                optimizer.state[q][name] = array.clone()
            if "step" in optimizer.state[q]:
                optimizer.state[q]["step"] = torch.tensor(float(n - 1))
        q.grad = g.clone()
        optimizer.step()
        return q.detach(), *(optimizer.state[q][name] for name in state)

    return step


def arrays(t, *names):
    made = {"p": normal(3, 7), "g": normal(3, 7)}
    for name in names:
        made[name] = uniform(0.01, 2, 3, 7) if name in "vsuw" else normal(3, 7)
    return made


ADAM = ("exp_avg", "exp_avg_sq")


def nadam(product, options, n):
    def step(p, g, m, v):
        return step_of(torch.optim.NAdam, (*ADAM, "mu_product"), options, n)(
            p, g, m, v, torch.tensor(product, dtype=torch.float64))

    return step


def adams(t):
    for name, kind in (("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)):
        t.pointwise(f"{name}(p, g, m, v)", step_of(kind, ADAM, {}), CLOSE, **arrays(t, "m", "v"))
        t.pointwise(f"{name}(p, g, m, v, 0.1, 0.8, 0.95, 0.01, 0.3, 7)",
                    step_of(kind, ADAM, dict(lr=0.1, betas=(0.8, 0.95), eps=0.01,
                                             weight_decay=0.3), 7), CLOSE, **arrays(t, "m", "v"))
        t.pointwise(f"{name}(p, g, m, v, lr, step=n, v_max=w, maximize=True)",
                    step_of(kind, (*ADAM, "max_exp_avg_sq"),
                            dict(lr=0.2, amsgrad=True, maximize=True), 3),
                    CLOSE, **arrays(t, "m", "v", "w"), lr=0.2, n=3)
    for n in (1, 4, 6, 100):
        t.pointwise(f"radam(p, g, m, v, step={n})", step_of(torch.optim.RAdam, ADAM, {}, n), CLOSE,
                    **arrays(t, "m", "v"))
    for decoupled in (False, True):
        options = dict(lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3, maximize=True,
                       decoupled_weight_decay=decoupled)
        t.pointwise(f"radam(p, g, m, v, 0.1, 0.8, 0.95, 0.01, 0.3, 40, True, {decoupled})",
                    step_of(torch.optim.RAdam, ADAM, options, 40), CLOSE, **arrays(t, "m", "v"))
        options["momentum_decay"] = 0.01
        t.add(f"nadam(p, g, m, v, 0.7, 0.1, 0.8, 0.95, 0.01, 0.3, 0.01, 4, True, {decoupled})",
              nadam(0.7, options, 4), CLOSE, 2, **arrays(t, "m", "v"))
    t.add("nadam(p, g, m, v)", nadam(1.0, {}, 1), CLOSE, 2, **arrays(t, "m", "v"))
    t.pointwise("nadam(p, g, m, v)[:3]", lambda *a: nadam(1.0, {}, 1)(*a)[:3], CLOSE,
                **arrays(t, "m", "v"))
    state = ("exp_avg", "exp_inf")
    t.pointwise("adamax(p, g, m, u)", step_of(torch.optim.Adamax, state, {}), CLOSE,
                **arrays(t, "m", "u"))
    t.pointwise("adamax(p, g, m, u, 0.1, 0.8, 0.95, 0.01, 0.3, 7, True)",
                step_of(torch.optim.Adamax, state,
                        dict(lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3,
                             maximize=True), 7), CLOSE, **arrays(t, "m", "u"))


def gradients(t):
    sgd, buffer = torch.optim.SGD, ("momentum_buffer",)
    t.pointwise("sgd(p, g)", step_of(sgd, (), {}), CLOSE, **arrays(t))
    t.pointwise("sgd(p, g, lr=a, weight_decay=0.25)",
                step_of(sgd, (), dict(lr=0.1, weight_decay=0.25)), CLOSE, **arrays(t), a=0.1)
    t.pointwise("sgd(p, g, b, 0.1, 0.9)", step_of(sgd, buffer, dict(lr=0.1, momentum=0.9)), CLOSE,
                **arrays(t, "b"))
    options = dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.2)
    for name in ("sgd", "sgd_momentum"):
        t.pointwise(f"{name}(p, g, b, 0.1, momentum=0.9, dampening=0.3, weight_decay=0.2)",
                    step_of(sgd, buffer, options), CLOSE, **arrays(t, "b"))
    t.pointwise("sgd_momentum(p, g, b)", step_of(sgd, buffer, dict(momentum=0.9)), CLOSE,
                **arrays(t, "b"))
    t.pointwise("sgd(p, g, buffer=b, momentum=0.8, nesterov=True, maximize=True)",
                step_of(sgd, buffer, dict(momentum=0.8, nesterov=True, maximize=True)), CLOSE,
                **arrays(t, "b"))
    rms = torch.optim.RMSprop
    t.pointwise("rmsprop(p, g, v)", step_of(rms, ("square_avg",), {}), CLOSE, **arrays(t, "v"))
    t.pointwise("rmsprop(p, g, v, buffer=b, lr=0.1, alpha=0.9, eps=0.01, weight_decay=0.2, "
                "momentum=0.8)",
                step_of(rms, ("square_avg", "momentum_buffer"),
                        dict(lr=0.1, alpha=0.9, eps=0.01, weight_decay=0.2, momentum=0.8)), CLOSE,
                **arrays(t, "v", "b"))
    small = {"a": normal(3, 7, scale=0.05), "v": uniform(0.5, 2, 3, 7)}
    t.pointwise("rmsprop(p, g, v, mean=a, maximize=True)",
                lambda p, g, a, v: step_of(rms, ("square_avg", "grad_avg"), dict(
                    centered=True, maximize=True))(p, g, v, a), CLOSE, **arrays(t), **small)

    def both(p, g, b, a, v):
        q, v, b, a = step_of(rms, ("square_avg", "momentum_buffer", "grad_avg"), dict(
            centered=True, momentum=0.9))(p, g, v, b, a)
        return q, v, b, a

    t.pointwise("rmsprop(p, g, v, b, a, momentum=0.9)", both, CLOSE, **arrays(t, "b"), **small)


def adaptive(t):
    grad, delta = torch.optim.Adagrad, torch.optim.Adadelta
    t.pointwise("adagrad(p, g, s)", step_of(grad, ("sum",), {}), CLOSE, **arrays(t, "s"))
    t.pointwise("adagrad(p, g, s, 0.1, 0.01, 0.2, 0.001, 9, True)",
                step_of(grad, ("sum",), dict(lr=0.1, lr_decay=0.01, weight_decay=0.2, eps=0.001,
                                             maximize=True), 9), CLOSE, **arrays(t, "s"))
    state = ("square_avg", "acc_delta")
    t.pointwise("adadelta(p, g, s, u)", step_of(delta, state, {}), CLOSE, **arrays(t, "s", "u"))
    t.pointwise("adadelta(p, g, s, u, 0.3, 0.8, 0.01, 0.2, True)",
                step_of(delta, state, dict(lr=0.3, rho=0.8, eps=0.01, weight_decay=0.2,
                                           maximize=True)), CLOSE, **arrays(t, "s", "u"))

    def rprop(options):
        def step(p, g, h, s):
            return step_of(torch.optim.Rprop, ("prev", "step_size"), options)(p, g, h, s)

        return step

    t.pointwise("rprop(p, g, h, s)", rprop({}), CLOSE, **arrays(t, "h", "s"))
    t.pointwise("rprop(p, g, h, s, 0.4, 1.5, 0.1, 1, True)",
                rprop(dict(etas=(0.4, 1.5), step_sizes=(0.1, 1), maximize=True)), CLOSE,
                **arrays(t, "h", "s"))


def layers(t):
    def lamb(lr, b1, b2, eps, decay, n):
        def step(p, g, m, v):
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
            u = m / (1 - b1**n) / ((v / (1 - b2**n)).sqrt() + eps) + decay * p
            return p - lr * p.norm() / u.norm() * u, m, v

        return step

    t.add("lamb(p, g, m, v)", lamb(0.001, 0.9, 0.999, 1e-6, 0.01, 1), CLOSE, **arrays(t, "m", "v"))
    t.add("lamb(p, g, m, v, 0.1, 0.8, 0.95, 0.01, 0.2, 5)",
          lamb(0.1, 0.8, 0.95, 0.01, 0.2, 5), CLOSE, **arrays(t, "m", "v"))

    def lars(lr, momentum, decay, trust, eps):
        def step(p, g, b):
            rate = trust * p.norm() / (g.norm() + decay * p.norm() + eps)
            b = momentum * b + (g + decay * p) * rate
            return p - lr * b, b

        return step

    t.add("lars(p, g, b)", lars(0.1, 0.9, 0, 0.001, 1e-8), CLOSE, **arrays(t, "b"))
    t.add("lars(p, g, b, 0.3, 0.8, 0.1, 0.01, 0.1)", lars(0.3, 0.8, 0.1, 0.01, 0.1), CLOSE,
          **arrays(t, "b"))

    def lion(lr, b1, b2, decay):
        return lambda p, g, m: (p * (1 - lr * decay) - lr * (b1 * m + (1 - b1) * g).sign(),
                                b2 * m + (1 - b2) * g)

    t.pointwise("lion(p, g, m)", lion(0.0001, 0.9, 0.99, 0), CLOSE, **arrays(t, "m"))
    t.pointwise("lion(p, g, m, 0.1, 0.8, 0.95, 0.2)", lion(0.1, 0.8, 0.95, 0.2), CLOSE,
                **arrays(t, "m"))


def clipped(g, limit, ord):
    q = torch.zeros_like(g).requires_grad_()
    q.grad = g.clone()
    n = torch.nn.utils.clip_grad_norm_([q], limit, ord, foreach=False)
    return q.grad, n


def rows(t):
    gradients(t)
    adams(t)
    adaptive(t)
    layers(t)
    t.pointwise("ema(p, g)", lambda p, g: 0.999 * p + 0.001 * g, CLOSE, **arrays(t))
    t.pointwise("ema(p, g, decay)", lambda p, g, k: 0.9 * p + 0.1 * g, CLOSE, **arrays(t),
                decay=0.9)
    t.pointwise("clip_grad_value(g)", lambda g: g.clamp(-1, 1), "ulp 0", g=normal(9, 5, scale=3))
    t.pointwise("clip_grad_value(g, 0.5)", lambda g: g.clamp(-0.5, 0.5), "ulp 0", g=normal(9, 5))
    t.add("clip_grad_norm(g)", lambda g: clipped(g, 1, 2), CLOSE, g=normal(9, 5))
    t.add("clip_grad_norm(g, 100, 1)", lambda g: clipped(g, 100, 1), CLOSE, g=normal(9, 5))
    t.add("clip_grad_norm(g, max_norm=2, ord=inf)", lambda g: clipped(g, 2, float("inf")), CLOSE,
          g=normal(9, 5))
    names = "abcdfghk"
    shapes = {name: normal(2 + i, 9 - i) for i, name in enumerate(names)}
    t.add(f"global_norm({', '.join(names)})",
          lambda *a: torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(v)
                                                           for v in a])), CLOSE, **shapes)
    t.full("global_norm(a)", torch.linalg.vector_norm, CLOSE, a=normal(5, 7))
