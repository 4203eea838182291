
/** A result: its elements, row by row, and its extents in that run. */
export type Shaped<A> = A & { readonly shape: readonly number[] };

/** shape: the largest extents; text: "float32 [batch: 1..8, 3]"; needed: false where a run goes without, as with an
 * extent that an array's length says; at: where it lies in the model's memory. */
export interface Tensor {
	readonly name: string;
	readonly dtype: 'float64' | 'float32' | 'float16' | 'bfloat16' | 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32'
		| 'uint32' | 'int64' | 'uint64' | 'bool';
	readonly array: string;
	readonly shape: readonly number[];
	readonly text: string;
	readonly needed: boolean;
	readonly at: number;
}

/** A sentence, and the code of its kind.  value: the number that was wrong, if there is one. */
export class LooptreeError extends Error {
	readonly code: 'EUNSUPPORTED' | 'ELOAD' | 'ENOMEM' | 'EINVAL' | 'EMISSING' | 'ETYPE' | 'EFAULT' | 'EDEVICE';
	readonly value?: bigint;
}

export interface Model extends Tensors {
	/** One run, with the states that the one before left.  Throws a LooptreeError. */
	run(inputs: Inputs): Results;
	/** A copy; zeros before the first run. */
	getState<K extends keyof States>(name: K): States[K];
	setState<K extends keyof States>(name: K, value: States[K]): void;
	/** All states are zeros again. */
	reset(): void;
	readonly memory: WebAssembly.Memory;
}

type Source = string | URL | ArrayBuffer | ArrayBufferView;

/** from: where the .wasm is; its weights are beside it.  Default: beside this file.  Or both, by themselves. */
export function load(from?: Source | { module: Source; weights?: Source }): Promise<Model>;

/** Each tensor in the model's order: an object has names that are numbers first. */
export const tensors: readonly { readonly kind: 'input' | 'result' | 'state'; readonly name: string }[];

/** Of Looptree. */
export const version: string;
