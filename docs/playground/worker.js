/* worker.js -- what runs in the worker: the library, a tree with its steps, a network for digits, a model that writes.
 *
 * A message is { id, name, given }; answers are { id, value }, { id, error }, and { id, part } before them.
 */
const MOST_TEXT = 300_000;              // characters of a text that the page shows

const SAMPLE_NS = 5e6, ENOUGH_NS = 15e7; // of runs that are timed
const SLICE_MS = 30;                    // after which a message is looked for
const WARM_MS = 1000;

/* The library, when it is first needed. */
let loading = null;
const library = () => loading ??= (async () => {
	const { load } = await import('./looptree/looptree.js').catch((error) => {
		throw new Error('looptree/looptree.js could not be loaded: is all there that "make playground" wrote? '
			+ `(${error.message})`);
	});
	return load();
})();

async function fetched(path) {
	const url = new URL(path, import.meta.url);
	const got = await fetch(url).catch((error) => { throw new Error(`${url} cannot be fetched: ${error.message}`); });
	if (!got.ok)
		throw new Error(`${url} cannot be fetched: ${got.status} ${got.statusText}`.trim());
	return got.arrayBuffer();
}

/* -- inputs -- */

const arrays = (lt, ports, given) => Object.fromEntries(Object.values(ports).map((port) => {
	try {
		return [port.name, lt.filled(port, given[port.name] ?? 'random')];
	} catch (error) {
		throw Object.assign(error, { input: port.name });
	}
}));

/* -- a tree and its steps -- */

/* What was compiled last, its trees step by step, and the program of one of them. */
let model = { key: null, trees: [], steps: [], programs: [] };

function release() {
	model.trees.forEach((tree) => tree.free());
	model.programs.forEach((p) => p?.free());
	model = { key: null, trees: [], steps: [], programs: [] };
}
async function opened({ source, backend, start, given }, part) {
	const lt = await library(), key = JSON.stringify([source, backend, start, given]);
	if (model.key !== key) {
		release();
		const base = lt.compile(source, { backend, progress: (done, total) => part({ done, total, what: 'compiling' }),
			...start === 'plain' ? { schedule: 'schedule 1\n' } : {} });
		model.programs = [base];
		Object.assign(model, { key, base, trees: [base.tree], wrong: null });
		/* A tree has no need of its values: what is wrong with one is said of a run. */
		try {
			for (const [name, array] of Object.entries(arrays(lt, base.constants, given)))
				base.bind(name, array);
			model.inputs = arrays(lt, base.inputs, given);
		} catch (error) {
			model.wrong = error;
		}
	}
	return model;
}
/* The tree after these steps; those that are there are not made again. */
async function treeAt(given, part) {
	const { trees, steps } = await opened(given.model, part);
	let same = 0;
	while (same < given.steps.length && steps[same] === given.steps[same])
		same++;
	if (same < given.steps.length && same < steps.length)
		cut(same);
	for (; same < given.steps.length; same++)
		try {
			trees.push(trees[same].apply(given.steps[same], 'step'));
			steps.push(given.steps[same]);
		} catch (error) {
			error.step_number = same;
			throw error;
		}
	return trees[given.steps.length];
}
function cut(n) {
	model.trees.splice(n + 1).forEach((tree) => tree.free());
	model.programs.splice(n + 1).forEach((p) => p?.free());
	model.steps.splice(n);
}
async function programAt(given, part) {
	const tree = await treeAt(given, part), n = given.steps.length;
	model.programs[n] ??= tree.compile();
	return model.programs[n];
}
/* ... that can be run: its inputs and constants have their values. */
async function runnable(given, part) {
	const program = await programAt(given, part);
	if (model.wrong)
		throw model.wrong;
	return program;
}
const short = (text) => text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n... (${text.length} characters)` : text;
/* What a program shows of itself, or the sentence why it has nothing to show. */
function shown(program, kind) {
	try {
		return { text: short(program.dump(kind)) };
	} catch (error) {
		return { why: error.message };
	}
}
const milliseconds = async (run) => {
	const begin = performance.now(), value = await run();
	return [performance.now() - begin, value];
};

const calls = {
	async begin() {
		const lt = await library();
		return { version: lt.version, backends: lt.backends(), primitives: lt.primitives() };
	},
	/* The tree after given.steps, each of which is proven: its lines, its text, how long the last steps took. */
	async tree(given, part) {
		const [ms, tree] = await milliseconds(() => treeAt(given, part));
		const { inputs, constants } = model.base;
		const lines = tree.lines().map(({ at, parent, depth, kind, name, path, text, facts, extent, trip_count, flops, bytes,
			how, leaf, line, step }) => ({ at, parent, depth, kind, name, path, text, facts, extent, trip_count, flops, bytes,
			how, leaf, line, step, var: /^[^']*/.exec(name ?? '')[0] }));
		return { ms, lines, text: tree.text, ports: [...Object.values(inputs), ...Object.values(constants)] };
	},
	/* The program of that tree, and one run of it. */
	async program(given, part) {
		const [compile, program] = await milliseconds(() => programAt(given, part));
		const code = { kernel: shown(program, 'kernel'), wasm: shown(program, 'source'), explain: shown(program, 'explain') };
		return { compile, ...code };
	},
	async run(given, part) {
		const program = await runnable(given, part);
		const [ms, results] = await milliseconds(() => program.run(model.inputs));
		return { ms, results: Object.entries(results).map(([name, array]) => ({ name, shape: array.shape,
			dtype: program.results[name].dtype, first: Array.from(array.subarray(0, 12), String) })) };
	},
	/* Clocks of pages have steps of a tenth of a millisecond: a sample is as many runs as take fifty of them. */
	async time(given, part) {
		const program = await runnable(given, part);
		const about = Math.max(program.time(model.inputs, { samples: 3 }).min, 2e4);
		const repeat = Math.max(1, Math.ceil(SAMPLE_NS / about));
		const { median, samples } = program.time(model.inputs, { repeat,
			samples: Math.max(3, Math.min(30, Math.ceil(ENOUGH_NS / (about * repeat)))) });
		return { median, runs: samples.length * repeat };
	},
	async judge(given, part) {
		const program = await runnable(given, part);
		const { verdict, text } = program.verify(model.inputs, { progress: (what, share) =>
			part({ what, done: share, total: 1 }) });
		return { verdict, text };
	},

	/* -- digits -- */

	async network({ backend }) { await network(backend); },
	/* image: 784 numbers of 0 to 1. */
	async digit({ image, backend }) {
		const program = await network(backend);
		const [ms, { probability }] = await milliseconds(() => program.run({ image: new Float32Array(image) }));
		return { ms, probability: Array.from(probability) };
	},

	/* -- texts -- */

	async fileKind({ bytes }) { return (await library()).llamaFile(bytes); },
	/* A model, before it is asked for a text. */
	async read(given, part) { await taken(given, part); },
	async warm(given) {
		if (await taken(given) && given.backend.startsWith('wasm'))
			await warmed(story.model);
	},
	/* Writes; parts are { text, tokens, tokensPerSecond }. */
	async write(given, part) {
		if (!await taken(given, part))
			return { missing: true };
		story.enough = false;
		return written(story.model, given.prompt, given.options, part);
	},
};

/* Whether the model is there: made of the bytes of its files, or as it was. */
async function taken({ checkpoint, tokenizer, names, backend }, part) {
	const lt = await library(), key = names.join('\n') + backend;
	if (checkpoint) {
		story.model?.free();
		story.model = null;
		story.model = lt.llama(checkpoint, { tokenizer, backend, name: names[0], tokenizerName: names[1],
			progress: (done, total) => part({ done, total, what: 'compiling' }) });
		story.key = key;
	}
	return story.key === key && story.model !== null;
}

/* An engine's quick compiler makes slow code, which a better one replaces when it has run for a while.  So a model runs
 * for a second, or until something is wanted of the worker. */
async function warmed(llama) {
	const end = performance.now() + WARM_MS;
	while (!waiting && performance.now() < end)
		try {
			let told = performance.now();
			for (const _ of llama.write([], { temperature: 0 })) {
				if (performance.now() - told < SLICE_MS)
					continue;
				await new Promise((next) => { setTimeout(next); });
				told = performance.now();
				if (waiting || told > end)
					break;
			}
		} catch {
			return;                 /* what is wrong with it is said of a text */
		}
}

async function written(llama, prompt, options, part) {
	let text = '', tokens = [], made = 0, told = performance.now(), begin = 0;
	const rate = () => made > 1 ? (made - 1) * 1000 / (performance.now() - begin) : 0;
	for (const token of llama.write(prompt, options)) {
		text += token.text;
		tokens.push(token.token);
		if (token.made && ++made === 1)
			begin = performance.now();
		if (performance.now() - told > SLICE_MS) {
			part({ text, tokens, rate: rate(), made });
			[text, tokens, told] = ['', [], performance.now()];
			/* A message may have come. */
			await new Promise((next) => { setTimeout(next); });
			if (story.enough)
				break;
		}
	}
	return { text, tokens, rate: rate(), made, enough: story.enough };
}

const story = { key: null, model: null, enough: false };
let digits = null;

/* The network of examples/mnist, with its weights. */
async function network(backend) {
	if (digits?.backend !== backend) {
		const [lt, source, weights] = await Promise.all([library(), fetched('examples/digit.lt'),
			fetched('examples/mnist.safetensors')]);
		digits = { backend, program: lt.compile(new TextDecoder().decode(source), { backend, name: 'digit.lt',
			weights: safetensors(weights) }) };
	}
	return digits.program;
}
/* Arrays by name of a file of safetensors: a header of JSON, whose length comes first, then the bytes. */
function safetensors(bytes) {
	const length = bytes.byteLength >= 8 ? Number(new DataView(bytes).getBigUint64(0, true)) : 0;
	try {
		const { __metadata__: _, ...all } = JSON.parse(new TextDecoder().decode(bytes.slice(8, 8 + length)));
		return Object.fromEntries(Object.entries(all).map(([name, { dtype, data_offsets: [begin, end] }]) => {
			if (dtype !== 'F32' || 8 + length + end > bytes.byteLength)
				throw new Error(`${name} is ${dtype} at ${begin} to ${end}`);
			return [name, new Float32Array(bytes.slice(8 + length + begin, 8 + length + end))];
		}));
	} catch (error) {
		throw new Error(`examples/mnist.safetensors is damaged: ${error.message}`);
	}
}

/* -- messages: one call after the other -- */

/* Own members, too: step, remedy, violation.  Fatal: the library has come to a stop, or has no more memory. */
const told = (error) => ({ ...error, name: error.name, message: error.message,
	fatal: error.code === 'EDEVICE' || error instanceof RangeError });
let queue = Promise.resolve(), waiting = 0;
addEventListener('message', ({ data: { id, name, given } }) => {
	if (name === 'enough') {
		story.enough = true;
		return;
	}
	waiting++;
	queue = queue.then(async () => {
		waiting--;
		try {
			postMessage({ id, value: await calls[name](given, (part) => postMessage({ id, part })) });
		} catch (error) {
			postMessage({ id, error: told(error) });
		}
	});
});
