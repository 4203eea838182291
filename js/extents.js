/* extents.js -- the extents of a run, where a program leaves them open: said by scalars that are given, by the shapes
 * of arrays, or by their lengths.
 *
 * What an extent is, a sum of run-time scalars, stands in the graph's text: `var b 8 limit n + 1`, `param n = %2[0] in
 * 0..7`.
 */
import { LooptreeError } from './native.js';

/* "n - m + 1" */
function limitOf(words) {
	const factor = new Map();
	let constant = 0;
	for (const [, sign, times, what] of words.matchAll(/([+-]?) *(?:(\d+)\*)?([\w.']+)/g)) {
		const n = (sign === '-' ? -1 : 1) * Number(times ?? 1);
		if (/^\d+$/.test(what))
			constant += n * Number(what);
		else
			factor.set(what, n);
	}
	return { words, constant, factor };
}

/* A text in quotes, as graphs have it: escapes are \" \\ \n \t, and \xHH of a byte. */
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
function unquote(words) {
	const escape = { n: '\n', t: '\t' }, encoder = new TextEncoder();
	const bytes = ([all, hex, letter]) =>
		hex ? [parseInt(hex, 16)] : [...encoder.encode(letter ? escape[letter] ?? letter : all)];
	return new TextDecoder().decode(Uint8Array.from([...words.matchAll(/\\x(..)|\\(.)|[^\\]+/g)].flatMap(bytes)));
}

/* Extents that a value says of itself, as a result does, or a list whose lists are its rows; null: its length alone. */
function shapeOf(value) {
	if (Array.isArray(value?.shape))
		return [...value.shape];
	if (!Array.isArray(value) || !value.some(Array.isArray))
		return null;
	const shape = [];
	for (let at = value; Array.isArray(at); at = at[0])
		shape.push(at.length);
	return shape;
}

export class Extents {
	#scalars = new Map(); #limits = new Map();

	/* text: of the graph.  inputs: name, dtype, shape, of those of the program. */
	constructor(text, inputs) {
		const limits = new Map([...text.matchAll(/^var (\S+) \d+ limit (.+)$/gm)].map(([, name, words]) =>
			[name, limitOf(words)]));
		const nodes = new Map([...text.matchAll(new RegExp(`^%(\\S+) = \\w+\\[(.*?)\\] input ${QUOTED}`, 'gm'))]
			.map(([, node, dims, name]) => [node, { name: unquote(name), dims: dims.split(', ') }]));
		for (const [, name, node, low, high] of text.matchAll(/^param (\S+) = %(\S+)\[0\] in (-?\d+)\.\.(-?\d+)/gm)) {
			const port = inputs.find((p) => p.name === nodes.get(node)?.name && p.dtype === 'int64'
				&& p.shape.every((n) => n === 1));
			this.#scalars.set(name, { input: port?.name ?? null, low: Number(low), high: Number(high) });
		}
		for (const { name, dims } of nodes.values())
			if (dims.some((dim) => limits.has(dim)))
				this.#limits.set(name, dims.map((dim) => limits.get(dim) ?? null));
	}
	/* The least extent of an axis; "batch: 1..8", its text. */
	#least(limit) {
		let least = limit.constant;
		for (const [scalar, n] of limit.factor) {
			const { low = 0, high = 0 } = this.#scalars.get(scalar) ?? {};
			least += n * (n < 0 ? high : low);
		}
		return Math.max(0, least);
	}
	axisText(port, axis) {
		const limit = this.#limits.get(port.name)?.[axis];
		return `${limit ? `${limit.words}: ${this.#least(limit)}..` : ''}${port.shape[axis]}`;
	}
	/* Whether the input is a scalar that an array says. */
	isImplied(port) {
		return [...this.#scalars].some(([name, scalar]) => scalar.input === port.name
			&& [...this.#limits.values()].some((axes) => axes.some((limit) => this.#single(limit) === name)));
	}
	/* The scalar that an extent is, and that is an input; null: it is no such. */
	#single(limit) {
		const [name] = limit?.factor.keys() ?? [];
		return limit && limit.constant === 0 && limit.factor.size === 1 && limit.factor.get(name) === 1
			&& this.#scalars.get(name)?.input != null ? name : null;
	}
	#value(limit, known) {
		const names = [...limit.factor.keys()];
		return names.every((name) => known.has(name))
			? Math.max(0, names.reduce((sum, name) => sum + limit.factor.get(name) * known.get(name), limit.constant)) : -1;
	}

	/* The extents of each input in a run, and the scalars that arrays say, by name.  given: values by name, lengths of
	 * theirs by `count`; largest: scalars that nothing says are the largest, else unknown extents are. */
	find(inputs, given, count, largest) {
		const known = new Map(), shapes = new Map(), said = new Map();
		const wrong = (port, how) => new LooptreeError('ETYPE', `input '${port.name}', ${port.text}, is given with ${how}`);
		for (const [name, { input }] of this.#scalars) {
			const value = given[input], number = Number(ArrayBuffer.isView(value) || Array.isArray(value) ? value[0] : value);
			if (input !== null && value !== undefined && Number.isSafeInteger(number))
				known.set(name, number);
		}
		const imply = (name, n) => {
			known.set(name, n);
			said.set(this.#scalars.get(name).input, n);
		};
		const open = inputs.filter((port) => this.#limits.has(port.name));
		for (const port of open) {
			const shape = given[port.name] === undefined ? null : shapeOf(given[port.name]);
			if (!shape)
				continue;
			if (shape.length !== port.shape.length || !shape.every((n) => Number.isSafeInteger(n) && n >= 0))
				throw wrong(port, `the extents [${shape.map(String).join(', ')}]`);
			this.#limits.get(port.name).forEach((limit, axis) => {
				const name = this.#single(limit), is = limit ? this.#value(limit, known) : port.shape[axis];
				if (is < 0 && name)
					imply(name, shape[axis]);
				if (shape[axis] > port.shape[axis] || is >= 0 && is !== shape[axis] || limit && shape[axis] < this.#least(limit))
					throw wrong(port, `the extents [${shape.join(', ')}]${is >= 0 ? `; axis ${axis}${limit
						? `, ${limit.words},` : ''} is ${is}` : ''}`);
			});
		}
		for (const port of open) {
			const n = given[port.name] === undefined || shapeOf(given[port.name]) ? -1 : count(given[port.name]);
			const axes = this.#limits.get(port.name), unknown = axes.flatMap((limit, axis) =>
				limit && this.#value(limit, known) < 0 ? [axis] : []);
			if (n < 0 || !unknown.length)
				continue;
			const [axis] = unknown, name = this.#single(axes[axis]);
			if (unknown.length > 1 || !name)
				throw wrong(port, `${n} elements, which do not say its extents; give ${[...this.#scalars]
					.filter(([scalar, { input }]) => input !== null && !known.has(scalar))
					.map(([, { input }]) => `'${input}'`).join(', ') || 'it with a property shape'}, too`);
			const rest = port.shape.reduce((product, most, i) => i === axis ? product
				: product * (axes[i] ? this.#value(axes[i], known) : most), 1);
			const extent = rest ? n / rest : this.#least(axes[axis]);
			if (!Number.isInteger(extent) || extent > port.shape[axis] || extent < this.#least(axes[axis]))
				throw wrong(port, `${n} elements, and ${rest} are wanted for each of ${this.#least(axes[axis])} to `
					+ port.shape[axis]);
			imply(name, extent);
		}
		if (largest)
			for (const [name, { input, high }] of this.#scalars)
				if (!known.has(name) && input !== null)
					imply(name, high);
		for (const port of open)
			shapes.set(port.name, port.shape.map((most, axis) => {
				const limit = this.#limits.get(port.name)[axis], is = limit ? this.#value(limit, known) : most;
				return is < 0 || is > most ? most : is;
			}));
		return { shapes, said };
	}
}
