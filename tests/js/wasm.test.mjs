/* wasm.test.mjs -- the backend wasm in node: what its modules compute, judged by the evaluator of graphs. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const built = process.env.O ?? 'build', from = `file://${process.cwd()}/${built}/js/looptree.js`;
const { load, LooptreeError } = await import(from);
const lt = await load();
let seed = Number(process.env.SEED ?? Date.now() % 2147483646 + 1);
console.log(`seed ${seed}`);
const random = () => {
	seed = (seed * 48271) % 2147483647;
	return seed / 2147483647 * 4 - 2;
};
const numbers = (n) => Float32Array.from({ length: n }, random);
const product = (m, k, n) => `$1 = InputTensor(a, float32, [${m}, ${k}]);
$2 = InputTensor(b, float32, [${k}, ${n}]);
$3 = MatMulNode($1, $2);
result = $3;`;
const judged = (source, options = {}) => {
	const p = lt.compile(source, { backend: 'wasm', strict: true, ...options }), { verdict, text } = p.verify();
	p.free();
	assert.equal(verdict, 'passed', text);
};

test('products of any extents, and their pieces at the ends', () => {
	for (const [m, k, n] of [[1, 1, 1], [3, 5, 7], [13, 1, 11], [8, 31, 16], [61, 67, 71], [128, 128, 128]])
		judged(product(m, k, n));
});

test('each function, of vectors and what is left of them', () => {
	for (const node of 'ReLU Tanh Sigmoid Exp Erf Sqrt Sin Cos Abs Neg Floor Round'.split(' '))
		for (const n of [1, 3, 37])
			judged(`$1 = InputTensor(x, float32, [${n}]); $2 = ${node}Node($1); result = $2;`);
});

test('a tree that was changed computes the same', () => {
	const p = lt.compile(product(24, 20, 28), { backend: 'wasm' }), a = numbers(480), b = numbers(560);
	const k = p.tree.lines().find((line) => line.extent === 20).path;
	const q = p.tree.apply(`split ${k} 4`).compile();
	assert.equal(q.verify({ a, b }).verdict, 'passed');
	const x = p.run({ a, b }).result, y = q.run({ a, b }).result;
	assert.ok(x.every((v, i) => Math.abs(v - y[i]) < 1e-4));
});

test('the text is a module, and what it has been made of is shown', () => {
	const p = lt.compile(product(8, 8, 8), { backend: 'wasm' });
	assert.match(p.dump('source'), /\(module[\s\S]*f32x4\.mul/);
	assert.match(p.dump('kernel'), /^kernel 1/m);
	assert.match(p.dump('stats'), /module_bytes \d+/);
});

test('the body of an outermost loop is a function, which the engine compiles anew within a run', () => {
	const p = lt.compile(product(96, 96, 96), { backend: 'wasm' });
	assert.match(p.dump('source'), /call \$body0\n[\s\S]*\(func \$body0 /);
});

test('modules are left again: their places in the table are used by others', (t) => {
	const grow = t.mock.method(WebAssembly.Table.prototype, 'grow');
	for (let i = 0; i < 300; i++) {
		const p = lt.compile(product(2, 3, 4 + i % 5), { backend: 'wasm' });
		p.run({ a: numbers(6), b: numbers(3 * (4 + i % 5)) });
		p.free();
	}
	const n = grow.mock.callCount();
	assert.ok(n < 10, `the table grew ${n} times for 300 programs, of which one was there at a time`);
});

test('a run is recorded, and repeated with other inputs and states, also in memory that has grown', () => {
	const script = `x = InputTensor(x, float32, [64, 96]);
w = ConstantTensor(w, float32, [96, 64]);
sum = BufferTensor(sum, float32, [4096]);
begin = ConstantTensor(begin, int64, [1]);
end = ConstantTensor(end, int64, [1]);
y = ReshapeNode(SoftmaxNode(MatMulNode(x, w)), [4096]) + sum;
result y = ReplaceSliceNode(sum, y, begin, end);
result z = MatMulNode(ReshapeNode(y, [64, 64]), TransposeNode(w, [1, 0]));`;
	const weights = { w: numbers(96 * 64), begin: BigInt64Array.of(0n), end: BigInt64Array.of(4096n) };
	const p = lt.compile(script, { backend: 'wasm', strict: true, weights });
	const want = lt.compile(script, { backend: 'ref', weights }), before = lt.memory;
	let large = null;
	for (let i = 0; i < 7; i++) {
		const x = numbers(64 * 96), is = p.run({ x }), should = want.run({ x });
		for (const name of ['y', 'z'])
			assert.ok(is[name].every((v, at) => Math.abs(v - should[name][at]) < 1e-4 * (1 + Math.abs(should[name][at]))),
				`run ${i}: ${name}`);
		if (i === 3) {
			large = lt.compile('x = InputTensor(x, float32, [4096, 4096]); result = x + 1;', { backend: 'wasm' });
			assert.equal(large.run({ x: new Float32Array(4096 * 4096).fill(2) }).result.at(-1), 3);
			assert.ok(lt.memory > before);
		}
		if (i === 5)
			[p, want].forEach((each) => each.reset());
	}
	large.free();
	const { n_run: runs, n_replayed: repeated, n_kernel: kernels } = p.stats();
	assert.ok(kernels > 1);
	assert.deepEqual([runs, repeated], [7, 6]);
});

test('fused products are asked for, and refused by an engine that has none', () => {
	const words = `import { load } from '${from}'; const lt = await load(); `
		+ `const p = lt.compile(\`${product(9, 17, 23)}\`, { backend: 'wasm:relaxed' }); `
		+ `console.log(p.verify().verdict, /relaxed_madd/.test(p.dump('source')));`;
	const tell = (...flags) => spawnSync(process.execPath, [...flags, '--input-type=module', '-e', words],
		{ encoding: 'utf8' });
	const without = tell(), has = !without.status;
	if (!has)
		assert.match(without.stderr, /this engine has no relaxed SIMD/);
	const asked = has ? without : tell('--experimental-wasm-relaxed-simd');
	assert.equal(asked.stdout, 'passed true\n', asked.stderr);
});

test('an unknown option is refused', () => {
	assert.throws(() => lt.compile(product(2, 2, 2), { backend: 'wasm:fast' }), (error) =>
		error instanceof LooptreeError && /fast/.test(error.message));
});
