/* boxes.js -- a loop tree as boxes: each loop holds what is inside of it.
 *
 * It is a tree for keyboard and screen reader, too: up and down go from line to line, left to what is around, right to
 * what is inside, and what has the focus is selected.
 */
import { count, make } from './dom.js';

const iterations = (n) => `${n} ${n === 1 ? 'iteration' : 'iterations'}`;
const facts = (line) => line.kind !== 'loop' ? (line.facts ?? '').replaceAll('`', '')
	: [iterations(line.trip_count), line.flops > 0 && `${count(line.flops)}flop`,
		line.bytes > 0 && `${count(line.bytes)}B`].filter(Boolean).join(' · ');

/* The words of a loop: its name stands out, how it runs is a badge. */
function words(line) {
	if (line.kind !== 'loop')
		return [make('span', { class: 'text' }, line.text)];
	const [, begin, name, , how] = /^(for )(\S+)( step \d+)?(.*)$/.exec(line.text) ?? [null, '', line.text, '', ''];
	const step = line.step > 1 ? ` step ${line.step}` : '', badge = how.trim().replace(/\s+/g, ' ');
	return [make('span', { class: 'text' }, begin, make('b', {}, name), step),
		...badge ? [make('span', { class: `how ${line.how}` }, badge)] : []];
}

/** Draws lines into `into`.  fresh: paths and texts that were not there before; chosen(line): one is selected. */
export function drawBoxes(into, lines, fresh, chosen) {
	const items = [], root = make('ul', { role: 'tree', 'aria-label': 'Loop tree' });
	for (const line of lines) {
		const around = items[line.parent];
		const row = make('div', { class: 'line' }, ...words(line), make('span', { class: 'facts' }, facts(line)));
		const item = make('li', { role: 'treeitem', 'aria-level': line.depth + 1, 'aria-selected': 'false', tabindex: -1,
			class: [line.kind === 'leaf' ? 'leaf' : `loop ${line.how ?? ''}`,
				fresh.has(line.path + line.text) ? 'fresh' : ''].join(' '),
			'aria-label': `${line.text}${facts(line) ? `, ${facts(line)}` : ''}`, 'data-path': line.path }, row);
		if (around) {
			if (!around.list) {
				around.list = make('ul', { role: 'group' });
				around.item.append(around.list);
				around.item.setAttribute('aria-expanded', 'true');
			}
			around.list.append(item);
		} else {
			root.append(item);
		}
		items[line.at] = { item, line, list: null };
	}
	into.replaceChildren(root);
	const order = lines.map((line) => items[line.at]);
	let now = null;
	const select = (entry, focus) => {
		now?.item.setAttribute('aria-selected', 'false');
		order.forEach((e) => { e.item.tabIndex = -1; });
		now = entry;
		now.item.setAttribute('aria-selected', 'true');
		now.item.tabIndex = 0;
		if (focus)
			now.item.focus();
		chosen(entry.line);
	};
	if (order.length)
		order[0].item.tabIndex = 0;
	const at = (target) => order.find((e) => e.item === target.closest('[role=treeitem]'));
	root.addEventListener('click', (event) => {
		const entry = at(event.target);
		if (entry)
			select(entry, true);
	});
	root.addEventListener('keydown', (event) => {
		const entry = at(event.target), i = order.indexOf(entry);
		const to = { ArrowDown: order[i + 1], ArrowUp: order[i - 1], Home: order[0], End: order.at(-1),
			ArrowLeft: items[entry.line.parent], ArrowRight: order[i + 1]?.line.parent === entry.line.at ? order[i + 1] : null,
			Enter: entry, ' ': entry };
		if (!(event.key in to) || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		if (to[event.key])
			select(to[event.key], true);
	});
	root.addEventListener('focusin', (event) => {
		const entry = at(event.target);
		if (entry && entry !== now)
			select(entry, false);
	});
}
