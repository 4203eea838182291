/* page.test.mjs -- the program of docs/javascript-library.md prints what the page says, and types hold. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';

const built = `${process.cwd()}/${process.env.O ?? 'build'}/js`;
const page = await readFile('docs/javascript-library.md', 'utf8');
const block = (kind) => new RegExp('```' + kind + '\n(.*?)```', 's').exec(page)[1];

test('the page shows what its program prints', async () => {
	const folder = await mkdtemp(`${built}/page-`);
	try {
		await writeFile(`${folder}/page.mjs`, block('js').replaceAll('./build/js/', `${built}/`));
		const { stdout, stderr } = spawnSync('node', [`${folder}/page.mjs`], { encoding: 'utf8' });
		assert.equal(stderr, '');
		assert.equal(stdout, block('text'));
	} finally {
		await rm(folder, { recursive: true });
	}
});

const skip = spawnSync('tsc', ['--version']).status !== 0 && 'tsc is not installed (scripts/setup.sh wasm)';
const judged = (...given) => {
	const { status, stdout } = spawnSync('tsc', ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom',
		...given], { encoding: 'utf8' });
	assert.equal(status, 0, stdout);
};
test('its types hold', { skip }, async () => {
	const folder = await mkdtemp(`${built}/page-`);
	try {
		await writeFile(`${folder}/page.mts`, block('js').replaceAll('./build/js/', '../').replace('catch (error) {',
			'catch (caught) {\n\tif (!(caught instanceof LooptreeError))\n\t\tthrow caught;\n\tconst error = caught;')
			.replace('{ load }', '{ load, LooptreeError }').replace('violation } = error',
				'violation } = error as Required<LooptreeError>').replaceAll('violation.', 'violation!.')
			.replace('.find((line) => line.extent === 8).path', '.find((line) => line.extent === 8)!.path'));
		judged('--module', 'es2022', '--moduleResolution', 'node', `${folder}/page.mts`);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('types take what the library takes, and refuse what it refuses', { skip }, async () => {
	const folder = await mkdtemp(`${built}/page-`);
	try {
		await copyFile('tests/js/types.mts', `${folder}/types.mts`);
		judged('--module', 'nodenext', `${folder}/types.mts`);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('lines of trees have the members of their type', async () => {
	const { load } = await import(`file://${built}/looptree.js`), types = await readFile('js/looptree.d.ts', 'utf8');
	const members = /interface TreeLine \{(.*?)\n\}/s.exec(types)[1].matchAll(/readonly (\w+): (.*);/g);
	const of = Object.fromEntries([...members].map(([, name, type]) => [name, type.replaceAll("'", '"').split(' | ')]));
	const p = (await load()).compile(await readFile('examples/softmax.lt', 'utf8'));
	const lines = p.tree.lines(), [first] = lines.filter((line) => line.kind === 'loop' && line.extent > 1);
	lines.push(...p.tree.apply(`split ${first.path} ${Math.ceil(first.extent / 2)}`).lines());
	for (const line of lines) {
		assert.deepEqual(Object.keys(line).sort(), Object.keys(of).sort());
		for (const [name, value] of Object.entries(line))
			assert.ok(of[name].some((type) => type === typeof value || type === JSON.stringify(value)), `${name}: ${value}`);
	}
	assert.deepEqual(new Set(lines.map((line) => line.kind)), new Set(['loop', 'leaf']));
});

test('the library is at most two megabytes, compressed', async () => {
	const wasm = await readFile(`${built}/looptree.wasm`);
	assert.ok(gzipSync(wasm, { level: 9 }).length <= 2 << 20);
});
