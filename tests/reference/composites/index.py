"""Of indices: PyTorch."""

import numpy as np
import torch.nn.functional as F
from composites.table import integers, normal, probabilities, uniform

CLOSE = "rel 4e-6 abs 2e-6"


def likelihood(function, **options):
    return lambda x, y, *w: function(x, y, *w, **options)


def rows(t):
    t.add("embedding(i, w)", F.embedding, "ulp 0", i=integers(0, 7, 3, 4), w=normal(7, 5))
    t.add("embedding(i, weight=w, padding_idx=2)", F.embedding, "ulp 0", i=integers(0, 7, 9),
          w=normal(7, 5))
    bag = {"i": integers(0, 7, 3, 4), "w": normal(7, 5)}
    for mode in ("mean", "sum", "max"):
        t.add(f"embedding_bag(i, w, '{mode}')",
              lambda i, w, m=mode: F.embedding_bag(i, w, mode=m), **bag)
    t.add("embedding_bag(i, weight=w)", F.embedding_bag, **bag)
    t.add("embedding_bag(i, w, mode='sum', per_sample_weights=p)",
          lambda i, w, p: F.embedding_bag(i, w, mode="sum", per_sample_weights=p), **bag,
          p=normal(3, 4))
    for mode in ("mean", "sum", "max"):
        for k in (3, -2):
            t.add(f"embedding_bag(i, w, '{mode}', padding_idx={k})",
                  lambda i, w, m=mode, k=k: F.embedding_bag(i, w, mode=m, padding_idx=k),
                  i=np.int64([[3, 1, 5], [3, 3, 5], [5, 5, 5], [3, 3, 3]]), w=normal(7, 5))
    t.add("F.embedding(input=i, weight=w), F.embedding(i, w, None, None, 2.0, False, False)",
          lambda i, w: (w[i], w[i]), "ulp 0", i=integers(0, 7, 3, 4), w=normal(7, 5))
    t.add("F.embedding_bag(input=i, weight=w, mode='sum') + "
          "F.embedding_bag(i, w, None, None, 2.0, False, 'sum', False, p)",
          lambda i, w, p: (F.embedding_bag(i, w, mode="sum") +
                           F.embedding_bag(i, w, mode="sum", per_sample_weights=p)), **bag,
          p=normal(3, 4))
    t.add("one_hot(i, 7)", lambda i: F.one_hot(i, 7), i=integers(0, 7, 3, 4))
    t.add("one_hot(i, num_classes=5, dtype=float32)",
          lambda i: F.one_hot(i, 5).numpy().astype("float32"), "ulp 0", i=integers(0, 5, 9))
    rows_of = {"x": normal(6, 5), "y": integers(0, 5, 6)}
    images = {"x": normal(2, 5, 3, 4), "y": integers(0, 5, 2, 3, 4)}
    weight = {"w": uniform(0.1, 2, 5)}
    for name, function in (("nll_loss", F.nll_loss), ("cross_entropy", F.cross_entropy)):
        t.add(f"{name}(x, y)", function, CLOSE, **rows_of)
        t.add(f"{name}(x, y, w)", likelihood(function), CLOSE, **images, **weight)
        for kind in ("none", "sum", "mean"):
            t.add(f"{name}(x, y, weight=w, reduction='{kind}', ignore_index=2)",
                  likelihood(function, reduction=kind, ignore_index=2), CLOSE, **rows_of, **weight)
        t.add(f"{name}(x, y, reduction='none')", likelihood(function, reduction="none"), CLOSE,
              **images)
        t.add(f"{name}(x, y)", function, CLOSE, x=normal(5), y=integers(0, 5))
    for kind in ("none", "sum", "mean"):
        t.add(f"cross_entropy(x, y, w, '{kind}', 3, label_smoothing=0.2)",
              likelihood(F.cross_entropy, reduction=kind, ignore_index=3, label_smoothing=0.2),
              CLOSE, **rows_of, **weight)
    t.add("cross_entropy(x, y, label_smoothing=0.1)",
          likelihood(F.cross_entropy, label_smoothing=0.1), CLOSE, **images)
    t.add("cross_entropy(x, y, w, label_smoothing=0.1)",
          likelihood(F.cross_entropy, label_smoothing=0.1), CLOSE, x=normal(6, 5),
          y=probabilities(6, 5), **weight)
    for text, options in (("", {}), (", 2, 0.5", {"p": 2, "margin": 0.5}),
                          (", weight=w", {"weight": 1}), (", reduction='sum'", {"reduction": "sum"}),
                          (", p=1, margin=2.0, reduction='none'",
                           {"margin": 2.0, "reduction": "none"})):
        def margins(x, y, w, o=options):
            return F.multi_margin_loss(x, y, **{**o, **({"weight": w} if "weight" in o else {})})
        t.add(f"multi_margin_loss(x, y{text}) + 0 * w[0]", margins, CLOSE, **rows_of, **weight)

    def focal(x, y, alpha, gamma):
        l = F.log_softmax(x, -1).gather(1, y[:, None])[:, 0]
        return -alpha * (1 - l.exp()) ** gamma * l

    t.add("focal_loss(x, y)", lambda x, y: focal(x, y, 1, 2).mean(), CLOSE, **rows_of)
    t.add("focal_loss(x, y, 0.25, gamma=1.5, reduction='none')",
          lambda x, y: focal(x, y, 0.25, 1.5), CLOSE, **rows_of)
    t.add("focal_loss(x, y, alpha=0.5, reduction='sum')",
          lambda x, y: focal(x, y, 0.5, 2).sum(), CLOSE, **rows_of)
    labels = {"x": normal(4, 5), "y": np.array([[1, 3, -1, 0, 2], [0, 0, 4, -1, -1],
                                                [-1, 2, 3, 1, 0], [4, 3, 2, 1, 0]])}
    t.add("multilabel_margin_loss(x, y)", F.multilabel_margin_loss, CLOSE, **labels)
    for kind in ("none", "sum"):
        t.add(f"multilabel_margin_loss(x, y, reduction='{kind}')",
              likelihood(F.multilabel_margin_loss, reduction=kind), CLOSE, **labels)
    far = {"x": normal(4, 5), "i": np.array([0, -1, 7, -9, 3])}
    for text in ("take(x, i, 0, mode='clip')", "take(x, i, axis=1, mode='wrap')",
                 "take(x, i, mode='wrap')", "take(x, i, mode='clip')"):
        t.add(f"{text} * 2",
              lambda x, i, text=text: 2 * eval(f"np.{text}", {"np": np, "x": x.numpy(),
                                                             "i": i.numpy()}), **far)
