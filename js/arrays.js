/* arrays.js -- typed arrays: which one holds the elements of a type, and those that a word stands for.
 *
 * dtypes.js is written from the library's own table (ir/op/dtype.def) when the package is built.
 */
import DTYPES from './dtypes.js';
import { LooptreeError } from './native.js';

const short = new Map(Object.entries(DTYPES).map(([name, { graph }]) => [graph, name]));

/** A type as scripts and NumPy name it, "float32", by its name in graphs, "f32". */
export const dtypeOf = (graph) => short.get(graph);

const array = (dtype, { class: kind, bytes }) => globalThis[kind === 'FLOAT' && bytes > 2 ? `Float${8 * bytes}Array`
	: `${bytes === 8 ? 'Big' : ''}${kind === 'INT' && dtype.startsWith('int') ? 'Int' : 'Uint'}${8 * bytes}Array`];
/** The typed array of each type; of float16 and bfloat16 it holds their bits. */
export const ARRAYS = Object.fromEntries(Object.entries(DTYPES).map(([dtype, of]) => [dtype, array(dtype, of)]));

export const isFloat = (dtype) => DTYPES[dtype].bits > 0;
/** Its array holds bits, not numbers. */
export const isHalf = (dtype) => isFloat(dtype) && ARRAYS[dtype].BYTES_PER_ELEMENT === 2;
/** Its numbers are bigints. */
export const isWide = (dtype) => /^Big/.test(ARRAYS[dtype].name);

/** Whether it is what was meant: whole numbers are no more when they are large, and another one may have been. */
export const isExact = (x) => !Number.isInteger(x) || Number.isSafeInteger(x);
export const notExact = (x) => `number ${x}, which is not exact, as none above 2^53 is: give a bigint, ${BigInt(x)}n`;

/** Numbers of -1 to 1, the same each time. */
export function randoms() {
	let seed = 1;
	return () => (seed = seed * 48271 % 2147483647) / 2147483647 * 2 - 1;
}

/** The array of a tensor (dtype, shape) that a word stands for: random (floats of -1 to 1, whole numbers of 0 and 1,
 * which are indices, too), zeros, ones, iota, or a number. */
export function filled({ name, dtype, shape }, word, random = randoms()) {
	const kind = ARRAYS[dtype], n = shape.reduce((a, b) => a * b, 1), isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
	const whole = isWide(dtype) ? BigInt : Number, isWhole = /^[-+]?\d+$/;
	const value = { zeros: 0, ones: 1 }[word]
		?? (isWhole.test(word) ? whole(word) : isNumber.test(word) ? Number(word) : null);
	if (isHalf(dtype)) {
		/* A sign, an exponent of 1/2 to 1/16, and a fraction. */
		const bits = DTYPES[dtype].bits - 1, bias = 2 ** (14 - bits) - 1;
		if (word === 'random')
			return kind.from({ length: n }, () => (random() > 0 ? 1 : 0) << 15
				| bias - 1 - Math.floor(Math.abs(random()) * 4) << bits | Math.floor(Math.abs(random()) * 2 ** bits));
		if (value === 0 || value === 1)
			return new kind(n).fill(value * bias << bits);
		throw new LooptreeError('EINVAL', `${name} is ${dtype}: it is random, zeros or ones here`);
	}
	if (value !== null) {
		const isWrong = isFloat(dtype) ? !Number.isFinite(kind.of(value)[0])
			: typeof value !== 'bigint' && !Number.isSafeInteger(value) || (dtype === 'bool' ? value !== 0 && value !== 1
				: kind.of(whole(value))[0] !== whole(value));
		if (isWrong)
			throw new LooptreeError('EINVAL', `${name} is ${dtype}, which has no ${word}`);
		return new kind(n).fill(whole(value));
	}
	if (word === 'iota')
		return kind.from({ length: n }, (_, i) => whole(dtype === 'bool' ? i % 2 : i));
	if (word === 'random')
		return kind.from({ length: n }, isFloat(dtype) ? random : () => whole(random() > 0 ? 1 : 0));
	throw new LooptreeError('EINVAL', `${name}: "${word}" is none of random, zeros, ones, iota, and no number`);
}
