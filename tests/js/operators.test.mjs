/* operators.test.mjs -- every operator in every type, in the library of a page: on odd numbers, judged by the
 * evaluator, and against numbers of NumPy (operators.py). */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';

const built = process.env.O ?? 'build';
const { load } = await import(new URL(`file://${process.cwd()}/${built}/js/looptree.js`));
const python = (...words) => spawnSync('python3', ['tests/js/operators.py', ...words], { encoding: 'utf8',
	maxBuffer: 2 ** 27 });
const skip = spawnSync('python3', ['-c', 'import numpy']).status !== 0 && 'there is no numpy';

test('every operator gives what NumPy gives, in every type, of pairs of odd numbers', { skip }, async () => {
	const made = python('cases');
	assert.equal(made.status, 0, made.stderr);
	const cases = JSON.parse(made.stdout), lt = await load(), given = {};
	const tried = new Set(cases.map(({ name }) => name.split(' ')[0]));
	assert.deepEqual(lt.operators().filter((name) => !tried.has(name)).sort(),
		['constant', 'index', 'input', 'lit', 'state']);
	/* What is printed is compiled by one of V8's compilers. */
	setFlagsFromString('--no-liftoff');
	for (const backend of ['wasm', 'ref']) {
		given[backend] = {};
		for (const { name, script, inputs } of cases) {
			const p = lt.compile(script, { backend, strict: true }), values = {};
			Object.values(p.inputs).forEach(({ name: input, array }, i) => {
				const bytes = Uint8Array.from(Buffer.from(inputs[i], 'base64'));
				values[input] = new globalThis[array](bytes.buffer);
			});
			const { y } = p.run(values), verified = p.verify(values);
			assert.equal(verified.verdict, 'passed', `${backend}: ${name}: ${verified.text}`);
			assert.equal(verified.open, 0, `${backend}: ${name}`);
			given[backend][name] = Buffer.from(y.buffer).toString('base64');
			p.free();
		}
	}
	const to = mkdtempSync(`${tmpdir()}/operators-`);
	try {
		writeFileSync(`${to}/given.json`, JSON.stringify(given));
		const judged = python('judge', `${to}/given.json`);
		console.log(judged.stderr.trim());
		assert.equal(judged.status, 0, judged.stdout + judged.stderr);
		/* And one wrong bit is found. */
		const bytes = Buffer.from(given.wasm['add int16'], 'base64');
		bytes[100] ^= 1;
		given.wasm['add int16'] = bytes.toString('base64');
		writeFileSync(`${to}/given.json`, JSON.stringify(given));
		assert.match(python('judge', `${to}/given.json`).stdout, /^wasm: add int16: 1 of /);
	} finally {
		rmSync(to, { recursive: true });
	}
});
