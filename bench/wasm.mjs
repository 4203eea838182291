/* wasm.mjs -- what bench/wasm.py measures, in node and in a page alike: a module of lt-build, or the library.
 *     node bench/wasm.mjs MODEL.js '{"tokens": 0}'
 * answers each line of standard input, a number of runs, with a line when they are done; the first line that it writes
 * is what it computes.  tokens: a run is a text of so many, the likeliest after each other; 0: one call.  backend: not
 * a module of lt-build but a program of the library (looptree.js), by that backend: of `source`, a script or a
 * checkpoint, and of the constants in `file`, float32 one after the other, as `weights` says: [[name, how many]].
 * edit: a run is an edit of the program's tree, its inner loop split by one size after the other: proven, compiled and
 * run once. */

/* The same numbers as in wasm.py. */
const number = (i) => Math.fround(((Math.imul(i, 2654435761) + 12345) >>> 0) / 2 ** 31 - 1);

function likeliest(logits) {
	let best = 0;
	for (let i = 1; i < logits.length; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

function text(model, n) {
	const tokens = [];
	model.reset();
	for (let token = 1, position = 0; position < n; position++) {
		token = likeliest(model.run({ tokens: BigInt64Array.of(BigInt(token)),
			position: BigInt64Array.of(BigInt(position)) }).logits);
		tokens.push(token);
	}
	return tokens;
}

/* A file in node, by its path; in a page, by its address. */
async function bytesAt(path) {
	if (globalThis.process?.versions?.node)
		return (await import('node:fs/promises')).readFile(path);
	return new Uint8Array(await (await fetch(path)).arrayBuffer());
}

async function program(lt, { tokens, backend, source, file, weights = [] }) {
	const bytes = file ? new Uint8Array(await bytesAt(file)).buffer : null, all = {};
	let at = 0;
	for (const [name, n] of weights) {
		all[name] = new Float32Array(bytes, at, n);
		at += 4 * n;
	}
	return lt.compile(await bytesAt(source), { backend, weights: all, strict: true,
		...tokens ? { frontend: 'llama2', name: 'model.bin' } : { name: 'script.lt' } });
}

function editing(model, given) {
	let i = 0;
	const sizes = [4, 8, 16, 32, 64, 128, 2, 256, 12];
	return () => {
		const { path } = model.tree.lines().findLast((line) => line.kind === 'loop' && line.extent > 256);
		const edited = model.tree.apply(`split ${path} ${sizes[i++ % sizes.length]}`).compile();
		const { result } = edited.run(given);
		edited.free();
		return result;
	};
}

/* run(n): n runs; first: what one gives. */
export async function open(from, { tokens, edit, ...asked }) {
	const { load } = await import(from), model = asked.backend ? await program(await load(), { tokens, ...asked })
		: await load();
	if (tokens)
		return { first: text(model, tokens), run: (n) => { while (n-- > 0) text(model, tokens); } };
	const given = Object.fromEntries(Object.values(model.inputs).map((t) => [t.name,
		Float32Array.from({ length: t.shape.reduce((a, b) => a * b, 1) }, (_, i) => number(i))]));
	const once = edit ? editing(model, given) : () => Object.values(model.run(given))[0];
	return { first: [...once()], run: (n) => { while (n-- > 0) once(); } };
}

if (globalThis.process?.versions?.node) {
	const { createInterface } = await import('node:readline'), { pathToFileURL } = await import('node:url');
	const model = await open(pathToFileURL(process.argv[2]).href, JSON.parse(process.argv[3]));
	console.log(JSON.stringify(model.first));
	for await (const line of createInterface({ input: process.stdin })) {
		model.run(Number(line));
		console.log('done');
	}
}
