/* llama.js -- a language model of llama2.c that writes texts: a checkpoint, its tokenizer, and how the next token is
 * drawn; what lt-llama does, token by token.  looptree.js has it as lt.llama().
 */
import { LooptreeError } from './native.js';

const BEGIN = 1;                        // the token that begins a text, and ends one that the model makes
const KINDS = [null, 'checkpoint', 'tokenizer'];

/* The bytes of a file, as something that has a length. */
export function bytesOfFile(file, what) {
	if (file instanceof ArrayBuffer)
		return new Uint8Array(file);
	if (ArrayBuffer.isView(file))
		return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
	throw new LooptreeError('EINVAL', `${what} is given as bytes, an ArrayBuffer or a Uint8Array`);
}

/** "checkpoint", "tokenizer", or null: what a file is by its first bytes, or all of them. */
export function kindOfFile(native, scope, file) {
	return native.lent((lend) => KINDS[native.core('llama_kind', scope.context, lend.bytes(file), file.length)]);
}

/* A number of an option. */
function number(value, name, least, most, whole = false) {
	if (typeof value !== 'number' || !(value >= least && value <= most) || whole && !Number.isInteger(value))
		throw new LooptreeError('EINVAL', `${name} is a ${whole ? 'whole ' : ''}number from ${least} to ${most}, `
			+ `not ${value}`);
	return value;
}

export class Llama {
	#native; #scope; #program; #tokenizer = 0; #leave; #owned;

	/* compile(bytes): the program of one step. */
	constructor(native, scope, checkpoint, compile, { tokenizer, name, tokenizerName }) {
		this.#native = native;
		this.#scope = scope;
		/* Texts that the tokenizer borrows, and the tokenizer itself. */
		const owned = { room: [], tokenizer: 0 };
		this.#owned = owned;
		this.#leave = scope.hold(this, () => {
			if (owned.tokenizer)
				native.core('tokenizer_free', owned.tokenizer);
			owned.room.forEach((at) => native.free(at));
		});
		try {
			const bytes = bytesOfFile(checkpoint, 'a checkpoint');
			[this.vocabulary, this.context] = this.#sizes(bytes, name);
			if (tokenizer !== undefined)
				this.#read(bytesOfFile(tokenizer, 'a tokenizer'), tokenizerName);
			this.#program = compile(bytes);
		} catch (error) {
			this.#leave();
			throw error;
		}
	}
	#check(status) {
		if (status)
			throw this.#scope.error(status, this.#native.call('lt_context_message', this.#scope.context));
	}
	#sizes(bytes, name) {
		const native = this.#native;
		return native.lent((lend) => {
			const out = lend.room(8);
			this.#check(native.core('llama_sizes', this.#scope.context, lend.bytes(bytes), bytes.length, lend.text(name), out));
			return [native.int32(out), native.int32(out + 4)];
		});
	}
	#read(bytes, name) {
		const native = this.#native, keep = (data) => {
			const at = native.allocate(data.length + 1);
			this.#owned.room.push(at);
			native.bytes.set(data, at);
			return at;
		};
		native.lent((lend) => {
			const out = lend.room(4);
			this.#check(native.core('tokenizer_new', this.#scope.context, keep(bytes), bytes.length,
				keep(new TextEncoder().encode(name)), this.vocabulary, out));
			this.#tokenizer = this.#owned.tokenizer = native.pointer(out);
		});
	}
	/** The program of one step: its inputs are `tokens` and `position`, its result `logits`, its states the cache. */
	get program() { return this.#program; }
	#needed() {
		if (!this.#tokenizer)
			throw new LooptreeError('EMISSING', 'a text needs a tokenizer: lt.llama(checkpoint, { tokenizer })');
		return this.#tokenizer;
	}
	/** A text as tokens, after the one that begins it. */
	encode(text) {
		const native = this.#native, tokenizer = this.#needed(), bytes = new TextEncoder().encode(text);
		if (!bytes.length)
			return [BEGIN];
		return native.lent((lend) => {
			const out = lend.room(4 * (bytes.length + 3)), n = lend.room(4);
			this.#check(native.core('tokenizer_encode', this.#scope.context, tokenizer, lend.bytes(bytes), bytes.length,
				out, n));
			return Array.from({ length: native.pointer(n) }, (_, i) => native.int32(out + 4 * i));
		});
	}
	/* The bytes of a token; a single one that cannot be shown is left out, as lt-llama does it. */
	#piece(before, token) {
		const native = this.#native;
		return native.lent((lend) => {
			const out = lend.room(8);
			native.core('tokenizer_piece', this.#tokenizer, before, token, out);
			const at = native.pointer(out), bytes = native.bytes.slice(at, at + native.pointer(out + 4));
			const hidden = bytes.length === 1 && !(bytes[0] >= 32 && bytes[0] < 127 || bytes[0] >= 9 && bytes[0] <= 13);
			return hidden ? bytes.subarray(1) : bytes;
		});
	}
	/** The prompt and what the model makes of it, token by token: { token, text, made }.  steps: positions at most;
	 * temperature 0: the likeliest token; top: of the likeliest tokens that together have that probability; tokens
	 * instead of a text need no tokenizer. */
	*write(prompt = '', { temperature = 1, top = 0.9, seed = 1, steps = this.context } = {}) {
		const native = this.#native;
		number(temperature, 'temperature', 0, 1e30);
		number(top, 'top', 0, 1);
		number(steps, 'steps', 1, 2 ** 31 - 1, true);
		if (typeof seed !== 'bigint')
			number(seed, 'seed', 1, Number.MAX_SAFE_INTEGER, true);
		const begun = Array.isArray(prompt) ? [BEGIN, ...prompt] : this.encode(String(prompt));
		const end = Math.min(steps, this.context), shown = new TextDecoder();
		const say = (before, token, made) => ({ token, made, text: this.#tokenizer
			? shown.decode(this.#piece(before, token), { stream: true }) : '' });
		const sampler = native.core('sampler_new', this.#scope.context, this.vocabulary, temperature, top, BigInt(seed));
		if (!sampler)
			throw new RangeError('there is no memory for the tokens of the vocabulary');
		try {
			this.#program.reset();
			let token = begun[0];
			for (let position = 0; position < end; position++) {
				const { logits } = this.#program.run({ tokens: BigInt64Array.of(BigInt(token)),
					position: BigInt64Array.of(BigInt(position)) });
				const before = token, made = position + 1 >= begun.length;
				token = made ? this.#next(sampler, logits, position) : begun[position + 1];
				if (token === BEGIN)
					return;
				yield say(before, token, made);
			}
		} finally {
			if (!native.isBroken)
				native.core('sampler_free', sampler);
		}
	}
	#next(sampler, logits, position) {
		const native = this.#native;
		const token = native.lent((lend) => native.core('sampler_next', sampler,
			lend.bytes(new Uint8Array(logits.buffer, logits.byteOffset, logits.byteLength))));
		if (token < 0)
			throw new LooptreeError('EINVAL', `logits behind position ${position} are not finite, so that no token is the `
				+ 'likeliest: weights that are not finite, or a value on the way that is too large for float32');
		return token;
	}
	free() {
		this.#program.free();
		this.#leave();
		this.#tokenizer = 0;
	}
}
