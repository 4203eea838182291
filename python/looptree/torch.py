"""PyTorch: modules, TorchScript and exported programs as programs of Looptree, and a backend for torch.compile.

    import looptree.torch
    fast = looptree.torch.compile(module.eval(), (x,))      # torch tensors in and out
    fast = torch.compile(module.eval(), backend="looptree")

    python -m looptree.torch mnist_cnn.pt --input 1,1,28,28 -o mnist.onnx

What operators mean is said by torch.onnx alone: a model goes through ONNX, and what that cannot say or Looptree does
not have is refused with its reason.  Everything here infers: results have no gradients.
"""
from __future__ import annotations

import argparse
import contextlib
import functools
import inspect
import io
import logging
import operator
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _memory
from . import _program
from ._errors import Error, refuse
from ._options import tell_copy

try:
    import torch
    import torch.utils._pytree as pytree
except ImportError as _error:
    raise ImportError("looptree.torch needs PyTorch: pip install torch onnx onnxscript (%s)" % _error) from _error

_MOST = 1 << 30         # bytes of weights inside of a model; protobuf's limit is 2 GB


class LeftToEager(UserWarning):
    """What torch.compile(backend="looptree") did not take, by node, and why."""


# ---- a module to a model of ONNX ----

# Calls that PyTorch makes in the place of others where nothing asks for gradients; it can be told not to.
_FAST_PATHS = ("_transformer_encoder_layer_fwd", "_native_multi_head_attention")


def _reason(error: BaseException) -> str:
    """What an exporter says first of why it cannot: the innermost cause, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip()
    said = text if isinstance(error, Error) else text.split("\n")[0]
    if any(name in said for name in _FAST_PATHS):
        said += "; after torch.backends.mha.set_fastpath_enabled(False) this is made of operators that are there"
    return said or type(error).__name__


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporters tell of versions and of themselves; what they cannot do they raise."""
    names = [logging.getLogger(name) for name in ("torch.onnx", "torch.export", "onnxscript", "onnx_ir")]
    levels = [log.level for log in names]
    try:
        for log in names:
            log.setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for log, level in zip(names, levels):
            log.setLevel(level)


class _Exported(NamedTuple):
    """A model: save writes it to a path, its weights beside it; results: how the flat ones become the module's."""
    save: Callable[[str], object]
    weight_bytes: int
    results: Callable[[list[Any]], Any]


def _tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _others(values: Any) -> list[Any]:
    return [leaf for leaf in pytree.tree_leaves(values) if not isinstance(leaf, torch.Tensor)]


def _exported(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Exported:
    try:
        with _quiet():
            if isinstance(module, torch.jit.ScriptModule):
                return _of_script(module, args)
            if not isinstance(module, torch.export.ExportedProgram):
                module = torch.export.export(module, args, kwargs)
            return _of_exported(module)
    except Error:
        raise
    except ImportError as error:
        raise refuse("Missing", "torch.onnx needs the packages onnx and onnxscript: pip install onnx onnxscript (%s)"
                     % error) from error
    except Exception as error:
        raise refuse("Unsupported", "torch.onnx cannot export this module: %s" % _reason(error)) from error


def _of_script(module: Any, args: tuple[Any, ...]) -> _Exported:
    """TorchScript has no exporter but the older one."""
    names = [a.name for a in module.forward.schema.arguments[1:]][:len(args)]
    if not all(isinstance(a, torch.Tensor) for a in args):
        raise refuse("Unsupported", "the arguments of a scripted module are tensors here; wrap it in an nn.Module "
                     "whose forward has the others fixed")
    with torch.no_grad():
        flat, spec = pytree.tree_flatten(module(*args))
    results = ["result"] if len(flat) == 1 else ["result%d" % i for i in range(len(flat))]
    file = io.BytesIO()
    torch.onnx.export(module, args, file, dynamo=False, input_names=names,      # type: ignore[arg-type]
                      output_names=results, verbose=False)

    def save(path: str) -> None:
        with open(path, "wb") as to:
            to.write(file.getvalue())
    return _Exported(save, 0, lambda made: pytree.tree_unflatten(made, spec))


def _changed(program: torch.export.ExportedProgram) -> list[str]:
    """The arguments and buffers that it changes, which a model of ONNX cannot say."""
    # Operators that change what they are given have become functions then, and the signature says the rest.
    signature = program.run_decompositions({}).graph_signature
    return sorted({*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()})


class _TensorsOf(torch.nn.Module):
    """A module that gives only the tensors of what another one does."""

    def __init__(self, inner: torch.nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return tuple(_tensors(self.inner(*args, **kwargs)))


def _of_exported(program: torch.export.ExportedProgram) -> _Exported:
    changed = _changed(program)
    if changed:
        raise refuse("Unsupported", "the module changes %s as it runs, which a model of ONNX cannot; module.eval() "
                     "leaves the statistics of normalizations alone" % ", ".join(changed[:4]))
    out = program.call_spec.out_spec
    constants = [getattr(s.arg, "value", None) if not isinstance(s.arg, torch.export.graph_signature.TensorArgument)
                 else torch.Tensor for s in program.graph_signature.output_specs]
    if any(c is not torch.Tensor and c is not None for c in constants):     # which the exporter does not take
        args, kwargs = program.example_inputs or ((), {})
        program = torch.export.export(_TensorsOf(program.module()), args, kwargs)
    model = torch.onnx.export(program, dynamo=True, verbose=False)
    if model is None:
        raise refuse("Unsupported", "torch.onnx gave no model")

    def results(flat: list[Any]) -> Any:
        given = iter(flat)
        leaves = [next(given) if c is torch.Tensor else c for c in constants]
        return pytree.tree_unflatten(leaves, out) if out is not None else leaves
    weights = sum(t.nbytes for t in program.state_dict.values() if isinstance(t, torch.Tensor))
    return _Exported(lambda path: model.save(path, external_data=weights > _MOST), weights, results)


def to_onnx(module: Any, example: Any, path: str | os.PathLike[str]) -> None:
    """Writes a module, TorchScript or ExportedProgram as a model of ONNX; of more than 1 GB with its weights beside it.

    example: its arguments, a tuple of tensors, whose shapes the model has.
    """
    args, kwargs = _example(example)
    _exported(module, args, kwargs).save(os.fspath(path))


def _example(example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The example's arguments: a tensor, a tuple of them, or a dict by name."""
    if isinstance(example, dict):
        return (), example
    if isinstance(example, (tuple, list)):
        return tuple(example), {}
    return () if example is None else (example,), {}


def _refuse_arrays(values: Any) -> None:
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, np.ndarray):
            raise refuse("Mismatch", "a module's arguments are tensors, not an ndarray of numpy: torch.from_numpy(x); "
                         "the looptree.Program of a compiled module, .program, takes arrays by name")


def _listed(spec: pytree.TreeSpec) -> str:
    """Arguments as a call has them: "tensor, [tensor, tensor], scale=tensor"."""
    class Leaf:
        def __repr__(self) -> str:
            return "tensor"
    args, kwargs = pytree.tree_unflatten([Leaf()] * spec.num_leaves, spec)
    return ", ".join([*map(repr, args), *("%s=%r" % item for item in kwargs.items())])


@contextlib.contextmanager
def _saved(exported: _Exported) -> Iterator[str]:
    """A path at which the model is; in a refusal it is called the module."""
    with tempfile.TemporaryDirectory(prefix="looptree-") as folder:
        path = os.path.join(folder, "module.onnx")
        exported.save(path)
        try:
            yield path
        except Error as error:
            error.args = (str(error).replace(path, "module"),)
            raise


def _compiled(exported: _Exported, options: dict[str, Any]) -> tuple[_program.Program, list[str], list[str]]:
    """The program, and the names of its inputs and results in the order of the module's."""
    with _saved(exported) as path:
        return _of_model(path, options)


def _of_model(path: str, options: dict[str, Any]) -> tuple[_program.Program, list[str], list[str]]:
    program = _program.compile(path, frontend="onnx", **options)
    import onnx
    graph = onnx.load(path, load_external_data=False).graph
    return program, [i.name for i in graph.input], [o.name for o in graph.output]


# ---- running ----

@functools.cache
def _dtypes() -> dict[str, torch.dtype]:
    """The library's names of PyTorch's types, as DLPack says them."""
    found: dict[str, torch.dtype] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of types that are experimental or on their way out
        for dtype in {d for d in vars(torch).values() if isinstance(d, torch.dtype)}:
            try:
                if not dtype.is_floating_point and dtype is not torch.bool and torch.iinfo(dtype).bits % 8:
                    continue        # uint3 says of itself that it is uint8
                found[_memory.look(torch.empty(1, dtype=dtype), "").dtype] = dtype
            except Exception:   # what the library, or DLPack, does not have
                continue
    return found


class _Runs:
    """A program called with tensors in the order of its module's arguments."""

    def __init__(self, program: _program.Program, inputs: Sequence[str], results: Sequence[str]):
        self.program = program
        places = {port.name: port for port in program.inputs}
        self._inputs = [(name, _dtypes()[places[name].dtype], torch.Size(places[name].shape)) if name in places
                        else None for name in inputs]
        order = {port.name: i for i, port in enumerate(program.inputs)}
        self._place = [order.get(name, -1) for name in inputs]
        self._results = [(_dtypes()[port.dtype], port.shape) for port in program.results]
        named = {port.name: i for i, port in enumerate(program.results)}
        self._order = [named[name] for name in results]
        self._runner = program._ready()

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Borrows contiguous tensors, copies others, and gives new ones."""
        if len(tensors) != len(self._inputs):
            raise refuse("Mismatch", "%d tensors were given, and %d are asked for" % (len(tensors), len(self._inputs)))
        at = [0] * len(self.program.inputs)
        kept, spans = [], list[tuple[int, int]]()
        for tensor, port, place in zip(tensors, self._inputs, self._place):
            if port is None:            # the model does not need it
                continue
            if tensor.dtype is not port[1] or tensor.shape != port[2] or tensor.device.type != "cpu":
                raise refuse("Mismatch", "input '%s' is %s %s on %s, and %s %s on cpu is asked for" % (
                    port[0], tensor.dtype, list(tensor.shape), tensor.device, port[1], list(port[2])))
            if not tensor.is_contiguous() or tensor.is_neg():
                tell_copy("input '%s'" % port[0], "its elements do not lie side by side, the last axis innermost")
                tensor = tensor.resolve_neg().contiguous()
            begin = tensor.data_ptr()
            if any(begin < e and b < begin + tensor.nbytes for b, e in spans):
                tell_copy("input '%s'" % port[0], "it shares memory with another input")
                tensor = tensor.clone()
                begin = tensor.data_ptr()
            spans.append((begin, begin + tensor.nbytes))
            kept.append(tensor)
            at[place] = begin
        made = [torch.empty(shape, dtype=dtype) for dtype, shape in self._results]
        shapes = self._runner.run_at(tuple(at), tuple(t.data_ptr() for t in made), 0, 1)
        cut = [t if s is None else t[tuple(map(slice, s))] for t, s in zip(made, shapes)]
        return [cut[i] for i in self._order]


class Compiled:
    """A module compiled for the shapes of its example: called as the module is, it gives what that gives, without
    gradients.  program: the looptree.Program, with its tree, kernels, verify() and the rest."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], options: dict[str, Any]):
        exported = _exported(module, args, kwargs)
        self.program, inputs, results = _compiled(exported, options)
        self._shape, self._runs = exported.results, _Runs(self.program, inputs, results)
        self._spec, self._others = pytree.tree_structure((args, kwargs)), _others((args, kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        spec = pytree.tree_structure((args, kwargs))
        if spec != self._spec:
            raise refuse("Mismatch", "the arguments are (%s), and the example's were (%s)"
                         % (_listed(spec), _listed(self._spec)))
        _refuse_arrays((args, kwargs))
        if self._others and _others((args, kwargs)) != self._others:
            raise refuse("Mismatch", "what is no tensor is a constant: the arguments have %r, and the example had %r"
                         % (_others((args, kwargs)), self._others))
        return self._shape(self._runs(_tensors((args, kwargs))))

    def __repr__(self) -> str:
        return "<looptree.torch.Compiled %r>" % (self.program,)


def compile(module: Any, example: Any = None, **options: Any) -> Compiled:
    """An nn.Module, a scripted one (torch.jit.load) or an ExportedProgram, compiled for the shapes of its example.

    example: its arguments: a tensor, a tuple of what forward takes, or a dict by name; an ExportedProgram has its own.
    options: those of looptree.compile.  Unsupported: what torch.onnx or Looptree cannot, with the reason.
    """
    if isinstance(module, torch.export.ExportedProgram) and example is None:
        args, kwargs = module.example_inputs or ((), {})
    elif example is None:
        raise refuse("Missing", "give an example of the module's arguments, whose shapes it is compiled for: "
                     "compile(module, torch.randn(1, 28)), a tuple of several, a dict by name, () where it takes none")
    else:
        args, kwargs = _example(example)
    _refuse_arrays((args, kwargs))
    return Compiled(module, args, kwargs, options)


# ---- torch.compile(backend="looptree") ----

class Taken(NamedTuple):
    """What became of one graph of torch.compile: the programs, and what was left to eager: (node, why)."""
    programs: tuple[_program.Program, ...]
    left: tuple[tuple[str, str], ...]


class _Constants(torch.nn.Module):
    """A graph some of whose arguments are constants."""

    def __init__(self, graph: torch.nn.Module, constants: dict[int, torch.Tensor]):
        super().__init__()
        self.inner, self.places = graph, list(constants)
        for i, tensor in constants.items():
            self.register_buffer("constant%d" % i, tensor.detach())

    def forward(self, *given: Any) -> Any:
        rest, all_of = iter(given), []
        for i in range(len(given) + len(self.places)):
            all_of.append(getattr(self, "constant%d" % i) if i in self.places else next(rest))
        return self.inner(*all_of)


def _mark(tensor: torch.Tensor) -> tuple[int, int]:
    """Differs when a tensor is changed or is another one."""
    return tensor.data_ptr(), 0 if tensor.is_inference() else tensor._version


class _Part:
    """A graph that Looptree runs.  Its constants are prepared once; when one has been changed since, all are prepared
    anew, and one that is changed a second time is an input from then on."""

    def __init__(self, graph: torch.nn.Module, example: Sequence[Any], constant: Sequence[bool],
                 options: dict[str, Any]):
        self._graph, self._options, self._lock = graph, options, threading.Lock()
        self._constant = [i for i, is_one in enumerate(constant) if is_one]
        self._changes = dict.fromkeys(self._constant, 0)
        self._prepare(example)

    def _prepare(self, example: Sequence[Any]) -> None:
        constants = {i: example[i] for i in self._constant}
        rest = tuple(value for i, value in enumerate(example) if i not in constants)
        exported = _exported(_Constants(self._graph, constants), rest, {})
        program, inputs, results = _compiled(exported, self._options)
        runs = _Runs(program, inputs, results)
        # The detached tensors keep the memory whose address is compared.
        marks = [(i, t.detach(), _mark(t)) for i, t in constants.items()]
        self._now = runs, exported.results, marks, [i for i in range(len(example)) if i not in constants]

    @property
    def program(self) -> _program.Program:
        return self._now[0].program

    def __call__(self, *args: Any) -> Any:
        runs, results, marks, rest = self._now
        for i, _, mark in marks:
            if _mark(args[i]) != mark:
                return self._anew(args)
        with torch.no_grad():
            return results(runs(_tensors([args[i] for i in rest])))

    def _anew(self, args: Sequence[Any]) -> Any:
        with self._lock, torch.no_grad():
            for i, _, mark in self._now[2]:
                if _mark(args[i]) != mark:
                    self._changes[i] += 1
            self._constant = [i for i in self._constant if self._changes[i] < 2]
            self._prepare(args)
            runs, results, _, rest = self._now
        return results(runs(_tensors([args[i] for i in rest])))


class _PartOf(torch.nn.Module):
    """A part in the place of what it was made of."""

    def __init__(self, part: _Part):
        super().__init__()
        self.forward = part.__call__


def _fake(node: torch.fx.Node) -> Any:
    return node.meta.get("example_value", node.meta.get("val"))


def _storage(value: Any) -> int | None:
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


def _views(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Nodes that view what another result or an argument is, where the caller gets both and may change one."""
    owner: dict[int, torch.fx.Node] = {}
    for node in graph.nodes:
        at = _storage(_fake(node))
        if at is not None:
            owner.setdefault(at, node)
    given = [s for n in graph.output_node().all_input_nodes if (s := _storage(_fake(n))) is not None]
    shared = {at for at in given if owner[at].op == "placeholder" or given.count(at) > 1}
    return {n for n in graph.nodes if n.op not in ("placeholder", "output") and (at := _storage(_fake(n))) in shared
            and owner[at] is not n}


def _stand_in(value: Any) -> Any:
    """Tensors of the same shapes and layouts for those that are only described."""
    def one(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        made = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype, device="cpu")
        return made.zero_()
    return pytree.tree_map(one, value)


def _alone(node: torch.fx.Node) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    """A graph of this node only, and arguments for it."""
    graph = torch.fx.Graph()
    new = {n: graph.placeholder("a%d" % i) for i, n in enumerate(node.all_input_nodes)}
    graph.output(graph.node_copy(node, lambda n: new[n]))
    module = torch.fx.GraphModule(node.graph.owning_module or {}, graph)
    return module, tuple(_stand_in(_fake(n)) for n in node.all_input_nodes)


def _why_not(node: torch.fx.Node) -> tuple[str, bool]:
    """Why a node cannot be taken, "" if it can, and whether it changes its arguments."""
    name = str(node.target if isinstance(node.target, str) else getattr(node.target, "__name__", node.target))
    in_place = name.endswith("_") and not name.endswith("__")
    changes = in_place or node.target is operator.setitem or "out" in node.kwargs
    try:
        module, example = _alone(node)
        with torch.no_grad(), _quiet():
            program = torch.export.export(module, example)
        changes = bool(_changed(program))
        with _saved(_exported(program, (), {})) as path:
            _program.compile(path, frontend="onnx", backend="ref")
    except Exception as error:
        return _reason(error).replace("\n", " ").strip() or type(error).__name__, changes
    return "", changes


def _refusals(graph: torch.fx.Graph) -> tuple[dict[torch.fx.Node, str], bool]:
    """The nodes that cannot be taken, with the reasons, and whether any node changes what it is given."""
    seen: dict[str, tuple[str, bool]] = {}
    why: dict[torch.fx.Node, str] = {}
    changed = False
    for node in graph.nodes:
        if node.op not in ("call_function", "call_method", "call_module"):
            continue
        first = node.args[0] if node.args else None
        if (node.target is operator.getitem and isinstance(first, torch.fx.Node)
                and isinstance(_fake(first), (tuple, list))):
            if first in why:
                why[node] = why[first]          # it takes one of several results
            continue
        key = repr((node.op, node.target, torch.fx.map_arg((node.args, node.kwargs), lambda n: repr(_fake(n)))))
        if key not in seen:
            seen[key] = _why_not(node)
        reason, changes = seen[key]
        changed |= changes
        if reason:
            why[node] = reason
    return why, changed


def _split(gm: torch.fx.GraphModule, example: Sequence[Any], constant: dict[str, Any], why: dict[torch.fx.Node, str],
           options: dict[str, Any], left: list[tuple[str, str]]) -> list[_program.Program]:
    """Replaces parts of the graph without refused nodes by programs; what they are is appended to left."""
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupportBase

    class Support(OperatorSupportBase):
        def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
            return node.op in ("call_function", "call_method", "call_module") and node not in why

    partitioner = CapabilityBasedPartitioner(gm, Support(), allows_single_node_partition=True)
    fused = partitioner.fuse_partitions(partitioner.propose_partitions(), prefix="looptree_")
    programs = []
    for node in [n for n in fused.graph.nodes if n.op == "call_module" and str(n.target).startswith("looptree_")]:
        values = [constant.get(n.name, None) for n in node.args]
        given = [_stand_in(_fake(n)) if v is None else v for n, v in zip(node.args, values)]
        inner = fused.get_submodule(str(node.target))
        assert isinstance(inner, torch.fx.GraphModule)
        body: torch.fx.Graph = inner.graph
        try:
            part = _Part(inner, given, [v is not None for v in values], options)
        except Exception as error:
            left.append((", ".join(n.name for n in body.nodes if n.op.startswith("call")), _reason(error)))
            continue
        programs.append(part.program)
        setattr(fused, str(node.target), _PartOf(part))
    return programs


def backend(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], options: dict[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """torch.compile(module, backend="looptree", options={...}): runs what it can, and leaves the rest to eager.

    options: those of looptree.compile (threads: as many as PyTorch uses, if not said); and "tell": called with what
    became of each graph (Taken) instead of a warning LeftToEager for what is left.
    """
    asked = dict(options or {})
    tell = asked.pop("tell", None)
    asked.setdefault("threads", torch.get_num_threads())
    if mode is not None:
        raise refuse("Invalid", "mode=%r is of inductor; give options={...}, those of looptree.compile" % mode)
    left: list[tuple[str, str]] = []
    run, programs = _taken(gm, example_inputs, asked, left)
    if tell is not None:
        tell(Taken(tuple(programs), tuple(left)))
    elif left:
        warnings.warn("left to eager:\n" + "\n".join("  %s: %s" % one for one in left), LeftToEager, stacklevel=2)
    return run


def _taken(gm: torch.fx.GraphModule, example: Sequence[Any], options: dict[str, Any],
           left: list[tuple[str, str]]) -> tuple[Callable[..., Any], list[_program.Program]]:
    whole = ""
    if not all(isinstance(value, torch.Tensor) for value in example):
        whole = "extents or numbers differ from run to run; torch.compile(dynamic=False) compiles for each"
    elif any(value.device.type != "cpu" for value in example):
        whole = "a tensor is on %s" % next(v.device for v in example if v.device.type != "cpu")
    elif torch.is_grad_enabled() and any(value.requires_grad for value in example):
        whole = "gradients are asked for; call it under torch.no_grad() or torch.inference_mode()"
    if whole:
        left.append(("the whole graph", whole))
        return gm, []
    places = [n for n in gm.graph.nodes if n.op == "placeholder"]
    constant = {n.name: value for n, value in zip(places, example) if _is_constant(n, value)}
    for node in gm.graph.nodes:
        if node.op == "get_attr" and isinstance(value := operator.attrgetter(str(node.target))(gm), torch.Tensor):
            constant[node.name] = value
            node.meta.setdefault("example_value", value)
    views = _views(gm.graph)
    if not views:
        try:
            part = _Part(gm, example, [n.name in constant for n in places], options)
            return part, [part.program]
        except Error:
            pass                # seen node by node, below
    why, changed = _refusals(gm.graph)
    for node in views:
        why[node] = "it is a view of what the caller has too"
    left += [(node.name, reason) for node, reason in why.items()]
    if changed:
        left.append(("the whole graph", "it changes tensors in place, and parts of it cannot be taken"))
        return gm, []
    programs = _split(gm, example, constant, why, options, left)
    return gm, programs


def _is_constant(node: torch.fx.Node, value: torch.Tensor) -> bool:
    """Parameters and buffers of modules are; what a function is given is not."""
    if isinstance(value, torch.nn.Parameter):
        return True
    source = getattr(node.meta.get("grapharg"), "source", None)
    asks = getattr(getattr(source, "guard_source", None), "is_unspecialized_nn_module", None)
    builtin = getattr(getattr(source, "guard_source", None), "is_unspecialized_builtin_nn_module", None)
    return bool(asks and asks()) or bool(builtin and builtin())


def _register() -> None:
    from torch._dynamo import list_backends, register_backend
    if "looptree" not in list_backends(exclude_tags=()):
        register_backend(backend, name="looptree")


_register()


# ---- python -m looptree.torch ----

def _shape(text: str) -> torch.Tensor:
    """"1,1,28,28" or "1,128:int64": an example of that shape."""
    shape, _, dtype = text.partition(":")
    kind = getattr(torch, dtype or "float32", None)
    try:
        extents = [int(extent) for extent in shape.split(",") if extent]
    except ValueError:
        extents = [-1]
    if not isinstance(kind, torch.dtype) or any(extent < 0 for extent in extents):
        raise argparse.ArgumentTypeError("'%s' is no shape: 1,1,28,28 or 1,128:int64" % text)
    made = torch.zeros(extents, dtype=kind)
    return made.normal_(generator=torch.Generator().manual_seed(1)) if kind.is_floating_point else made


def _load(path: str) -> Any:
    with open(path, "rb"):          # says so if there is none
        pass
    if path.endswith(".pt2"):
        return torch.export.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return torch.jit.load(path, map_location="cpu").eval()     # type: ignore[no-untyped-call]
        except RuntimeError as error:
            raise refuse("Unsupported", "%s is no TorchScript (torch.jit.save) and no exported program (.pt2): %s; a "
                         "file of weights alone has no network" % (path, _reason(error))) from error


def main(words: Sequence[str] | None = None) -> int:
    """python -m looptree.torch FILE.pt --input SHAPE ... -o FILE.onnx"""
    a = argparse.ArgumentParser("python -m looptree.torch", description="TorchScript, or an exported program (.pt2), "
                                "as a model of ONNX, which lt-run runs and lt-build builds.")
    a.add_argument("file")
    a.add_argument("--input", action="append", type=_shape, default=[], metavar="SHAPE",
                   help="the shape of an argument, 1,1,28,28 or 1,128:int64; given once for each, in order")
    a.add_argument("-o", "--output", required=True, metavar="FILE.onnx")
    a.add_argument("--verify", action="store_true", help="also runs the module and what was "
                   "written, on random numbers, and says how they differ")
    given = a.parse_args(words)
    try:
        module = _load(given.file)
        exported = isinstance(module, torch.export.ExportedProgram)
        example = (module.example_inputs or ((), {}))[0] if exported and not given.input else tuple(given.input)
        if not example:
            raise refuse("Invalid", "say the shapes of its arguments: --input 1,1,28,28")
        to_onnx(module, example, given.output)
        if given.verify:
            with torch.no_grad():
                wanted = _tensors((module.module() if exported else module)(*example))
            found = _Runs(*_of_model(given.output, {}))(_tensors(example))
            for want, got in zip(wanted, found, strict=True):
                size = want.double().norm().item() or 1.0
                print("differs by %.2g of its norm" % ((got.double() - want.double()).norm().item() / size))
    except (Error, OSError) as error:
        print("looptree.torch: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
