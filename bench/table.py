#!/usr/bin/env python3
"""Prints what lt-bench has measured as Markdown, for docs/performance.md, README.md and docs/tutorial-matmul.md.

    bench/table.py [--write PAGE] FILE.json...          the table of docs/performance.md
    bench/table.py --rivals [--write PAGE] FILE.json... that of README.md: our speed over that of each library;
                                                        with --fastest by each one's fastest sample, not by medians:
                                                        for a machine that is busy with other work
    bench/table.py --nets [--write PAGE] FILE.json...   of the suites nets and start, that of docs/performance.md,
                                                        "Whole networks"; with --fastest the fastest sample of each
    bench/table.py --llama [--write PAGE] FILE.json...  of the suite llama, that of docs/llama.md
    bench/table.py --tutorial [--write PAGE] FILE.json  the eight steps of docs/tutorial-matmul.md

Several files may hold several runs, each with its own denominators: no ratio is taken across files.  --write puts the
table between the lines "<!-- measured -->" and "<!-- end -->" of the page, that of --nets between "<!-- nets -->" and
"<!-- end -->", of --llama between "<!-- llama -->" and that, and a step's figures into its file.
"""
import json
import math
import os
import re
import statistics
import sys
import textwrap

SIZES = ("512", "1024", "2048")
SMALL = ("64", "128", "256")
STEP = re.compile(r"(\d)-(\w+)\.tree$")


def cases(runs, suite, threads, fits):
    """The cases of one suite with as many threads, which the function takes."""
    return [c for d in runs for c in d["cases"] if c["suite"] == suite and c["threads"] == threads and fits(c)]


def ours(case):
    """The row of Looptree's default tree."""
    return next((r for r in case["rows"] if r["role"] == "looptree" and " " not in r["contestant"]), None)


def over_peak(case):
    row = ours(case)
    return row["of_peak"] if row and row["status"] == "measured" else None


def over_rivals(*names):
    """Our rate over the best of those whose name begins with one of the names."""
    def ratio(case):
        row = ours(case)
        rivals = [r["per_second"] for r in case["rows"] if r["role"] == "other" and r["status"] == "measured"
                  and r["contestant"].lower().startswith(names)]
        return row["per_second"] / max(rivals) if row and row["status"] == "measured" and rivals else None
    return ratio


def mean(found, ratio):
    """The geometric mean, the lowest when there are several, and how many cases gave none."""
    values = [ratio(c) for c in found]
    known = [v for v in values if v]
    if not known:
        return f"not measured, {len(values)} without a number" if values else "not measured"
    text = f"{math.exp(sum(map(math.log, known)) / len(known)):.2f}"
    if len(known) > 1:
        text += f" (lowest {min(known):.2f} of {len(known)})"
    return text + (f", {len(values) - len(known)} without a number" if len(known) < len(values) else "")


def by_threads(runs, suite, counts, fits, ratio):
    """One mean for each number of threads that was measured."""
    found = [(n, cases(runs, suite, n, fits)) for n in counts]
    return "; ".join(f"{n} thread{'s' * (n > 1)}: {mean(c, ratio)}" for n, c in found if c) or "not measured"


def compile_times(runs, suite, key, times):
    values = [c[key] * times for d in runs for c in d["compile"] if c["suite"] == suite]
    return f"{statistics.median(values):.3g}" if values else None


def last(runs, suite, fits):
    """The largest number of threads with such cases."""
    return max((c["threads"] for d in runs for c in d["cases"] if c["suite"] == suite and fits(c)), default=1)


def performance(runs):
    square = lambda c: c["name"] in SIZES
    odd = lambda c: c["name"] == "1021x1023x1025"
    small = lambda c: c["name"] in SMALL
    few = lambda c: c["group"] == "rows"
    large = lambda c: c["group"] != "sum" and math.prod(map(int, re.findall(r"\d+", c["name"]))) == 2 ** 26
    chain = lambda c: c["name"] == "chain8-2^24"
    every = lambda c: True
    libraries = over_rivals("openblas", "onednn")
    seconds = compile_times(runs, "gemm", "compile_cold_s", 1)
    cached = compile_times(runs, "gemm", "compile_cached_s", 1e3)
    trees = [c["tree_s"] * 1e3 for d in runs for c in d["compile"] if c["suite"] == "gemm"]
    rows = [
        ("products, squares 512 to 2048, one thread, of the multiply-add peak", "0.90",
         mean(cases(runs, "gemm", 1, square), over_peak)),
        ("the same, of the best of OpenBLAS and oneDNN", "0.95", mean(cases(runs, "gemm", 1, square), libraries)),
        ("the same with two threads", "0.93", mean(cases(runs, "gemm", 2, square), libraries)),
        ("1021x1023x1025, of the best of both", "0.93", by_threads(runs, "gemm", (1, 2), odd, libraries)),
        ("squares 64, 128, 256, one thread, of the best of both", "0.85",
         mean(cases(runs, "gemm", 1, small), libraries)),
        ("1 to 8 rows by 4096x4096 and 4096x11008, one thread, of the read bandwidth", "0.90",
         mean(cases(runs, "gemm", 1, few), over_peak)),
        ("convolutions, one thread, of the best of oneDNN and ONNX Runtime", "0.90",
         mean(cases(runs, "conv", 1, every), over_rivals("onednn", "onnx"))),
        ("MLP, of ONNX Runtime", "1.00", by_threads(runs, "mlp", (1, 2), every, over_rivals("onnx"))),
        ("softmax, RMS norm, layer norm, 2^26 elements, all threads, of the copy bandwidth", "0.85",
         by_threads(runs, "rows", (last(runs, "rows", large),), large, over_peak)),
        ("chains of 8 operations, 2^24 elements, of the copy bandwidth", "0.90",
         by_threads(runs, "pointwise", (1, 2), chain, over_peak)),
        ("a product, tree to loaded code, cold, median of the suite", "≤ 0.25 s",
         f"{seconds} s" if seconds else "not measured"),
        ("the same from the cache", "≤ 3 ms", f"{cached} ms" if cached else "not measured"),
        ("a product's default tree, made and analysed, slowest of the suite", "≤ 30 ms",
         f"{max(trees):.2g} ms" if trees else "not measured"),
    ]
    return ["| what | aim | measured |", "| --- | --- | --- |"] + [f"| {a} | {b} | {c} |" for a, b, c in rows]


def by_fastest(runs):
    """The runs with the rates of the fastest samples."""
    for row in (r for d in runs for c in d["cases"] for r in c["rows"] if r["status"] == "measured"):
        row["per_second"] *= row["median_s"] / row["minimum_s"]
    return runs


def rivals(runs):
    """With one thread, our speed over that of each library; a dash where it has no such case."""
    libraries = (("ONNX Runtime", "onnxruntime"), ("OpenVINO", "openvino"), ("oneDNN", "onednn"))
    kinds = (
        ("products: squares of NAMES", "gemm", lambda c: c["name"] in SMALL + SIZES),
        ("few rows: NAMES", "gemm", lambda c: c["name"] in ("1x4096x4096", "8x4096x4096")),
        ("dense layers (MLP): NAMES", "mlp", lambda c: True),
        ("convolutions of ResNet-50", "conv", lambda c: c["group"] == "resnet50"),
        ("depthwise convolutions of MobileNetV2", "conv", lambda c: c["group"] == "depthwise"),
        ("softmax", "rows", lambda c: c["group"] == "softmax"),
        ("layer norm", "rows", lambda c: c["group"] == "layernorm"),
    )
    lines = ["| one thread | " + " | ".join(title for title, _ in libraries) + " |",
             "| --- |" + " --- |" * len(libraries)]
    for what, suite, fits in kinds:
        found = cases(runs, suite, 1, fits)
        known = [[c for c in found if over_rivals(name)(c)] for _, name in libraries]
        cells = [mean(some, over_rivals(name)) if some else "–" for some, (_, name) in zip(known, libraries)]
        names = ", ".join(c["name"] for c in found) or "not measured"
        lines.append(f"| {what.replace('NAMES', names)} | " + " | ".join(cells) + " |")
    return lines


def milliseconds(seconds):
    digits = ".3g" if seconds < 0.1 else ".1f" if seconds < 1 else ".0f"
    return f"{seconds * 1e3:{digits}}"


def times(runs):
    """One row for each network and load: our time, the best other's and their ratio, for each number of threads.  Of a
    case that is in several files the last counts."""
    found = {}
    for d in runs:
        for c in d["cases"]:
            if c["suite"] == "nets":
                key = c["name"] + (" beside a busy process" if d.get("busy") == 1 else
                                   f" beside {d['busy']} busy processes" if d.get("busy") else "")
                found.setdefault(key, {})[c["threads"]] = c
    counts = sorted({n for cases_of in found.values() for n in cases_of})
    if not found:
        return []
    lines = ["| ms | " + " | ".join(f"{n} thread{'s' * (n > 1)}: ours | best other | ratio" for n in counts) + " |",
             "| --- |" + " --- | --- | --- |" * len(counts)]
    for name, by in found.items():
        cells = []
        for n in counts:
            mine = ours(by[n]) if n in by else None
            others = [r for r in by[n]["rows"] if r["role"] == "other" and r["status"] == "measured"] if n in by else []
            if not mine or mine["status"] != "measured" or not others:
                cells += ["failed" if mine and mine["status"] == "failed" else "–", "–", "–"]
                continue
            best = max(others, key=lambda r: r["per_second"])
            cells += [milliseconds(by[n]["flops"] / mine["per_second"]),
                      f"{milliseconds(by[n]['flops'] / best['per_second'])} ({best['contestant'].split(':')[0]})",
                      f"{mine['per_second'] / best['per_second']:.2f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    for busy, title in ((False, "geometric mean"), (True, "geometric mean beside busy processes")):
        some = [[by[n] for name, by in found.items()
                 if n in by and ("beside" in name) == busy and over_rivals("")(by[n])] for n in counts]
        if any(some):
            cells = (f"| | {mean(s, over_rivals(''))}" if s else "| | –" for s in some)
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def starts(runs):
    """Whole processes of ours over the best peer's session and first run, and its memory."""
    found = [s for d in runs for s in d.get("start", [])]
    if not found:
        return []
    lines = ["| from nothing to the first result | threads | time | over the best other | memory | "
             "over the least other |", "| --- | --- | --- | --- | --- | --- |"]
    for s in found:
        for r in s["rows"]:
            if r["status"] != "measured":
                continue
            over = [f"{r[k]:.2f}" if r[k] and r["role"] == "looptree" else "" for k in
                    ("time_over_best", "memory_over_best")]
            lines.append(f"| {s['name']}, {r['contestant']} | {s['threads']} | {r['total_s']:.2f} s | {over[0]} | "
                         f"{r['peak_bytes'] / 1e6:.0f} MB | {over[1]} |")
    return lines


def nets(runs):
    first, second = times(runs), starts(runs)
    return first + [""] * bool(first and second) + second


def llama(runs):
    """A row for each shape, contestant, type and number of threads: tokens a second and what they are compared with.
    Of a row that is in several files the last counts."""
    found = {}
    for d in runs:
        for c in d["cases"]:
            if c["suite"] == "llama":
                for r in c["rows"]:
                    if r["role"] != "denominator":
                        found[c["name"], r["contestant"], c["threads"]] = c, r
    if not found:
        return []
    lines = ["| shape | threads | contestant | tok/s | of run or runq | of the bandwidth | of f32 | prompt, tok/s "
             "| over made | by launches | compiled cold, cached | MiB | tokens |", "| --- |" + " --- |" * 12]
    ratio = lambda x: f"{x:.2f}" if x else ""
    for (name, who, threads), (c, r) in found.items():
        shape, kind = name.rsplit("-", 1)
        begin = f"| {shape} | {threads} | {who} {kind} | "
        if r["status"] != "measured":
            lines.append(begin + "failed |" + " |" * 9)
            continue
        s, mine = r["stats"], r["role"] == "looptree"
        rate, prompt, launched = (s[k + "_per_second"] for k in ("tokens", "prompt", "launches"))
        other = found.get((f"{shape}-f32", who, threads), (0, {}))[1].get("stats", {}).get("tokens_per_second")
        above = s["peak_cached_bytes"] - s["checkpoint_bytes"] - s["cache_bytes"] if "cache_bytes" in s else 0
        cells = [f"{rate:.4g}", ratio(r["of_best"]) if mine else "", ratio(r["of_peak"]),
                 ratio(rate / other) if mine and kind != "f32" and other else "", f"{prompt:.4g}" if prompt else "",
                 f"{prompt / rate:.1f}" if prompt else "", ratio(rate / launched) if launched else "",
                 f"{s['compile_cold_s']:.2f} s, {s['compile_cached_s']:.2f} s" if "compile_cold_s" in s else "",
                 f"{above / 2 ** 20:.1f}" if above > 0 else "", f"{s['agree']} of {s['tokens']}"]
        lines.append(begin + " | ".join(cells) + " |")
    return lines


def steps(runs):
    """(file or contestant, threads, row) of each step, of the default tree and of the best of each library."""
    for d in runs:
        for case in d["cases"]:
            best = {}
            for row in case["rows"]:
                name = row["contestant"]
                if row["status"] != "measured" or row["role"] not in ("looptree", "other"):
                    continue
                if row["role"] == "other":
                    key = name.split(":")[0]
                    if key not in best or row["per_second"] > best[key]["per_second"]:
                        best[key] = row
                elif " " not in name:
                    yield "the default tree", case["threads"], row
                elif case["threads"] == 1 or STEP.search(name)[1] == "8":
                    yield name.split(" ", 1)[1], case["threads"], row
            for row in best.values():
                yield row["contestant"], case["threads"], row


def tutorial(runs):
    """The eight steps with one thread; what gains from two, with two as well."""
    lines = ["| | threads | GFLOP/s | of the peak |", "| --- | --- | --- | --- |"]
    for what, threads, row in steps(runs):
        name = STEP.search(what)
        what = f"step {name[1]}, {name[2]}" if name else what
        lines.append(f"| {what} | {threads} | {row['per_second'] / 1e9:.1f} | {row['of_peak']:.2f} |")
    return lines


def write_steps(runs):
    """The second line of each step's file says what it reaches."""
    reached = {}
    for what, threads, row in steps(runs):
        if STEP.search(what):
            reached.setdefault(what, []).append(
                f"{row['per_second'] / 1e9:.1f} GFLOP/s with {threads} thread{'s' * (threads > 1)}, "
                f"{row['of_peak']:.2f} of the peak")
    for path, texts in reached.items():
        with open(path) as f:
            lines = f.read().split("\n")
        lines[1 : 2 if lines[1].startswith("# Measured: ") else 1] = [f"# Measured: {'; '.join(texts)}."]
        with open(path, "w") as f:
            f.write("\n".join(lines))


def machine(runs, with_limits=True):
    """What the figures were measured on, and its limits as they were then: one item a machine, ranges over its runs."""
    units = (("flops", "GFLOP/s"), ("read_bytes", "GB/s read"), ("copy_bytes", "GB/s copied")) if with_limits else ()
    vectors = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("asimd", "NEON"))
    machines = {}
    for d in runs:
        m = d["machine"]
        vector = next((v for f, v in vectors if f in m["flags"].split()), "no wide vectors")
        name = (f"{m['processor']} ({m['architecture']}, {vector}), {m['processors']} processors, "
                f"L1 {m['l1_bytes'] >> 10} KiB, L2 {m['l2_bytes'] >> 10} KiB, L3 {m['l3_bytes'] >> 20} MiB; "
                f"compiler {m['built_with']}")
        found = machines.setdefault(name, {"samples": []})
        found["samples"].append(d["samples"])
        for key, unit in units:
            for p in d.get("peak", {}).get(key, []):
                limit = f"{unit} with {p['threads']} thread{'s' * (p['threads'] > 1)}"
                found.setdefault(limit, []).append(round(p["per_second"] / 1e9))
    span = lambda values: f"{min(values)}" + f"-{max(values)}" * (max(values) > min(values))
    lines = []
    for name, found in machines.items():
        text = f"{name}; {span(found.pop('samples'))} samples; " + ", ".join(f"{span(v)} {k}" for k, v in found.items())
        lines += textwrap.wrap(text.rstrip("; "), 118, initial_indent="* ", subsequent_indent="  ",
                               break_on_hyphens=False)
    return lines


def write(page, lines, mark):
    with open(page) as f:
        text = f.read()
    made, n = re.subn(f"(<!-- {mark} -->\\n).*?(<!-- end -->)",
                      lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    if n != 1:
        sys.exit(f"bench/table.py: {page} has {n} places between '<!-- {mark} -->' and '<!-- end -->'; "
                 "it must have one")
    with open(page + ".new", "w") as f:
        f.write(made)
    os.replace(page + ".new", page)


def main(words):
    table, page, files, fastest = performance, None, [], False
    while words:
        word = words.pop(0)
        if word == "--tutorial":
            table = tutorial
        elif word == "--rivals":
            table = rivals
        elif word == "--nets":
            table = nets
        elif word == "--llama":
            table = llama
        elif word == "--fastest":
            fastest = True
        elif word == "--write" and words:
            page = words.pop(0)
        elif word.startswith("-"):
            sys.exit(__doc__)
        else:
            files.append(word)
    if not files:
        sys.exit(__doc__)
    runs = []
    for name in files:
        with open(name) as f:
            runs.append(json.load(f))
    lines = table(by_fastest(runs) if fastest else runs) + [""] + machine(runs, with_limits=table not in (rivals, nets))
    if fastest:
        lines.append("* by the fastest sample of each contestant, because the machine was busy with other work")
    if page:
        write(page, lines, "nets" if table is nets else "llama" if table is llama else "measured")
        if table is tutorial:
            write_steps(runs)
    else:
        print("\n".join(lines))


main(sys.argv[1:])
