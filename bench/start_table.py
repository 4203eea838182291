#!/usr/bin/env python3
"""From nothing to a network's first result: time and memory of whole processes, beside ONNX Runtime.

    python3 bench/start_table.py [-n ROUNDS] [-b llvm] MODEL.onnx...

For each model: lt-run with an empty cache and with the one that this has filled, and a session of ONNX Runtime with its
first run, each in a process of its own, ROUNDS times in turn; the fastest counts.  Of ours the whole process is
measured, loading the plug-in included; of ONNX Runtime what comes after `import onnxruntime`.  Memory is the most that
the process had (as /usr/bin/time -f %M says), over what the network needs: its file and files beside it, and the
workspace that `lt-run --time` prints.  Inputs are zeros where they are integers, else random.

It is to run alone on the machine: others make every number larger.  It needs /usr/bin/time (GNU time).
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

PEER = """
import sys, time
import numpy as np, onnxruntime
threads = int(sys.argv[2])
settings = onnxruntime.SessionOptions()
settings.intra_op_num_threads = threads
settings.log_severity_level = 3
given = dict(np.load(sys.argv[3]))
begin = time.monotonic()
run = onnxruntime.InferenceSession(sys.argv[1], settings, providers=["CPUExecutionProvider"])
run.run(None, given)
print(time.monotonic() - begin)
"""
MB = 1e6


def inputs_of(path, to):
	"""Inputs of the shapes that the model says; extents that it leaves open are 1."""
	import numpy as np
	import onnxruntime
	run = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
	rng, given, dims = np.random.default_rng(1), {}, {}
	for i in run.get_inputs():
		for d in i.shape:
			if isinstance(d, str):
				dims[d] = 16 if "len" in d or "seq" in d else 1
		shape = [dims[d] if isinstance(d, str) else d for d in i.shape]
		given[i.name] = rng.standard_normal(shape).astype(np.float32) if i.type == "tensor(float)" else \
			np.ones(shape, np.int64)
	np.savez(to, **given)
	return dims


def measure(command):
	"""Wall time, processor time and bytes at the most of a process; its output.  /usr/bin/time starts it: what Python
	starts counts Python's own memory, of which it was a copy."""
	with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile("r") as said:
		done = subprocess.run(["/usr/bin/time", "-o", said.name, "-f", "%e %U %S %M"] + command, stdout=out,
			stderr=subprocess.STDOUT)
		out.seek(0)
		text = out.read().decode()
		if done.returncode:
			sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{text}")
		wall, user, system, kb = map(float, said.read().split())
	return wall, user + system, kb * 1024, text


def files_of(path):
	"""Bytes of the model and of the files of external data beside it."""
	stem = os.path.basename(path)
	folder = os.path.dirname(path) or "."
	return sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)
		if f == stem or f in (stem + ".data", stem + "_data"))


def rows_of(a, path):
	name = os.path.basename(path).removesuffix(".onnx")
	with tempfile.TemporaryDirectory() as folder:
		given, peer = os.path.join(folder, "in.npz"), os.path.join(folder, "peer.py")
		dims = inputs_of(path, given)
		with open(peer, "w") as f:
			f.write(PEER)
		ours = [a.lt_run, path, "-q", "-b", a.backend, "--threads", str(a.threads), "--inputs", given]
		for d, n in dims.items():
			ours += ["--dim", f"{d}={n}"]
		cold, cached, theirs = [], [], []
		for i in range(a.rounds):
			cache = ["--cache-dir", os.path.join(folder, f"cache{i}")]
			cold.append(measure(ours + cache))
			cached.append(measure(ours + cache))
			if not a.no_peer:
				theirs.append(measure([sys.executable, peer, path, str(a.threads), given]))
		text = measure(ours + cache + ["--time=1"])[3]
	space = re.search(r"memory: workspace ([0-9.]+) (bytes|kB|MB|GB)", text)
	unit = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
	workspace = float(space[1]) * unit[space[2]] if space else 0
	weights = files_of(path)
	peak = max(x[2] for x in cold + cached)
	over = (peak - weights - workspace) / MB
	row = [name, f"{min(x[0] for x in cold):.2f}", f"{min(x[1] for x in cold):.2f}", f"{min(x[0] for x in cached):.2f}",
		f"{min(x[1] for x in cached):.2f}", f"{min(float(x[3].split()[-1]) for x in theirs):.2f}" if theirs else "",
		f"{weights / MB:.0f}", f"{workspace / MB:.0f}", f"{max(x[2] for x in cold) / MB:.0f}",
		f"{max(x[2] for x in cached) / MB:.0f}", f"{over:.0f}", f"{min(x[2] for x in theirs) / MB:.0f}" if theirs else ""]
	print("| " + " | ".join(row) + " |", flush=True)


def main():
	p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	p.add_argument("model", nargs="+")
	p.add_argument("-n", "--rounds", type=int, default=3)
	p.add_argument("-b", "--backend", default="llvm")
	p.add_argument("--threads", type=int, default=2)
	p.add_argument("--no-peer", action="store_true")
	p.add_argument("--lt-run", default=os.path.join(os.path.dirname(__file__), "..", "build", "lt-run"))
	a = p.parse_args()
	print("| | empty cache, s | processor | from the cache, s | processor | ONNX Runtime, s | weights, MB | workspace | "
		"memory, empty cache | from the cache | over weights and workspace | ONNX Runtime |")
	print("|" + " --- |" * 12, flush=True)
	for path in a.model:
		rows_of(a, path)


if __name__ == "__main__":
	main()
