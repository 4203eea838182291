/* library.test.mjs -- the library as WebAssembly: compiled, run, edited, refused, judged; node --test. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const built = process.env.O ?? 'build';
const { load, LooptreeError } = await import(new URL(`file://${process.cwd()}/${built}/js/looptree.js`));
const lt = await load();
const product = (m, k, n) => `$1 = InputTensor(a, float32, [${m}, ${k}]);
$2 = InputTensor(b, float32, [${k}, ${n}]);
$3 = MatMulNode($1, $2);
result = $3;`;
let seed = Number(process.env.SEED ?? Date.now() % 2147483646 + 1);
console.log(`seed ${seed}`);
const random = () => {
	seed = (seed * 48271) % 2147483647;
	return seed / 2147483647 * 4 - 2;
};
const numbers = (n) => Float32Array.from({ length: n }, random);

test('a product equals the sums, within what rounding does to them', () => {
	for (const [m, k, n] of [[1, 1, 1], [3, 5, 7], [13, 1, 11], [8, 31, 16]]) {
		const a = numbers(m * k), b = numbers(k * n), p = lt.compile(product(m, k, n)), { result } = p.run({ a, b });
		assert.deepEqual(result.shape, [m, n]);
		for (let i = 0; i < m; i++)
			for (let j = 0; j < n; j++) {
				let sum = 0, size = 0;
				for (let t = 0; t < k; t++) {
					sum += a[i * k + t] * b[t * n + j];
					size += Math.abs(a[i * k + t] * b[t * n + j]);
				}
				assert.ok(Math.abs(result[i * n + j] - sum) <= (k + 1) * 2 ** -24 * size + 2 ** -149, `${m} ${k} ${n}: ${i}, ${j}`);
			}
		p.free();
	}
});

test('infinity and NaN go through', () => {
	const { result } = lt.compile('$1 = InputTensor(x, float32, [4]); $2 = ReLUNode($1); result = $2;')
		.run({ x: [-Infinity, NaN, Infinity, -0] });
	assert.deepEqual([...result].map(String), ['0', 'NaN', 'Infinity', '0']);
});

test('a step gives another tree, and the one before stays', () => {
	const p = lt.compile(product(6, 8, 10)), before = p.tree, text = before.text;
	const loop = before.lines().find((line) => line.extent === 8);
	const after = before.apply(`split ${loop.path} 4`), a = numbers(48), b = numbers(80);
	assert.equal(before.text, text);
	assert.notEqual(after.text, text);
	assert.deepEqual(after.compile().run({ a, b }).result.length, 60);
	/* The same products in the same order: the same bits. */
	assert.deepEqual([...after.compile().run({ a, b }).result], [...p.run({ a, b }).result]);
	assert.deepEqual([...p.withTree(after.text).run({ a, b }).result], [...p.run({ a, b }).result]);
});

test('a step that is wrong is refused with its place', () => {
	const tree = lt.compile(product(6, 8, 10), { backend: 'ref' }).tree;
	for (const [steps, line, words] of [['split nowhere 4', 1, 'nowhere'],
			[`split ${tree.lines()[0].path} 2\nspit m 2`, 2, 'spit']])
		assert.throws(() => tree.apply(steps), (error) => {
			assert.ok(error instanceof LooptreeError);
			assert.ok(error.message.includes(words), error.message);
			assert.equal(error.line, line);
			return true;
		});
});

test('what a proof refuses names the pair of iterations', () => {
	/* All iterations of k write the same sums. */
	const p = lt.compile(product(6, 8, 10)), sum = p.tree.lines().find((line) => line.extent === 8);
	assert.throws(() => p.tree.apply(`parallel ${sum.path}`), (error) => {
		assert.equal(error.code, 'EILLEGAL');
		assert.equal(error.violation.kind, 'carried');
		assert.equal(error.violation.pair.length, 2);
		const [one, two] = error.violation.pair;
		assert.ok(Object.keys(one.at).some((v) => one.at[v] !== two.at[v]));
		return true;
	});
});

test('verify judges, explain and dump say what there is, time measures', () => {
	const p = lt.compile(product(6, 8, 10), { backend: 'ref' });
	const v = p.verify();
	assert.equal(v.verdict, 'passed');
	assert.equal(v.elements, 60);
	assert.match(p.explain(), /ref/);
	assert.match(p.dump('graph'), /mul|contract|sum/);
	assert.throws(() => p.dump('nothing'), /there is: /);
	const t = p.time({}, { samples: 3 });
	assert.equal(t.samples.length, 3);
	assert.ok(t.min > 0 && t.min <= t.median);
});

test('what no backend is named for runs on wasm, and on ref what wasm refuses', () => {
	const p = lt.compile(product(6, 8, 10));
	assert.match(p.tree.text, /^target wasm$/m);
	assert.match(p.explain(), /wasm/);
	assert.match(p.dump('source'), /f32x4\./);
	assert.equal(p.verify().verdict, 'passed');
	assert.match(lt.compile(product(6, 8, 10), { backend: 'ref' }).tree.text, /^target ref$/m);
	/* An engine without SIMD: nothing that has a v128 is a module there. */
	const alone = spawnSync(process.execPath, ['--input-type=module', '-e', `
		WebAssembly.validate = () => false;
		const { load } = await import(${JSON.stringify(`file://${process.cwd()}/${built}/js/looptree.js`)});
		const lt = await load(), script = ${JSON.stringify(product(6, 8, 10))}, p = lt.compile(script);
		console.log(/^target (.*)$/m.exec(p.tree.text)[1], p.verify().verdict);
		try { lt.compile(script, { backend: 'wasm', strict: true }); } catch (error) { console.log(error.message); }
	`], { encoding: 'utf8' });
	assert.match(alone.stdout, /^ref passed\n.*this engine has no SIMD/, alone.stderr);
});

test('every usable backend gives the same', () => {
	const names = lt.backends().filter((b) => b.usable).map((b) => b.name), a = numbers(15), b = numbers(35);
	assert.ok(names.includes('ref') && names.includes('sim'), names.join());
	const script = product(3, 5, 7), want = [...lt.compile(script).run({ a, b }).result];
	for (const backend of names)
		assert.equal(lt.compile(script, { backend }).verify({ a, b }).verdict, 'passed', backend);
	assert.equal(want.length, 21);
});

test('numbers of 64 bits are whole, also beyond 32', () => {
	const script = '$1 = InputTensor(x, int64, [3]); $2 = AddNode($1, $1); result = $2;';
	const { result } = lt.compile(script).run({ x: BigInt64Array.of(2n ** 40n, -(2n ** 61n), 5n) });
	assert.deepEqual([...result], [2n ** 41n, -(2n ** 62n), 10n]);
});

test('a list has what its tensor can hold, or is refused', () => {
	const twice = (dtype) => lt.compile(`graph 1\nvar i 2\n%x = ${dtype}[i] input "x"\n%y = ${dtype}[i] add %x, %x
result "y" = %y\n`);
	const refuses = (run, x) => assert.throws(run, (error) => {
		assert.equal(error.code, 'ETYPE');
		assert.ok(error.message.endsWith(`cannot hold ${x}`), error.message);
		return true;
	});
	for (const [dtype, low, high] of [['i64', -(2n ** 63n), 2n ** 63n - 1n], ['u64', 0n, 2n ** 64n - 1n]]) {
		const p = twice(dtype);
		for (const x of [low - 1n, high + 1n, 2n ** 64n + 1n, -(2n ** 65n)])
			refuses(() => p.run({ x: [x, 5] }), x);
		assert.deepEqual([...p.run({ x: [low / 2n, high / 2n] }).y], [low, high - 1n]);
	}
	refuses(() => twice('u64').run({ x: [3, -1] }), -1);
	for (const [dtype, x] of [['f32', 1e300], ['f32', -3.5e38], ['i8', -129], ['u8', 256], ['u32', 2 ** 32]])
		refuses(() => lt.compile(`graph 1\nvar i 2\n%x = ${dtype}[i] input "x"\n%y = f64[i] cast %x
result "y" = %y\n`).run({ x: [1, x] }), x);
	assert.throws(() => twice('i64').run({ x: [2 ** 60, 1] }), { code: 'ETYPE', message:
		"input 'x', int64 [2], is given with number 1152921504606847000, which is not exact, as none above 2^53 is: "
		+ 'give a bigint, 1152921504606846976n' });
	assert.throws(() => twice('i64').run({ x: [1.5, 1] }), /a list of whole numbers; number 1.5 is none/);
	assert.deepEqual([...twice('i64').run({ x: [1152921504606846976n, -(2 ** 53) + 1] }).y], [2n ** 61n, 2n - 2n ** 54n]);
	assert.deepEqual([...twice('f32').run({ x: [Infinity, 0.1] }).y], [Infinity, 2 * Math.fround(0.1)]);
	assert.deepEqual([...twice('f64').run({ x: [-1e300, 0] }).y], [-2e300, 0]);
	/* What an array of bytes holds, and bool does not. */
	const flags = lt.compile(`$1 = BufferTensor(s, bool, [2]); $2 = InputTensor(x, bool, [2]); $3 = UpdateNode($1, $2, 0);
result = CopyNode($2);`);
	for (const [what, give] of [["input 'x'", (x) => flags.run({ x })], ["state 's'", (x) => flags.setState('s', x)]]) {
		assert.throws(() => give(Uint8Array.of(0, 2)), { code: 'ETYPE', message: `${what}, bool [2], is given with 2 at `
			+ 'element 1, which is neither 0 nor 1; Uint8Array.from(array, Boolean) has no others' });
		assert.throws(() => give([0, 2]), /2 is neither/);
		give(Uint8Array.from([0, 2], Boolean));
	}
	assert.deepEqual([...flags.run({ x: Uint8Array.from([0, 2], Boolean) }).result], [0, 1]);
});

test('constants are what they were when they were given', () => {
	const p = lt.compile('$1 = InputTensor(x, float32, [2, 3]); $2 = ConstantTensor(w, float32, [3, 2]); '
		+ '$3 = MatMulNode($1, $2); result = $3;', { weights: { w: [[1, 0], [0, 1], [2, 2]] } });
	assert.deepEqual([...p.run({ x: [[1, 2, 3], [4, 5, 6]] }).result], [7, 8, 16, 17]);
	const open = lt.compile('$1 = InputTensor(x, float32, [2, 3]); $2 = ConstantTensor(w, float32, [3, 2]); '
		+ '$3 = MatMulNode($1, $2); result = $3;');
	assert.throws(() => open.run({ x: new Float32Array(6) }), /'w'/);
	const w = Float32Array.of(1, 0, 0, 1, 2, 2), x = [[1, 2, 3], [4, 5, 6]];
	open.bind('w', w);
	w.fill(0);
	assert.deepEqual([...open.run({ x }).result], [7, 8, 16, 17]);
	assert.deepEqual([...open.tree.compile().run({ x }).result], [7, 8, 16, 17]);
});

test('states stay from run to run, and are read, written and reset', () => {
	const p = lt.compile('$1 = BufferTensor(s, float32, [2]); $2 = InputTensor(x, float32, [2]); $3 = AddNode($1, $2); '
		+ '$4 = UpdateNode($1, $3, 0); result = $4;');
	assert.deepEqual([...p.getState('s')], [0, 0]);
	p.run({ x: [1, 2] });
	assert.deepEqual([...p.run({ x: [1, 2] }).result], [2, 4]);
	assert.deepEqual([...p.getState('s')], [2, 4]);
	p.setState('s', [10, 20]);
	assert.deepEqual([...p.run({ x: [1, 2] }).result], [11, 22]);
	p.reset();
	assert.deepEqual([...p.run({ x: [1, 2] }).result], [1, 2]);
});

test('extents of a run are said by lengths, shapes, lists and numbers', async () => {
	const rows = lt.compile(await readFile('tests/wasm/rows.graph', 'utf8'));
	assert.equal(rows.inputs.x.text, 'float32 [batch: 1..4, length: 0..5, 3]');
	assert.deepEqual([rows.inputs.batch.needed, rows.inputs.x.needed], [false, true]);
	for (const [batch, length] of [[4, 5], [3, 2], [1, 5], [4, 1], [2, 0]]) {
		const x = numbers(batch * length * 3), want = [...x.map((v) => 2 * v)];
		for (const given of [{ x, batch, length }, { x, batch: BigInt64Array.of(BigInt(batch)), length: [length] },
			{ x, length: BigInt(length), batch }, { x: Object.assign(x.slice(), { shape: [batch, length, 3] }) },
			...length ? [{ x, batch }, { x, length }] : []]) {
			const { y } = rows.run(given);
			assert.deepEqual(y.shape, [batch, length, 3]);
			assert.deepEqual([...y], want);
		}
	}
	assert.deepEqual([...rows.run({ x: [[[1, 2, 3]], [[4, 5, 6]]] }).y], [2, 4, 6, 8, 10, 12]);
	const says = (given, code, words) => assert.throws(() => rows.run(given), (error) => {
		assert.equal(error.code, code, error.message);
		assert.ok(error.message.includes(words), error.message);
		return true;
	});
	says({ x: numbers(12) }, 'ETYPE', "give 'batch', 'length', too");
	says({ x: numbers(13), batch: 2 }, 'ETYPE', '13 elements, and 6 are wanted for each of 0 to 5');
	says({ x: numbers(12), batch: 2, length: 3 }, 'ETYPE', '12 elements, and 18 are wanted');
	says({ x: rows.run({ x: numbers(6), batch: 2 }).y, batch: 1 }, 'ETYPE', 'axis 0, batch, is 1');
	says({ x: Object.assign(numbers(18), { shape: [6, 1, 3] }) }, 'ETYPE', 'the extents [6, 1, 3]');
	says({ x: Object.assign(numbers(6), { shape: [1.5, 2, 2] }) }, 'ETYPE', 'the extents [1.5, 2, 2]');
	says({ x: Object.assign(numbers(6), { shape: 6 }) }, 'ETYPE', 'a shape that is no array of extents, but number 6');
	says({ batch: 2, length: 2 }, 'EMISSING', "input 'x', float32 [batch: 1..4, length: 0..5, 3], is missing");
	says({ x: numbers(0), batch: 9, length: 0 }, 'EFAULT', "input 'batch' is 9; a run has 1 to 4");
	for (const length of [6, -1, 6n, [-1], BigInt64Array.of(6n), 2n ** 62n])
		says({ x: numbers(12), batch: 2, length }, 'EFAULT', `input 'length' is ${length}; a run has 0 to 5`);
	/* One that no array says is the largest in what is not a run. */
	assert.equal(rows.verify().elements, 60);
	assert.equal(rows.verify({ x: numbers(12), batch: 2 }).verdict, 'passed');
	const batch = lt.compile(await readFile('tests/standalone/batch.graph', 'utf8')), x = numbers(9);
	assert.deepEqual([...batch.run({ x }).y], [...x.map((v) => v + v)]);
	assert.deepEqual(batch.run({ x }).y.shape, [3, 3]);
	says({ x: numbers(12), length: 2, batch: 2n ** 64n + 3n }, 'ETYPE', 'cannot hold 18446744073709551619');
	/* An input that nothing reads is as open as others, and a name is any text. */
	const odd = lt.compile(String.raw`graph 1
var b 8 limit batch
var k 3
param batch = %n[0] in 1..8
%n = i64[] input "batch"
%x = f32[b, k] input "a \"b\" \\n ö\n\x01"
%z = f32[b, k] input "z"
%y = f32[b, k] add %x, %x
result "y" = %y
`), name = 'a "b" \\n ö\n\u0001';
	assert.equal(odd.inputs[name].text, 'float32 [batch: 1..8, 3]');
	assert.equal(odd.inputs.z.text, 'float32 [batch: 1..8, 3]');
	assert.equal(odd.inputs.z.needed, false);
	assert.deepEqual(odd.run({ [name]: numbers(9) }).y.shape, [3, 3]);
	assert.deepEqual(odd.run({ [name]: numbers(9), z: numbers(9) }).y.shape, [3, 3]);
	assert.throws(() => odd.run({ [name]: numbers(9), z: numbers(12) }), /'z'.*12 elements, and 9 are wanted/);
	/* A sum of scalars, which both are inputs that no array says by itself. */
	const sum = lt.compile(`b = ScalarNode(InputTensor(batch, int64, []), 1, 4);
p = ScalarNode(InputTensor(past, int64, []), 0, 8);
x = InputTensor(x, float32, [b <= 4, p + b + 1 <= 9]);
result = x + 1;`);
	assert.deepEqual(sum.run({ x: numbers(8), batch: 2, past: 1 }).result.shape, [2, 4]);
	assert.throws(() => sum.run({ x: numbers(6), batch: 2, past: 1 }), /8 are wanted/);
});

test('what is dropped is freed', async () => {
	setFlagsFromString('--expose-gc');
	const gc = runInNewContext('gc'), z = new Float32Array(512 * 512);
	const script = '$1 = InputTensor(a, float32, [512, 512]); $2 = AddNode($1, $1); result = $2;';
	let first = 0;
	for (let i = 0; i < 60; i++) {
		(() => lt.compile(script).run({ a: z }))();
		gc();
		await new Promise((done) => setTimeout(done, 5));
		gc();
		await new Promise((done) => setImmediate(done));
		first ||= i === 20 ? lt.memory : 0;
	}
	assert.equal(lt.memory, first);
});

test('verify gives every type numbers that are not all zeros', () => {
	for (const type of ['float64', 'float32', 'float16', 'bfloat16', 'int8', 'int64']) {
		const p = lt.compile(`$1 = InputTensor(a, ${type}, [64]); $2 = AddNode($1, $1); result = $2;`);
		const v = p.verify();
		assert.equal(v.verdict, 'passed', type);
		assert.ok(v.equal + v.judged === 64, type);
	}
});

test('a word stands for an array of every type', () => {
	const dtypes = ['float64', 'float32', 'float16', 'bfloat16', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32',
		'int64', 'uint64', 'bool'];
	const arrays = [Float64Array, Float32Array, Uint16Array, Uint16Array, Int8Array, Uint8Array, Int16Array, Uint16Array,
		Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Uint8Array];
	const p = lt.compile(dtypes.map((dtype, i) => `x${i} = InputTensor(x${i}, ${dtype}, [2, 3]);`).join('\n')
		+ dtypes.map((_, i) => `result r${i} = CopyNode(x${i});`).join('\n'));
	const inputs = Object.values(p.inputs);
	assert.deepEqual(inputs.map(({ dtype }) => dtype), dtypes);
	assert.deepEqual(inputs.map(({ array }) => array), arrays.map(({ name }) => name));
	/* Bits of 1 in halves: 0 01111 0..., 0 01111111 0... */
	const one = { float16: 0x3c00, bfloat16: 0x3f80, int64: 1n, uint64: 1n };
	for (const [i, input] of inputs.entries()) {
		const whole = (n) => typeof one[input.dtype] === 'bigint' ? BigInt(n) : n, half = /float16/.test(input.dtype);
		for (const [word, want] of [['zeros', [0, 0, 0]], ['ones', [1, 1, 1]], ['iota', [0, 1, 2]], [0, [0, 0, 0]]]) {
			if (half && word === 'iota') {
				assert.throws(() => lt.filled(input, word), /random, zeros or ones here/);
				continue;
			}
			const filled = lt.filled(input, word), of = (n) => n === 1 ? one[input.dtype] ?? 1 : whole(n);
			assert.ok(filled instanceof arrays[i] && filled.length === 6);
			assert.deepEqual([...filled.slice(0, 3)], want.map((n) => of(input.dtype === 'bool' ? n % 2 : n)),
				`${input.dtype} ${word}`);
		}
		assert.ok(new Set(lt.filled(input, 'random')).size > 1, input.dtype);
		assert.deepEqual(lt.filled(input, 'random'), lt.filled(input, 'random'));
	}
	const [, , , , int8] = inputs;
	assert.throws(() => lt.filled(int8, 300), { name: 'LooptreeError', code: 'EINVAL', message: /has no 300/ });
	assert.throws(() => lt.filled(inputs[12], 2), /has no 2/);
	/* As lists: none that becomes infinite, and whole numbers as they are. */
	for (const [i, x] of [[1, 1e39], [1, '-1e39'], [0, '1e400']])
		assert.throws(() => lt.filled(inputs[i], x), { code: 'EINVAL', message: `x${i} is ${dtypes[i]}, which has no ${x}` });
	assert.deepEqual([...lt.filled(inputs[0], 1e39)], Array(6).fill(1e39));
	assert.throws(() => lt.filled(inputs[10], 2 ** 60), /x10 is filled with number .*1152921504606846976n$/);
	for (const word of [1152921504606846976n, '1152921504606846976'])
		assert.deepEqual([...lt.filled(inputs[10], word)], Array(6).fill(2n ** 60n));
	assert.throws(() => lt.filled(inputs[10], 2n ** 63n), /which has no 9223372036854775808/);
	assert.throws(() => lt.filled(int8, 'rndm'), /"rndm" is none of random, zeros/);
	assert.throws(() => lt.filled('x', 'ones'), /a tensor is a row of p.inputs/);
	p.free();
});

test('mistakes are sentences', () => {
	const p = lt.compile(product(2, 3, 4)), a = new Float32Array(6), b = new Float32Array(12);
	const says = (run, words) => assert.throws(run, (error) => {
		assert.ok(error instanceof LooptreeError || error instanceof TypeError, String(error));
		assert.ok(error.message.includes(words), error.message);
		return true;
	});
	says(() => p.run({ a }), "input 'b', float32 [3, 4], is missing");
	says(() => p.run({ a, b, c: b }), "no input 'c'");
	says(() => p.run({ a, b: new Float64Array(12) }), 'Float32Array');
	says(() => p.run({ a, b: new Float32Array(11) }), 'is given with 11 elements, and 12 are wanted');
	says(() => p.run({ a, b: null }), 'null');
	says(() => p.bind('w', a), "no constant 'w'");
	says(() => p.getState('s'), "no state 's'");
	says(() => lt.compile('result = $1;'), 'script.lt:1:');
	says(() => lt.compile('result = \u0000;', { name: 'page.lt' }), 'page.lt: ');
	/* The first fields of a model of ONNX: version of the format, who wrote it, a graph of one node. */
	const onnx = Uint8Array.of(8, 7, 18, 7, 112, 121, 116, 111, 114, 99, 104, 58, 3, 10, 1, 2);
	says(() => lt.compile(onnx), 'a module for a page');
	assert.throws(() => lt.compile(onnx), (error) => !/apt|install/.test(error.message));
	says(() => lt.compile(17), 'a text, or bytes');
	says(() => lt.compile(product(2, 3, 4), { apply: ['split nowhere 4'] }), "'apply' is a string");
	says(() => lt.compile(product(2, 3, 4), { threads: '2' }), "'threads' is a number");
	says(() => lt.compile(product(2, 3, 4), { passes: 'on' }), "'passes' is a boolean");
	says(() => lt.compile(product(2, 3, 4), { backend: ['ref', 'sim'] }), "'backend' is a string");
	says(() => lt.compile(product(2, 3, 4), { weights: null }), 'weights are an object');
	says(() => p.run(null), 'inputs are an object');
	says(() => p.run({ a: [[1, 2], [3, 4], [5, 6]], b }), 'axis 0 is of 3');
	says(() => p.run({ a: [1, 2, 3, 4, 5, '6'], b }), 'string 6 is none');
	const { result } = p.run({ a, b: new Float32Array(12) });
	says(() => p.run({ a: result.subarray(0, 5), b }), '5 elements, and 6 are wanted');
	says(() => p.time({}, { samples: 2.5 }), 'samples is a whole number');
	says(() => p.withTree(3), 'of a Tree or of its text');
	/* What is said to be a shape. */
	const shaped = (array, shape) => Object.assign(array, { shape });
	for (const shape of [6, '2,3', { length: 2, 0: 2, 1: 3 }, null, new Int32Array([2, 3])])
		says(() => p.run({ a: shaped(numbers(6), shape), b }), 'a shape that is no array of extents, but ');
	for (const shape of [[2.5, 3], [-2, -3], ['2', '3'], [2n, 3n], [, 3]])
		says(() => p.run({ a: shaped(numbers(6), shape), b }), 'is given with the extents [');
	for (const shape of [[3, 2], [6], []])
		says(() => p.run({ a: shaped(numbers(6), shape), b }), `is given with the extents [${shape.join(', ')}]`);
	assert.deepEqual(p.run({ a: shaped(numbers(6), [2, 3]), b }).result.shape, [2, 4]);
	const state = lt.compile('$1 = BufferTensor(s, float32, [2]); $2 = InputTensor(x, float32, [2]); '
		+ '$3 = AddNode($1, $2); $4 = UpdateNode($1, $3, 0); result = $4;');
	says(() => state.setState('s', shaped(numbers(2), 2)), "state 's', float32 [2], is given with a shape that is no");
	const bytes = lt.compile('$1 = InputTensor(a, int8, [2]); $2 = AddNode($1, $1); result = $2;');
	says(() => bytes.run({ a: [300, 1] }), 'cannot hold 300');
	says(() => bytes.run({ a: [1.5, 1] }), 'cannot hold 1.5');
	const halves = lt.compile('$1 = InputTensor(a, bfloat16, [2]); $2 = AddNode($1, $1); result = $2;');
	says(() => halves.run({ a: [1, 2] }), 'Uint16Array of its bits');
	says(() => lt.compile('$1 = InputTensor(x, float32, [1073741825]); $2 = SliceNode($1, 0, 5); result = $2;'), '32');
	says(() => lt.compile(product(65536, 3, 65536)), 'there is room for tensors of');
	says(() => p.verify({}, { progress: () => p.free() }), 'called by what it calls');
	assert.deepEqual([...lt.compile(product(2, 3, 4), { schedule: p.tree.text }).tree.text], [...p.tree.text]);
	says(() => lt.compile(product(2, 3, 4), { backend: 'cpu' }), 'cpu');
	says(() => lt.compile(product(2, 3, 4), { threds: 2 }), "no option 'threds'");
	says(() => lt.compile(product(2, 3, 4)).withTree(p.tree), 'another program');
	const before = p.tree;
	p.free();
	says(() => p.run({ a, b }), 'freed');
	says(() => p.withTree(before), 'freed');
	says(() => before.compile(), 'freed');
	/* And all still works. */
	assert.equal(lt.compile(product(2, 3, 4)).run({ a, b }).result.length, 8);
});

test('options are taken or refused, lists have no holes', () => {
	const p = lt.compile(product(2, 3, 4), { backend: 'ref' }), a = numbers(6), b = numbers(12), { tree } = p;
	const says = (run, words) => assert.throws(run, (error) => {
		assert.ok(error instanceof LooptreeError, String(error));
		assert.ok(error.message.includes(words), error.message);
		return true;
	});
	const fast = tree.compile({ backend: 'wasm' });
	assert.match(fast.dump('source'), /f32\.|f32x4\./);
	assert.throws(() => tree.compile().dump('source'));
	assert.equal(fast.verify({ a, b }).verdict, 'passed');
	says(() => tree.compile({ backend: 'nope' }), 'nope');
	says(() => tree.compile({ backnd: 'ref' }), "the option 'backnd'");
	says(() => tree.compile({ apply: 'split m 2' }), "the option 'apply'");
	says(() => tree.compile(5), 'not number 5');
	says(() => p.verify({ a, b }, { progess: () => {} }), "no option 'progess'");
	says(() => p.verify({ a, b }, { progress: 3 }), "'progress' is a function");
	says(() => p.time({ a, b }, { sample: 3 }), "no option 'sample'");
	for (const samples of [NaN, -1, 2 ** 31, '3', 1e12])
		says(() => p.time({ a, b }, { samples }), 'samples is a whole number from 0 to 2147483647, not ');
	for (const call of [(of) => lt.compile(product(2, 3, 4), { ...of, backend: 'ref' }), (of) => tree.compile(of)]) {
		says(() => call({ threads: 4 }), "'threads' is 4, and the library in a page has one thread: leave it out");
		assert.deepEqual([...call({ threads: 1 }).run({ a, b }).result], [...p.run({ a, b }).result]);
	}
	says(() => p.time({ a, b }, { repeat: 0 }), 'from 1');
	assert.deepEqual(p.verify({ b }).drawn, ['a']);
	assert.deepEqual(p.verify({ a, b }).drawn, []);
	for (const list of [[1, , 3, 4, 5, 6], [[1, 2, 3], [4, , 6]], Array(6)])
		says(() => p.run({ a: list, b }), 'undefined is none');
	for (const options of [null, 5, 'wasm', []])
		says(() => lt.compile(product(2, 3, 4), options), 'compile takes options as an object');
	says(() => lt.compile(product(2, 3, 4), { name: 5 }), "'name' is a string");
	says(() => lt.compile(product(2, 3, 4), { frontend: 5 }), "'frontend' is a string");
	/* Ways out that a page has. */
	says(() => p.dump('asm'), "p.dump('source')");
	says(() => p.dump('source'), "compile it with { backend: 'wasm' }");
	says(() => p.dump('kernel'), "compile it with { backend: 'wasm' }");
	assert.throws(() => p.dump('schedule'), (error) => error.message.endsWith("p.dump('tree') shows it"));
	const open = lt.compile('$1 = InputTensor(x, float32, [2, 3]); $2 = ConstantTensor(w, float32, [3, 2]); '
		+ '$3 = MatMulNode($1, $2); result = $3;');
	says(() => open.run({ x: a }), "p.bind('w', array), or as one of the weights");
	const two = lt.compile('result = InputTensor(x, float32, [2]) * ConstantTensor(w, float32, [2]) '
		+ '+ ConstantTensor(v, float32, [2]);');
	assert.throws(() => two.run({ x: [1, 2] }), { code: 'EMISSING', message: "Missing constant: 'w' (float32 [2]), "
		+ "'v' (float32 [2]): give each by p.bind(name, array), or as the weights of compile" });
	assert.deepEqual([...two.bind('w', [3, 4]).bind('v', [5, 6]).run({ x: [1, 2] }).result], [8, 14]);
	says(() => lt.compile('$1 = InputTensor(x, float32, [65536, 8192]); result = ReLUNode($1);'), 'make it smaller');
	const unnamed = lt.compile(product(2, 3, 4), { backend: null });
	assert.deepEqual([...unnamed.run({ a, b }).result], [...lt.compile(product(2, 3, 4)).run({ a, b }).result]);
});

test('a module that is none, or another one, is a sentence', async () => {
	const none = (error) => error instanceof LooptreeError && error.code === 'ELOAD';
	await assert.rejects(load(new Uint8Array([1, 2, 3])), none);
	await assert.rejects(load(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), none);
	const bytes = await readFile(`${built}/js/looptree.wasm`);
	await assert.rejects(load(bytes.subarray(0, bytes.length / 2)), none);
	await assert.rejects(load(new URL(`file://${process.cwd()}/${built}/js/there-is-none.wasm`)), none);
});

test('programs and trees that are freed leave no memory', async () => {
	/* Half a megabyte and 30 KB a tree; a megabyte of inputs, results and states, and half of text: what is left of
	 * memory that has grown would not hide them. */
	const nodes = 60, long = `$1 = InputTensor(x, float32, [1000]);
${Array.from({ length: nodes }, (_, i) => `$${i + 2} = ReLUNode($${i + 1});`).join('\n')}
result = $${nodes + 1};`;
	const large = `#${' '.repeat(2 ** 19)}
$1 = BufferTensor(s, float32, [80000]); $2 = InputTensor(x, float32, [80000]); $3 = AddNode($1, $2);
$4 = UpdateNode($1, $3, 0); result = $4;`;
	for (const [script, n, x] of [[long, 8, numbers(1000)], [large, 1, numbers(80000)]]) {
		const lt = await load(), many = (times, before) => {
			for (let i = 0; i < times; i++) {
				const p = lt.compile(script, { passes: false, backend: 'wasm' });
				const all = [p, ...Array.from({ length: n }, () => p.tree)];
				p.run({ x });
				(before ? all : all.reverse()).forEach((of) => of.free());
			}
			return lt.memory;
		};
		const first = many(5, true);
		assert.equal(many(40, true), first);
		assert.equal(many(40, false), first);
	}
});

test('a tree outlives its program', () => {
	const a = numbers(48), b = numbers(80);
	for (const begun of [false, true]) {
		const p = lt.compile(product(6, 8, 10)), tree = p.tree, { text } = tree;
		if (begun)
			p.run({ a, b });
		p.free();
		assert.equal(tree.text, text);
		assert.ok(tree.lines().length > 3);
		const after = tree.apply(`split ${tree.lines().find((line) => line.extent === 8).path} 4`);
		tree.free();
		assert.match(after.text, /k step 4/);
		assert.throws(() => after.apply('split nowhere 2'), /nowhere/);
		assert.throws(() => after.compile(), /the program was freed/);
		after.free();
		assert.throws(() => after.text, /the tree was freed/);
	}
});

const run = process.env.LT_RUN;
test('scripts of examples/ have the trees that lt-run gives them', { skip: !run && 'LT_RUN is not set' }, async () => {
	for (const name of ['softmax', 'mlp', 'layernorm']) {
		const script = await readFile(`examples/${name}.lt`, 'utf8');
		const tree = spawnSync(run, ['-b', 'ref', '--dump=tree', `examples/${name}.lt`], { encoding: 'utf8' });
		assert.equal(lt.compile(script, { backend: 'ref' }).tree.text.trim(), tree.stdout.trim(), name);
	}
});
