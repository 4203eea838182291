#!/usr/bin/env python3
"""Prints what tools/gpu-bench.sh has measured: one table, what is asked for beside it.

    bench/gpu_table.py [--check] FILE.json...

Ratios are of medians within one run of lt-bench; above 1 Looptree is faster.  --check: 1 where something is less than
what is asked for.
"""
import json
import math
import os
import statistics
import sys

LONG = 20e-6                    # a product that cuBLAS takes as long for is large


def rows_of(case):
    return {r["contestant"]: r for r in case["rows"] if r["status"] == "measured"}


def seconds(case, name):
    row = rows_of(case).get(name)
    return row["median_s"] if row else None


def over(case, ours, theirs):
    """Our speed over theirs; None: one of both was not measured."""
    a, b = seconds(case, ours), seconds(case, theirs)
    return b / a if a and b else None


def best_peer(case):
    """The name of the fastest of PyTorch's ways."""
    peers = {n: r["median_s"] for n, r in rows_of(case).items() if n.startswith("pytorch")}
    return min(peers, key=peers.get) if peers else None


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratio(value):
    return f"{value:.2f}" if value else "not measured"


def micro(value):
    return f"{value * 1e6:.4g} µs" if value else "not measured"


def at_least(bound, value):
    return f"≥ {bound}", value is not None and value >= bound


def at_most(bound, value, unit):
    return f"≤ {bound} {unit}", value <= bound


NOTHING = "", None              # nothing is asked for


def spread(cases, name):
    """The geometric mean over one of PyTorch's ways; in words, with the worst case."""
    known = [(over(c, "cuda", name), c) for c in cases if over(c, "cuda", name)]
    if not known:
        return None, "not measured"
    worst = min(known, key=lambda k: k[0])
    missing = len(cases) - len(known)
    value = mean([k[0] for k in known])
    return value, (f"{value:.2f} of {len(known)}, least {worst[0]:.2f} ({worst[1]['name']})"
                   + (f", {missing} not measured" if missing else ""))


def products(cases):
    """Beside cuBLAS."""
    beside = [c for c in cases if seconds(c, "cublas")]
    if not beside:
        return
    large = [c for c in beside if seconds(c, "cublas") >= LONG or (seconds(c, "cuda") or 0) >= LONG]
    known = [(over(c, "cuda", "cublas"), c) for c in large if over(c, "cuda", "cublas")]
    if known:
        least = min(known, key=lambda k: k[0])
        yield ("default tree, products of 20 µs and more, over cublasSgemm", *at_least(0.98, least[0]),
               f"least {least[0]:.3f} ({least[1]['name']}), mean {mean([k[0] for k in known]):.2f} of {len(known)}")
        for value, case in sorted(known, key=lambda k: k[0]):
            if value < 0.98:
                yield f"  {case['name']}", *NOTHING, f"{value:.3f}: {micro(seconds(case, 'cuda'))}"
    for case in beside:
        if case["name"] in ("2048", "4096", "8192") and over(case, "cuda:generated", "cublas"):
            value = over(case, "cuda:generated", "cublas")
            yield (f"generated product {case['name']}, over cublasSgemm", *at_least(0.85, value),
                   f"{value:.3f}: {micro(seconds(case, 'cuda:generated'))}")
    small = [over(c, "cuda", "cublas") for c in beside if c not in large and over(c, "cuda", "cublas")]
    if small:
        yield "default tree, shorter products, over cublasSgemm", *NOTHING, f"mean {mean(small):.2f} of {len(small)}"


def limits(cases):
    """Over what the device copies or reads."""
    asked = [(0.9, "chains", lambda c: c["name"] == "chain8-2^26"),
             (0.85, "softmax, layer norm, RMS norm of 2^26, rows of 1024 to 16384",
              lambda c: c["group"] in ("softmax", "layernorm", "rmsnorm") and size(c) == 1 << 26
              and 1024 <= columns(c) <= 16384),
             (0.85, "one row by 4096x4096, by 4096x11008",
              lambda c: c["name"] in ("1x4096x4096", "1x4096x11008")),
             (0.8, "transpose 8192x8192", lambda c: c["name"] == "transpose-8192")]
    for least, what, fits in asked:
        known = [rows_of(c)["cuda"]["of_peak"] for c in cases if fits(c) and "cuda" in rows_of(c)]
        if known:
            yield (f"{what}, of the device's bandwidth", *at_least(least, min(known)),
                   f"least {min(known):.2f} of {len(known)}")


def size(case):
    return math.prod(int(n) for n in case["name"].split("-")[-1].split("x"))


def columns(case):
    return int(case["name"].split("x")[-1])


def torch(cases):
    """Beside PyTorch: means by suite, of all that is asked for, and the network of images."""
    ways = (("eager", "pytorch"), ("torch.compile", "pytorch-compile"), ("compile + CUDA graphs", "pytorch-graphs"))
    sets = (("pointwise", lambda c: c["suite"] == "pointwise"), ("rows", lambda c: c["suite"] == "rows"),
            ("784-1000-10, batch 128 and 8192",
             lambda c: c["suite"] == "gpu" and c["name"] in ("batch-128", "batch-8192")))
    every = [c for _, fits in sets for c in cases if fits(c)]
    for title, name in ways:
        if any(seconds(c, name) for c in cases):
            value, text = spread(every, name)
            asked = NOTHING if name == "pytorch-graphs" else at_least(1.0, value)
            yield f"pointwise, rows, network, over {title}", *asked, text
    for what, fits in sets:
        for title, name in ways:
            some = [c for c in cases if fits(c)]
            if any(seconds(c, name) for c in some):
                yield f"  {what}, over {title}", *NOTHING, spread(some, name)[1]
    for case in cases:
        if case["suite"] == "gpu" and case["group"] in ("mlp", "mnist") and best_peer(case):
            name = best_peer(case)
            others = ", ".join(f"{t} {micro(seconds(case, n))}" for t, n in ways if seconds(case, n))
            value = over(case, "cuda", name)
            asked = at_least(2, value) if case["name"] in ("mnist-1", "mnist-128") else NOTHING
            yield (f"784-1000-10, {case['name']}, over the best of them", *asked,
                   f"{ratio(value)}: {micro(seconds(case, 'cuda'))}; {others}")


def compiling(found):
    """From the tree to a loaded cubin, a kernel: into an empty cache, and out of it."""
    found = [c for c in found if c.get("kernels") and c["suite"] != "pieces"]
    if not found:
        return
    for title, most, key in (("an empty cache", 300, "compile_cold_s"), ("the cache", 5, "compile_cached_s")):
        values = [1e3 * (c[key] + c["freeze_s"]) / c["kernels"] for c in found]
        yield (f"tree to loaded cubin, a kernel, {title}", *at_most(most, statistics.median(values), "ms"),
               f"median {statistics.median(values):.3g} ms, most {max(values):.3g} ms of {len(values)}")
    yield ("default tree, made and analysed, a kernel", *NOTHING,
           f"median {statistics.median(1e3 * c['tree_s'] / c['kernels'] for c in found):.3g} ms")


def failures(cases):
    for case in cases:
        for row in case["rows"]:
            if row["status"] == "failed":
                yield f"  {case['suite']}/{case['name']}, {row['contestant']}", *NOTHING, f"failed: {row['why'][:60]}"


def main(files):
    check = files[:1] == ["--check"]
    files = files[check:]
    runs = []
    for name in files:
        if os.path.exists(name) and os.path.getsize(name):
            with open(name) as f:
                runs.append(json.load(f))
    if not runs:
        sys.exit(__doc__)
    cases = [c for d in runs for c in d["cases"]]
    rates = {k: max(p["per_second"] for d in runs for p in d.get("peak", {}).get(k, []) or [{"per_second": 0}])
             for k in ("flops", "copy_bytes")}
    lines = [("the device: multiply-adds, copies", *NOTHING,
              f"{rates['flops'] / 1e12:.1f} TFLOP/s, {rates['copy_bytes'] / 1e12:.2f} TB/s"),
             *products(cases), *limits(cases), *torch(cases), *compiling([c for d in runs for c in d["compile"]]),
             *failures(cases)]
    print("| what | asked | reached | measured |\n| --- | --- | --- | --- |")
    for what, asked, reached, measured in lines:
        answer = "" if reached is None else "yes" if reached else "no"
        what = "&nbsp; " + what.strip() if what.startswith("  ") else what
        print(f"| {what} | {asked} | {answer} | {measured} |")
    if check and any(reached is False for _, _, reached, _ in lines):
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
