// Calls the module that lt-build makes of first.lt (docs/javascript.md).
import { load } from './first/first.js';

const m = await load();
const { result } = m.run({ x: Float32Array.of(0, 1, 2, 3, 4, 5) });
console.log(result.shape.join(' by ') + ':', result.join(' '));
for (const inputs of [{}, { x: [0, 1, 2, 3, 4, 5] }, { x: result.subarray(1) }, { x: result, y: result }])
	try {
		m.run(inputs);
	} catch (e) {
		console.log(e.code, e.message);
	}
