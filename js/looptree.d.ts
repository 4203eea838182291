/* Types of looptree.js. */
export type Elements = Float64Array | Float32Array | Uint16Array | Int16Array | Int8Array | Uint8Array | Int32Array
	| Uint32Array | BigInt64Array | BigUint64Array;
/** What a tensor takes: the typed array of its dtype (float16, bfloat16: Uint16Array, bool: Uint8Array), or, but of
 * float16 and bfloat16, numbers that it can hold, nested as its axes or flat: floats are rounded to the nearest one;
 * what would become infinite, or is out of an integer's range, is refused. */
export type Given = Elements | number | bigint | boolean | readonly Given[];
/** A result: its elements, row by row, and its extents in that run. */
export type Result = Elements & { readonly shape: readonly number[] };
export type Arrays = Record<string, Given>;

/** array: the name of its typed array, "Float32Array"; shape: the largest extents; text: "float32 [8, 3]"; needed:
 * false where a run goes without, as nothing reads it. */
export interface Tensor {
	readonly name: string;
	readonly dtype: 'float64' | 'float32' | 'float16' | 'bfloat16' | 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32'
		| 'uint32' | 'int64' | 'uint64' | 'bool';
	readonly array: 'Float64Array' | 'Float32Array' | 'Uint16Array' | 'Int16Array' | 'Int8Array' | 'Uint8Array'
		| 'Int32Array' | 'Uint32Array' | 'BigInt64Array' | 'BigUint64Array';
	readonly shape: readonly number[];
	readonly text: string;
	readonly needed: boolean;
}

/** By name. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** What a leaf does in one iteration of the loops around it. */
export interface Iteration {
	readonly node: string;
	readonly does: string;
	readonly at: Readonly<Record<string, number>>;
}
/** Two iterations that are in each other's way; include/lt/schedule.h says what the members mean. */
export interface Violation {
	readonly kind: 'early' | 'overwritten' | 'carried';
	readonly value: string;
	readonly loop: string | null;
	readonly element: readonly number[];
	readonly found: readonly number[];
	readonly params: Readonly<Record<string, number>>;
	readonly pair: readonly [Iteration, Iteration];
}

/** What the library refuses: a sentence that names the place and the way out.  code: "EILLEGAL"; include/lt/status.h
 * has them all.  Of a step that is refused: the step, where it stands, and the violating pair, where a proof found
 * one. */
export class LooptreeError extends Error {
	readonly code: string;
	readonly step?: string;
	readonly number?: number;
	readonly line?: number;
	readonly column?: number;
	readonly node?: string | null;
	readonly loop?: string | null;
	readonly text?: string;
	readonly remedy?: string | null;
	readonly violation?: Violation | null;
}

/** A loop, group or leaf; the members of struct lt_treeline (include/lt/looptree.h).  What a line does not have is -1,
 * 0 or null. */
export interface TreeLine {
	readonly at: number;
	readonly parent: number;
	readonly child: number;
	readonly next: number;
	readonly depth: number;
	readonly kind: 'loop' | 'group' | 'leaf';
	readonly name: string | null;
	readonly path: string;
	readonly text: string;
	readonly facts: string | null;
	readonly var: number;
	readonly axis: number;
	readonly extent: number;
	readonly step: number;
	readonly trip_count: number;
	readonly tail: 'guard' | 'peel' | 'mask' | 'pad' | null;
	/** "parallel", "grid.x", "call". */
	readonly how: string | null;
	readonly routine: string | null;
	readonly leaf: number;
	/** Of the script; 0: not known. */
	readonly line: number;
	readonly column: number;
	readonly buffers: number;
	readonly async: number;
	readonly stream: number;
	/** Of all iterations of what is inside; executed: -1: not known. */
	readonly flops: number;
	readonly executed: number;
	readonly bytes: number;
}
/** A loop tree, which is a value: steps give another one. */
export class Tree {
	private constructor();
	readonly text: string;
	toString(): string;
	apply(steps: string, name?: string): Tree;
	lines(): TreeLine[];
	compile(options?: TreeOptions): Program;
	free(): void;
}

/** The members of struct lt_verified (include/lt/verify.h), and all of it as lt-run --verify prints it. */
export interface Verified {
	readonly verdict: 'passed' | 'failed' | 'open';
	readonly first: string;
	readonly elements: number;
	readonly equal: number;
	readonly judged: number;
	readonly open: number;
	readonly wrong: number;
	readonly text: string;
	/** Inputs that were not given, and are random. */
	readonly drawn: readonly string[];
}
/** Nanoseconds. */
export interface Times {
	readonly min: number;
	readonly median: number;
	readonly mean: number;
	readonly lower: number;
	readonly upper: number;
	readonly samples: readonly number[];
}
export type Shown = 'graph' | 'tree' | 'access' | 'frozen' | 'source' | 'plan' | 'explain' | 'asm' | 'kernel' | 'stats';

export class Program {
	private constructor();
	readonly inputs: Tensors;
	readonly constants: Tensors;
	readonly states: Tensors;
	readonly results: Tensors;
	readonly tree: Tree;
	run(inputs?: Arrays): Record<string, Result>;
	bind(constant: string, value: Given): this;
	getState(name: string): Elements;
	setState(name: string, value: Given): void;
	reset(): void;
	withTree(tree: Tree | string, options?: TreeOptions): Program;
	dump(kind: Shown): string;
	explain(): string;
	verify(inputs?: Arrays, options?: { progress?: (what: string, share: number) => void }): Verified;
	time(inputs?: Arrays, options?: { samples?: number; repeat?: number }): Times;
	stats(): Record<string, number>;
	free(): void;
}

export interface Options {
	/** As lt-run -b: "ref", "sim,ref"; default: "wasm,ref", or "ref" where the engine has no SIMD. */
	backend?: string;
	/** A tree, its text, or a list of steps. */
	schedule?: Tree | string;
	/** Steps on the default tree. */
	apply?: string;
	strict?: boolean;
	/** false: the graph as it is written. */
	passes?: boolean;
	profile?: boolean;
	/** There is one. */
	threads?: 0 | 1;
	dims?: Record<string, number | string>;
	weights?: Arrays;
	/** What messages call the source. */
	name?: string;
	frontend?: string;
	progress?: (done: number, total: number) => void;
	log?: (level: number, text: string) => void;
	cancelled?: () => boolean;
}
/** Of a tree that is compiled; what is left out is as its program was compiled. */
export type TreeOptions = Omit<Options, 'schedule' | 'apply' | 'dims' | 'weights' | 'name' | 'frontend'>;
export interface Backend {
	readonly name: string;
	readonly summary: string | null;
	readonly version: string | null;
	readonly usable: boolean;
	readonly reason: string | null;
	readonly remedy: string | null;
}
/** A token of a text: the text that it adds; made: by the model, not of the prompt. */
export interface Token {
	readonly token: number;
	readonly text: string;
	readonly made: boolean;
}
/** A language model of llama2.c.  write: as lt-llama writes. */
export class Llama {
	private constructor();
	readonly vocabulary: number;
	readonly context: number;
	readonly program: Program;
	encode(text: string): number[];
	write(prompt?: string | readonly number[], options?: { temperature?: number; top?: number; seed?: number | bigint;
		steps?: number }): Generator<Token, void>;
	free(): void;
}
export interface Looptree {
	readonly version: string;
	/** Bytes of memory, which grows and never shrinks. */
	readonly memory: number;
	compile(source: string | ArrayBuffer | ArrayBufferView, options?: Options): Program;
	llama(checkpoint: ArrayBuffer | ArrayBufferView, options?: Options & { tokenizer?: ArrayBuffer | ArrayBufferView;
		tokenizerName?: string }): Llama;
	/** What a file of llama2.c is. */
	llamaFile(file: ArrayBuffer | ArrayBufferView): 'checkpoint' | 'tokenizer' | null;
	/** An array for a tensor, such as p.inputs.x: "random" (floats of -1 to 1, whole numbers of 0 and 1, the same each
	 * time), "zeros", "ones", "iota", or a number, which float16 and bfloat16 do not take. */
	filled(tensor: Pick<Tensor, 'name' | 'dtype' | 'shape'>, word: string | number | bigint): Elements;
	backends(): Backend[];
	primitives(): { name: string; usage: string; help: string }[];
	operators(): string[];
}
/** The library.  from: where looptree.wasm is (a relative address is one of the page, in node of the folder that it was
 * started in), or its bytes; default: beside looptree.js. */
export function load(from?: string | URL | ArrayBuffer | ArrayBufferView): Promise<Looptree>;
