/* pair.js -- two iterations that are in each other's way, drawn among their neighbours. */
const SVG = 'http://www.w3.org/2000/svg', CELL = 34, SHOWN = 7;

function shape(tag, attributes, text) {
	const element = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
	if (text !== undefined)
		element.textContent = text;
	return element;
}

/* The iterations of a loop that are shown around a and b, from 0 to extent; null: some are left out there. */
function around(a, b, extent, most = SHOWN) {
	const [low, high] = [Math.min(a, b), Math.max(a, b)], end = extent ? extent - 1 : high + 2;
	if (high - low < most - 1) {
		const begin = Math.max(0, Math.min(low - 1, end - most + 1));
		const all = Array.from({ length: Math.min(end, begin + most - 1) - begin + 1 }, (_, i) => begin + i);
		return [...begin > 0 ? [null] : [], ...all, ...all.at(-1) < end ? [null] : []];
	}
	const near = (x) => [x - 1, x, x + 1].filter((i) => i >= 0 && i <= end);
	return [...low > 1 ? [null] : [], ...near(low), null, ...near(high), ...high + 1 < end ? [null] : []];
}

const at = (iteration) => Object.entries(iteration.at).map(([name, i]) => `${name} = ${i}`).join(', ') || 'once';

/** What a violation says, in words. */
export function pairInWords({ kind, value, element, found, pair: [one, two] }) {
	const place = (of) => of.length ? `%${value}[${of.join(', ')}]` : `%${value}`;
	const does = (i) => `%${i.node} ${i.does === 'write' ? 'writes' : i.does === 'read' ? 'reads' : `${i.does}s`}`;
	const what = { early: 'The second would come before the first, which it needs:',
		overwritten: 'The first overwrites what the second still wants to read'
			+ `${found?.length ? `: it finds ${place(found)}` : ''}.`,
		carried: 'Both are in the way of each other, so that their order matters:' }[kind] ?? '';
	return `${what} at ${at(one)} ${does(one)} ${place(element)}; at ${at(two)} ${does(two)} ${place(element)}.`;
}

/** An image of it.  extents: of loops by name, those that are known. */
export function drawPair(violation, extents) {
	const [one, two] = violation.pair, names = [...new Set([...Object.keys(one.at), ...Object.keys(two.at)])];
	const value = (i, name) => i.at[name] ?? 0, differ = names.filter((n) => value(one, n) !== value(two, n));
	/* Across: the innermost loop in which they differ; down: another one in which they do, else the nearest loop. */
	const x = differ.at(-1) ?? names.at(-1), rest = names.filter((n) => n !== x);
	const y = differ.filter((n) => n !== x).at(-1) ?? rest[Math.max(0, names.indexOf(x) - 1)] ?? null;
	const columns = x ? around(value(one, x), value(two, x), extents[x]) : [0];
	const rows = y ? around(value(one, y), value(two, y), extents[y], differ.includes(y) ? SHOWN : 3) : [0];
	const left = 64, top = 46, width = left + columns.length * CELL + 16, height = top + rows.length * CELL + 12;
	const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', class: 'iterations',
		'aria-label': pairInWords(violation) });
	const cx = (i) => left + (i + 0.5) * CELL, cy = (i) => top + (i + 0.5) * CELL;
	if (x)
		svg.append(shape('text', { x: left + columns.length * CELL / 2, y: 14, class: 'axis', 'text-anchor': 'middle' }, x));
	if (y)
		svg.append(shape('text', { x: 14, y: top + rows.length * CELL / 2 + 4, class: 'axis', 'text-anchor': 'middle' }, y));
	columns.forEach((n, i) => svg.append(shape('text', { x: cx(i), y: top - 10, 'text-anchor': 'middle' }, n ?? '…')));
	if (y)
		rows.forEach((n, i) => svg.append(shape('text', { x: left - 12, y: cy(i) + 4, 'text-anchor': 'end' }, n ?? '⋮')));
	rows.forEach((r, j) => columns.forEach((c, i) => {
		if (r === null || c === null)
			svg.append(shape('circle', { cx: cx(i), cy: cy(j), r: 1.5, class: 'dot' }));
		else
			svg.append(shape('rect', { x: cx(i) - 13, y: cy(j) - 13, width: 26, height: 26, rx: 6, class: 'cell' }));
	}));
	const place = (i) => [cx(columns.indexOf(x ? value(i, x) : 0)), cy(rows.indexOf(y ? value(i, y) : 0))];
	const [[ax, ay], [bx, by]] = [place(one), place(two)];
	const same = ax === bx && ay === by;
	if (!same) {
		/* A bow from the edge of the first to that of the second, with a tip at its end. */
		const length = Math.hypot(bx - ax, by - ay), bow = Math.max(30, Math.min(44, length / 3));
		const mx = (ax + bx) / 2 + (by - ay) / length * bow, my = (ay + by) / 2 - (bx - ax) / length * bow;
		const edge = (x, y) => {
			const t = Math.hypot(mx - x, my - y);
			return [(mx - x) / t, (my - y) / t];
		};
		const [px, py] = edge(ax, ay), [qx, qy] = edge(bx, by), [nx, ny] = [-qx, -qy];
		const ex = bx + qx * 19, ey = by + qy * 19;
		svg.append(shape('path', { d: `M${ax + px * 14} ${ay + py * 14}Q${mx} ${my} ${ex} ${ey}`, class: 'way' }));
		svg.append(shape('path', { class: 'tip',
			d: `M${ex + nx * 4} ${ey + ny * 4}l${-nx * 8 - ny * 4} ${-ny * 8 + nx * 4}l${ny * 8} ${-nx * 8}z` }));
	}
	for (const [i, [px, py], mark] of [[two, [bx, by], '2'], [one, [ax, ay], same ? '1, 2' : '1']]) {
		svg.append(shape('rect', { x: px - 13, y: py - 13, width: 26, height: 26, rx: 6,
			class: `iteration ${i === one ? 'first' : 'second'}` }));
		svg.append(shape('text', { x: px, y: py + 4.5, 'text-anchor': 'middle', class: 'mark' }, mark));
	}
	return svg;
}
