/* trees.js -- the script, its loop tree, the steps that change it, and what each of them costs. */
import examples from './examples/list.js';
import { drawBoxes } from './boxes.js';
import { $, make, sentence, time } from './dom.js';
import { Stopped } from './library.js';
import { drawPair, pairInWords } from './pair.js';

const FIRST = 'matmul.lt', OWN = '';
const NEXT = { tree: 'the tree is drawn', program: 'the program is made', run: 'it runs', time: 'it is measured',
	judge: 'it is judged' };
const MOST = 1e6;                       // bytes of a script that is dropped
const LINK = ['script', 'start', 'backend', 'steps', 'given'];      // what the address can hold
/* Multiply-adds that an interpreter makes in a second, about: more than SECONDS of them are not run unasked. */
const RATE = { sim: 1.3e6, ref: 4e6 }, SECONDS = 4;

export class Trees {
	#library; #facts; #model = null; #entries = []; #at = 0; #tree = null; #turn = 0; #fetching = 0;

	constructor(library, facts) {
		this.#library = library;
		this.#facts = facts;
		$('example').append(make('option', { value: OWN }, 'your own'),
			...Object.entries(examples).map(([name, about]) => make('option', { value: name, title: about }, name)));
		$('backend').append(...facts.backends.map((b) => make('option', { value: b.name, disabled: !b.usable,
			title: b.usable ? b.summary : b.reason }, b.name)));
		$('backend').value = facts.best;
		$('primitives').append(...facts.primitives.flatMap((p) => [make('dt', {}, make('code', {}, p.usage)),
			make('dd', {}, ...sentence(p.help, (word) => make('code', {}, word)))]));
		this.#listen();
	}
	#listen() {
		$('example').addEventListener('change', () => void this.#example($('example').value));
		$('script').addEventListener('input', () => {
			this.#fetching++;
			$('example').value = OWN;
			$('edited').hidden = !this.#edited;
		});
		/* Anywhere in these tabs; that the page stays is the business of story.js. */
		addEventListener('drop', (event) => {
			if (!$('trees').hidden && event.dataTransfer.files.length)
				void this.#dropped([...event.dataTransfer.files]);
		});
		$('compile').addEventListener('click', () => void this.open());
		for (const id of ['backend', 'start'])
			$(id).addEventListener('change', () => void this.open());
		$('script').addEventListener('keydown', (event) => {
			if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
				void this.open();
		});
		$('step-form').addEventListener('submit', (event) => {
			event.preventDefault();
			void this.apply($('step').value);
		});
		/* A field of one line would join lines with blanks. */
		$('step').addEventListener('paste', (event) => {
			const text = event.clipboardData.getData('text/plain');
			if (!/[\r\n]/.test(text.trim()))
				return;
			event.preventDefault();
			$('step').setRangeText(stepsOf(text).join('; '), $('step').selectionStart, $('step').selectionEnd, 'end');
		});
		$('step').addEventListener('keydown', (event) => {
			const undo = (event.ctrlKey || event.metaKey) && { z: event.shiftKey ? 1 : -1, y: 1 }[event.key.toLowerCase()];
			if (undo && !$('step').value) {
				event.preventDefault();
				void this.go(this.#at + undo);
			}
		});
		$('undo').addEventListener('click', () => void this.go(this.#at - 1));
		$('redo').addEventListener('click', () => void this.go(this.#at + 1));
		$('measure').addEventListener('click', () => void this.#attempt(() => this.#measure(true)));
		$('judge').addEventListener('click', () => void this.#attempt(() => this.#judge()));
		$('link').addEventListener('click', () => void this.#copyLink());
		for (const as of ['boxes', 'text'])
			$(`as-${as}`).addEventListener('click', () => {
				for (const each of ['boxes', 'text']) {
					$(each).hidden = each !== as;
					$(`as-${each}`).setAttribute('aria-pressed', each === as);
				}
			});
	}

	/* -- scripts -- */

	async #example(name) {
		const fetching = ++this.#fetching;
		if (name === OWN)
			return;
		const got = await fetch(`examples/${name}`).catch((error) => ({ ok: false, status: 0, statusText: error.message }));
		if (!got.ok) {
			this.#mistake(`examples/${name} cannot be fetched: ${got.status} ${got.statusText}`);
			return;
		}
		const text = await got.text();
		/* Somebody types, or has chosen another one. */
		if (fetching !== this.#fetching)
			return;
		$('script').value = text;
		$('example').value = name;
		await this.open();
	}
	async #dropped(files) {
		const fetching = ++this.#fetching, [file] = files;
		try {
			if (files.length > 1)
				throw new Error(`${files.length} files were dropped: a script is one`);
			if (file.size > MOST)
				throw new Error(`${file.name} has ${file.size} bytes: a script here has at most ${MOST}`);
			const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
			if (text.includes('\0'))
				throw new TypeError('NUL');
			if (fetching !== this.#fetching)
				return;
			$('script').value = text;
			$('example').value = OWN;
			await this.open();
		} catch (error) {
			this.#mistake(error instanceof TypeError ? `${file.name} is no script: it is no text in UTF-8` : error.message);
		}
	}
	/** What the address holds: a script and steps; without them, an example. */
	async follow(hash) {
		const link = new URLSearchParams(hash === 'trees' ? '' : hash), lost = [];
		const broken = (key) => hash.split('&').some((part) => part.startsWith(`${key}=`) && !isText(part));
		const names = [...new Set(link.keys())], unknown = names.filter((key) => !LINK.includes(key));
		if (unknown.length)
			lost.push(`The link has ${unknown.map((key) => `"${clipped(key)}"`).join(', ')}, which means nothing here.`);
		for (const key of names.filter((each) => LINK.includes(each) && broken(each))) {
			lost.push(`The link is damaged: its "${key}" is no text in UTF-8, and is not taken.`);
			link.delete(key);
		}
		if (!link.has('script')) {
			const without = LINK.filter((key) => link.has(key));
			if (without.length)
				lost.push(`The link has no script, so that its ${without.map((key) => `"${key}"`).join(', ')} cannot be taken.`);
			if (!this.#model)
				await this.#example(FIRST);
			this.#lost(lost);
			return;
		}
		this.#fetching++;
		$('script').value = link.get('script');
		$('example').value = OWN;
		const starts = [...$('start').options].map((o) => o.value), backend = link.get('backend');
		$('start').value = starts.includes(link.get('start')) ? link.get('start') : 'plain';
		if (link.has('start') && link.get('start') !== $('start').value)
			lost.push(`The link's "start" is "${clipped(link.get('start'))}", not plain or default: plain loops are taken.`);
		if (this.#facts.backends.some((b) => b.name === backend && b.usable))
			$('backend').value = backend;
		if (backend && backend !== $('backend').value)
			lost.push(`The link asks for the backend ${clipped(backend)}, which is not here: ${$('backend').value} runs it.`);
		const lines = (link.get('given') ?? '').split('\n').filter(Boolean);
		const given = Object.fromEntries(lines.filter((line) => line.includes('='))
			.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
		for (const line of lines.filter((each) => !each.includes('=')))
			lost.push(`The link's "given" has "${clipped(line)}", which is no NAME=VALUE.`);
		const steps = (link.get('steps') ?? '').split('\n').filter((line) => stepsOf(line).length);
		const opening = this.open({ given, steps });
		this.#lost(lost);
		await opening;
		const none = this.#tree ? Object.keys(given).filter((name) => !this.#tree.ports.some((p) => p.name === name)) : [];
		if (none.length)
			this.#lost([...lost, `The script has no inputs ${none.map((name) => `"${clipped(name)}"`).join(', ')}, for which `
				+ 'the link has values.']);
	}
	get hash() {
		if (!this.#model)
			return '#trees';
		const { source, backend, start, given } = this.#model, steps = this.#steps();
		const values = Object.entries(given).filter(([name]) => !this.#tree || this.#tree.ports.some((p) => p.name === name));
		const link = { script: source, start, backend, ...steps.length ? { steps: steps.join('\n') } : {},
			...values.length ? { given: values.map((pair) => pair.join('=')).join('\n') } : {} };
		return `#${new URLSearchParams(link)}`;
	}
	async #copyLink() {
		const url = new URL(this.hash, location.href).href;
		$('link-field').value = url;
		$('link-text').hidden = false;
		try {
			await navigator.clipboard.writeText(url);
			this.#say('The link is copied: it holds the script and its steps.');
		} catch {
			$('link-field').focus();
			$('link-field').select();
			this.#say('The link is here to be copied: it holds the script and its steps.');
		}
	}

	/** Compiles what the fields say, with these steps. */
	async open({ given = null, steps = [] } = {}) {
		const source = $('script').value, backend = $('backend').value, start = $('start').value;
		this.#model = { source, backend, start, given: given ?? this.#given() };
		this.#lost([]);
		$('edited').hidden = true;
		$('results').textContent = '';
		this.#entries = [null, ...steps].map((step) => ({ step, ns: null }));
		this.#at = this.#entries.length - 1;
		this.#tree = null;
		this.#show();
		await this.#attempt(() => this.#draw());
	}
	#given() {
		return Object.fromEntries([...$('given').querySelectorAll('input')].filter((i) => i.value.trim() !== 'random')
			.map((i) => [i.name, i.value.trim()]));
	}
	#showPorts(ports) {
		const { given } = this.#model;
		if ([...$('given').querySelectorAll('label')].map((l) => l.title).join() === ports.map(described).join()) {
			for (const input of $('given').querySelectorAll('input'))
				if (input !== document.activeElement)
					input.value = given[input.name] ?? 'random';
			return;
		}
		$('given').replaceChildren(...ports.map((port) => {
			const input = make('input', { name: port.name, value: given[port.name] ?? 'random', list: 'words',
				spellcheck: 'false' });
			input.addEventListener('change', () => void this.open({ steps: this.#steps() }));
			return make('label', { title: described(port) }, make('span', {}, make('b', {}, port.name), ` ${port.text}`), input);
		}), make('datalist', { id: 'words' },
			...['random', 'zeros', 'ones', 'iota'].map((w) => make('option', { value: w }))));
	}

	/* -- steps -- */

	get #edited() { return this.#model !== null && $('script').value !== this.#model.source; }
	#steps() { return this.#entries.slice(1, this.#at + 1).map((e) => e.step); }
	get #asked() { return { model: this.#model, steps: this.#steps() }; }

	/** One step on the tree that is shown. */
	async apply(text) {
		const step = text.trim();
		if (!stepsOf(step).length) {
			this.#say('Type a step, or choose a loop and take one of those that are offered.');
			return;
		}
		if (!this.#tree) {
			this.#say('There is no tree yet: compile a script first.');
			return;
		}
		if (this.#edited) {
			this.#say('The script was edited: the tree is still that of the script before. Compile it first.');
			return;
		}
		const before = { entries: this.#entries, at: this.#at, tree: this.#tree };
		const back = () => {
			this.#entries = before.entries;
			this.#at = before.at;
			this.#show();
		};
		this.#entries = [...this.#entries.slice(0, this.#at + 1), { step, ns: null }];
		this.#at++;
		await this.#attempt(() => this.#draw(), (error) => {
			/* What was refused is a run of the tree that is there by now, or the step. */
			if (this.#tree === before.tree)
				back();
			this.#refuse(Object.assign(error, { among: stepsOf(step).length }));
			$('step').focus();
		}, (error) => {
			if (this.#tree === before.tree)
				back();
			this.#stopped(error);
		});
	}
	/** Undo, redo. */
	async go(at) {
		if (at < 0 || at >= this.#entries.length || at === this.#at)
			return;
		const before = { at: this.#at, tree: this.#tree };
		this.#at = at;
		await this.#attempt(() => this.#draw(), undefined, (error) => {
			if (this.#tree === before.tree)
				this.#at = before.at;
			this.#show();
			this.#stopped(error);
		});
	}

	/* What a call needs is done once: a later one makes what is under way void. */
	async #attempt(run, refused = (error) => this.#refuse(error), stopped = (error) => this.#stopped(error)) {
		const turn = ++this.#turn;
		try {
			await run();
		} catch (error) {
			if (error instanceof Stopped)
				stopped(error);
			else if (turn === this.#turn)
				refused(error);
		}
	}
	#stopped(error) {
		if (this.#tree)
			this.#say(error.message);
		else
			this.#blank('Stopped: there is no tree. "Compile" begins anew.');
	}
	/* Calls for the tree of this turn; what a call of an earlier one has to tell is told to nobody. */
	#caller() {
		const turn = this.#turn, asked = this.#asked;
		const part = (name) => (p) => turn === this.#turn && this.#progress(p, NEXT[name]);
		return (name) => this.#library.call(name, asked, { part: part(name) });
	}
	/* Tree, code, a run, its time. */
	async #draw() {
		const turn = this.#turn, asked = this.#asked, entry = this.#entries[this.#at], call = this.#caller();
		this.#hush();
		const tree = await call('tree');
		if (turn !== this.#turn)
			return;
		this.#drawTree(tree, entry.step);
		this.#show();
		history.replaceState(null, '', this.hash);
		/* No time is said of what was there already, or is less than a step of the clock. */
		const within = (ms, word) => ms >= 0.05 ? `${word}in ${time(ms * 1e6)}` : '';
		const proven = entry.step ? `\`${clipped(entry.step)}\`: proven ${within(tree.ms, '')}`.trim() : 'Compiled';
		this.#say(`${proven}.`);
		const code = await call('program');
		if (turn !== this.#turn)
			return;
		this.#drawCode(code);
		const made = within(code.compile, ', made ');
		const cost = this.#seconds(tree.lines);
		if (cost > SECONDS) {
			this.#say(`${proven}${made}. A run would take about ${time(cost * 1e9)} on ${asked.model.backend}: "Measure again" `
				+ 'makes it.');
			return;
		}
		this.#say(`${proven}${made}; it runs ...`);
		const { ms, results } = await call('run');
		if (turn !== this.#turn)
			return;
		this.#drawResults(results);
		document.documentElement.dataset.edit = (tree.ms + code.compile + ms).toFixed(1);
		await this.#measured(turn, entry, call, `${proven}${made}, `);
	}
	async #measured(turn, entry, call, said) {
		const { median, runs } = await call('time');
		entry.ns = median;
		if (turn !== this.#turn)
			return;
		this.#show();
		this.#say(`${said}${time(median)} a run (median of ${runs})${this.#compared(entry)}.`);
	}
	async #measure() {
		if (!this.#tree)
			return;
		const turn = this.#turn, entry = this.#entries[this.#at], call = this.#caller();
		const { results } = await call('run');
		if (turn !== this.#turn)
			return;
		this.#drawResults(results);
		await this.#measured(turn, entry, call, '');
	}
	async #judge() {
		if (!this.#tree)
			return;
		const turn = this.#turn, call = this.#caller(), { results } = await call('run');
		if (turn !== this.#turn)
			return;
		const { verdict, text } = await call('judge');
		if (turn !== this.#turn)
			return;
		this.#drawResults(results, text);
		this.#say({ passed: 'Judged: the results are right.', failed: 'Judged: the results are wrong.',
			open: 'Judged: it stays open whether the results are right.' }[verdict]);
	}
	/* Of a run by an interpreter, about. */
	#seconds(lines) {
		const rate = RATE[this.#model.backend], roots = lines.filter((line) => line.parent < 0);
		return rate ? roots.reduce((sum, line) => sum + Math.max(0, line.flops), 0) / rate : 0;
	}
	#compared(entry) {
		const best = Math.min(...this.#entries.filter((e) => e !== entry && e.ns !== null).map((e) => e.ns));
		if (!Number.isFinite(best))
			return '';
		return entry.ns < best ? `, ${(best / entry.ns).toPrecision(3)} times as fast as the best before`
			: `, ${(entry.ns / best).toPrecision(3)} times as long as the best`;
	}

	/* -- what is shown -- */

	#say(text) {
		$('said').replaceChildren(...sentence(text, (word) => make('code', {}, word)));
	}
	/* next: what comes when all is compiled. */
	#progress({ what, done, total }, next) {
		this.#say(what === 'compiling' && done >= total ? `Compiled; ${next} ...`
			: `${what}: ${Math.round(100 * done / Math.max(1, total))} %`);
	}
	#hush() {
		$('refusal').hidden = true;
		$('script-error').hidden = true;
		$('script').removeAttribute('aria-invalid');
		$('given').querySelectorAll('[aria-invalid]').forEach((input) => input.removeAttribute('aria-invalid'));
	}
	/* What a link asks for, and what is not taken of it. */
	#lost(sentences) {
		$('link-lost').replaceChildren(...sentences.map((text) => make('span', {}, text)));
		$('link-lost').hidden = !sentences.length;
	}
	#mistake(text) {
		$('script-error').textContent = text;
		$('script-error').hidden = false;
	}
	/* Of a script: where; of a step: why, the remedy, and the iterations. */
	#refuse(error) {
		if (this.#tree && error.violation === undefined && error.step === undefined && error.step_number === undefined) {
			$('refusal').replaceChildren(make('p', {}, make('b', {}, 'It does not run: '), here(error.message)));
			$('refusal').hidden = false;
			$('results').textContent = '';
			if (error.input !== undefined) {
				$('given-box').open = true;
				$('given').querySelector(`input[name=${CSS.escape(error.input)}]`)?.setAttribute('aria-invalid', 'true');
			}
			this.#say('');
			return;
		}
		if (!this.#tree && error.step_number === undefined) {
			this.#mistake(here(error.message));
			$('script').setAttribute('aria-invalid', 'true');
			const [, line, column] = /^script\.lt:(\d+):(\d+)/.exec(error.message) ?? [];
			if (line) {
				const before = $('script').value.split('\n').slice(0, line - 1);
				const begin = before.reduce((n, l) => n + l.length + 1, 0) + Number(column) - 1;
				$('script').setSelectionRange(begin, begin + 1);
			}
			this.#blank();
			return;
		}
		/* A link's or an edited script's steps: those before it are shown. */
		if (!this.#tree)
			void this.#before(error);
		this.#drawRefusal(error);
	}
	async #before(error) {
		const left = this.#entries.slice(error.step_number + 2).map((e) => e.step);
		this.#entries = this.#entries.slice(0, error.step_number + 1);
		this.#at = error.step_number;
		await this.#attempt(() => this.#draw());
		this.#drawRefusal(error, left);
	}
	/* left: steps behind it, which were not tried. */
	#drawRefusal(error, left = []) {
		const offer = (word) => {
			const button = make('button', { type: 'button', class: 'offer' }, word);
			button.addEventListener('click', () => this.#offer(word));
			return button;
		};
		const plain = (word) => make('code', {}, word), { violation, among } = error;
		const isStep = (word) => this.#facts.primitives.some((p) => p.name === word.split(' ')[0]);
		const remedy = error.remedy && ended(here(error.remedy)), asks = remedy?.startsWith('did you mean ');
		$('refusal').replaceChildren(make('p', {}, make('b', {}, 'Refused: '),
			...error.step ? [plain(clipped(error.step)), ': '] : [],
			...sentence(ended(here(error.text ?? error.message)), plain)),
			...remedy ? [make('p', {}, ...asks ? [make('b', {}, 'Did you mean '), remedy.slice('did you mean '.length)]
				: [make('b', {}, 'Instead: '), ...sentence(remedy, (word) => isStep(word) ? offer(word) : plain(word))])] : [],
			...among > 1 ? [make('p', {}, `It is step ${error.number + 1} of ${among}: none of them is taken.`)] : [],
			...left.length ? [make('p', {}, 'Behind it, not taken, either: ', ...left.flatMap((step, i) =>
				[i ? ', ' : '', plain(clipped(step))]), '.')] : [],
			...violation ? [make('figure', {}, drawPair(violation, this.#extents()),
				make('figcaption', {}, pairInWords(violation)))] : []);
		$('refusal').hidden = false;
		this.#say('');
	}
	/* Of loops, by the names that iterations have. */
	#extents() {
		return Object.fromEntries([...(this.#tree?.text ?? '').matchAll(/^var (\S+) (\d+)$/gm)].map(([, name, n]) =>
			[name, Number(n)]));
	}
	#blank(why = 'The script has a mistake: there is no tree.') {
		$('boxes').replaceChildren();
		for (const id of ['text', 'kernel', 'wasm', 'explain', 'results'])
			$(id).textContent = '';
		$('offers').replaceChildren();
		this.#say(why);
	}
	#drawTree(tree, step) {
		const texts = (of) => of.lines.map((line) => line.path + line.text);
		const old = new Set(this.#tree ? texts(this.#tree) : []);
		const fresh = new Set(this.#tree && step ? texts(tree).filter((t) => !old.has(t)) : []);
		this.#tree = tree;
		$('step').value = '';
		$('offers').replaceChildren();
		drawBoxes($('boxes'), tree.lines, fresh, (line) => this.#select(line));
		$('text').textContent = tree.text;
		this.#showPorts(tree.ports);
	}
	#drawCode(code) {
		for (const id of ['kernel', 'wasm', 'explain']) {
			$(id).textContent = code[id].text ?? (id === 'wasm' ? `The backend ${this.#model.backend} makes no WebAssembly.`
				: code[id].why);
			$(id).classList.toggle('none', !code[id].text);
		}
	}
	#drawResults(results, judged = null) {
		$('results').replaceChildren(...judged ? [make('pre', { class: 'code' }, judged.trim())] : [],
			...results.map(({ name, dtype, shape, first }) => make('p', {},
				make('b', {}, name), ` ${dtype} [${shape.join(', ')}] `,
				make('span', { class: 'numbers' }, first.map((x) => x.length > 9 ? String(Number(Number(x).toPrecision(5))) : x)
					.join('  ') + (shape.reduce((a, b) => a * b, 1) > first.length ? '  …' : '')))));
	}
	/* Steps that one may want with what is selected. */
	#select(line) {
		const { lines } = this.#tree, p = line.path, around = lines.find((l) => l.at === line.parent);
		const inside = lines.filter((l) => l.parent === line.at), steps = [];
		if (line.kind === 'loop') {
			const size = Math.max(1, Math.floor(line.extent / line.step)) > 8 ? 8 : 2;
			if (line.trip_count > 1)
				steps.push(`split ${p} ${size * line.step}`);
			if (inside.length === 1 && inside[0].kind === 'loop')
				steps.push(inside[0].var === line.var ? `merge ${inside[0].path}` : `reorder ${inside[0].path} ${p}`);
			steps.push(...['vectorize', 'unroll', 'parallel'].map((name) => `${name} ${p}`));
			if (line.how && line.how !== 'serial')
				steps.push(`serial ${p}`);
		} else if (line.kind === 'leaf') {
			if (around)
				steps.push(`fission ${p} ${around.path}`);
			steps.push(`inline ${p}`);
		}
		$('offers').replaceChildren(...steps.map((step) => {
			const button = make('button', { type: 'button', class: 'offer' }, step);
			button.addEventListener('click', () => this.#offer(step));
			return button;
		}));
	}
	#offer(step) {
		const number = / (\d+)$/.exec(step);
		$('step').value = step;
		$('step').focus();
		if (number)
			$('step').setSelectionRange(number.index + 1, step.length);
	}
	/* The list of steps with their times, and what undo and redo would do. */
	#show() {
		$('undo').disabled = this.#at === 0;
		$('redo').disabled = this.#at + 1 >= this.#entries.length;
		const times = this.#entries.map((e) => e.ns).filter((ns) => ns !== null);
		const best = Math.min(...times), worst = Math.max(...times);
		$('steps').replaceChildren(...this.#entries.map((entry, i) => {
			const name = entry.step ?? (this.#model?.start === 'plain' ? 'plain loops' : 'the default tree');
			const button = make('button', { class: 'at', 'aria-current': i === this.#at ? 'step' : null },
				make('code', {}, name));
			button.addEventListener('click', () => void this.go(i));
			const ratio = entry.ns === null ? '' : entry.ns === best ? 'best' : `× ${(entry.ns / best).toPrecision(3)}`;
			const item = make('li', { class: `${i > this.#at ? 'undone' : ''} ${entry.ns === best ? 'best' : ''}` }, button,
				make('span', { class: 'ns' }, entry.ns === null ? '' : time(entry.ns)), make('span', { class: 'ratio' }, ratio));
			if (entry.ns !== null) {
				const bar = make('meter', { min: 0, max: worst, value: entry.ns, 'aria-hidden': 'true' });
				item.append(bar);
			}
			return item;
		}));
	}
}

const described = (port) => `${port.name}, ${port.text}`;
/* The steps of a text, without its comments. */
const stepsOf = (text) => text.split(/[\r\n]+/).flatMap((line) => line.replace(/#.*/, '').split(';'))
	.map((step) => step.trim()).filter(Boolean);
/* Whether percent signs of a link are text in UTF-8. */
function isText(part) {
	try {
		return typeof decodeURIComponent(part) === 'string';
	} catch {
		return false;
	}
}
/* A long word says no more in full. */
const clipped = (text, most = 60) => text.length > most ? `${text.slice(0, most)}…` : text;
/* What a message of the library names, as the page names it. */
const here = (text) => text.replace('docs/schedule.md lists them', '"All steps" below lists them')
	.replace(/^script\.lt:(\d+):(\d+): /, 'Line $1, column $2: ').replace(/[^\s']{61,}/g, (word) => clipped(word));
const ended = (text) => /[.?!]$/.test(text) ? text : `${text}.`;
