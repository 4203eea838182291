"""Compiling and running: compile() and the Program that it gives."""
from __future__ import annotations

import contextlib
import ctypes
import difflib
import json
import math
import mmap
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _core, _native
from ._errors import Error, refuse
from ._memory import (HOST, NAME_OF, NUMBER_OF, NUMPY, SAFETENSORS, Library, Memory, is_on_device, library_of,
                      look, may_write)
from ._native import Context, Handle, as_dict, each, each_of, function, made, sized, struct, values
from ._options import tell_copy
from ._progress import counted, shown
from ._reports import Backends, Explained, Kernels, Profile, Text, Times, Verified
from ._tree import Tree

_INPUT, _CONSTANT, _STATE, _RESULT = (values["LT_BINDING_" + kind] for kind in ("INPUT", "CONSTANT", "STATE", "RESULT"))
_SHOW = {name[len("LT_SHOW_"):].lower(): value for name, value in values.items() if name.startswith("LT_SHOW_")}


class Port:
    """An input, a constant, a state or a result: name, dtype ("f32"), shape (the greatest, where a run says it), axes
    (their texts, "28"; "batch: 1..8" of one whose extent a run says)."""
    __slots__ = ("name", "dtype", "shape", "axes", "needed")

    def __init__(self, program: int, kind: int, i: int):
        self.name: str = function("lt_program_name")(program, kind, i).decode()
        self.dtype = NAME_OF[function("lt_program_dtype")(program, kind, i)]
        self.shape: tuple[int, ...] = tuple(function("lt_program_extent")(program, kind, i, axis)
                                            for axis in range(function("lt_program_rank")(program, kind, i)))
        self.axes = list(map(str, self.shape))
        self.needed = bool(function("lt_program_needs")(program, kind, i))

    def __repr__(self) -> str:
        return "%s %s[%s]" % (self.name, self.dtype, ", ".join(self.axes))


def _nearest(name: object, names: Iterable[str]) -> str:
    by_letters = {known.lower(): known for known in names}
    close = difflib.get_close_matches(str(name).lower(), list(by_letters), 1)
    return "; did you mean '%s'?" % by_letters[close[0]] if close else ""


def _there_are(name: object, names: Iterable[str]) -> str:
    """The nearest of them, or all: what a message ends with that says that there is none of that name."""
    known = list(names)
    return _nearest(name, known) or ("; there %s %s" % ("is" if len(known) == 1 else "are", ", ".join(known))
                                     if known else "; there is none")


# ---- where a source comes from ----

def _source(source: Any) -> tuple[bytes, str, str | None]:
    """Its bytes, what messages call it, and the folder of its file."""
    hook = getattr(source, "_looptree_text_", None)
    if hook is not None:
        return hook().encode(), type(source).__name__, None
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "source", None
    if isinstance(source, str) and any(c in source for c in "\n;="):
        return source.encode(), "source", None
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return _read(path), path, os.path.dirname(path) or "."
    if type(source).__name__ == "ModelProto" and hasattr(source, "SerializeToString"):
        return source.SerializeToString(), "source", None
    raise refuse("Mismatch", "a source is a text, bytes, a path, a model of onnx, a lazy array or a module of PyTorch, "
                 "not a %s" % type(source).__name__)


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as error:
        raise refuse("InputOutput", "%s: %s" % (os.fspath(path), error.strerror)) from error


def read_weights(path: str | os.PathLike[str]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a .npz or .safetensors file (https://huggingface.co/docs/safetensors), the latter mapped."""
    path = os.fspath(path)
    try:
        if path.endswith(".npz"):
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise refuse("InputOutput", "%s: %s" % (path, error.strerror or error)) from error
    except Exception as error:          # zipfile's, pickle's, or of an empty file
        raise refuse("InputOutput", "%s is no file of arrays: %s" % (path, error)) from error
    end = 8 + int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8:end])
        arrays = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, stop = entry["data_offsets"]
            kind = NUMPY[SAFETENSORS[entry["dtype"]]]
            count = (stop - begin) // kind.itemsize
            arrays[name] = np.frombuffer(data, kind, count, end + begin).reshape(entry["shape"])
        return arrays
    except (ValueError, KeyError, TypeError) as error:
        raise refuse("InputOutput", "%s is no file of safetensors: %s" % (path, error)) from error


class Program:
    """A compiled program.  p(x=..., y=...) runs it: the inputs by name; what it gives is an array, or where there are
    several results a dict of them.  States stay from call to call until reset().

    It may be called by several threads at once; the GIL is released while it runs.  One that has states runs one call
    at a time.
    """

    def __init__(self, graph: Handle, handle: Handle, remake: Callable[..., Program]):
        self._graph, self._handle, self._remake = graph, handle, remake
        self._given: dict[str, Any] = {}
        self._kept_memory: dict[str, Memory] = {}       # of constants
        self._runner: Any = None
        self._lock = threading.Lock()
        self._closed = False
        self._pid = os.getpid()
        self._elsewhere: Program | None = None          # the same for arrays in a device's memory
        at = handle.at
        self.inputs, self.constants, self.states, self.results = (
            [Port(at, kind, i) for i in range(function("lt_program_count")(at, kind))]
            for kind in (_INPUT, _CONSTANT, _STATE, _RESULT))
        self._only = len(self.results) == 1
        # The backend in whose memory the caller gives each, HOST where that is none's.
        self._places = {kind: [(function("lt_program_device")(at, kind, i) or HOST.encode()).decode()
                               for i in range(function("lt_program_count")(at, kind))] for kind in (_INPUT, _RESULT)}
        self._device = 0                                # the number of that device
        self._scalars, self._limits = self._extents()
        # Those that an array says: their input holds nothing else.
        self._sources = {scalar: name for scalar, (name, _) in self._scalars.items()
                         if any(port.name == name and port.shape in ((), (1,)) for port in self.inputs)}

    def _extents(self) -> tuple[dict[str, tuple[str, int]], dict[str, dict[int, _Limit]]]:
        """Of run-time scalars of inputs the input and the element, by name; and of each input the axes whose extent
        differs."""
        ports = {_INPUT: self.inputs, _CONSTANT: self.constants, _STATE: self.states, _RESULT: self.results}
        of = made(self._graph.context, "lt_graph_extents", "lt_extents_free", self._graph.at)
        found = struct("lt_extents").from_address(of.at)
        scalars = list(each_of(found.scalars, "lt_run_scalar"))
        names = [scalar.name.decode() for scalar in scalars]
        limits: dict[str, dict[int, _Limit]] = {}
        for axis in each_of(found.axes, "lt_open_axis"):
            limit, port = _Limit(axis, names), ports[axis.binding][axis.i]
            port.axes[axis.axis] = "%s: %d..%d" % (limit.text, axis.least, axis.most)
            if axis.binding == _INPUT:
                limits.setdefault(port.name, {})[axis.axis] = limit
        return {name: (self.inputs[scalar.i].name, scalar.element) for name, scalar in zip(names, scalars)
                if scalar.binding == _INPUT}, limits

    # -- weights --

    def bind(self, name: str, value: Any) -> None:
        """Gives a constant; before the first run."""
        handle = self._open()
        for i, port in enumerate(self.constants):
            if port.name == name:
                memory = _conform(look(value, name, dtype=port.dtype), port, "constant")
                if any(_share(memory, other) for kept, other in self._kept_memory.items() if kept != name):
                    tell_copy("constant '%s'" % name, "it shares memory with another constant")
                    memory = _copied(memory)
                # What the library only borrows, this object keeps.
                handle.context.call("lt_program_bind", handle.at, i, memory.address, 0)
                self._given[name] = value if memory.keeper is value else memory.keeper
                self._kept_memory[name] = memory
                self._runner = None                     # it knows where constants lie
                return
        raise refuse("Missing", "no constant is named '%s'%s"
                     % (name, _there_are(name, (c.name for c in self.constants))))

    # -- runs --

    def _ready(self) -> Any:
        with self._lock:
            if self._closed:
                raise refuse("Invalid", "the program is closed")
            if self._runner is None:
                arrays = tuple((port.shape, NUMPY[port.dtype]) for port in self.results)
                self._runner = _core.runner(self._handle, self._handle.at, np.empty, arrays, np.ndarray,
                                             tuple(map(_span, self._kept_memory.values())))
            return self._runner

    def __call__(self, /, *unnamed: Any, **inputs: Any) -> Any:
        if unnamed:
            raise self._by_name("p(%s)")
        runner = self._runner or self._ready()
        done = runner.call(inputs, None)
        if done.__class__ is np.ndarray:
            return done
        return self._named(*(self._call_others(runner, inputs) if done is NotImplemented else done))

    def _by_name(self, call: str, each: str = "%s=...") -> Error:
        return refuse("Mismatch", "inputs are given by name: " + call % ", ".join(
            each % port.name for port in self.inputs))

    def run(self, inputs: Mapping[str, Any], out: Any = None) -> Any:
        """The same with the inputs as a dict, whatever they are called.  out: an array for the only result, or a dict
        of arrays by the results' names: they are written to, and returned."""
        if not hasattr(inputs, "keys"):
            raise self._by_name("p.run({%s})", "'%s': ...")
        runner, inputs = self._runner or self._ready(), {**inputs}
        done = runner.call(inputs, out)
        if done.__class__ is np.ndarray:
            return done
        return self._named(*(self._call_others(runner, inputs, out) if done is NotImplemented else done))

    def _named(self, results: tuple[Any, ...], shapes: tuple[Any, ...]) -> Any:
        if self._only and shapes[0] is None:
            return results[0]
        cut = [r if s is None else r[tuple(slice(extent) for extent in s)] for r, s in zip(results, shapes)]
        return cut[0] if self._only else {port.name: r for port, r in zip(self.results, cut)}

    def _call_others(self, runner: Any, inputs: dict[str, Any], out: Any = None) -> tuple[tuple[Any, ...], Any]:
        """What is not just what the program takes: seen here, copied where it has to be, or refused."""
        if "out" in inputs and not any(port.name == "out" for port in self.inputs):
            out = inputs.pop("out")
        giver = next(filter(is_on_device, inputs.values()), None)
        if giver is not None:
            return self._there(inputs, out, giver)
        memories = self._taken(inputs)
        results, places = self._room(out)
        for i, memory in enumerate(memories):
            if memory is not None and out is not None and any(_share(memory, place) for place in places):
                tell_copy("input '%s'" % self.inputs[i].name, "it shares memory with a result")
                memories[i] = _copied(memory)
        return tuple(results), runner.run_at(_addresses(memories), _addresses(places), 0, 1)

    def _room(self, out: Any = None, library: Library | None = None,
              stream: int | None = None) -> tuple[list[Any], list[Memory]]:
        """Arrays for the results, and where they lie.  Those on a device are made by that library."""
        given = {} if out is None else out
        if self._only and not isinstance(given, Mapping):
            given = {self.results[0].name: out}
        if not isinstance(given, Mapping):
            raise refuse("Mismatch", "out is a dict of arrays by the names of results, not a %s" % type(out).__name__)
        for name in given:
            if not any(port.name == name for port in self.results):
                raise refuse("Missing", "no result is named '%s'%s" % (name, _there_are(name, (
                    port.name for port in self.results))))
        results, places = [], list[Memory]()
        for port, place in zip(self.results, self._places[_RESULT]):
            array = given.get(port.name)
            if array is None and place == HOST:
                array = np.empty(port.shape, NUMPY[port.dtype])
            elif array is None and library is not None:
                array = library.empty(port.shape, port.dtype)
            elif array is None:
                raise refuse("Unsupported", "result '%s' is in a device's memory, and is made there only for arrays of "
                             "torch or cupy; give out=, or inputs as torch.from_dlpack(x)" % port.name)
            memory = look(array, port.name, stream)
            if memory.keeper is not array and not hasattr(array, "__dlpack__"):
                raise refuse("Mismatch", "result '%s' cannot be written to a %s" % (port.name, type(array).__name__))
            if not may_write(array, memory):
                raise refuse("Invalid", "the array for result '%s' cannot be written to" % port.name)
            if not memory.dense():
                raise refuse("Invalid", "the elements of the array for result '%s' do not lie side by side, the last "
                             "axis innermost" % port.name)
            _conform(memory, port, "result", place)
            if any(_share(memory, other) for other in places):
                raise refuse("Invalid", "the array for result '%s' shares memory with another result's" % port.name)
            for name, constant in self._kept_memory.items():
                if _share(memory, constant):
                    raise refuse("Invalid", "the array for result '%s' shares memory with constant '%s', which is "
                                 "lent as long as the program lives; give another array, or bind a copy"
                                 % (port.name, name))
            results.append(array)
            places.append(memory)
        return results, places

    def _for_device(self) -> Program:
        """The same program for arrays in a device's memory: itself, or compiled anew."""
        if any(place != HOST for places in self._places.values() for place in places):
            return self
        if self.states:
            raise refuse("Unsupported", "a program with states runs on arrays of the host or on those of a device, as "
                         "it was compiled; compile it with on_device='*'")
        with self._lock:
            if self._closed:
                raise refuse("Invalid", "the program is closed")
            if self._elsewhere is None:
                try:
                    self._elsewhere = self._remake(on_device="*")
                except Error as error:
                    raise refuse("Mismatch", "an array is in a device's memory, and this program cannot be compiled "
                                 "for that (%s); compile it with backend='cuda'" % error) from error
                self._elsewhere._bind_as(self)
            return self._elsewhere

    def _there(self, inputs: dict[str, Any], out: Any, giver: Any) -> tuple[tuple[Any, ...], Any]:
        """A run on arrays in a device's memory, on the stream of whoever gives the first of them."""
        self._refuse_others(inputs)
        library, stream = library_of(giver)
        program = self._for_device()
        runner, align = program._ready(), function("lt_program_align")
        memories: list[Memory | None] = []
        results, places = program._room(out, library, stream)
        for i, (port, place) in enumerate(zip(program.inputs, program._places[_INPUT])):
            value = inputs.get(port.name)
            if value is None and port.needed:
                raise refuse("Missing", "input '%s' is missing: %r" % (port.name, port))
            if value is None:
                memories.append(None)
                continue
            memory = look(value, port.name, stream, dtype=port.dtype)
            why = None
            if memory.device != HOST and (
                    not memory.dense() or memory.address % max(1, align(program._handle.at, _INPUT, i))):
                why = "a device takes dense arrays at aligned addresses"
            elif memory.device != HOST and any(m is not None and _share(memory, m) for m in (*memories, *places)):
                why = "it shares memory with another argument"
            if why is not None and library is None:
                raise refuse("Invalid", "input '%s' would be copied: %s; give torch.from_dlpack(x), or a copy"
                             % (port.name, why))
            if why is not None and library is not None:
                tell_copy("input '%s'" % port.name, why)
                memory = look(library.clone(value), port.name, stream)
            memories.append(_conform(memory, port, "input", place))
        for port, at in (*zip(program.inputs, memories), *zip(program.results, places)):
            if at is not None and at.device != HOST and at.device.partition(":")[2] != str(program._device):
                raise refuse("Mismatch", "'%s' is on %s, and this program runs on device %d; compile it with "
                             "backend='cuda:device=N'" % (port.name, at.device, program._device))
            if at is not None and at.stream is not None and (at.stream or 1) != stream:
                raise refuse("Invalid", "'%s' comes to be on the stream %#x, and the run is on %#x; give arrays of one "
                             "stream, or of DLPack" % (port.name, at.stream, stream))
        return tuple(results), runner.run_at(_addresses(memories), _addresses(places), stream, 1)

    def _refuse_others(self, inputs: Iterable[Any], words: tuple[str, ...] = ()) -> None:
        """Names that are no inputs'; words: what else the call takes."""
        names = [port.name for port in self.inputs]
        for name in inputs:
            if name in names:
                continue
            what = "no input is named '%s'" % name
            if any(c.name == name for c in self.constants):
                raise refuse("Missing", "%s: it is a constant, which compile(weights={'%s': ...}) or p.bind gives"
                             % (what, name))
            if any(s.name == name for s in self.states):
                raise refuse("Missing", "%s: it is a state, which p.set_state gives" % what)
            raise refuse("Missing", what + (_nearest(name, words) or _there_are(name, names)))

    def _taken(self, inputs: Mapping[str, Any]) -> list[Memory | None]:
        """The inputs as the program takes them, in its order."""
        self._refuse_others(inputs)
        looked = {port.name: look(inputs[port.name], port.name, dtype=port.dtype)
                  for port in self.inputs if port.name in inputs}
        shapes = self._shapes(looked) if self._limits else {}
        memories: list[Memory | None] = []
        for port, place in zip(self.inputs, self._places[_INPUT]):
            if port.name in looked:
                memory = looked[port.name]
                if memory.shape != port.shape and memory.shape == shapes.get(port.name) and place == HOST:
                    memories.append(_padded(memory, port))
                else:
                    memories.append(_conform(memory, port, "input", place, shapes.get(port.name)))
            elif port.needed:
                raise refuse("Missing", "input '%s' is missing: %r" % (port.name, port))
            else:
                memories.append(None)
        return _apart(memories, self.inputs)

    def _shapes(self, looked: dict[str, Memory]) -> dict[str, tuple[int, ...]]:
        """The inputs' shapes in this run.  Run-time extents that are inputs of their own and are not given are those of
        the arrays that have them, and are added."""
        known: dict[str, int] = {}
        said: dict[str, str] = {}
        for scalar, (name, element) in self._scalars.items():
            if name in looked and looked[name].dtype == "i64" and math.prod(looked[name].shape) > element:
                known[scalar] = int(_viewed(looked[name]).reshape(-1)[element])
        for name, axes in self._limits.items():
            memory = looked.get(name)
            for axis, limit in axes.items():
                param = limit.param
                if memory is None or param is None or len(memory.shape) <= axis or param not in self._sources:
                    continue
                found = memory.shape[axis]
                if not limit.least <= found <= limit.most:
                    _conform(memory, next(port for port in self.inputs if port.name == name), "input")
                if known.setdefault(param, found) != found and self._sources[param] not in looked:
                    raise refuse("Mismatch", "'%s' is %d by %s and %d by axis %d of input '%s'" % (
                        param, known[param], said[param], found, axis, name))
                said.setdefault(param, "axis %d of input '%s'" % (axis, name))
        for known_by, name in self._sources.items():
            if known_by in known and name not in looked:
                port = next(port for port in self.inputs if port.name == name)
                looked[name] = look(np.full(port.shape, known[known_by], np.int64), name)
        shapes = {}
        for port in self.inputs:
            axes = self._limits.get(port.name, {})
            shapes[port.name] = tuple(
                min(extent, axes[axis].at(known)) if axis in axes and axes[axis].params <= known.keys() else extent
                for axis, extent in enumerate(port.shape))
        return shapes

    def state(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of what a state holds."""
        i = self._state(name)
        port = self.states[i]
        return np.frombuffer(self._ready().state(i, None), NUMPY[port.dtype]).reshape(port.shape).copy()

    def set_state(self, name: str, value: Any) -> None:
        """What a state is to hold from now on."""
        i = self._state(name)
        memory = _conform(look(value, name, dtype=self.states[i].dtype), self.states[i], "state")
        self._ready().state(i, _viewed(memory).tobytes())

    def _state(self, name: str) -> int:
        for i, port in enumerate(self.states):
            if port.name == name:
                return i
        raise refuse("Missing", "no state is named '%s'%s" % (name, _there_are(name, (s.name for s in self.states))))

    def reset(self) -> None:
        """States to zeros."""
        self._ready().reset()

    def close(self) -> None:
        """It cannot be used any more, and is freed when no run of it is under way and no tree of it is left.  It also
        goes with its last reference."""
        with self._lock:
            self._closed = True
            self._runner = self._elsewhere = None
            self._handle = Handle(self._graph.context, 0, None)

    # -- what it is --

    def _open(self) -> Handle:
        if self._closed:
            raise refuse("Invalid", "the program is closed")
        return self._handle

    def dump(self, kind: str, kernel: int | None = None) -> Text:
        """The text of lt-run --dump=KIND: graph, tree, access, frozen, source, plan, explain, asm, kernel, stats; of
        all, or of one kernel by its number."""
        if kind not in _SHOW:
            raise refuse("Invalid", "there is no dump '%s'%s; there are %s" % (kind, _nearest(kind, _SHOW),
                                                                              ", ".join(_SHOW)))
        p = self._open()
        if kernel is None:
            return Text(p.context.text("lt_program_dump", p.at, _SHOW[kind]))
        return Text(p.context.text("lt_program_kernel_dump", p.at, kernel, _SHOW[kind]))

    def source(self) -> Text:
        """The kernels as their backends compile them."""
        return self.dump("source")

    def graph(self) -> Text:
        """The graph after the passes, as text."""
        return self.dump("graph")

    def tree(self) -> Tree:
        """The loop tree that it was compiled by."""
        p = self._open()
        at = function("lt_program_tree")(p.at)
        return Tree(made(p.context, "lt_looptree_apply", "lt_looptree_free", at, b"", 0, None, 0, None, None, of=p,
                         out=-2),
                    self)

    def with_tree(self, tree: Tree | str) -> Program:
        """The same graph compiled by another tree: one of this program's, changed, or a text."""
        if not isinstance(tree, (str, Tree)):
            raise refuse("Mismatch", "with_tree takes a tree of this program or the text of one, not a %s"
                         % type(tree).__name__)
        if isinstance(tree, Tree) and tree._handle.context is not self._open().context:
            raise refuse("Invalid", "the tree is of another program; give its text: with_tree(str(tree))")
        # What this program's own tree was made by is in the new one.
        made_by = {"schedule": tree, "tree": None} if isinstance(tree, str) else {"schedule": None, "tree": tree}
        program = self._remake(**made_by, apply=None)
        program._bind_as(self)
        return program

    def _bind_as(self, other: Program) -> None:
        names = {c.name for c in self.constants}
        for name, memory in other._given.items():
            if name in names:
                self.bind(name, memory)

    def explain(self) -> Explained:
        """Which backend takes each kernel, and why others refused it."""
        return Explained(self._open())

    def kernels(self) -> Kernels:
        """A row for each kernel, which has its source, its instructions and other texts."""
        return Kernels(self.dump, self.explain())

    def verify(self, /, *unnamed: Any, progress: Callable[[str, float], None] | None = None,
               **inputs: Any) -> Verified:
        """One run judged by an evaluator that knows neither passes nor trees (lt-run --verify).  progress: called with
        what it does and the share that is done, instead of a bar."""
        if unnamed:
            raise self._by_name("p.verify(%s)")
        self._refuse_others(inputs, ("progress",))
        _refuse_uncalled("progress", progress)
        with shown("verifying", progress) as told:
            return self._verified(told, inputs)

    def _verified(self, told: Callable[..., object] | None, inputs: Mapping[str, Any]) -> Verified:
        p, runner = self._open(), self._ready()
        memories, (_, results) = self._filled(inputs), self._room()
        options = sized("lt_verify_options")
        user = (told, p.context.raised)
        options.progress, options.user = _core.on_verify, id(user)
        verifier = made(p.context, "lt_verifier_new", "lt_verifier_free", self._graph.at, p.at, None,
                        ctypes.addressof(options), of=(p, self._graph, user, options))
        with _borrowed(runner, user) as run:
            p.context.call("lt_verifier_run", verifier.at, run, *map(_pointers, (_addresses(memories),
                                                                                _addresses(results))))
        return Verified(verifier)

    def time(self, /, samples: int = 0, repeat: int = 1, **inputs: Any) -> Times:
        """How long runs take; samples 0: as many as take half a second."""
        for name, count in (("samples", samples), ("repeat", repeat)):
            if not isinstance(count, int) or not 0 <= count < 2 ** 31:
                raise refuse("Mismatch", "%s is a whole number, and inputs are given by name: p.time(samples=9, "
                             "x=...); not a %s" % (name, type(count).__name__ if not isinstance(count, int) else count))
        self._refuse_others(inputs, ("samples", "repeat"))
        runner, raised = self._ready(), list[BaseException]()
        memories, (_, results) = self._filled(inputs), self._room()
        options = sized("lt_time_options", n_sample=samples, repeat=repeat)
        how = sized("lt_run")
        lent = _pointers(_addresses(memories)), _pointers(_addresses(results))
        how.input, how.result = (ctypes.addressof(a) for a in lent)
        out = ctypes.c_void_p()
        with shown("timing", adapted=counted) as told:
            user = (told, raised)
            options.progress, options.user = _core.on_time, id(user)
            with _borrowed(runner, user) as run:
                status = function("lt_instance_time")(run, ctypes.addressof(how), ctypes.addressof(options),
                                                      ctypes.addressof(out))
                if raised:
                    raise raised[0]
                _native._fail(status, function("lt_instance_message")(run).decode("utf-8", "backslashreplace"))
        return Times(out.value or 0)

    def profile(self, /, **inputs: Any) -> Profile:
        """What the steps of a run take: of a program made anew with that option."""
        program = self._remake(profile=1)
        program._bind_as(self)
        runner = program._ready()
        memories, (_, results) = program._filled(inputs), program._room()
        runner.run_at(_addresses(memories), _addresses(results), 0, 1)
        run = runner.borrow()
        try:
            out = ctypes.c_void_p()
            _native._fail(function("lt_instance_profile")(run, ctypes.addressof(out)),
                          function("lt_instance_message")(run).decode("utf-8", "backslashreplace"))
            return Profile(out.value or 0)
        finally:
            runner.give_back(run)

    def _filled(self, inputs: Mapping[str, Any]) -> list[Memory | None]:
        """The inputs; those that are not given are random numbers from a fixed seed, integers 0."""
        given = dict(inputs)
        random = np.random.default_rng(1)
        for port in self.inputs:
            if port.needed and port.name not in given and port.name not in self._sources.values():
                array = np.zeros(port.shape, NUMPY[port.dtype])
                if port.dtype[0] == "f" or port.dtype == "bf16" and array.dtype != np.uint16:
                    array[...] = random.uniform(-1, 1, port.shape)
                given[port.name] = array
        return self._taken(given)

    def stats(self) -> dict[str, int]:
        """Numbers of the program and its runs (struct lt_stats)."""
        stats = sized("lt_stats")
        function("lt_program_stats")(self._open().at, ctypes.addressof(stats))
        return as_dict(stats)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise refuse("Unsupported", "a program is of this process, and is neither pickled nor copied; compile its "
                     "source where it is wanted, schedule=str(p.tree()) for the same loops")

    def __repr__(self) -> str:
        return "<looptree.Program (%s) -> (%s)>" % (", ".join(map(repr, self.inputs)),
                                                   ", ".join(map(repr, self.results)))


@contextlib.contextmanager
def _borrowed(runner: Any, user: tuple[Any, list[BaseException]]) -> Iterator[int]:
    """An instance of the runner's, for a call that runs it, which ends where Ctrl-C or a callback raises."""
    run = runner.borrow()
    function("lt_instance_cancel")(run, _core.is_cancelled, id(user))
    try:
        yield run
    finally:
        function("lt_instance_cancel")(run, None, None)
        runner.give_back(run)


def _addresses(of: Iterable[Any]) -> tuple[int, ...]:
    return tuple(0 if m is None else m.address if isinstance(m, Memory) else m.__array_interface__["data"][0]
                 for m in of)


def _pointers(addresses: tuple[int, ...]) -> Any:
    return (ctypes.c_void_p * max(1, len(addresses)))(*addresses)


class _Limit:
    """What an extent is in a run: a sum of run-time scalars (struct lt_open_axis)."""

    def __init__(self, axis: Any, names: list[str]):
        self.text: str = axis.text.decode("utf-8", "backslashreplace")
        self.least: int = axis.least
        self.most: int = axis.most
        self.constant: int = axis.constant
        self.factor: dict[str, int] = {names[term.scalar]: term.factor
                                       for term in each_of(axis.terms, "lt_extent_term")}
        self.params = self.factor.keys()
        only = not self.constant and list(self.factor.values()) == [1]
        self.param = next(iter(self.factor)) if only else None

    def at(self, known: Mapping[str, int]) -> int:
        return max(0, self.constant + sum(factor * known[param] for param, factor in self.factor.items()))


def _padded(memory: Memory, port: Port) -> Memory:
    """At the places of an array of the greatest extents; what is beyond the run's is not read."""
    tell_copy("input '%s'" % port.name, "memory is laid out for the greatest extents, [%s]"
              % ", ".join(map(str, port.shape)))
    if memory.device != HOST or memory.dtype != port.dtype:
        return _conform(memory, port, "input")
    whole = np.zeros(port.shape, NUMPY[port.dtype])
    whole[tuple(slice(extent) for extent in memory.shape)] = _viewed(memory)
    return look(whole, port.name)


def _conform(memory: Memory, port: Port, what: str, device: str = HOST, run: tuple[int, ...] | None = None) -> Memory:
    """Memory as the program takes it, or a refusal.  run: its shape in this run, where that may be another one."""
    if memory.device.split(":")[0] != device and device == HOST:
        raise refuse("Mismatch", "%s '%s' is on %s, and this program takes it on the host"
                     % (what, port.name, memory.device))
    if memory.device == HOST and device != HOST:
        raise refuse("Mismatch", "%s '%s' is on the host, and this program takes it on a device" % (what, port.name))
    bits = memory.dtype == "u16" and port.dtype == "bf16" and NUMPY["bf16"] == np.uint16
    if memory.dtype != port.dtype and not bits:
        raise refuse("Mismatch", "%s '%s' is %s, and %s is asked for" % (what, port.name, memory.dtype, port.dtype))
    if memory.shape != port.shape:
        now = "" if run in (None, port.shape) else ", in this run [%s]," % ", ".join(map(str, run or ()))
        raise refuse("Mismatch", "%s '%s' is [%s], and [%s]%s is asked for" % (
            what, port.name, ", ".join(map(str, memory.shape)), ", ".join(port.axes), now))
    if device != HOST or memory.dense() and memory.address % NUMPY[port.dtype].itemsize == 0:
        return memory
    tell_copy("%s '%s'" % (what, port.name), "its elements do not lie side by side, the last axis innermost")
    return _copied(memory)


def _copied(memory: Memory) -> Memory:
    copy = np.array(_viewed(memory), order="C", copy=True)
    return memory._replace(address=copy.__array_interface__["data"][0], strides=None, keeper=copy)


def _span(m: Memory) -> tuple[int, int]:
    """From its first byte to behind its last; nothing: an empty one."""
    item = NUMPY[m.dtype].itemsize
    if m.strides is None or 0 in m.shape:
        return m.address, m.address + math.prod(m.shape) * item
    steps = [(n - 1) * s * item for n, s in zip(m.shape, m.strides)]
    return m.address + sum(s for s in steps if s < 0), m.address + sum(s for s in steps if s > 0) + item


def _share(a: Memory, b: Memory) -> bool:
    """Whether two have a byte in common: that of the one lies between the other's first and last."""
    (a0, a1), (b0, b1) = _span(a), _span(b)
    return a.device == b.device and a0 < b1 and b0 < a1 and a0 < a1 and b0 < b1


class _Viewed:
    def __init__(self, memory: Memory):
        size = NUMPY[memory.dtype].itemsize
        kind = NUMPY[memory.dtype]
        self.__array_interface__ = {"version": 3, "shape": memory.shape, "data": (memory.address, True),
                                    "typestr": kind.str if kind.kind in "iufb" else "|V%d" % size,
                                    "strides": memory.strides and tuple(s * size for s in memory.strides)}
        self.memory = memory


def _viewed(memory: Memory) -> np.ndarray[Any, Any]:
    """The host's memory as an array."""
    if 0 in memory.shape:
        return np.empty(memory.shape, NUMPY[memory.dtype])
    array = np.asarray(_Viewed(memory))
    return array if array.dtype.kind != "V" else array.view(NUMPY[memory.dtype])


def _apart(memories: list[Memory | None], ports: list[Port]) -> list[Memory | None]:
    """Inputs that share bytes: one of them is copied."""
    for i, memory in enumerate(memories):
        if memory is not None and any(other is not None and _share(memory, other) for other in memories[:i]):
            tell_copy("input '%s'" % ports[i].name, "it shares memory with another input")
            memories[i] = _copied(memory)
    return memories


# ---- compiling ----

def _refuse_uncalled(name: str, callback: Any) -> None:
    if callback is not None and not callable(callback):
        raise refuse("Mismatch", "%s is a function, not %r%s" % (name, callback, "; whether a bar is shown is said by "
                     "lt.options(progress=...)" * (name == "progress")))


def _of_torch(source: Any) -> bool:
    """A module, TorchScript or an exported program: of a class of PyTorch's, which is imported by whoever has one."""
    return any(kind.__module__.partition(".")[0] == "torch" for kind in type(source).__mro__)


def compile(source: Any, example: Any = None, *, folder: str | os.PathLike[str] | None = None,
            backend: str | None = None, threads: int = 0,
            schedule: str | Tree | os.PathLike[str] | None = None,
            apply: str | None = None, dims: Mapping[str, int | str] | None = None,
            weights: Mapping[str, Any] | str | os.PathLike[str] | None = None,
            fixed: Mapping[str, Any] | None = None, kernels: str | os.PathLike[str] | None = None,
            frontend: str | None = None, cache: str | os.PathLike[str] | None = None,
            progress: Callable[[int, int], None] | None = None, log: Callable[[int, str], None] | None = None,
            **more: Any) -> Program:
    """A source made into a Program.

    source: a text (script or graph), bytes, a path (script, graph, model of ONNX, program of
    SeeDot, checkpoint of llama2.c), a ModelProto of onnx, a lazy array, a module of PyTorch with an example of its
    arguments (looptree.torch).  folder: where the files of a source of bytes are, such as external data of a model of
    ONNX; of a path its own.
    backend: as lt-run -b, "llvm,cpu"; threads: 0: as many as there are processors;
    schedule: a tree, the text of one or of a list of primitives, or such a file (pathlib.Path);
    apply: primitives on the default tree, "split m 6; unroll m'";
    dims: extents of symbolic dimensions, {"batch": 8} or {"batch": "1..64"}; weights: constants by name, or a file
    (.npz, .safetensors); fixed: inputs that are constants of the model; kernels: a folder of operations of one's own;
    cache: a folder for compiled code; progress: called with kernels that are done and their number, instead of a bar
    (options); log: called with a level and a line of the backends'.  more: members of struct lt_options.
    """
    _refuse_uncalled("progress", progress)
    _refuse_uncalled("log", log)
    if isinstance(schedule, str) and "\n" not in schedule and "\0" not in schedule and os.path.isfile(schedule):
        raise refuse("Mismatch", "schedule is a tree or a text; of a file: schedule=pathlib.Path(%r)" % schedule)
    if isinstance(schedule, os.PathLike):
        schedule = _read(schedule).decode()
    elif isinstance(schedule, Tree):
        schedule = str(schedule)
    for name, given, of in (("dims", dims, "extents"), ("fixed", fixed, "arrays"), ("weights", weights, "arrays")):
        if given is not None and not isinstance(given, Mapping) and not (
                name == "weights" and isinstance(given, (str, os.PathLike))):
            raise refuse("Mismatch", "%s is a dict of %s by name%s, not a %s" % (
                name, of, ", or a file of them" * (name == "weights"), type(given).__name__))
    if _of_torch(source):
        from .torch import compile as compile_module
        return compile_module(source, example, backend=backend, threads=threads, schedule=schedule, apply=apply,
                              dims=dims, weights=weights, fixed=fixed, kernels=kernels, cache=cache,
                              progress=progress, log=log, **more).program
    if example is not None:
        raise refuse("Invalid", "an example of arguments is for modules of PyTorch (torch.jit.load gives one), "
                     "not for a %s"
                     % type(source).__name__)
    text, file, own_folder = _source(source)
    folder = folder or own_folder
    load_backends()
    context = Context()
    options = sized("lt_parse_options")
    words = [_native.word("%s=%s" % item, "a dimension") for item in (dims or {}).items()]
    named = (ctypes.c_char_p * max(1, len(words)))(*words)
    options.dim, options.n_dim = ctypes.addressof(named), len(words)
    lent: list[Any] = [named]
    fixes = (_native.struct("lt_fixed") * max(1, len(fixed or {})))()
    for fix, (name, value) in zip(fixes, (fixed or {}).items()):
        memory = look(np.array(value, order="C", copy=True), name)
        shape = (ctypes.c_int64 * max(1, len(memory.shape)))(*memory.shape)
        fix.name, fix.dtype, fix.rank = _native.word(name, "a name"), NUMBER_OF[memory.dtype], len(memory.shape)
        fix.shape, fix.data = ctypes.addressof(shape), memory.address
        lent += [memory, shape]
    options.fixed, options.n_fixed = ctypes.addressof(fixes), len(fixed or {})
    options.folder = None if folder is None else _native.word(folder, "a path")
    options.kernels = None if kernels is None else _native.word(kernels, "a path")
    graph = made(context, "lt_parse_with", "lt_graph_free", context.at, text, len(text), _native.word(file, "a path"),
                 None if frontend is None else _native.word(frontend, "a front end"), ctypes.addressof(options))
    asked: dict[str, Any] = {"backends": backend, "n_thread": threads, "schedule": schedule, "apply": apply,
                             "kernels": kernels, "cache_dir": cache, **more}
    program = _compiled(graph, asked, progress, log)
    bound = read_weights(weights) if isinstance(weights, (str, os.PathLike)) else weights or {}
    for name, value in bound.items():
        program.bind(name, value)
    return program


# Options that are called otherwise here.
_SAID = {"backends": "backend", "n_thread": "threads", "cache_dir": "cache"}


def _compiled(graph: Handle, asked: dict[str, Any], progress: Any, log: Any) -> Program:
    context = graph.context
    options = sized("lt_options")
    kinds = dict(options._fields_)
    tree = asked.get("tree")
    for name, value in asked.items():
        if name == "tree" or value is None:
            continue
        if kinds.get(name) not in (ctypes.c_char_p, ctypes.c_uint32) or name == "size":
            raise refuse("Invalid", "compile has no option '%s'%s" % (name, _nearest(name, (
                *kinds, *_SAID.values(), *(compile.__kwdefaults__ or {})))))
        if kinds[name] is ctypes.c_char_p:
            setattr(options, name, _native.word(value, "option %s" % _SAID.get(name, name)))
        elif isinstance(value, int) and 0 <= value < 2 ** 32:
            setattr(options, name, value)
        else:
            raise refuse("Mismatch", "option %s is a whole number of at least 0 and below 2**32, not %r"
                         % (_SAID.get(name, name), value))
    # Kept with the program's handle: its backends log as long as it lives, and when it is freed.
    logged: list[BaseException] = []
    with shown("compiling", progress, counted) as told:
        user = ((told, context.raised), (log, logged))
        options.user, options.progress, options.log = id(user), _core.on_progress, _core.on_log
        options.cancelled = _core.is_compile_cancelled
        if tree is None:
            handle = made(context, "lt_compile", "lt_program_free", context.at, graph.at, ctypes.addressof(options),
                          of=(graph, user))
        else:
            handle = made(context, "lt_compile_tree", "lt_program_free", context.at, graph.at, tree._handle.at,
                          ctypes.addressof(options), of=(graph, user))

    def again(**changes: Any) -> Program:
        return _compiled(graph, {**asked, **changes}, progress, log)
    program = Program(graph, handle, again)
    number = re.search(r"\bdevice=(\d+)", asked.get("backends") or "")
    program._device = int(number[1]) if number else 0
    return program


# ---- backends ----

_loaded = False
_loading = threading.Lock()


def load_backends() -> None:
    """The backends that came with the package, once."""
    global _loaded
    with _loading:
        if _loaded:
            return
        _loaded = True
        here = os.path.dirname(os.path.abspath(__file__))
        for folder in (os.path.join(here, "lib", "backends"), os.path.join(here, "..", "..", "backends")):
            if os.path.isdir(folder):
                for name in sorted(os.listdir(folder)):
                    if name.endswith(".so"):
                        try:
                            _load(os.path.join(folder, name))
                        except Error as error:
                            warnings.warn("the backend %s of this package is not there: %s" % (name, error),
                                          stacklevel=3)
                return


def load_backend(path: str | os.PathLike[str]) -> None:
    """A third party's plug-in; compile(backend=its name) uses it from now on."""
    load_backends()
    _load(os.fspath(path))


def _load(path: str) -> None:
    context = Context()
    context.call("lt_backend_load_file", context.at, _native.word(path, "a path"))


def backends() -> Backends:
    """Each backend: name, summary, usable, reason, devices, options (include/lt/backends.h)."""
    load_backends()
    context = Context()
    return Backends(made(context, "lt_backend_ask", "lt_backend_facts_free", context.at, function("lt_backend_name")(i),
                         None) for i in range(function("lt_backend_count")()))
