/* wasm.mjs -- a module of lt-build that bench/wasm.py measures, in node and in a page alike:
 *     node bench/wasm.mjs MODEL.js '{"tokens": 0}'
 * answers each line of standard input, a number of runs, with a line when they are done; the first line that it writes
 * is what it computes.  tokens: a run is a text of so many, the likeliest after each other; 0: one call.  backend: not
 * a module of lt-build but a program of the library (build/js/looptree.js), by that backend: of the script `source`,
 * and of the constants in `file`, float32 one after the other, as `weights` says: [[name, how many]]. */

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
		token = likeliest(model.run({ tokens: BigInt64Array.of(BigInt(token)), position }).logits);
		tokens.push(token);
	}
	return tokens;
}

async function program(lt, { backend, source, file, weights = [] }) {
	const { readFile } = await import('node:fs/promises');
	const bytes = file ? (await readFile(file)).buffer : null, all = {};
	let at = 0;
	for (const [name, n] of weights) {
		all[name] = new Float32Array(bytes, at, n);
		at += 4 * n;
	}
	return lt.compile(await readFile(source, 'utf8'), { backend, weights: all, strict: true });
}

/* run(n): n runs; first: what one gives. */
export async function open(from, { tokens, ...asked }) {
	const { load } = await import(from), model = asked.backend ? await program(await load(), asked) : await load();
	if (tokens)
		return { first: text(model, tokens), run: (n) => { while (n-- > 0) text(model, tokens); } };
	const given = Object.fromEntries(Object.values(model.inputs).map((t) => [t.name,
		Float32Array.from({ length: t.shape.reduce((a, b) => a * b, 1) }, (_, i) => number(i))]));
	const [result] = Object.values(model.run(given));
	return { first: [...result], run: (n) => { while (n-- > 0) model.run(given); } };
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
