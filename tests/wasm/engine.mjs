/* engine.mjs SOCKET -- an engine of WebAssembly for the backend wasm of a program of its own (backends/wasm/socket.c
 * has the messages).  Says "ready" when it listens; ends when its input does. */
import { createServer } from 'node:net';

const PAGE = 65536, up = (at) => Math.ceil(at / 64) * 64;
/* By series where its terms are of one sign, and by a continued fraction. */
function erf(x) {
	const a = Math.abs(x), scale = 2 / Math.sqrt(Math.PI) * Math.exp(-a * a);
	if (!(a < 6))
		return Number.isNaN(x) ? x : Math.sign(x);
	let sum = 0;
	if (a < 2.5) {
		for (let n = 0, term = a; term > sum * 1e-18; n++, term *= 2 * a * a / (2 * n + 1))
			sum += term;
		return x < 0 || Object.is(x, -0) ? -scale * sum : scale * sum;
	}
	for (let n = 60; n > 0; n--)
		sum = n / 2 / (a + sum);
	return Math.sign(x) * (1 - scale / 2 / (a + sum));
}
const { exp, log, tanh, sin, cos } = Math;
/* C's pow of 1 and NaN, and of -1 and infinity, is 1. */
const pow = (x, y) => x === 1 || x === -1 && Math.abs(y) === Infinity ? 1 : x ** y;
const functions = { exp, log, tanh, erf, sin, cos, pow, fmod: (x, y) => x % y };
/* JavaScript has one NaN, whose bits are whatever its compiler has at hand: here they are always the same. */
const one = (x) => Number.isNaN(x) ? NaN : x;
for (const [name, f] of Object.entries(functions)) {
	functions[name] = (...x) => one(f(...x));
	functions[`${name}f`] = (...x) => one(Math.fround(f(...x)));
}

const modules = new Map();
let next = 1;
const memory = new WebAssembly.Memory({ initial: 16 });

const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
function sentence(error) {
	const text = Buffer.from(error.message.slice(0, 1000));
	return Buffer.concat([words(0, text.length), text]);
}

function make(bytes) {
	try {
		const module = new WebAssembly.Module(bytes);
		modules.set(next, new WebAssembly.Instance(module, { env: { memory }, m: functions }).exports.kernel);
		return words(next++);
	} catch (error) {
		return sentence(error);
	}
}

/* Slots and workspace apart from each other, with poison between. */
function run(number, workspace, sizes, writes, bytes) {
	if (!modules.has(number))
		throw new Error('this engine has no such module: it was started anew');
	let at = 4096 + up(4 * sizes.length);
	const slot = sizes.map((size) => {
		const here = at;
		at = up(at + size + 64);
		return here;
	});
	const end = up(at) + workspace + 64;
	if (end > memory.buffer.byteLength)
		memory.grow(Math.ceil((end - memory.buffer.byteLength) / PAGE));
	const all = new Uint8Array(memory.buffer), view = new DataView(memory.buffer);
	all.fill(0xa5, 0, end);
	all.fill(0, 64, 88);
	let from = 0;
	const given = [];
	slot.forEach((here, i) => {
		given.push(bytes.subarray(from, from + sizes[i]));
		all.set(given[i], here);
		from += sizes[i];
		view.setUint32(4096 + 4 * i, here, true);
	});
	modules.get(number)(4096, up(at), 64);
	/* What is not written, and what lies beside the slots, is as it was. */
	slot.forEach((here, i) => {
		if (!writes[i] && !given[i].equals(all.subarray(here, here + sizes[i])))
			throw new Error(`module ${number} writes slot ${i}, which it only reads`);
		if (all.subarray(here + sizes[i], here + sizes[i] + 64).some((b) => b !== 0xa5))
			throw new Error(`module ${number} writes behind slot ${i}`);
	});
	return Buffer.concat([words(1), all.slice(64, 88),
		...slot.map((here, i) => all.slice(here, here + (writes[i] ? sizes[i] : 0)))]);
}

/* The answer to the message that `given` begins with, and its length; null: it is not there as a whole. */
function answer(given) {
	const word = (i) => given.readUInt32LE(4 * i), has = (n) => given.length >= n;
	if (!has(8))
		return null;
	if (word(0) === 4) {
		modules.delete(word(1));
		return { n: 8 };
	}
	if (word(0) !== 3) {
		const n = 8 + word(1), bytes = given.subarray(8, n);
		return !has(n) ? null : { n, back: word(0) === 2 ? make(bytes)
			: words(WebAssembly.validate(bytes) ? 1 : 0) };
	}
	if (!has(16) || !has(16 + 8 * word(3)))
		return null;
	const head = 16 + 8 * word(3), sizes = Array.from({ length: word(3) }, (_, i) => word(4 + i));
	const n = head + sizes.reduce((a, b) => a + b, 0);
	if (!has(n))
		return null;
	try {
		const writes = sizes.map((_, i) => word(4 + word(3) + i));
		return { n, back: run(word(1), word(2), sizes, writes, given.subarray(head, n)) };
	} catch (error) {
		return { n, back: sentence(error) };
	}
}

createServer((socket) => {
	let parts = [], length = 0, wanted = 0;
	socket.on('error', () => {});
	socket.on('data', (more) => {
		parts.push(more);
		length += more.length;
		if (length < wanted)
			return;
		let given = Buffer.concat(parts);
		for (let done; (done = answer(given)); given = given.subarray(done.n))
			if (done.back)
				socket.write(done.back);
		parts = [given];
		length = given.length;
		/* A long message is put together once. */
		wanted = given.length >= 16 ? total(given) : 0;
	});
}).listen(process.argv[2], () => console.log('ready'));

/* How long the message is, as far as its head says. */
function total(given) {
	const word = (i) => given.readUInt32LE(4 * i);
	if (word(0) !== 3)
		return 8 + word(1);
	let n = 16 + 8 * word(3);
	for (let i = 0; i < word(3) && given.length >= n; i++)
		n += word(4 + i);
	return n;
}
process.stdin.on('end', () => process.exit()).resume();
