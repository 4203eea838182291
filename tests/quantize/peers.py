#!/usr/bin/env python3
"""peers.py LT_QUANTIZE LT_RUN SEED PEER... -- layers of lt-quantize --scales any beside those of TensorFlow Lite Micro
and ONNX Runtime (tflite_micro, onnxruntime), which get its integers, steps and biases; prints TAP.

A dense layer and a convolution of int8 with a bias, which keep int8, with a step for all weights and with one a
channel. TensorFlow Lite Micro multiplies by the same numbers and rounds the same way, but for the steps of the input
and of all weights, whose product it rounds to float32; with steps by channel ours are brought to one first, which is a
rounding more. ONNX Runtime multiplies by a float32 and rounds once. So what they give is the same byte, or one more or
less where the sum lies as near to a half as these differences are.
"""
import sys
import warnings

warnings.simplefilter('ignore')
import numpy as np  # noqa: E402

PEERS = sys.argv[4:]
sys.argv[4:] = []
import scales as s  # noqa: E402 -- it takes the same arguments

n = s.n


def onnxruntime_layer(x, w, bias, sx, sw, sy):
    """QLinearConv, NCHW."""
    import onnx
    import onnxruntime
    from onnx import TensorProto as T, helper as h, numpy_helper as nh
    onnxruntime.set_default_logger_severity(4)
    zero = np.zeros((), np.int8)
    held = {'sx': np.float32(sx), 'zx': zero, 'w': w, 'sw': np.float32(sw), 'zw': np.zeros(np.shape(sw), np.int8),
            'sy': np.float32(sy), 'zy': zero, 'b': bias}
    g = h.make_graph([h.make_node('QLinearConv', ['x', 'sx', 'zx', 'w', 'sw', 'zw', 'sy', 'zy', 'b'], ['y'])], 'g',
                     [h.make_tensor_value_info('x', T.INT8, x.shape)], [h.make_tensor_value_info('y', T.INT8, None)],
                     [nh.from_array(np.asarray(v), k) for k, v in held.items()])
    m = h.make_model(g, opset_imports=[h.make_opsetid('', 13)])
    m.ir_version = 8
    session = onnxruntime.InferenceSession(m.SerializeToString(), providers=['CPUExecutionProvider'])
    return session.run(None, {'x': x})[0]


def micro_layer(x, w, bias, sx, sw, sy):
    """CONV_2D, which is a dense layer where the image has one place; NHWC inside."""
    import flatbuffers
    from tflite_micro import runtime
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as fb

    def tensor(name, shape, kind, scale, buffer, axis=0):
        t, q = fb.TensorT(), fb.QuantizationParametersT()
        t.name, t.shape, t.type, t.buffer, t.quantization = name, list(map(int, shape)), kind, buffer, q
        q.scale = [float(v) for v in np.atleast_1d(np.float32(scale))]
        q.zeroPoint, q.quantizedDimension = [0] * len(q.scale), axis
        return t

    def buffer(data=None):
        b = fb.BufferT()
        b.data = None if data is None else np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        return b

    x, w = np.moveaxis(x, 1, -1), np.moveaxis(w, 1, -1)
    shape = (x.shape[0], x.shape[1] - w.shape[1] + 1, x.shape[2] - w.shape[2] + 1, w.shape[0])
    graph, op, code, model = fb.SubGraphT(), fb.OperatorT(), fb.OperatorCodeT(), fb.ModelT()
    scales = np.broadcast_to(np.float32(sw), (w.shape[0],)) if np.ndim(sw) else sw
    graph.tensors = [tensor('x', x.shape, fb.TensorType.INT8, sx, 0),
                     tensor('w', w.shape, fb.TensorType.INT8, scales, 1),
                     tensor('b', bias.shape, fb.TensorType.INT32, np.float32(sx) * np.float32(scales), 2),
                     tensor('y', shape, fb.TensorType.INT8, sy, 0)]
    graph.inputs, graph.outputs, graph.operators = [0], [3], [op]
    op.inputs, op.outputs, op.opcodeIndex = [0, 1, 2], [3], 0
    op.builtinOptionsType, op.builtinOptions = fb.BuiltinOptions.Conv2DOptions, fb.Conv2DOptionsT()
    op.builtinOptions.padding, op.builtinOptions.strideH, op.builtinOptions.strideW = fb.Padding.VALID, 1, 1
    op.builtinOptions.dilationHFactor = op.builtinOptions.dilationWFactor = 1
    code.builtinCode = code.deprecatedBuiltinCode = fb.BuiltinOperator.CONV_2D
    code.version = 3
    model.version, model.subgraphs, model.operatorCodes = 3, [graph], [code]
    model.buffers = [buffer(), buffer(w), buffer(bias.astype(np.int32))]
    b = flatbuffers.Builder(1024)
    b.Finish(model.Pack(b), b'TFL3')
    i = runtime.Interpreter.from_bytes(bytes(b.Output()), arena_size=1 << 20)
    i.set_input(x.astype(np.int8), 0)
    i.invoke()
    return np.moveaxis(i.get_output(0), -1, 1)


def integers(r, m):
    """What the script keeps of the layer, the data as NCHW and what a peer is given beside it."""
    x = n.widened(np.random.default_rng(1), np.load(r.d('xq.npy')), r.kinds['x'], 40 * m)
    got = n.results(r.d, r.d('q.lt'), x.reshape(-1, m, *x.shape[1:]), len(x) // m, 'x', 'ref')['h'].reshape(len(x), -1)
    cell = r.cells['w']
    return x, got, r.held['w'], np.array(cell.get('scales', cell['scale'])), r.cells['h']['scale']


def case(rng, kind, more):
    """One layer; the share of bytes that differ, and by how much, of each peer."""
    if kind == 'dense':
        k, c = [int(v) for v in rng.integers([8, 8], [60, 40])]
        w, shape, m = rng.normal(size=(k, c)) * 2.0 ** rng.uniform(-2, 0, c), (k,), 4
        text = '''
x = InputTensor(x, float32, [%d, %d]);
h = x @ ConstantTensor(w, float32, [%d, %d]) + ConstantTensor(b, float32, [%d]);
result h = h;
result y = h @ ConstantTensor(v, float32, [%d, 2]);
''' % (m, k, k, c, c, c)
        v = rng.normal(size=(c, 2))
    else:
        k, c = [int(v) for v in rng.integers([2, 4], [6, 12])]
        w, shape, m = rng.normal(size=(c, k, 3, 3)) * 2.0 ** rng.uniform(-2, 0, (c, 1, 1, 1)), (k, 6, 6), 1
        text = '''
x = InputTensor(x, float32, [1, %d, 6, 6]);
h = Conv2dNode(x, ConstantTensor(w, float32, [%d, %d, 3, 3])) + ReshapeNode(ConstantTensor(b, float32, [%d]),
    [%d, 1, 1]);
result h = h;
result y = Conv2dNode(h, ConstantTensor(v, float32, [2, %d, 1, 1]));
''' % (k, c, k, c, c, c)
        v = rng.normal(size=(2, c, 1, 1))
    weights = {'w': w, 'b': rng.normal(size=c), 'v': v}
    weights['w'].flat[0] = -abs(w).max()
    x = rng.normal(size=(20 * m, *shape)).astype(np.float32)
    r = s.Result(n.Folder(), text, {name: np.float32(v) for name, v in weights.items()}, x, '8', *more)
    data, got, w, sw, sy = integers(r, m)
    data = data.reshape(*data.shape, 1, 1) if kind == 'dense' else data
    w = w.T.reshape(c, k, 1, 1) if kind == 'dense' else w
    # With steps by channel our bias is at the coarsest of them; theirs is at each one's own.
    bias = r.held['b'].astype(np.int64).reshape(-1) * (r.named['b'] / (r.named['x'] * sw) if more else 1)
    bias = np.floor(bias + 0.5).astype(np.int32)
    # How near to a half a sum is that may be another byte, in bytes.  Factors of float32, ONNX Runtime's of three,
    # those of TensorFlow Lite Micro of one product, and multipliers of 31 bits are off by that share of 129 bytes at
    # most.  The high half is rounded to 2^-shift of a byte, which ONNX Runtime does not do; TensorFlow Lite Micro does
    # it in the steps of each channel.  By channel ours are brought to the coarsest step before, which is two roundings,
    # as is the bias.
    shift = r.moves[('h', 'value', 0)]['shift']
    near = {'ONNX Runtime': 129 * 3 * 2.0 ** -24 + 2.0 ** -(shift + 1),
            'TensorFlow Lite Micro': 129 * (2.0 ** -24 + 2.0 ** -30) + (2 * 2.0 ** -(shift + 1) if more else 0)}
    channels = 2 * r.named['b'] / sy if more else 0
    for module, peer, layer in (('onnxruntime', 'ONNX Runtime', onnxruntime_layer),
                                ('tflite_micro', 'TensorFlow Lite Micro', micro_layer)):
        if module not in PEERS:
            continue
        try:
            want = layer(data, w, bias, r.named['x'], sw, sy).reshape(got.shape)
        except ImportError as e:
            yield peer, None, str(e)
            continue
        away = abs(want.astype(int) - got)
        windows = np.lib.stride_tricks.sliding_window_view(data.astype(np.int64), w.shape[2:], (2, 3))
        sums = np.einsum('rcijkl,ockl->roij', windows, w.astype(np.int64)) + bias[:, None, None]
        exact = (sums * (r.named['x'] * sw / sy).reshape(-1, 1, 1)).reshape(got.shape)
        half = abs(exact - np.floor(exact) - 0.5)
        assert (away <= 1).all() and (half[away > 0] <= near[peer] + channels).all(), (peer, away.max(), half[away > 0])
        yield peer, (away > 0).sum(), away.size


def main():
    for kind in ('dense', 'convolution'):
        for more in ((), ('--per-channel',)):
            counts, failed = {}, None
            for seed in n.seeds(4):
                try:
                    for peer, differ, size in case(np.random.default_rng([seed, len(kind), len(more)]), kind, more):
                        counts.setdefault(peer, []).append((differ, size))
                except Exception as e:  # noqa: BLE001 -- a case that fails is told, and the next is tried
                    failed = 'seed %d: %s: %s' % (seed, type(e).__name__, e)
            name = 'scales of any: a %s%s beside ' % (kind, ' by channel' if more else '')
            if failed:
                print('not ok - %speers' % name, flush=True)
                print(failed, file=sys.stderr)
            for peer, all_of in counts.items():
                if any(differ is None for differ, _ in all_of):
                    print('ok - %s%s # SKIP %s' % (name, peer, all_of[0][1]), flush=True)
                else:
                    print('ok - %s%s: %d of %d bytes are one off' % (name, peer, sum(d for d, _ in all_of), sum(
                        z for _, z in all_of)), flush=True)


if __name__ == '__main__':
    main()
