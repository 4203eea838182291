/* tiny.mjs -- models of llama2.c for tests: random weights of a seed, and a tokenizer of as many tokens. */
export const TINY = { dim: 16, hidden: 40, layers: 2, heads: 4, kv: 2, vocab: 300, context: 64 };
export const STORIES260K = { dim: 64, hidden: 172, layers: 5, heads: 8, kv: 4, vocab: 512, context: 512 };
export const STORIES15M = { dim: 288, hidden: 768, layers: 6, heads: 6, kv: 6, vocab: 32000, context: 256 };

/** Numbers from -1 to 1. */
export function numbers(seed) {
	return () => {
		seed = seed * 48271 % 2147483647;
		return seed / 2147483647 * 2 - 1;
	};
}
const bytesOf = (array) => Buffer.from(array.buffer);

/** Version 0, as export.py of llama2.c writes it: sizes, then floats; the embedding is the classifier, too. */
export function checkpoint(seed, sizes = TINY) {
	const { dim, hidden, layers, heads, kv, vocab, context } = sizes, head = dim / heads;
	const layer = dim + dim * dim * 2 + dim * kv * head * 2 + dim + 3 * dim * hidden;
	return Buffer.concat([bytesOf(Int32Array.of(dim, hidden, layers, heads, kv, vocab, context)),
		bytesOf(Float32Array.from({ length: vocab * dim + layers * layer + dim + context * head }, numbers(seed)))]);
}

export function tokenizer({ vocab } = TINY) {
	const byte = (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`;
	const texts = ['<unk>', '\n<s>\n', '\n</s>\n', ...Array.from({ length: 256 }, byte), ' ',
		...'abcdefghijklmnopqrstuvwxyz', ' a', ' the', 'he', 'in', ' Once', 'nc', 'ce', 'er', 'an', 'nd', 'on', 'O',
		'é', '語'];
	const more = Array.from({ length: vocab - texts.length }, (_, i) => ` w${i}`);
	const tokens = [...texts, ...more].map((text) => Buffer.from(text));
	const score = (i) => Float32Array.of(-i);
	return Buffer.concat([bytesOf(Int32Array.of(Math.max(...tokens.map((t) => t.length)))),
		...tokens.flatMap((t, i) => [bytesOf(score(i)), bytesOf(Int32Array.of(t.length)), t])]);
}
