/* digit.js -- a pad to draw a digit on, and the network of examples/mnist that reads it. */
import { $, make, time } from './dom.js';
import { Stopped } from './library.js';

const SIZE = 28, BOX = 20, PEN = 9, STEP = 8;   // pixels of the image and of the box that ink is scaled to; of the pad

/* Never 100 % of what is less than sure. */
const percent = (p, digits) => {
	const text = (100 * p).toFixed(digits);
	return p < 1 && Number(text) === 100 ? `more than ${(100 - 10 ** -digits).toFixed(digits)} %` : `${text} %`;
};

export class Digit {
	#library; #backend; #pad = $('pad'); #strokes = []; #pen = { x: 140, y: 140, down: false, seen: false }; #turn = 0;

	constructor(library, backend) {
		this.#library = library;
		this.#backend = backend;
		$('bars').append(...Array.from({ length: 10 }, (_, i) => make('li', {}, make('b', {}, String(i)),
			make('meter', { min: 0, max: 1, value: 0, 'aria-label': `probability of ${i}` }), make('span', {}, ''))));
		$('clear').addEventListener('click', () => this.clear());
		const pad = this.#pad, place = (event) => {
			const box = pad.getBoundingClientRect();
			return [(event.clientX - box.left) * pad.width / box.width, (event.clientY - box.top) * pad.height / box.height];
		};
		pad.addEventListener('pointerdown', (event) => {
			event.preventDefault();
			pad.setPointerCapture(event.pointerId);
			pad.focus({ preventScroll: true });
			this.#pen.seen = this.#pen.down = false;
			this.#strokes.push([place(event)]);
			this.#paint();
		});
		pad.addEventListener('pointermove', (event) => {
			if (!pad.hasPointerCapture(event.pointerId))
				return;
			for (const each of event.getCoalescedEvents?.() ?? [event])
				this.#strokes.at(-1).push(place(each));
			this.#paint();
		});
		pad.addEventListener('pointerup', () => void this.#read());
		pad.addEventListener('pointercancel', () => void this.#read());
		pad.addEventListener('keydown', (event) => this.#key(event));
		pad.addEventListener('blur', () => {
			this.#pen.seen = false;
			this.#paint();
		});
		this.#paint();
	}
	#key(event) {
		const pen = this.#pen;
		const move = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
		if (event.key in move) {
			const [dx, dy] = move[event.key];
			pen.x = Math.min(270, Math.max(10, pen.x + dx));
			pen.y = Math.min(270, Math.max(10, pen.y + dy));
			if (pen.down)
				this.#strokes.at(-1).push([pen.x, pen.y]);
		} else if (event.key === ' ') {
			pen.down = !pen.down;
			if (pen.down)
				this.#strokes.push([[pen.x, pen.y]]);
			else
				void this.#read();
		} else if (event.key === 'Delete' || event.key === 'Backspace') {
			this.clear();
		} else {
			return;
		}
		event.preventDefault();
		pen.seen = true;
		this.#paint();
	}
	clear() {
		this.#turn++;
		this.#strokes = [];
		this.#pen.down = false;
		this.#paint();
		$('class').textContent = 'Nothing is drawn yet.';
		$('digit-note').textContent = '';
		this.#bars(null);
		$('seen').getContext('2d').clearRect(0, 0, SIZE, SIZE);
	}
	/* Ink of all strokes, by scale and a place for the pad's origin. */
	static #ink(context, strokes, scale, dx, dy, width) {
		context.setTransform(scale, 0, 0, scale, dx, dy);
		context.lineWidth = width;
		context.lineCap = context.lineJoin = 'round';
		for (const points of strokes) {
			context.beginPath();
			context.moveTo(...points[0]);
			for (const point of points.length > 1 ? points.slice(1) : points)
				context.lineTo(...point);
			context.stroke();
		}
		context.setTransform(1, 0, 0, 1, 0, 0);
	}
	#paint() {
		const context = this.#pad.getContext('2d'), { x, y, down, seen } = this.#pen;
		context.clearRect(0, 0, 280, 280);
		context.strokeStyle = getComputedStyle(this.#pad).color;
		Digit.#ink(context, this.#strokes, 1, 0, 0, 2 * PEN);
		if (seen) {
			context.lineWidth = 2;
			context.strokeStyle = context.fillStyle = down ? '#5b5bd6' : '#888';
			context.beginPath();
			context.arc(x, y, PEN, 0, 2 * Math.PI);
			context.stroke();
		}
	}
	/* As the images of MNIST are: the ink in a box of 20 by 20, its centre of mass in the middle of 28 by 28. */
	#image() {
		const all = this.#strokes.flat(), range = (axis) => {
			const at = all.map((p) => p[axis]);
			return [Math.min(...at), Math.max(...at)];
		};
		const [[left, right], [top, bottom]] = [range(0), range(1)];
		/* A pen of 1.2 pixels, whatever the size that somebody draws in; a dot stays one. */
		const pen = 1.2, scale = Math.min(1, (BOX - 2 * pen) / Math.max(right - left, bottom - top, 1));
		const canvas = document.createElement('canvas');
		canvas.width = canvas.height = SIZE;
		const context = canvas.getContext('2d', { willReadFrequently: true });
		const draw = (dx, dy) => {
			context.clearRect(0, 0, SIZE, SIZE);
			context.strokeStyle = '#fff';
			Digit.#ink(context, this.#strokes, scale, SIZE / 2 - (left + right) / 2 * scale + dx,
				SIZE / 2 - (top + bottom) / 2 * scale + dy, 2 * pen / scale);
			const { data } = context.getImageData(0, 0, SIZE, SIZE);
			return Float32Array.from({ length: SIZE * SIZE }, (_, i) => data[4 * i + 3] / 255);
		};
		const first = draw(0, 0), sum = first.reduce((a, b) => a + b, 0);
		const middle = (axis) => first.reduce((a, b, i) => a + b * ((axis ? Math.floor(i / SIZE) : i % SIZE) + 0.5), 0) / sum;
		return draw(SIZE / 2 - middle(0), SIZE / 2 - middle(1));
	}
	async #read() {
		if (!this.#strokes.length)
			return;
		const turn = ++this.#turn, image = this.#image();
		const seen = $('seen').getContext('2d'), pixels = seen.createImageData(SIZE, SIZE);
		image.forEach((x, i) => pixels.data.set([255 * x, 255 * x, 255 * x, 255], 4 * i));
		seen.putImageData(pixels, 0, 0);
		$('seen').dataset.image = image.join(' ');
		try {
			const { ms, probability } = await this.#library.call('digit', { image, backend: this.#backend });
			if (turn !== this.#turn)
				return;
			const most = Math.max(...probability), best = make('b', {}, String(probability.indexOf(most)));
			$('class').replaceChildren(...most < 0.5 ? ['It is not sure: perhaps a ', best, `, ${percent(most, 0)}.`]
				: ['This is a ', best, `, ${percent(most, 0)} sure.`]);
			this.#bars(probability);
			$('digit-note').textContent = `101,770 weights, trained on MNIST; one run by ${this.#backend} took `
				+ `${time(ms * 1e6)}. The script is digit.lt among the examples.`;
		} catch (error) {
			if (turn === this.#turn)
				$('class').textContent = error instanceof Stopped ? error.message : `It cannot be read: ${error.message}`;
		}
	}
	#bars(probability) {
		[...$('bars').children].forEach((item, i) => {
			const p = probability?.[i] ?? 0;
			item.querySelector('meter').value = p;
			item.querySelector('span').textContent = probability ? percent(p, 1) : '';
			item.classList.toggle('best', Boolean(probability) && p === Math.max(...probability));
		});
	}
	/* The network is fetched when the tab is opened: what is missing is said before somebody draws. */
	begin() {
		this.#paint();
		this.#library.call('network', { backend: this.#backend }).catch((error) => {
			if (!(error instanceof Stopped))
				$('class').textContent = `No digit can be read: ${error.message}`;
		});
	}
}
