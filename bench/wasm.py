#!/usr/bin/env python3
"""Modules of lt-build in node and in Chromium beside the same models by `llvm` for SSE4, on one core: the table of
docs/performance.md ("In a browser").

    PYTHONPATH=build/python python3 bench/wasm.py [--seconds 0.3] [--rounds 5] [--core 0] [--keep FOLDER] [MODEL...]

Models: product256, product512, mobilenetv2, story260K, story15M; the last two are random checkpoints of those shapes.
Contestants: llvm (SSE4, one thread), modules of lt-build and, if `make wasm` has built it, the library's backend wasm,
both in node and in Chromium, without and with relaxed SIMD, and, of products, in node: the loops of the graph by an
empty schedule, and the three loops of a textbook in C, both by clang -O3 with SIMD.  Behind the table: the bytes of
MNIST's module and of the library by gzip, and how long an edit of the product of 512 takes in the library (split,
proof, compilation, run).

What all compute is compared first: products with float64, within what rounding does to them; other results with those
of llvm; tokens with lt-llama's.  Each module was judged by lt-build when it was built (not with --no-verify).  Each
contestant is a process that waits; in each round each makes runs for some tenths of a second, in turn, so that a
machine that slows down does so for all.  Times are those of the thread that runs, on a processor (schedstat), so that
other processes do not count, except by what they do to caches and to the clock; the median of the rounds is printed,
and the smallest.
"""
import argparse
import functools
import gzip
import http.server
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CHAIN = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
STORIES = {"story260K": (64, 172, 5, 8, 4, 512, 512, 256), "story15M": (288, 768, 6, 6, 6, 32000, 256, 64)}
LIBRARY = "looptree/looptree.js"
ALL = ["product256", "product512", "mobilenetv2", *STORIES]


def numbers(shape):
    """As in wasm.mjs."""
    i = np.arange(np.prod(shape), dtype=np.uint32)
    return ((i * np.uint32(2654435761) + np.uint32(12345)) / 2.0 ** 31 - 1).astype(np.float32).reshape(shape)


# -- models --

def product(folder, n):
    path = folder / f"product{n}.lt"
    path.write_text(f"$1 = InputTensor(a, float32, [{n}, {n}]);\n$2 = InputTensor(b, float32, [{n}, {n}]);\n"
                    "$3 = MatMulNode($1, $2);\nresult = $3;\n")
    return path, None


def mobilenet(folder):
    """MobileNetV2, batch 1, with its batch norms folded into weights; random ones."""
    lines, weights, random = [], {}, np.random.default_rng(3)

    def put(text):
        lines.append(f"${len(lines) + 1} = {text};")
        return f"${len(lines)}"

    def constant(shape, scale):
        name = f"w{len(weights)}"
        weights[name] = (random.standard_normal(shape) * scale).astype(np.float32)
        return put(f"ConstantTensor({name}, float32, {list(shape)})")

    def convolve(x, c, out, k, stride, groups, clip=True):
        w = constant((out, c // groups, k, k), (2 / (c // groups * k * k)) ** 0.5)
        y = put(f"Conv2dNode({x}, {w}, {[stride] * 2}, {[k // 2] * 4}, [1, 1], {groups})")
        y = put(f"SumNode({y}, {constant((1, out, 1, 1), 0.1)})")
        return put(f"ClipNode({y}, 0, 6)") if clip else y

    x = convolve(put("InputTensor(x, float32, [1, 3, 224, 224])"), 3, 32, 3, 2, 1)
    c = 32
    for wider, out, times, stride in CHAIN:
        for step in [stride] + [1] * (times - 1):
            y = convolve(x, c, c * wider, 1, 1, 1) if wider > 1 else x
            y = convolve(y, c * wider, c * wider, 3, step, c * wider)
            y = convolve(y, c * wider, out, 1, 1, 1, clip=False)
            x = put(f"SumNode({x}, {y})") if step == 1 and c == out else y
            c = out
    x = put(f"AveragePool2dNode({convolve(x, c, 1280, 1, 1, 1)}, [7, 7])")
    x = put(f"MatMulNode({put(f'ReshapeNode({x}, [1, 1280])')}, {constant((1280, 1000), 0.02)})")
    lines.append(f"result = {put(f'SumNode({x}, {constant((1, 1000), 0.1)})')};")
    path = folder / "mobilenetv2.lt"
    path.write_text("\n".join(lines) + "\n")
    np.savez(folder / "mobilenetv2.npz", **weights)
    return path, folder / "mobilenetv2.npz"


def story(folder, name):
    """A checkpoint of llama2.c, version 0, of random weights; its classifier is its own, so that tokens differ."""
    dim, hidden, layers, heads, keys, words, context, _ = STORIES[name]
    random, head, path = np.random.default_rng(1), dim // heads, folder / f"{name}.bin"
    with open(path, "wb") as f:
        np.array([dim, hidden, layers, heads, keys, -words, context], "<i4").tofile(f)

        def matrix(*shape, scale=None):
            (random.standard_normal(shape, "f4") * (scale or shape[-1] ** -0.5)).astype("<f4").tofile(f)

        def norm(*shape):
            (1 + 0.1 * random.standard_normal(shape)).astype("<f4").tofile(f)
        matrix(words, dim, scale=0.5)
        norm(layers, dim)
        for rows, columns in ((dim, dim), (head * keys, dim), (head * keys, dim), (dim, dim)):
            matrix(layers, rows, columns)
        norm(layers, dim)
        for rows, columns in ((hidden, dim), (dim, hidden), (hidden, dim)):
            matrix(layers, rows, columns)
        norm(dim)
        np.zeros(context * head, "<f4").tofile(f)
        matrix(words, dim, scale=0.5)
    return path, None


TEXTBOOK = """
static __attribute__((noinline)) void textbook(const float *restrict a, const float *restrict b, float *restrict c)
{
\tfor (int m = 0; m < %(n)d; m++)
\t\tfor (int n = 0; n < %(n)d; n++) {
\t\t\tfloat sum = 0;
\t\t\tfor (int k = 0; k < %(n)d; k++)
\t\t\t\tsum += a[m * %(n)d + k] * b[k * %(n)d + n];
\t\t\tc[m * %(n)d + n] = sum;
\t\t}
}
"""


def textbook_compiler(folder, n):
    """A compiler that gives the only kernel of a product these loops."""
    (folder / f"textbook{n}.c").write_text(TEXTBOOK % {"n": n})
    path = folder / f"textbook{n}.sh"
    path.write_text(f"""#!/bin/bash
for f; do case $f in
*_module.c) ;;
*.c) python3 - "$f" {folder}/textbook{n}.c <<'END'
import re, sys
text, own = open(sys.argv[1]).read(), open(sys.argv[2]).read()
call = re.compile(r"\\tk0_\\w+\\(lt_slot_at\\(slot, 0\\), lt_slot_at\\(slot, 1\\), lt_slot_at\\(slot, 2\\)\\);")
left = 0 if re.search(r"k0_\\w+\\(const float \\*restrict n1,", text) else 1
called = "\\ttextbook(lt_slot_at(slot, %d), lt_slot_at(slot, %d), lt_slot_at(slot, 2));" % (left, 1 - left)
text, n = call.subn(called, text)
if n != 1:
    sys.exit("bench/wasm.py: the text of a kernel is another one now")
open(sys.argv[1], "w").write(text.replace("LT_ENTRY void", own + "LT_ENTRY void", 1))
END
esac; done || exit
exec clang-19 "$@"
""")
    path.chmod(0o755)
    return path


# -- contestants: start() gives what it computes; run(n); ns() of the thread that runs --

def thread_ns(pid):
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0])


class Process:
    """One that answers each line."""

    def __init__(self, *command, cwd=None):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd)

    def ask(self, line):
        print(line, file=self.child.stdin, flush=True)
        if not self.child.stdout.readline():
            sys.exit("bench/wasm.py: a contestant came to an end")

    def start(self):
        return np.array(json.loads(self.child.stdout.readline()))

    def run(self, n):
        self.ask(n)

    def ns(self):
        return thread_ns(self.child.pid)

    def end(self):
        self.child.kill()
        self.child.wait()


def native(path, weights, tokens):
    """This file as a process with `native`: a program of llvm."""
    import looptree as lt
    p = lt.compile(pathlib.Path(path), backend="llvm:cpu=x86-64-v2", threads=1, weights=weights or None)
    if tokens:
        word, place = np.zeros(1, np.int64), np.zeros(1, np.int64)

        def once():
            p.reset()
            said, token = [], 1
            for position in range(tokens):
                word[0], place[0] = token, position
                token = int(p.run({"tokens": word, "position": place}).argmax())
                said.append(token)
            return said
    else:
        given = {port.name: numbers(port.shape) for port in p.inputs}

        def once():
            return p.run(given)
    first = once()
    print(json.dumps(first if tokens else np.ravel(first).tolist()), flush=True)
    for line in sys.stdin:
        for _ in range(int(line)):
            once()
        print("done", flush=True)


class Browser:
    """Headless Chromium, driven through its pipe, and a server of the folder."""

    def __init__(self, program, folder):
        handler = functools.partial(type("Quiet", (http.server.SimpleHTTPRequestHandler,),
                                         {"log_message": lambda *_: None}), directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        (read, self.write), (self.read, write) = os.pipe(), os.pipe()
        self.child = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{read} 4>&{write}; exec "$@"', "-", program, "--headless", "--no-sandbox",
             "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}/browser", "about:blank"],
            pass_fds=(read, write), stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})
        self.number, self.rest = 0, b""
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def ask(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.read, 1 << 20)
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"bench/wasm.py: Chromium: {answer['error']}")
                return answer["result"]

    def renderers(self):
        return {p["id"] for p in self.ask("SystemInfo.getProcessInfo")["processInfo"] if p["type"] == "renderer"}

    def end(self):
        self.child.kill()
        self.child.wait()
        self.server.shutdown()


class Page:
    """asked: what open() of wasm.mjs is told."""

    def __init__(self, browser, module, asked):
        self.browser, self.module, self.asked = browser, module, asked
        target = browser.ask("Target.createTarget", url=browser.url + "/page.html")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.target, self.pid = target, None

    def evaluate(self, expression):
        got = self.browser.ask("Runtime.evaluate", self.session, expression=expression, awaitPromise=True,
                               returnByValue=True)
        if "exceptionDetails" in got:
            sys.exit(f"bench/wasm.py: Chromium: {got['exceptionDetails']}")
        return got["result"].get("value")

    def start(self):
        opened = f"import('/wasm.mjs').then(({{ open }}) => open('{self.module}', {json.dumps(self.asked)}))"
        first = self.evaluate(opened + ".then((m) => { window.model = m; return m.first; })")
        before = {pid: thread_ns(pid) for pid in self.browser.renderers()}
        self.run(1)                     # its process is the one that has worked
        self.evaluate("for (const end = performance.now() + 300; performance.now() < end;);")
        self.pid = max(before, key=lambda pid: thread_ns(pid) - before[pid])
        return np.array(first)

    def run(self, n):
        self.evaluate(f"model.run({n})")

    def ns(self):
        return thread_ns(self.pid)

    def end(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)


# -- a model: built, started, compared, measured --

def build(args, folder, source, weights, name, *more):
    command = [str(args.build / "lt-build"), str(source), *(["-w", str(weights)] if weights else []), "--target",
               "wasm32", "-o", str(folder / name), "-q", *more]
    if args.verbose:
        print(shlex.join(command), file=sys.stderr)
    done = subprocess.run(command, check=False)
    if done.returncode:
        sys.exit(f"bench/wasm.py: {shlex.join(command)} ended with {done.returncode}")


def compare(args, model, source, found):
    """What all compute, by contestant."""
    if model in STORIES:
        said = subprocess.run([str(args.build / "lt-llama"), str(source), "-b", "llvm:cpu=x86-64-v2", "--threads", "1",
                               "--tokens", "-t", "0", "-n", str(STORIES[model][-1]), "-q"], check=True,
                              capture_output=True, text=True).stdout
        want = np.array(said.split(), int)
    elif model.startswith("product"):
        n = int(model[7:])
        a = numbers((n, n)).astype(float)
        want, limit = (a @ a).ravel(), ((n + 1) * 2.0 ** -24 * (abs(a) @ abs(a))).ravel()
    else:
        want = found["llvm"]
    for who, got in found.items():
        good = np.array_equal(got, want) if model in STORIES else (abs(got - want) <= limit).all() \
            if model.startswith("product") else np.linalg.norm(got - want) <= 1e-5 * np.linalg.norm(want)
        if not good:
            sys.exit(f"bench/wasm.py: {model}: {who} computes something else")


def measure(args, contestants):
    """Seconds a run: rounds of each."""
    found, runs = {who: [] for who in contestants}, {}
    for who, c in contestants.items():
        n = 1
        while True:                     # until its code is the final one, and to know how many runs a round has
            begin = c.ns()
            c.run(n)
            used = (c.ns() - begin) / 1e9
            if used >= args.seconds:
                break
            n *= 2
        runs[who] = max(1, round(n * args.seconds / used))
    for _ in range(args.rounds):
        for who, c in contestants.items():
            begin = c.ns()
            c.run(runs[who])
            found[who].append((c.ns() - begin) / 1e9 / runs[who])
    return found


def bound(folder, model, weights):
    """What wasm.mjs is told of constants, which it finds in a file of their bytes."""
    if not weights:
        return {}
    given = np.load(weights)
    with open(folder / f"{model}.weights", "wb") as f:
        f.writelines(given[w].tobytes() for w in given)
    return {"file": f"{model}.weights", "weights": [[w, given[w].size] for w in given]}


def in_library(folder, asked, source, *flags):
    return Process("node", *flags, str(HERE / "wasm.mjs"), str(folder / LIBRARY),
                   json.dumps({**asked, "source": str(source)}), cwd=folder)


def compete(args, folder, browser, model):
    tokens = STORIES[model][-1] if model in STORIES else 0
    source, weights = story(folder, model) if tokens else mobilenet(folder) if model == "mobilenetv2" \
        else product(folder, int(model[7:]))
    build(args, folder, source, weights, model)
    build(args, folder, source, weights, model + "_relaxed", "--relaxed")
    flag = [] if args.node_version >= 22 else ["--experimental-wasm-relaxed-simd"]
    words = json.dumps({"tokens": tokens})

    def in_node(name, *flags):
        return Process("node", *flags, str(HERE / "wasm.mjs"), f"{folder}/{name}/{name}.js", words)
    contestants = {"llvm": Process(sys.executable, __file__, "native", str(source), str(weights or ""), str(tokens)),
                   "node": in_node(model), "node, relaxed": in_node(model + "_relaxed", *flag)}
    if browser:
        contestants["Chromium"] = Page(browser, f"/{model}/{model}.js", {"tokens": tokens})
        contestants["Chromium, relaxed"] = Page(browser, f"/{model}_relaxed/{model}_relaxed.js", {"tokens": tokens})
    if (folder / LIBRARY).exists():
        asked = {"tokens": tokens, **bound(folder, model, weights)}
        for backend, flags in (("wasm", []), ("wasm:relaxed", flag)):
            contestants[f"-b {backend}, node"] = in_library(folder, {**asked, "backend": backend}, source, *flags)
            if browser:
                contestants[f"-b {backend}, Chromium"] = Page(browser, f"/{LIBRARY}", {
                    **asked, "backend": backend, "source": f"/{source.name}"})
    if model.startswith("product"):
        (folder / "empty.schedule").write_text("schedule 1\n")
        build(args, folder, source, weights, model + "_plain", "--schedule", str(folder / "empty.schedule"))
        compiler = textbook_compiler(folder, int(model[7:]))
        build(args, folder, source, weights, model + "_textbook", "--cc", str(compiler))
        contestants["plain loops"] = in_node(model + "_plain")
        contestants["textbook"] = in_node(model + "_textbook")
    try:
        compare(args, model, source, {who: c.start() for who, c in contestants.items()})
        return measure(args, contestants), tokens
    finally:
        for c in contestants.values():
            c.end()


def show(model, found, tokens):
    def text(who):
        times = found[who]
        if tokens:
            return f"{tokens / statistics.median(times):,.0f} a second"
        return f"{statistics.median(times) * 1e3:.3g} ms (least {min(times) * 1e3:.3g})"

    for who in found:
        ratio = statistics.median(a / b for a, b in zip(found["llvm"], found[who]))
        rows = [text(who), f"{ratio:.2f}"]
        if "plain loops" in found:
            rows += [f"{statistics.median(a / b for a, b in zip(found[other], found[who])):.2f}"
                     for other in ("plain loops", "textbook")]
        print(f"| {model} | {who} | {' | '.join(rows + [''] * (4 - len(rows)))} |", flush=True)


def zipped(*paths):
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def show_sizes(args, folder):
    mnist = HERE.parent / "examples" / "mnist"
    build(args, folder, mnist / "mnist.lt", mnist / "weights.safetensors", "mnist", "--no-verify")
    weights = zipped(folder / "mnist" / "mnist.weights")
    module = zipped(*(folder / "mnist").iterdir()) - weights
    print(f"\nBy gzip: MNIST's module {module:,} bytes and {weights:,} of weights", end="")
    library = folder / LIBRARY
    print(f"; the library {zipped(library.with_suffix('.wasm')):,}" if library.exists() else "", flush=True)


def show_edits(args, folder, browser):
    """Those of the first seconds: code that was not there before is what an edit is about."""
    source, _ = product(folder, 512)
    asked = {"backend": "wasm", "edit": True}
    found = {"node": in_library(folder, asked, source)}
    if browser:
        found["Chromium"] = Page(browser, f"/{LIBRARY}", {**asked, "source": f"/{source.name}"})
    for who, c in found.items():
        try:
            compare(args, "product512", source, {who: c.start()})
            times = []
            for _ in range(9):
                begin = time.monotonic()
                c.run(1)
                times.append(time.monotonic() - begin)
        finally:
            c.end()
        print(f"An edit of the product of 512 in {who}: median {statistics.median(times) * 1e3:.0f} ms, "
              f"{min(times) * 1e3:.0f} to {max(times) * 1e3:.0f}", flush=True)


def main():
    if sys.argv[1:2] == ["native"]:
        native(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--seconds", type=float, default=0.3, help="of a contestant in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=0, help="where all contestants run; -1: anywhere")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what is built")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("model", nargs="*", default=ALL)
    args = parser.parse_args()
    for model in args.model:
        if model not in ALL:
            parser.error(f"there is no model {model}; there are: {', '.join(ALL)}")
    args.build = args.build.resolve()
    if args.core >= 0:
        os.sched_setaffinity(0, {args.core})
    node = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    args.node_version = int(node[1:].split(".")[0])
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep.resolve() if args.keep else pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        shutil.copy(HERE / "wasm.mjs", folder)
        if (args.build / "js" / "looptree.wasm").exists():
            shutil.copytree(args.build / "js", folder / "looptree", dirs_exist_ok=True,
                            ignore=lambda at, names: [n for n in names if not n.endswith((".js", ".wasm"))])
        (folder / "page.html").write_text("<!DOCTYPE html><meta charset=\"utf-8\"><title>bench</title>\n")
        browser = Browser(program, folder) if program else None
        where = browser.ask("Browser.getVersion")["product"] if browser else "no Chromium"
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
        print(f"{cpu}; node {node[1:]}; {where}; {args.rounds} rounds of {args.seconds} s; load "
              f"{os.getloadavg()[0]:.1f}\n\n| model | where | a run | of llvm's speed for SSE4 | over plain loops | "
              "over the textbook's |\n| --- | --- | --- | --- | --- | --- |")
        try:
            for model in args.model:
                show(model, *compete(args, folder, browser, model))
            show_sizes(args, folder)
            if (folder / LIBRARY).exists():
                show_edits(args, folder, browser)
        finally:
            if browser:
                browser.end()


if __name__ == "__main__":
    main()
