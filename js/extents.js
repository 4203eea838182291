/* extents.js -- the extents of a run, where a program leaves them open: said by scalars that are given, by the shapes
 * of arrays, or by their lengths.  What an extent is, a sum of run-time scalars, the library says (lt/extents.h).
 */
import { LooptreeError, kindOf, values } from './native.js';

/* Extents that an array says of itself, as a result does; null: it says none.  wrong(how): the error to throw. */
export function saidShape(value, wrong) {
	if (!ArrayBuffer.isView(value) || value.shape === undefined)
		return null;
	if (!Array.isArray(value.shape))
		throw wrong(`a shape that is no array of extents, but ${kindOf(value.shape)}`);
	const shape = [...value.shape];
	if (!shape.every((n) => Number.isSafeInteger(n) && n >= 0))
		throw wrong(`the extents [${shape.map(String).join(', ')}]`);
	return shape;
}

/* The same, or those of a list whose lists are its rows; null: it has its length alone. */
function shapeOf(value, wrong) {
	const said = saidShape(value, wrong);
	if (said)
		return said;
	if (!Array.isArray(value) || !value.some(Array.isArray))
		return null;
	const shape = [];
	for (let at = value; Array.isArray(at); at = at[0])
		shape.push(at.length);
	return shape;
}

export class Extents {
	#scalars = new Map(); #limits = new Map();

	/* at: a struct lt_extents.  inputs: those of the program. */
	constructor(native, at, inputs) {
		const of = native.get('lt_extents', at), scalars = native.each(of.scalars, 'lt_run_scalar');
		for (const { name, binding, i, low, high } of scalars) {
			const port = binding === values.LT_BINDING_INPUT ? inputs[i] : null;
			this.#scalars.set(name, { input: port?.shape.every((n) => n === 1) ? port.name : null, low, high });
		}
		for (const axis of native.each(of.axes, 'lt_open_axis')) {
			if (axis.binding !== values.LT_BINDING_INPUT)
				continue;
			const port = inputs[axis.i], terms = native.each(axis.terms, 'lt_extent_term');
			if (!this.#limits.has(port.name))
				this.#limits.set(port.name, port.shape.map(() => null));
			this.#limits.get(port.name)[axis.axis] = { words: axis.text, constant: axis.constant, least: axis.least,
				factor: new Map(terms.map(({ scalar, factor }) => [scalars[scalar].name, factor])) };
		}
	}
	axisText(port, axis) {
		const limit = this.#limits.get(port.name)?.[axis];
		return `${limit ? `${limit.words}: ${limit.least}..` : ''}${port.shape[axis]}`;
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
		for (const [name, { input, low, high }] of this.#scalars) {
			const value = given[input], is = ArrayBuffer.isView(value) || Array.isArray(value) ? value[0] : value;
			const number = typeof is === 'number' || typeof is === 'bigint' ? Number(is) : NaN;
			if (input === null || !Number.isInteger(number) || Math.abs(number) > 2 ** 63)
				continue;
			if (number < low || number > high)
				throw new LooptreeError('EFAULT', `input '${input}' is ${is}; a run has ${low} to ${high}`);
			known.set(name, number);
		}
		const imply = (name, n) => {
			known.set(name, n);
			said.set(this.#scalars.get(name).input, n);
		};
		const open = inputs.filter((port) => this.#limits.has(port.name));
		for (const port of open) {
			const shape = given[port.name] === undefined ? null
				: shapeOf(given[port.name], (how) => wrong(port, how));
			if (!shape)
				continue;
			if (shape.length !== port.shape.length)
				throw wrong(port, `the extents [${shape.map(String).join(', ')}]`);
			this.#limits.get(port.name).forEach((limit, axis) => {
				const name = this.#single(limit), is = limit ? this.#value(limit, known) : port.shape[axis];
				if (is < 0 && name)
					imply(name, shape[axis]);
				if (shape[axis] > port.shape[axis] || is >= 0 && is !== shape[axis] || limit && shape[axis] < limit.least)
					throw wrong(port, `the extents [${shape.join(', ')}]${is >= 0 ? `; axis ${axis}${limit
						? `, ${limit.words},` : ''} is ${is}` : ''}`);
			});
		}
		for (const port of open) {
			const value = given[port.name];
			const n = value === undefined || shapeOf(value, (how) => wrong(port, how)) ? -1 : count(value);
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
			const extent = rest ? n / rest : axes[axis].least;
			if (!Number.isInteger(extent) || extent > port.shape[axis] || extent < axes[axis].least)
				throw wrong(port, `${n} elements, and ${rest} are wanted for each of ${axes[axis].least} to `
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
