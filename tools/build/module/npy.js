
/* Files as NumPy writes them; bfloat16, which it does not know, is its bits, as int16. */
const npyType = ({ dtype }) => ({ bfloat16: 'i2', bool: 'b1' })[dtype] ?? `${dtype[0]}${/\d+$/.exec(dtype) / 8}`;
const npyArray = (tensor) => globalThis[tensor.array];

function fromNpy(bytes, tensor) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const latin = (from, to) => new TextDecoder('latin1').decode(bytes.subarray(from, to));
	if (bytes.length < 12 || latin(1, 6) !== 'NUMPY')
		throw new Error(`'${tensor.name}': it is no .npy file`);
	const begin = bytes[6] > 1 ? 12 + view.getUint32(8, true) : 10 + view.getUint16(8, true), head = latin(10, begin);
	const type = /'descr': '[<|=](\w+)'/.exec(head)?.[1], shape = /'shape': \(([^)]*)\)/.exec(head)?.[1];
	const same = type === npyType(tensor) || (tensor.dtype === 'bfloat16' && (type === 'u2' || type === 'V2'));
	if (!same || shape === undefined || !head.includes("'fortran_order': False"))
		throw new Error(`'${tensor.name}' is ${tensor.text}; the file has elements of NumPy's type ${type ?? 'that is not '
			+ 'known'}${same ? ', in another order' : ''}`);
	const extents = shape.split(',').filter((n) => n.trim()).map(Number), Kind = npyArray(tensor);
	if (extents.reduce((a, b) => a * b, Kind.BYTES_PER_ELEMENT) !== bytes.length - begin)
		throw new Error(`'${tensor.name}': the file has more or fewer bytes than its shape says`);
	return Object.defineProperty(new Kind(new Uint8Array(bytes.subarray(begin)).buffer), 'shape', { value: extents });
}

function toNpy(array, tensor) {
	const type = npyType(tensor);
	const text = `{'descr': '${type.endsWith('1') ? '|' : '<'}${type}', 'fortran_order': False, 'shape': (${
		array.shape.map((n) => `${n},`).join(' ')}), }`;
	const begin = Math.ceil((text.length + 11) / 64) * 64, out = new Uint8Array(begin + array.byteLength);
	out.fill(32, 0, begin - 1);
	out.set([0x93, 78, 85, 77, 80, 89, 1, 0, (begin - 10) & 255, (begin - 10) >> 8]);
	out.set(new TextEncoder().encode(text), 10);
	out[begin - 1] = 10;
	out.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), begin);
	return out;
}
