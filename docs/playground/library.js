/* library.js -- the library, which runs in a worker, as the page sees it: calls that give promises, and a stop.
 *
 * Whatever a call needs is in its arguments.  So a worker can be ended at any time: the next call gets a new one, and
 * finds nothing missing.
 */

/** What was under way when somebody stopped it. */
export class Stopped extends Error {
	constructor() { super('Stopped. The library begins anew with the next step.'); }
}

/* Whether the engine has vectors of 128 bits: the smallest module with one. */
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
	15, 253, 98, 11);
export const hasSimd = () => WebAssembly.validate(SIMD);
/* And those whose results depend on the processor. */
const RELAXED = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 0,
	253, 15, 65, 0, 253, 15, 253, 128, 2, 11);
export const hasRelaxedSimd = () => WebAssembly.validate(RELAXED);

export class Library {
	#worker = null; #waits = new Map(); #next = 1; #changed;

	/** changed(n): so many calls are under way. */
	constructor(changed) { this.#changed = changed; }

	#start() {
		/* By way of a blob, a worker has the content security policy of its page. */
		const url = new URL('worker.js', import.meta.url).href;
		const blob = URL.createObjectURL(new Blob([`import ${JSON.stringify(url)};`], { type: 'text/javascript' }));
		const worker = new Worker(blob, { type: 'module', name: 'looptree' });
		worker.addEventListener('message', ({ data }) => {
			URL.revokeObjectURL(blob);
			const wait = this.#waits.get(data.id);
			if (!wait)
				return;
			if ('part' in data) {
				wait.part?.(data.part);
				return;
			}
			this.#done(data.id);
			if (!data.error) {
				wait.done(data.value);
				return;
			}
			if (data.error.fatal) {
				data.error.message += '. The library begins anew with the next step.';
				this.#end(new Stopped());
			}
			wait.failed(Object.assign(new Error(data.error.message), data.error));
		});
		worker.addEventListener('error', (event) => {
			event.preventDefault();
			if (worker === this.#worker)
				this.#end(new Error(event.message ? `the worker ended: ${event.message}`
					: `${url} could not be loaded: is it there, with all that "make playground" wrote?`));
		});
		return worker;
	}
	#done(id) {
		this.#waits.delete(id);
		this.#changed(this.#waits.size);
	}
	#end(error) {
		this.#worker?.terminate();
		this.#worker = null;
		for (const [id, wait] of [...this.#waits]) {
			this.#done(id);
			wait.failed(error);
		}
	}
	/** part: gets what comes before the end. */
	call(name, given = {}, { part, transfer = [] } = {}) {
		this.#worker ??= this.#start();
		return new Promise((done, failed) => {
			const id = this.#next++;
			this.#waits.set(id, { done, failed, part });
			this.#changed(this.#waits.size);
			this.#worker.postMessage({ id, name, given }, transfer);
		});
	}
	/** Ends all that is under way. */
	stop() { this.#end(new Stopped()); }
	/** Asks a call that writes to end by itself. */
	enough() { this.#worker?.postMessage({ name: 'enough' }); }
	get busy() { return this.#waits.size > 0; }
}
