/* story.js -- a language model of llama2.c: its two files are opened in the page, and it writes a text. */
import { $, make } from './dom.js';
import { Stopped } from './library.js';

const MOST = 2 ** 30;                   // bytes of a file that can be opened here
const size = (n) => n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e3).toFixed(0)} KB`;

export class Story {
	#library; #backend; #files = {}; #busy = false; #reading = null;

	constructor(library, backend) {
		this.#library = library;
		this.#backend = backend;
		const drop = $('drop');
		$('files').addEventListener('change', () => {
			const files = [...$('files').files];
			$('files').value = '';
			void this.#open(files);
		});
		/* Anywhere in the page: a file that misses the field must not replace the page. */
		addEventListener('dragover', (event) => event.preventDefault());
		addEventListener('drop', (event) => {
			event.preventDefault();
			drop.classList.remove('over');
			if (!$('story').hidden)
				void this.#open([...event.dataTransfer.files]);
		});
		drop.addEventListener('dragenter', () => drop.classList.add('over'));
		drop.addEventListener('dragleave', (event) => {
			if (!drop.contains(event.relatedTarget))
				drop.classList.remove('over');
		});
		$('story-form').addEventListener('submit', (event) => {
			event.preventDefault();
			void this.#write();
		});
		$('enough').addEventListener('click', () => this.#library.enough());
	}
	#mistake(text) {
		$('story-error').textContent = text;
		$('story-error').hidden = !text;
	}
	async #open(files) {
		this.#mistake('');
		const refused = [];
		for (const file of files)
			try {
				if (file.size > MOST)
					throw new Error(`it has ${size(file.size)}; a page has room for models of ${size(MOST)}`);
				const bytes = await file.arrayBuffer();
				const kind = await this.#library.call('fileKind', { bytes }, { transfer: [bytes] });
				if (!kind)
					throw new Error('it is neither a checkpoint nor a tokenizer of llama2.c');
				this.#files[kind] = file;
				this.#files.fresh = true;
			} catch (error) {
				refused.push(`${file.name}: ${error.message}`);
			}
		this.#mistake(refused.join('\n'));
		const { checkpoint, tokenizer } = this.#files;
		const line = (what, file) => make('li', { class: file ? 'there' : '' }, file
			? `${what}: ${file.name}, ${size(file.size)}` : `${what}: not opened yet`);
		$('opened').replaceChildren(line('Checkpoint', checkpoint), line('Tokenizer', tokenizer));
		$('write').disabled = !(checkpoint && tokenizer);
		if (checkpoint && tokenizer && this.#files.fresh && !this.#busy)
			this.#reading = this.#read();
	}
	get #asked() {
		const { checkpoint, tokenizer } = this.#files;
		return { names: [checkpoint.name, tokenizer.name], backend: this.#backend };
	}
	/* A call with the files' bytes. */
	async #send(name, given, part) {
		const { checkpoint, tokenizer } = this.#files;
		const [c, t] = await Promise.all([checkpoint.arrayBuffer(), tokenizer.arrayBuffer()]);
		const done = await this.#library.call(name, { ...given, checkpoint: c, tokenizer: t }, { part, transfer: [c, t] });
		if (checkpoint === this.#files.checkpoint && tokenizer === this.#files.tokenizer)
			this.#files.fresh = false;
		return done;
	}
	#progress(p) { $('speed').textContent = `${p.what}: ${Math.round(100 * p.done / Math.max(1, p.total))} %`; }
	/* The model is made before a text is wanted, and what of it is not fast yet becomes so meanwhile. */
	async #read() {
		const asked = this.#asked;
		$('speed').textContent = 'reading the model';
		try {
			await this.#send('read', asked, (p) => this.#progress(p));
			$('speed').textContent = 'ready';
			void this.#library.call('warm', asked).catch(() => {});
		} catch (error) {
			this.#failed(error);
		}
	}
	#failed(error) {
		$('speed').textContent = error instanceof Stopped ? error.message : '';
		if (!(error instanceof Stopped))
			this.#mistake(error.message);
	}
	async #write() {
		if (this.#busy)
			return;
		const options = { temperature: Number($('temperature').value), top: Number($('top').value),
			seed: Number($('seed').value), steps: Number($('count').value) }, prompt = $('prompt').value;
		let tokens = [];
		const part = (p) => {
			if (p.what) {
				this.#progress(p);
				return;
			}
			$('written').append(p.text);
			tokens.push(...p.tokens);
			$('tokens').textContent = tokens.join(' ');
			$('speed').textContent = p.rate
				? `${p.made} tokens, ${p.rate < 100 ? p.rate.toPrecision(3) : Math.round(p.rate)} a second` : '';
		};
		this.#mistake('');
		this.#running(true);
		$('written').textContent = $('tokens').textContent = '';
		$('speed').textContent = 'reading the model';
		await this.#reading;
		this.#mistake('');
		try {
			const given = { ...this.#asked, prompt, options };
			let done = this.#files.fresh ? { missing: true } : await this.#library.call('write', given, { part });
			if (done.missing)
				done = await this.#send('write', given, part);
			part(done);
			$('speed').textContent += done.enough ? ', stopped' : '';
		} catch (error) {
			this.#failed(error);
		}
		this.#running(false);
	}
	#running(on) {
		this.#busy = on;
		$('write').disabled = on;
		$('enough').disabled = !on;
		$('written').setAttribute('aria-busy', on);
	}
}
