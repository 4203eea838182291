/* dom.js -- elements of the page, and numbers as people read them. */

export const $ = (id) => document.getElementById(id);

/** An element: make('p', { class: 'soft' }, 'text', child). */
export function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes))
		if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? '' : value);
	element.append(...children);
	return element;
}

/** 4210688 becomes "4.2 M". */
export function count(n) {
	for (const [least, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
		if (n >= least)
			return `${(n / least).toPrecision(n / least >= 99.95 ? 3 : 2)} ${letter}`;
	return `${n} `;
}

/** 12345678 nanoseconds become "12.3 ms". */
export function time(ns) {
	for (const [least, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']])
		if (ns >= least)
			return `${(ns / least).toPrecision(3)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

/** A sentence whose words in backticks are elements: of(word). */
export const sentence = (text, of) => text.split('`').map((part, i) => i % 2 ? of(part) : part);
