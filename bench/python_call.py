"""What a call from Python costs over the C call: an 8x8 product, of arrays of numpy and PyTorch.

    PYTHONPATH=build/python python bench/python_call.py
"""
import importlib.util
import statistics
import time

import looptree as lt
import numpy as np

SOURCE = """
x = InputTensor(x, float32, [8, 8]);
w = ConstantTensor(w, float32, [8, 8]);
result = x @ w;
"""


def took(call, calls=2000, times=30):
    """Microseconds of one call: the median and the least of `times` averages."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        found.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(found), min(found)


p = lt.compile(SOURCE, weights={"w": np.ones((8, 8), "f4")}, backend="cpu", threads=1)
x, y = np.ones((8, 8), "f4"), np.empty((8, 8), "f4")
c = p.time(x=x, samples=1000)
rows = [("the C call", (c.median_ns / 1e3, c.min_ns / 1e3)), ("p(x=x)", took(lambda: p(x=x))),
        ("p(x=x, out=y)", took(lambda: p(x=x, out=y))), ("p.run({'x': x})", took(lambda: p.run({"x": x}))),
        ("another order", took(lambda: p(x=x.T)))]
if importlib.util.find_spec("torch"):
    import torch
    t, u = torch.from_numpy(x), torch.from_numpy(y)
    rows += [("PyTorch's", took(lambda: p(x=t))), ("PyTorch's, out=", took(lambda: p(x=t, out=u)))]
print("%-16s %8s %8s" % ("us", "median", "least"))
for name, (median, least) in rows:
    print("%-16s %8.2f %8.2f" % (name, median, least))
