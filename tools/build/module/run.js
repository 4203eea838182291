
/* Runs a model of lt-build on files, to verify it: node THIS [--relaxed] MODEL.js [--runs N] FILE.npy...
 * NAME=FILE.npy...  Inputs come first and results next, in their order; a state is read and written. */
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';

process.on('uncaughtException', (e) => {
	console.error(e.name === 'LooptreeError' ? e.message : e.stack);
	process.exit(1);
});
const argument = process.argv.slice(2);
if (argument[0] === '--relaxed') {
	/* node 20 has it, and wants to be asked. */
	v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
	argument.shift();
}
const { load, tensors } = await import(pathToFileURL(argument.shift()));
const model = await load();
const runs = argument[0] === '--runs' ? Number(argument.splice(0, 2)[1]) : 1;
const [inputs, results, states] = ['input', 'result', 'state'].map((kind) => tensors.filter((t) => t.kind === kind)
	.map((t) => model[`${kind}s`][t.name]));
const files = new Map(), given = {}, places = [];
for (const word of argument) {
	const named = [...states, ...inputs.filter((t) => !t.needed)].find((t) => word.startsWith(`${t.name}=`));
	if (named)
		files.set(named, word.slice(named.name.length + 1));
	else
		places.push(word);
}
for (const t of [...inputs.filter((i) => i.needed), ...results])
	files.set(t, places.shift());
for (const t of inputs)
	if (files.has(t))
		given[t.name] = fromNpy(readFileSync(files.get(t)), t);
for (const t of states)
	if (files.has(t) && existsSync(files.get(t)))
		model.setState(t.name, fromNpy(readFileSync(files.get(t)), t));
/* What no run writes is not taken for a result. */
for (const t of results)
	new Uint8Array(model.memory.buffer, t.at, t.shape.reduce((a, b) => a * b, npyArray(t).BYTES_PER_ELEMENT)).fill(0xff);
let got;
for (let i = 0; i < runs; i++)
	got = model.run(given);
for (const t of results)
	writeFileSync(files.get(t), toNpy(got[t.name], t));
for (const t of states)
	if (files.has(t))
		writeFileSync(files.get(t), toNpy(model.getState(t.name), t));
