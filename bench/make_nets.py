#!/usr/bin/env python3
"""Whole networks with random weights as models of ONNX, with inputs and what ONNX Runtime makes of them.

    python3 -m venv build/nets-venv
    build/nets-venv/bin/pip install torch torchvision transformers onnx onnxscript onnxruntime
    build/nets-venv/bin/python bench/make_nets.py build/nets resnet50 bert gpt2

NAME.onnx (with a symbolic batch, and in transformers a symbolic length), NAME.in.npz, NAME.out.npz.  Names: those of
torchvision (resnet18, resnet50, mobilenet_v2, vit_b_16 ...), bert, gpt2, and gpt2_cache, which takes and gives its
keys and values.  NAME_f16 is the same in float16, without the two .npz: ONNX Runtime computes it otherwise.

    bench/make_nets.py --scripts build/nets [build/lt-run]

makes of models in that folder the scripts that tools/gpu-check.sh and bench/pytorch_table.py run, without weights:
images in batches of 1 and 32, 1 and 16 texts of 128 words (resnet50_32.lt, bert_f16_1.lt).
"""
import os
import subprocess
import sys

import numpy as np
import onnxruntime
import torch


def image(name):
	import torchvision
	m = getattr(torchvision.models, name)(weights=None).eval()
	for b in m.modules():
		if isinstance(b, torch.nn.Linear) and not b.weight.any():
			torch.nn.init.normal_(b.weight, 0, .02)
		if isinstance(b, torch.nn.BatchNorm2d):
			b.reset_running_stats()
			b.momentum = None
			b.train()
	with torch.no_grad():           # running statistics of random images: values stay of order 1, however deep it is
		m(torch.randn(4, 3, 224, 224))
	m.eval()
	return m, {"x": torch.randn(2, 3, 224, 224)}, ["y"], {"x": {0: "batch"}}


def bert(_):
	from transformers import BertConfig, BertModel
	m = BertModel(BertConfig(attn_implementation="eager")).eval()

	class Net(torch.nn.Module):
		def __init__(self):
			super().__init__()
			self.m = m

		def forward(self, ids, mask):
			out = self.m(input_ids=ids, attention_mask=mask)
			return out.last_hidden_state, out.pooler_output
	ids = torch.randint(0, 1000, (2, 16))
	mask = torch.ones(2, 16, dtype=torch.int64)
	mask[1, 11:] = 0
	return Net(), {"ids": ids, "mask": mask}, ["hidden", "pooled"], {
		"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}}


def gpt2(name):
	from transformers import GPT2Config, GPT2LMHeadModel
	from transformers.cache_utils import DynamicCache
	config = GPT2Config(attn_implementation="eager")
	m = GPT2LMHeadModel(config).eval()
	cached = name == "gpt2_cache"

	class Net(torch.nn.Module):
		def __init__(self):
			super().__init__()
			self.m = m

		def forward(self, ids, past=None):
			if past is None:
				return self.m(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits
			cache = DynamicCache()
			for i in range(config.n_layer):
				cache.update(past[i, 0], past[i, 1], i)
			out = self.m(input_ids=ids, past_key_values=cache, use_cache=True)
			layers = [torch.stack([layer.keys, layer.values]) for layer in out.past_key_values.layers]
			return out.logits, torch.stack(layers)
	n, width = config.n_head, config.n_embd // config.n_head
	if not cached:
		return Net(), {"ids": torch.randint(0, 1000, (2, 16))}, ["logits"], {"ids": {0: "batch", 1: "length"}}
	past = torch.randn(config.n_layer, 2, 2, n, 8, width)
	return Net(), {"ids": torch.randint(0, 1000, (2, 3)), "past": past}, ["logits", "present"], {
		"ids": {0: "batch", 1: "length"}, "past": {2: "batch", 4: "past"}}


def make(folder, name):
	torch.manual_seed(0)
	torch.backends.mha.set_fastpath_enabled(False)  # an operator of its own, which has no export
	base = name.removesuffix("_f16")
	m, inputs, outputs, dynamic = {"bert": bert, "gpt2": gpt2, "gpt2_cache": gpt2}.get(base, image)(base)
	if name != base:
		m, inputs = m.half(), {k: v.half() if v.is_floating_point() else v for k, v in inputs.items()}
	path = os.path.join(folder, name + ".onnx")
	with torch.no_grad():
		torch.onnx.export(m, tuple(inputs.values()), path, input_names=list(inputs), output_names=outputs,
			dynamic_axes=dynamic, dynamo=False, opset_version=17)
	given = {k: v.numpy() for k, v in inputs.items()}
	if name != base:
		print(name, os.path.getsize(path) >> 20, "MB", [(k, v.shape) for k, v in given.items()])
		return
	run = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
	got = run.run(outputs, given)
	np.savez(os.path.join(folder, name + ".in.npz"), **given)
	np.savez(os.path.join(folder, name + ".out.npz"), **dict(zip(outputs, got)))
	print(name, os.path.getsize(path) >> 20, "MB", [(k, v.shape) for k, v in given.items()])


SCRIPTS = {"resnet50": (1, 32), "mobilenet_v2": (1, 32), "bert": (1, 16)}


def scripts(folder, lt_run="build/lt-run"):
	for name, batches in SCRIPTS.items():
		for model in (name, name + "_f16"):
			for batch in batches:
				path = os.path.join(folder, model + ".onnx")
				if not os.path.exists(path):
					continue
				dims = ["--dim", "batch=%d" % batch] + (["--dim", "length=128"] if name == "bert" else [])
				with open(os.path.join(folder, "%s_%d.lt" % (model, batch)), "w") as f:
					subprocess.run([lt_run, path, *dims, "--dump=script"], stdout=f, check=True)


def main():
	if len(sys.argv) < 3:
		sys.exit(__doc__)
	if sys.argv[1] == "--scripts":
		return scripts(*sys.argv[2:4])
	os.makedirs(sys.argv[1], exist_ok=True)
	for name in sys.argv[2:]:
		make(sys.argv[1], name)


if __name__ == "__main__":
	main()
