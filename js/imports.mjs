/* imports.mjs MODULE -- ends with 1 if a module wants a function that js/native.js does not give: the linker takes what
 * is nowhere for something of the page's. */
import { readFile } from 'node:fs/promises';

const known = ['page\\.(text|progress|log|unwanted|random|knows|make|drop)',
	'env\\.([gs]etTempRet0|emscripten_notify_memory_growth)',
	'env\\.(_dlopen_js|__call_sighandler|__syscall_\\w+)',
	'wasi_snapshot_preview1\\.(clock_time_get|environ_(sizes_)?get|fd_(write|read|seek|close)|proc_exit)'];
const module = new WebAssembly.Module(await readFile(process.argv[2]));
const unknown = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`)
	.filter((name) => !known.some((of) => new RegExp(`^${of}$`).test(name)));
if (unknown.length) {
	console.error(`${process.argv[2]} wants what js/native.js does not give: ${unknown.join(', ')}`);
	process.exitCode = 1;
}
