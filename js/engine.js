/* engine.js -- the engine of WebAssembly that an instance of the library runs in, as the backend wasm calls it
 * (js/engine.c): functions of modules that it prints, put into the library's table.
 */
const encoder = new TextEncoder();

/* The smallest module with a vector of 128 bits. */
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
	15, 253, 98, 11);
/** Whether the engine has what the backend prints. */
export const hasSimd = () => WebAssembly.validate(SIMD);

/** The imports of js/engine.c; of: gives the library's exports. */
export function engineOf(of) {
	const unused = [];                      // places of the table, which never gets shorter
	const bytes = () => new Uint8Array(of().memory.buffer);
	/* The place in the table of what a module exports.  It has the library's memory, and the functions of C that it asks
	 * for. */
	const made = (at, n, functions, count) => {
		if (!hasSimd())
			throw new Error("this engine has no SIMD of WebAssembly (Chrome 91, Firefox 89, Safari 16.4, node 16.4); "
				+ "{ backend: 'ref' } wants none");
		const { memory, __indirect_function_table: table } = of(), module = new WebAssembly.Module(bytes().slice(at, at + n));
		const given = WebAssembly.Module.imports(module).filter((wanted) => wanted.kind === 'function');
		const places = new DataView(memory.buffer, functions, 4 * count);
		const m = Object.fromEntries(given.map(({ name }, i) => [name, table.get(places.getUint32(4 * i, true))]));
		const { exports } = new WebAssembly.Instance(module, { env: { memory }, m });
		const place = unused.pop() ?? table.grow(1);
		table.set(place, exports.kernel);
		return place;
	};
	return {
		knows: (at, n) => WebAssembly.validate(bytes().slice(at, at + n)) ? 1 : 0,
		make: (at, n, functions, count, why, most) => {
			try {
				return made(at, n, functions, count);
			} catch (error) {
				const words = encoder.encode(error.message.slice(0, most / 4));
				bytes().set(words, why);
				bytes()[why + words.length] = 0;
				return 0;
			}
		},
		drop: (at) => {
			of().__indirect_function_table.set(at, null);
			unused.push(at);
		},
	};
}
