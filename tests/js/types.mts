/* types.mts -- what a program of TypeScript may write, and what looptree.d.ts refuses; page.test.mjs calls tsc. */
import { load, LooptreeError, Program } from '../looptree.js';
import type { Result, Tensor, Tree, Violation } from '../looptree.js';
const lt = await load(), script = 'result = InputTensor(x, float32, [2, 3]) + ConstantTensor(w, float32, [3]);';
const p: Program = lt.compile(script, { backend: 'ref', threads: 1, dims: { n: 8 }, weights: { w: [1, 2, 3] } });
const x: Tensor = p.inputs.x, y: Result = p.run({ x: lt.filled(x, 8n) }).result, shape: readonly number[] = y.shape;
const tree: Tree = p.bind('w', new Float32Array(3)).tree.apply('split d0 2; unroll d0');
for (const { name, depth, tail } of tree.lines())
	console.log(name?.length, depth + shape[0], tail === 'guard', p.verify({ x: [[1], [3n, true]] }).verdict === 'open');
try { tree.compile({ strict: true }).time({}, { samples: 3 }); } catch (e) {
	const found: Violation | null | undefined = e instanceof LooptreeError ? e.violation : null;
	console.log(found?.pair[1].at.k);
}
for (const { text } of lt.llama(new ArrayBuffer(8)).write('Once', { seed: 1n })) console.log(text.trim());
// @ts-expect-error: there is one thread
lt.compile(script, { threads: 4 });
// @ts-expect-error: no such option
p.time({}, { sample: 3 });
// @ts-expect-error: no tensor is of texts
p.run({ x: ['1'] });
// @ts-expect-error: a schedule is of a source
tree.compile({ schedule: tree });
// @ts-expect-error: nothing is shown as that
p.dump('schedule');
// @ts-expect-error: extents are not changed
y.shape[0] = 1;
// @ts-expect-error: a program is compiled
export const q = new Program();
