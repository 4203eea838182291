/* playground.js -- the page: its tabs, the library in its worker, and what is said of it. */
import { $ } from './dom.js';
import { Library, hasRelaxedSimd, hasSimd } from './library.js';
import { Trees } from './trees.js';
import { Digit } from './digit.js';
import { Story } from './story.js';

/* -- what holds for all of the page -- */

const banner = $('banner');
/** A sentence above all; '': none. */
function say(text, bad = false) {
	banner.textContent = text;
	banner.hidden = !text;
	banner.classList.toggle('bad', bad);
}
const library = new Library((n) => {
	$('stop').hidden = n === 0;
	document.body.classList.toggle('busy', n > 0);
});
$('stop').addEventListener('click', () => {
	library.stop();
	$('main').focus();
});
/* The address is the link, and stays it. */
document.querySelector('.skip').addEventListener('click', (event) => {
	event.preventDefault();
	$('main').focus();
});
addEventListener('error', (event) => say(`The page has a mistake: ${event.message}`, true));
addEventListener('unhandledrejection', ({ reason }) =>
	say(`The page has a mistake: ${reason?.message ?? reason}`, true));

/* -- tabs: arrow keys go from one to the next -- */

const tabs = [...document.querySelectorAll('[role=tab]')];
function show(name, focus = false) {
	for (const tab of tabs) {
		const on = tab.id === `tab-${name}`;
		tab.setAttribute('aria-selected', on);
		tab.tabIndex = on ? 0 : -1;
		$(tab.getAttribute('aria-controls')).hidden = !on;
		if (on && focus)
			tab.focus();
	}
}
const shown = () => tabs.find((tab) => tab.getAttribute('aria-selected') === 'true').id.slice(4);
tabs.forEach((tab, i) => {
	tab.addEventListener('click', () => {
		show(tab.id.slice(4));
		history.replaceState(null, '', shown() === 'trees' ? trees?.hash ?? '#trees' : `#${shown()}`);
		opened[shown()]?.begin?.();
	});
	tab.addEventListener('keydown', (event) => {
		const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: -1 }[event.key];
		if (to === undefined)
			return;
		event.preventDefault();
		tabs.at(to % tabs.length).focus();
		tabs.at(to % tabs.length).click();
	});
});

/* -- the beginning -- */

let trees = null;
const opened = {};
/* What the address asks for: #digit, #story, or a script with its steps. */
function follow() {
	const hash = location.hash.slice(1);
	if (hash === 'digit' || hash === 'story') {
		show(hash);
		return opened[hash].begin?.();
	}
	show('trees');
	return trees.follow(hash);
}

async function begin() {
	if (typeof WebAssembly !== 'object' || typeof Worker !== 'function') {
		say('This browser has no WebAssembly, or it is turned off: the library cannot run here. Chrome 98, Firefox 114, '
			+ 'Safari 16.4 and later have all that it takes.', true);
		return;
	}
	say('The library is being loaded, 2 MB.');
	let facts;
	try {
		facts = await library.call('begin');
	} catch (error) {
		say(`The library could not be loaded: ${error.message}`, true);
		return;
	}
	$('version').textContent = `version ${facts.version}`;
	const simd = hasSimd(), backends = facts.backends.filter((b) => simd || b.name !== 'wasm');
	const compiled = backends.some((b) => b.name === 'wasm' && b.usable);
	if (compiled)
		backends.push({ name: 'wasm:relaxed', usable: hasRelaxedSimd(), summary: 'products and sums of vectors may be fused: '
			+ 'results depend on the processor', reason: 'this browser has no relaxed SIMD' });
	const why = simd ? 'The backend wasm is not in this library'
		: 'This browser has no SIMD of WebAssembly, which the backend wasm needs';
	say(compiled ? '' : `${why}: kernels are interpreted, which is slow. Times say how trees compare, not how `
		+ 'fast they are.');
	const best = ['wasm', 'sim', 'ref'].find((name) => backends.some((b) => b.name === name && b.usable));
	trees = new Trees(library, { ...facts, backends, best });
	opened.digit = new Digit(library, best);
	opened.story = new Story(library, best);
	addEventListener('hashchange', () => void follow());
	await follow();
	document.documentElement.dataset.ready = 'yes';
}
void begin();
