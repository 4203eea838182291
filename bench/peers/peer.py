"""A peer of lt-bench in Python: reads cases, answers samples.  docs/lt-bench.1 describes the lines."""
import json
import sys
import time

import numpy as np


class Skip(Exception):
    """The peer does not do such cases."""


def tensors(case):
    """The inputs as arrays by name, in order."""
    return {t["name"]: np.fromfile(t["file"], dtype=t.get("dtype", "float32")).reshape(t["shape"])
            for t in case["inputs"]}


def bound(case, names):
    """Of a model: its tensors' names, which a library may have given others, to those of the case: by name, else by
    order."""
    ours = [t["name"] for t in case["inputs"]]
    if len(names) != len(ours):
        raise ValueError(f"the model has the inputs {', '.join(names)}, and the case {', '.join(ours)}")
    return {n: n if n in ours else ours[i] for i, n in enumerate(names)}


def best(ways, finish=lambda: None):
    """Of several ways to compute the same, the one that is fastest in a few runs.  finish: waits for what was begun."""
    if len(ways) == 1:
        return ways[0]
    times = []
    for run in ways:
        run()
        finish()
        begin = time.perf_counter()
        n = 0
        while n < 3 or (time.perf_counter() - begin < 0.02 and n < 1000):
            run()
            n += 1
        finish()
        times.append((time.perf_counter() - begin) / n)
    return ways[times.index(min(times))]


def write(got, case, path):
    """A result, or those of a model, one after the other, in the types that the case names."""
    wanted = case.get("results")
    with open(path, "wb") as f:
        if wanted is None:
            np.ascontiguousarray(got, dtype=np.float32).tofile(f)
            return
        for array, t in zip(got, wanted, strict=True):
            if list(array.shape) != t["shape"]:
                raise ValueError(f"the result {t['name']} is {list(array.shape)}, and not {t['shape']}")
            np.ascontiguousarray(array, dtype=t["dtype"]).tofile(f)


def serve(name, about, begin, finish=lambda: None):
    """begin(case, inputs) gives (run, result): run() computes once, result() gives the array, of a model a list of all
    its results in order; or raises Skip.  finish() waits for what runs have begun, on a device."""
    out = sys.stdout
    print(f"peer 1 {name} {about}", file=out, flush=True)
    run = result = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "quit":
                break
            if word == "case":
                case = json.loads(rest)
                start = time.perf_counter()
                run, result = begin(case, tensors(case))
                print(f"ok {time.perf_counter() - start:.9f}", file=out)
            elif word == "sample":
                n = int(rest)
                start = time.perf_counter()
                for _ in range(n):
                    run()
                finish()
                print(f"{time.perf_counter() - start:.9f}", file=out)
            elif word == "result":
                run()
                write(result(), case, rest)
                print("ok", file=out)
            elif word == "end":
                run = result = None
                print("ok", file=out)
            else:
                print("failed the words are: case, sample, result, end, quit", file=out)
        except Skip as e:
            print(f"skip {e}", file=out)
        except Exception as e:  # whatever a library raises is told, and the next case may go well
            print("failed " + " ".join(f"{type(e).__name__}: {e}".split())[:400], file=out)
        out.flush()
