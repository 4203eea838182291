/* What the modules that tests/wasm.sh builds do when JavaScript calls them: node tests/wasm/api.mjs FOLDER.  Prints
 * TAP.  Results are compared with the backend ref's files and with what is computed here. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const to = process.argv[2];
const path = (name) => `${to}/${name}`;
const open = (name) => import(pathToFileURL(path(`${name}/${name}.js`)));
const load = async (name) => (await open(name)).load();
/* The elements of an .npy file of version 1. */
function file(name, Kind) {
	const bytes = readFileSync(path(name));
	return new Kind(new Uint8Array(bytes.subarray(10 + bytes.readUInt16LE(8))).buffer);
}
const same = (got, want) => assert.deepEqual([...got], [...want]);
const refused = (f, code, text) => assert.throws(f, (e) => {
	assert.equal(e.name, 'LooptreeError');
	assert.equal(e.code, code);
	assert.ok(e.message.includes(text), e.message);
	return true;
});
async function refusedLater(f, code, text) {
	let e;
	await assert.rejects(f, (thrown) => { e = thrown; return true; });
	refused(() => { throw e; }, code, text);
}

const tests = {
	async 'a run gives what the backend ref gives'() {
		const m = await load('first');
		const { result } = m.run({ x: Float32Array.of(0, 1, 2, 3, 4, 5) });
		same(result, file('first.npy', Float32Array));
		same(result.shape, [2, 4]);
		assert.equal(m.inputs.x.text, 'float32 [2, 3]');
	},
	async 'a result stays as it is when there is another run'() {
		const m = await load('first'), one = m.run({ x: new Float32Array(6) }).result;
		const two = m.run({ x: new Float32Array(6).fill(9) }).result;
		assert.ok(one.every((v) => v === 0) && two.some((v) => v > 0));
	},
	async 'NaN, infinities and signed zeros'() {
		const some = [NaN, Infinity, -Infinity, -0, 0, -1.5, 3e38];
		const m = await load('relu'), x = Float32Array.from({ length: 300000 }, (_, i) => some[i % some.length]);
		const { y } = m.run({ x });
		x.forEach((v, i) => assert.ok(Object.is(y[i], v + v > 0 || Number.isNaN(v) ? Math.fround(v + v) : 0)
			|| (y[i] === 0 && v <= 0), `${v}: ${y[i]}`));
	},
	async 'states are kept, copied, given and reset'() {
		const m = await load('sum'), x = Float32Array.of(0, 1, 2, 3);
		let y;
		for (let i = 0; i < 3; i++)
			y = m.run({ x }).result;
		same(y, file('sum.npy', Float32Array));
		const kept = m.getState('sum');
		same(kept, y);
		m.run({ x });
		same(kept, y);
		m.setState('sum', kept);
		same(m.run({ x }).result, [0, 4, 8, 12]);
		m.reset();
		same(m.getState('sum'), [0, 0, 0, 0]);
		refused(() => m.getState('none'), 'EMISSING', "there is: 'sum'");
		refused(() => m.setState('sum', x.subarray(1)), 'ETYPE', '3 elements, and 4 are wanted');
		same((await load('sum')).getState('sum'), [0, 0, 0, 0]);
	},
	async 'extents of a run: by lengths, by shapes, by numbers'() {
		const m = await load('batch'), x = Float32Array.from({ length: 9 }, (_, i) => i - 4.5);
		const { y } = m.run({ x });
		same(y.shape, [3, 3]);
		same(y, x.map((v) => v + v));
		same(m.run({ x: y, batch: 3n }).y, y.map((v) => v + v));
		refused(() => m.run({ x, batch: 2 }), 'ETYPE', '9 elements, and 6 are wanted');
		refused(() => m.run({ x: x.subarray(2) }), 'ETYPE', '7 elements, and 3 are wanted for each of 1 to 8');
		refused(() => m.run({ x: new Float32Array(27) }), 'ETYPE', 'for each of 1 to 8');
		refused(() => m.run({ x, batch: 9 }), 'EFAULT', 'batch is 9; a run has 1 to 8');
		refused(() => m.run({ x: y, batch: 2 }), 'ETYPE', 'axis 0, batch, is 2');
		same(m.run({ x }).y, y);
	},
	async 'rows of a run lie one after the other'() {
		const m = await load('rows');
		for (const [batch, length] of [[4, 5], [3, 2], [1, 5], [4, 1], [2, 0]]) {
			const x = Float32Array.from({ length: batch * length * 3 }, (_, i) => i + 1);
			const { y } = m.run({ x, batch, length });
			same(y.shape, [batch, length, 3]);
			same(y, x.map((v) => 2 * v));
		}
		refused(() => m.run({ x: new Float32Array(12) }), 'ETYPE', "give 'batch', 'length', too");
	},
	async 'every type has its array'() {
		const m = await load('types'), big = 2n ** 63n - 1n;
		const x = { f64: Float64Array.of(0.1, -1, 3), f16: Uint16Array.of(0x3c00, 0x8001, 0x7c00),
			bf16: Uint16Array.of(1, 2, 3),
			i8: Int8Array.of(-128, 127, 0), u8: Uint8Array.of(255, 1, 0), i16: Int16Array.of(-32768, 1, 2),
			u16: Uint16Array.of(65535, 0, 1), i32: Int32Array.of(-(2 ** 31), 1, 2), u32: Uint32Array.of(2 ** 32 - 1, 0, 1),
			i64: BigInt64Array.of(-big - 1n, big, 0n), u64: BigUint64Array.of(2n ** 64n - 1n, 0n, 1n),
			bool: Uint8Array.of(1, 0, 1) };
		const y = m.run(x);
		for (const [name, array] of Object.entries(x)) {
			assert.equal(y[`r_${name}`].constructor, array.constructor, name);
			same(y[`r_${name}`], array);
		}
		m.run({ ...x, u8: Uint8ClampedArray.of(1, 2, 3) });
		refused(() => m.run({ ...x, i8: x.u8 }), 'ETYPE', 'is given as a Int8Array; this is of type Uint8Array');
	},
	async 'names that are numbers'() {
		const m = await load('numbers'), { tensors } = await open('numbers');
		assert.deepEqual(tensors.map(({ kind, name }) => `${kind} ${name}`), ['input 7', 'input 3', 'result 2', 'result 1']);
		const y = m.run({ 3: Float32Array.of(1, -2, 3), 7: Float32Array.of(4, 5, -6) });
		same(y[2], [3, 7, -9]);
		same(y[1], [16, 25, 36]);
	},
	async 'what is no input is refused'() {
		const m = await load('first'), x = new Float32Array(6);
		refused(() => m.run(), 'EMISSING', "input 'x', float32 [2, 3], is missing");
		refused(() => m.run(null), 'EINVAL', 'an object with the inputs by name');
		refused(() => m.run({ x, z: x }), 'EMISSING', "there is no input 'z'; there is: 'x'");
		refused(() => m.run({ x: [0, 1, 2, 3, 4, 5] }), 'ETYPE', 'is given as a Float32Array; this is of type Array');
		refused(() => m.run({ x: null }), 'ETYPE', 'this is null');
		refused(() => m.run({ x: x.subarray(1) }), 'ETYPE', '5 elements, and 6 are wanted');
		x.shape = [3, 2];
		refused(() => m.run({ x }), 'ETYPE', 'with the shape [3, 2]');
		for (const shape of ['q', null, 6, { 0: 2, 1: 3, length: 2 }])
			refused(() => m.run({ x: Object.assign(new Float32Array(6), { shape }) }), 'ETYPE', 'no array of extents');
		same(m.run({ x: Object.assign(new Float32Array(6), { shape: undefined }) }).result.shape, [2, 4]);
		const batch = await load('batch');
		for (const shape of [[1.5, 3], [NaN, 3], [undefined, 3], ['2', 3], [2n, 3n], Array(2), [-0.5, 3]])
			refused(() => batch.run({ x: Object.assign(new Float32Array(6), { shape }) }), 'ETYPE',
				'extents are whole numbers');
		same(batch.run({ x: Object.assign(new Float32Array(6), { shape: [2, 3] }) }).y.shape, [2, 3]);
		const slice = await load('slice'), v = new Float32Array(8);
		refused(() => slice.run({ x: v, begin: 1.5 }), 'ETYPE', 'a whole number of 64 bits; 1.5 is none');
		refused(() => slice.run({ x: v, begin: 2n ** 63n }), 'ETYPE', 'is none');
		refused(() => slice.run({ x: v, begin: 7 }), 'EFAULT', "must be in 0..6 (7)");
		same(slice.run({ x: v.map((_, i) => i), begin: 6 }).y, [6, 7]);
	},
	async 'an index that is out of range'() {
		const m = await load('table');
		same(m.run({ at: BigInt64Array.of(2n, 0n) }).y, [4, 5, 0, 1]);
		refused(() => m.run({ at: BigInt64Array.of(2n, 5n) }), 'EFAULT', '(5)');
		same(m.run({ at: BigInt64Array.of(1n, 1n) }).y, [2, 3, 2, 3]);
	},
	async 'an input that nothing reads, and one that there is not'() {
		const m = await load('table'), at = BigInt64Array.of(2n, 0n);
		refused(() => m.run({ at, z: new Float32Array(2) }), 'EMISSING', "nothing reads the input 'z': leave it out");
		refused(() => m.run({ at, zz: new Float32Array(2) }), 'EMISSING', "there is no input 'zz'; there is: 'at'");
	},
	async 'modules and weights that are no others'() {
		const { load: first } = await open('first');
		const module = readFileSync(path('first/first.wasm')), weights = readFileSync(path('first/first.weights'));
		const other = readFileSync(path('table/table.wasm')), others = readFileSync(path('table/table.weights'));
		const x = Float32Array.of(0, 1, 2, 3, 4, 5);
		same((await first({ module, weights })).run({ x }).result, file('first.npy', Float32Array));
		same((await first({ module: module.buffer.slice(module.byteOffset, module.byteOffset + module.length), weights:
			pathToFileURL(path('first/first.weights')) })).run({ x }).result, file('first.npy', Float32Array));
		await refusedLater(() => first({ module: other, weights }), 'ELOAD', "of another build, of the model 'table'");
		const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
		await refusedLater(() => first({ module: empty, weights }), 'ELOAD', 'none of lt-build');
		await refusedLater(() => first({ module: module.subarray(0, 200), weights }), 'ELOAD', 'cut');
		await refusedLater(() => first({ module: Buffer.concat([module, module]), weights }), 'ELOAD', 'too long');
		/* One wrong bit: an engine would compile most of these. */
		for (let bit = 0; bit < 8 * module.length; bit += 5) {
			const damaged = Uint8Array.from(module);
			damaged[bit >> 3] ^= 1 << (bit & 7);
			await refusedLater(() => first({ module: damaged, weights }), 'ELOAD', 'the module is ');
		}
		await refusedLater(() => first({ module, weights: others }), 'ELOAD', 'of another build');
		await refusedLater(() => first({ module, weights: module }), 'ELOAD', 'no file of lt-build');
		await refusedLater(() => first({ module, weights: weights.subarray(0, -1) }), 'ELOAD',
			'cut: 111 bytes are there, and 112');
		await refusedLater(() => first({ module, weights: weights.subarray(0, 20) }), 'ELOAD', 'damaged');
		await refusedLater(() => first({ module, weights: Buffer.concat([weights, weights]) }), 'ELOAD', 'too long');
		for (const at of [64, weights.length - 1]) {
			const damaged = Uint8Array.from(weights);
			damaged[at] ^= 1;
			await refusedLater(() => first({ module, weights: damaged }), 'ELOAD', 'their sum is another one');
		}
		await refusedLater(() => first(module), 'ELOAD', 'give the weights, too');
		await refusedLater(() => first(pathToFileURL(path('gone.wasm'))), 'ELOAD', 'there is no such file');
		writeFileSync(path('alone.wasm'), module);
		await refusedLater(() => first(pathToFileURL(path('alone.wasm'))), 'ELOAD', 'alone.weights cannot be read');
	},
	async 'what is no place of a module'() {
		const { load: first } = await open('first'), module = readFileSync(path('first/first.wasm'));
		const weights = readFileSync(path('first/first.weights')), x = Float32Array.of(0, 1, 2, 3, 4, 5);
		const compiled = await WebAssembly.compile(module);
		for (const from of [null, Promise.resolve(module), compiled, new Response(module), 7, [module]])
			await refusedLater(() => first(from), 'EINVAL', ', not ');
		await refusedLater(() => first({}), 'EINVAL', '{ module, weights }');
		await refusedLater(() => first({ modul: module, weights }), 'EINVAL', "'modul' is neither");
		await refusedLater(() => first({ module, weights: 7 }), 'EINVAL', 'not number 7');
		await refusedLater(() => first({ module: null, weights }), 'EINVAL', 'not null');
		await refusedLater(() => first('http://['), 'EINVAL', "'http://[' is none");
		same((await first({ weights })).run({ x }).result, file('first.npy', Float32Array));
	},
	async 'a module imports nothing, says what it is, and has no memory in its file'() {
		const module = await WebAssembly.compile(readFileSync(path('sum/sum.wasm')));
		assert.deepEqual(WebAssembly.Module.imports(module), []);
		assert.ok((await load('relu')).memory.buffer.byteLength > 2400000 && statSync(path('relu/relu.wasm')).size < 20000);
		const mark = JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, 'looptree')[0]));
		const { version } = await open('sum');
		assert.equal(mark.model, 'sum');
		assert.equal(mark.version, version);
	},
	async 'memory is of one size, and may be seen anew'() {
		const m = await load('sum'), x = Float32Array.of(0, 1, -2, NaN), { buffer } = m.memory, n = buffer.byteLength;
		same(m.run({ x }).result, x);
		assert.throws(() => m.memory.grow(1), RangeError);
		assert.equal(m.memory.buffer, buffer);
		same(m.run({ x }).result, [0, 2, -4, NaN]);
		m.memory.grow(0);                       /* the buffer is another one from then on */
		assert.equal(buffer.byteLength, 0);
		assert.equal(m.memory.buffer.byteLength, n);
		same(m.getState('sum'), [0, 2, -4, NaN]);
		same(m.run({ x }).result, [0, 3, -6, NaN]);
		const slice = await load('slice');
		slice.memory.grow(0);
		same(slice.run({ x: Float32Array.from({ length: 8 }, (_, i) => -i), begin: 5 }).y, [-5, -6]);
		refused(() => slice.run({ x: new Float32Array(8), begin: 7 }), 'EFAULT', 'must be in 0..6 (7)');
	},
	async 'an engine without memory or SIMD'() {
		const { load: first } = await open('first'), { instantiate, validate } = WebAssembly;
		WebAssembly.instantiate = () => Promise.reject(new RangeError('could not allocate memory'));
		await refusedLater(() => first(), 'ENOMEM', 'bytes of memory are wanted');
		WebAssembly.instantiate = instantiate;
		WebAssembly.validate = () => false;
		await refusedLater(() => first(), 'EUNSUPPORTED', 'no SIMD of WebAssembly: take Chrome 92, Firefox 90,');
		WebAssembly.validate = validate;
		await first();
	},
};
for (const [name, test] of Object.entries(tests))
	try {
		await test();
		console.log(`ok - ${name}`);
	} catch (e) {
		console.error(e);
		console.log(`not ok - ${name}`);
	}
