/* Random checkpoints of llama2.c with the sizes of two that are known, and the tokens that a module of one gives:
 *     node tests/wasm/story.mjs make stories260K FILE
 *     node tests/wasm/story.mjs tokens MODEL.js N
 * A page imports `tokens` by itself.  The likeliest tokens are those of lt-llama -t 0 as long as no two are as likely
 * but for rounding: so weights are always the same. */

const sizes = {
	stories260K: { dim: 64, hidden: 172, layers: 5, heads: 8, kv: 4, vocab: 512, context: 512 },
	stories15M: { dim: 288, hidden: 768, layers: 6, heads: 6, kv: 6, vocab: 32000, context: 256 },
};

/* Version 0, with a classifier of its own: that of the embedding would give the same token again and again. */
function* pieces({ dim, hidden, layers, heads, kv, vocab, context }) {
	const head = dim / heads;
	let seed = 12345;
	const random = () => {
		seed = seed * 48271 % 2147483647;
		return seed / 2147483647 * 2 - 1;
	};
	const matrix = (rows, columns, scale = Math.sqrt(3 / columns)) =>
		Float32Array.from({ length: rows * columns }, () => random() * scale);
	const norm = (n) => Float32Array.from({ length: n }, () => 1 + random() / 5);
	yield Int32Array.of(dim, hidden, layers, heads, kv, -vocab, context);
	yield matrix(vocab, dim, 1);
	yield norm(layers * dim);
	for (const rows of [dim, kv * head, kv * head, dim])
		yield matrix(layers * rows, dim);
	yield norm(layers * dim);
	for (const [rows, columns] of [[hidden, dim], [dim, hidden], [hidden, dim]])
		yield matrix(layers * rows, columns);
	yield norm(dim);
	yield new Float32Array(context * head);
	yield matrix(vocab, dim, 1);
}

/** The n likeliest tokens, each after those before it; a text begins with token 1, and ends before another one. */
export function tokens(model, n) {
	const all = [];
	for (let token = 1, position = 0; position < n; position++) {
		const { logits } = model.run({ tokens: BigInt64Array.of(BigInt(token)), position });
		token = 0;
		for (let i = 1; i < logits.length; i++)
			if (logits[i] > logits[token])
				token = i;
		if (token === 1)
			break;
		all.push(token);
	}
	return all;
}

if (globalThis.process?.versions?.node) {
	const { writeFileSync } = await import('node:fs'), { pathToFileURL } = await import('node:url');
	const [what, from, to] = process.argv.slice(2);
	if (what === 'make') {
		writeFileSync(to, Buffer.concat([...pieces(sizes[from])].map((a) => new Uint8Array(a.buffer))));
	} else {
		const model = await (await import(pathToFileURL(from))).load();
		console.log(tokens(model, Number(to)).join(' '));
	}
}
