/* programs.mjs FOLDER N -- runs modules that the backend wasm has printed, N.wasm by N.in, and leaves what they leave
 * in N.out (tests/test_wasm.c): memory with the slots, poisoned between them, the workspace poisoned, too. */
import { readFileSync, writeFileSync } from 'node:fs';

const [, , folder, count] = process.argv;
const page = 65536, up = (at) => Math.ceil(at / 64) * 64;
/* What modules import; remainders of f32 are f32.  Of what is rounded in other ways there is nothing to compare. */
const names = { fmod: (x, y) => x % y, fmodf: (x, y) => x % y };
for (let k = 0; k < count; k++) {
	const given = readFileSync(`${folder}/${k}.in`);
	const word = (i) => given.readUInt32LE(4 * i);
	/* workspace bytes, slots, the bytes of each; then their contents. */
	const workspace = word(0), n = word(1), bytes = Array.from({ length: n }, (_, i) => word(2 + i));
	let at = 8192 + 64, from = 4 * (2 + n);
	const slot = bytes.map((size) => {
		const here = at;
		at = up(at + size + 64);
		return here;
	});
	const memory = new WebAssembly.Memory({ initial: Math.ceil((at + workspace + 4096) / page) });
	const all = new Uint8Array(memory.buffer).fill(0xa5), view = new DataView(memory.buffer);
	slot.forEach((here, i) => {
		all.set(given.subarray(from, from + bytes[i]), here);
		from += bytes[i];
		view.setUint32(4096 + 4 * i, here, true);
	});
	all.fill(0, 64, 128);
	const before = all.slice();
	const module = new WebAssembly.Module(readFileSync(`${folder}/${k}.wasm`));
	const { exports } = new WebAssembly.Instance(module, { env: { memory }, m: names });
	exports.kernel(4096, up(at), 64);
	/* What lies between the slots, and behind the workspace, is as it was. */
	const mine = new Uint8Array(memory.buffer);
	let stray = 0;
	for (let i = 128; i < mine.length; i++) {
		const within = slot.some((here, s) => i >= here && i < here + bytes[s]) || i >= up(at) && i < up(at) + workspace;
		stray += !within && mine[i] !== before[i];
	}
	view.setUint32(96, stray, true);
	writeFileSync(`${folder}/${k}.out`, Buffer.concat([mine.subarray(64, 128), ...slot.map((here, i) =>
		mine.subarray(here, here + bytes[i]))]));
}
