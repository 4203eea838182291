#!/usr/bin/env python3
"""Whole networks of bench/make_nets.py, each compiled once and run at several sizes, against ONNX Runtime.

    build/nets-venv/bin/python bench/check_nets.py build/nets [bert gpt2 ...] [-b llvm] [--verify]

Extents that the model leaves open differ from run to run (--dim NAME=LEAST..MOST): what is run is 1, the most, primes
and what is between.  The difference is the norm of the differences over the norm of what is expected.  It has to be
below 2e-5: a float32 sum of n terms of random signs is off by about sqrt(n) 6e-8, and a product of the networks has up
to 4,608 terms, 4e-6, of which normalizations leave that much.  --verify has lt-run compare with its own evaluator, too.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

ENOUGH = 2e-5
IMAGES = ([{"batch": (1, 4)}, [{"batch": n} for n in (2, 1, 4, 3)]])
TEXT = [{"batch": (1, 4), "length": (1, 48)},
	[{"batch": b, "length": n} for b, n in [(2, 16), (1, 1), (4, 48), (3, 7), (1, 48), (4, 1), (2, 31)]]]
CACHE = [{"batch": (1, 3), "length": (1, 8), "past": (0, 40)},
	[{"batch": b, "length": n, "past": p} for b, n, p in [(2, 3, 8), (1, 1, 1), (3, 8, 40), (1, 1, 0), (2, 1, 37),
		(3, 5, 13)]]]
SIZES = {"bert": TEXT, "gpt2": TEXT, "gpt2_cache": CACHE}


def inputs_of(run, size, seed):
	"""Random inputs of the model's types at a size: ids of 1,000 words, a mask that leaves out the end of the last."""
	rng, given = np.random.default_rng(seed), {}
	for i in run.get_inputs():
		shape = [size.get(d, d) if isinstance(d, str) else d for d in i.shape]
		if i.name == "mask":
			given[i.name] = np.ones(shape, np.int64)
			given[i.name][-1, (shape[1] + 1) // 2:] = 0
		elif "int64" in i.type:
			given[i.name] = rng.integers(0, 1000, shape)
		else:
			given[i.name] = rng.standard_normal(shape).astype(np.float32)
	return given


def distance(a, b):
	if a.shape != b.shape:
		return float("inf")
	norm = np.linalg.norm(b.astype(np.float64))
	return float(np.linalg.norm(a.astype(np.float64) - b) / (norm or 1))


def check(a, folder, name, out):
	path = os.path.join(a.folder, name + ".onnx")
	settings = onnxruntime.SessionOptions()
	settings.intra_op_num_threads = os.cpu_count()
	run = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
	dims, sizes = SIZES.get(name, IMAGES)
	command, expected = [a.lt_run, path, "-q"], []
	for key, (least, most) in dims.items():
		command += ["--dim", f"{key}={least}..{most}"]
	for k, size in enumerate(sizes):
		given = inputs_of(run, size, k)
		expected.append(dict(zip([o.name for o in run.get_outputs()], run.run(None, given))))
		np.savez(os.path.join(folder, f"in{k}.npz"), **given)
		command += ["--inputs", os.path.join(folder, f"in{k}.npz")]
	command += ["-o", os.path.join(folder, "out%d.npz")] + (["-b", a.backend] if a.backend else [])
	command += ["--verify"] if a.verify else []
	begin = time.time()
	got = subprocess.run(command, capture_output=True, text=True)
	seconds = time.time() - begin
	if got.returncode:
		print(name, "FAILED", got.stderr.strip(), file=out, flush=True)
		return False
	fine = True
	for k, size in enumerate(sizes):
		result = np.load(os.path.join(folder, f"out{k}.npz"))
		worst = max(distance(result[n], want) for n, want in expected[k].items())
		fine = fine and worst < ENOUGH
		print(f"{name:14} {', '.join(f'{n} {v}' for n, v in size.items()):32} {worst:.1e}"
			f"{'' if worst < ENOUGH else ' WRONG'}",
			file=out, flush=True)
	print(f"{name:14} one program, {len(sizes)} runs: {seconds:.1f} s{' with --verify' if a.verify else ''}", file=out,
		flush=True)
	return fine


def main():
	p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
	p.add_argument("folder", help="of NAME.onnx")
	p.add_argument("names", nargs="*", help="default: all that are there")
	p.add_argument("-b", "--backend")
	p.add_argument("--verify", action="store_true")
	p.add_argument("--lt-run", default="build/lt-run")
	a = p.parse_args()
	names = a.names or sorted(n[:-5] for n in os.listdir(a.folder) if n.endswith(".onnx"))
	fine = True
	for name in names:
		with tempfile.TemporaryDirectory() as folder:
			fine = check(a, folder, name, sys.stdout) and fine
	return 0 if fine else 1


if __name__ == "__main__":
	sys.exit(main())
