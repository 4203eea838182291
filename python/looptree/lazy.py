"""Lazy arrays with named dims: expressions that are compiled when they are asked for.

    m, k, n = lt.dims("m k n")
    a, b = lt.array(x), lt.array(y)
    c = (a[m, k] * b[k, n]).sum(k)          # nothing is computed yet
    c.numpy()                               # or numpy.asarray(c)
    c.tree                                  # its loops; c.with_tree(c.tree.split("m", 8)) runs by others

An array has axes; indexing gives them names, and from there on it is dims that meet, not positions.  x[m] with a dim
alone says that m has the axis's size.  Index arithmetic, x[i + 1], x[2*i + j], i + 0 too, reads elements of the axis,
and a dim that nothing else gives a size is as large as its indices let it be.

Arrays whose axes have no names are numpy's: lt.array(x)[1:, ::2] @ lt.array(y) + 1 slices, broadcasts and multiplies by
position.  Such an axis is a dim of its own (Axis), so that one kind of expression does for both.

A dim is bound where it is reduced, and an expression that is indexed is closed: its dims are its own, and may be called
as the dims outside.  A size is a fact of one such scope, in which it has to be the same everywhere.
"""
from __future__ import annotations

import ctypes
import inspect
import operator as _operator
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from . import _native
from ._errors import CLASSES, refuse
from ._memory import NUMBER_OF, NUMPY, dtype_name, look
from ._native import Context, function, made, values
from ._program import Program, _compiled, load_backends
from ._tree import Tree

_OMIT, _NONE = values["LT_OMIT"], values["LT_NONE"]
_KINDS = ("LT_KIND_FLOAT", "LT_KIND_INT", "LT_KIND_BOOL")
_OPERATORS = {row["name"]: row for row in _native.rows("operator") if not row["moves_data"]}
_BOOL, _I64 = np.dtype("?"), np.dtype("i8")

# What numpy calls by another name than the table of operators.
_OF_NUMPY = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "floor_divide": "div", "remainder": "mod", "power": "pow",
    "minimum": "min", "maximum": "max", "equal": "eq", "not_equal": "ne", "less_equal": "lessequal",
    "greater_equal": "greaterequal", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
    "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "left_shift": "shl", "right_shift": "shr",
    "logical_not": "not", "negative": "neg", "absolute": "abs", "rint": "round",
}


_MOST_INT = 2 ** 62 - 1                         # what the rows of a graph hold (lt/graph.h)
_SHAPES = 16                                    # of open inputs, whose programs an expression keeps at hand


# ---- dims and indices ----

class Index:
    """A whole number that depends on dims: plus + the sum of factor * term, a term a Dim or a Part."""
    __slots__ = ("terms", "plus")

    def __init__(self, terms: Mapping[Term, int], plus: int):
        self.terms, self.plus = {t: factor for t, factor in terms.items() if factor}, plus

    def _index(self) -> Index:
        return self

    def __add__(self, other: Any) -> Index:
        if isinstance(other, (Lazy, Array)):
            return NotImplemented
        a, b = self._index(), _index_of(other)
        terms = dict(a.terms)
        for term, factor in b.terms.items():
            terms[term] = terms.get(term, 0) + factor
        return Index(terms, a.plus + b.plus)

    def __mul__(self, other: Any) -> Index:
        if isinstance(other, (Lazy, Array)):
            return NotImplemented
        a, b = self._index(), _index_of(other)
        if a.terms and b.terms:
            raise refuse("Invalid", "an index is a sum of dims times whole numbers, and %s * %s is a product of dims; "
                         "read a table of such numbers" % (a, b))
        if b.terms:
            a, b = b, a
        return Index({term: factor * b.plus for term, factor in a.terms.items()}, a.plus * b.plus)

    def __sub__(self, other: Any) -> Index:
        if isinstance(other, (Lazy, Array)):
            return NotImplemented
        return self + _index_of(other) * -1

    def __rsub__(self, other: Any) -> Index:
        return _index_of(other) - self

    def __neg__(self) -> Index:
        return self * -1

    def __floordiv__(self, other: Any) -> Index:
        return Index({Part("floor", self._index(), _divisor(other)): 1}, 0)

    def __mod__(self, other: Any) -> Index:
        return Index({Part("mod", self._index(), _divisor(other)): 1}, 0)

    __radd__, __rmul__ = __add__, __mul__

    def __str__(self) -> str:
        words = ["%s%s" % ({1: "", -1: "-"}.get(f, "%d*" % f), t) for t, f in self.terms.items()]
        if self.plus or not words:
            words.append(str(self.plus))
        return " + ".join(words).replace("+ -", "- ")

    __repr__ = __str__


class Dim(Index):
    """A named dim.  size: None where arrays say it."""
    __slots__ = ("name", "size")

    def __init__(self, name: str, size: int | None = None):
        if not isinstance(name, str) or not name.isidentifier():
            raise refuse("Invalid", "a dim's name is letters, digits and _, and %r is not" % (name,))
        if size is not None and not 1 <= _whole(size, "the size of dim %s" % name) <= _MOST_INT:
            raise refuse("Invalid", "dim %s has size %d; it is from 1 to %d" % (name, size, _MOST_INT))
        self.name, self.size = name, None if size is None else int(size)
        super().__init__({self: 1}, 0)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


class Axis(Dim):
    """An axis without a name, which meets others by its position.  Its size is always known."""
    __slots__ = ()


def _axes(shape: Iterable[int]) -> tuple[Axis, ...]:
    return tuple(Axis("d%d" % i, extent) for i, extent in enumerate(shape))


class Part:
    """The floor of an index over a number, or what is left of it."""
    __slots__ = ("kind", "of", "by")

    def __init__(self, kind: str, of: Index, by: int):
        self.kind, self.of, self.by = kind, of, by

    def __str__(self) -> str:
        return "((%s) %s %d)" % (self.of, "//" if self.kind == "floor" else "%", self.by)


Term = Union[Dim, Part]


def dim(name: str, size: int | None = None) -> Dim:
    """One dim; size: None: arrays say it."""
    return Dim(name, size)


def dims(names: str, **sizes: int) -> tuple[Dim, ...]:
    """Dims by their names: m, k = lt.dims("m k"); dims("i j", i=3) gives i its size."""
    if not isinstance(names, str):
        raise refuse("Mismatch", "dims takes a text of names, \"m k\", not a %s" % type(names).__name__)
    said = names.replace(",", " ").split()
    for i, name in enumerate(said):
        if name in said[:i]:
            raise refuse("Exists", "dims(%r) names '%s' twice" % (names, name))
    found = tuple(Dim(name, sizes.pop(name, None)) for name in said)
    if sizes:
        raise refuse("Missing", "dims(%r) has no dim '%s'" % (names, next(iter(sizes))))
    return found


def _whole(value: Any, what: str) -> int:
    try:
        return _operator.index(value)
    except TypeError:
        raise refuse("Mismatch", "%s is a whole number, not %r (%s)" % (what, value, type(value).__name__)) from None


def _divisor(value: Any) -> int:
    by = _whole(value, "what an index is divided by")
    if by < 1:
        raise refuse("Invalid", "an index is divided by a number from 1 on, not by %d" % by)
    return by


def _index_of(value: Any) -> Index:
    if isinstance(value, Index):
        return value._index()
    return Index({}, _whole(value, "a number in an index"))


def _dims_of(index: Index) -> Iterable[Dim]:
    for term in index.terms:
        if isinstance(term, Dim):
            yield term
        else:
            yield from _dims_of(term.of)


def _range(index: Index, size: Callable[[Dim], int]) -> tuple[int, int]:
    """The least and the greatest that it can be, each term for itself."""
    low = high = index.plus
    for term, factor in index.terms.items():
        if isinstance(term, Dim):
            ends = (0, size(term) - 1)
        else:
            ends = _range(term.of, size)
            if term.kind == "floor" or ends[0] // term.by == ends[1] // term.by:
                whole = ends[0] // term.by
                ends = (whole, ends[1] // term.by) if term.kind == "floor" else (
                    ends[0] - whole * term.by, ends[1] - whole * term.by)
            else:
                ends = (0, term.by - 1)
        low += min(factor * ends[0], factor * ends[1])
        high += max(factor * ends[0], factor * ends[1])
    return low, high


# ---- arrays and expressions ----

class _Operators(np.lib.mixins.NDArrayOperatorsMixin):
    """What arrays and expressions have of numpy."""
    __slots__ = ()
    __hash__ = object.__hash__

    def __getitem__(self, indices: Any) -> Lazy:
        return _indexed(self, indices, None)

    def at(self, *indices: Any, fill: Any) -> Lazy:
        """As self[indices], but `fill` where an index leaves its axis: x.at(i - 1, fill=0)."""
        return _indexed(self, indices, fill)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        if method == "reduce" and ufunc.__name__ in _REDUCED:
            return _asked_of(ufunc, _method(_REDUCED[ufunc.__name__]), inputs, {"axis": 0, **more})
        if method != "__call__" or more:
            what = ", ".join(sorted(more)) if method == "__call__" else "." + method
            raise refuse("Unsupported", "numpy.%s of a lazy array takes no %s" % (ufunc.__name__, what))
        return _applied(ufunc, inputs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        own = _FUNCTIONS.get(func)
        if own is None:
            raise refuse("Unsupported", "there is no lazy %s.%s; numpy.asarray() evaluates an array, or write it by "
                         "dims" % (func.__module__, func.__name__))
        return _asked_of(func, own, args, kwargs)


def _asked_of(func: Any, own: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What stands for a function of numpy, with arguments that it may not have."""
    try:
        inspect.signature(own).bind(*args, **kwargs)
    except TypeError as error:
        raise refuse("Unsupported", "the lazy numpy.%s: %s" % (func.__name__, error)) from None
    return own(*args, **kwargs)


class Array(_Operators):
    """An array whose axes have no names: a[m, k] gives them.  Made by array(), constant() and input().

    Without names it is what numpy's arrays are: slices, operators, functions and the methods of Lazy go by position.
    """
    __slots__ = ("name", "dtype", "value", "fixed", "shape", "_all", "__weakref__")

    def __init__(self, name: str | None, dtype: np.dtype[Any], value: Any, shape: tuple[int, ...] | None, fixed: bool):
        self.name, self.dtype, self.value, self.shape, self.fixed = name, dtype, value, shape, fixed
        self._all: Lazy | None = None

    def __iter__(self) -> Any:
        raise refuse("Mismatch", "an array is not gone through; index it by dims: %s[i]" % (self.name or "a"))

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> Lazy:
        """All of it as an expression; always the same, so that its axes are."""
        if self._all is None:
            over = _axes(_extents(self))
            self._all = Lazy("view", (), over, self.dtype, ((_Piece(self, over, None),), None, None))
        return self._all

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._whole(), name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._whole().__array__(dtype, copy)

    def __float__(self) -> float:
        return float(self._whole())

    def __int__(self) -> int:
        return int(self._whole())

    def __bool__(self) -> bool:
        return bool(self._whole())

    def __repr__(self) -> str:
        shape = "" if self.shape is None else list(self.shape)
        return "<looptree.Array %s %s%s>" % (self.name or "", self.dtype, shape)


def _extents(of: Any) -> tuple[int, ...]:
    """The sizes of the axes of an array or an expression, where they have to be known."""
    shape = of.shape
    if shape is None:
        raise refuse("Missing", "the axes of input '%s' are open; name them, %s[i, j], or say its shape: "
                     "lt.input('%s', '%s', shape=(...))" % (of.name, of.name, of.name, of.dtype))
    return tuple(shape)


def _called(name: Any) -> str:
    if not isinstance(name, str) or not name or "\0" in name:
        raise refuse("Invalid", "an array's name is a text of at least one letter, without NUL, and not %r" % (name,))
    return name


def array(value: Any, *dims: Any, name: str | None = None) -> Any:
    """An array (numpy, DLPack, a list) as a lazy one: what it holds when an expression is evaluated counts.

    With dims, array(x, m, k), the same as array(x)[m, k].  name: of the input in graphs and trees.
    """
    return _array(value, dims, name, False)


def constant(value: Any, *dims: Any, name: str | None = None) -> Any:
    """As array(), but its content does not change: weights, which are packed once."""
    return _array(value, dims, name, True)


def _array(value: Any, dims: tuple[Any, ...], name: str | None, fixed: bool) -> Any:
    if isinstance(value, (Lazy, Array)):
        raise refuse("Mismatch", "it is a lazy array already")
    if isinstance(value, (list, tuple, int, float)):
        try:
            value = np.asarray(value)
        except ValueError as error:
            raise refuse("Mismatch", "%s is no array: %s" % (name or "the array", error)) from None
    memory = look(value, name or "the array")
    if fixed and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if 0 in memory.shape:
        raise refuse("Invalid", "%s has no elements: [%s]" % (name or "the array", ", ".join(map(str, memory.shape))))
    made_of = Array(None if name is None else _called(name), NUMPY[memory.dtype], value, memory.shape, fixed)
    return made_of[dims] if dims else made_of


def _dtype(dtype: Any) -> np.dtype[Any]:
    """By numpy's names, of which "i8" is int64."""
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError as error:
        raise refuse("Mismatch", "numpy has no type %r: %s" % (dtype, error)) from None
    if dtype_name(kind) is None:
        raise refuse("Mismatch", "Looptree has no elements of type %s" % kind)
    return kind


def input(name: str, dtype: Any = "float32", *dims: Any, shape: Iterable[int] | None = None) -> Any:
    """An array that is given when an expression is evaluated, c.numpy(x=...).

    dtype: numpy's, which the array has to have.  shape: None: that of the array which is given.
    """
    asked = None if shape is None else tuple(_whole(extent, "an extent of input '%s'" % name) for extent in shape)
    if asked is not None and min(asked, default=1) < 1:
        raise refuse("Invalid", "input '%s' has no elements: %s" % (name, list(asked)))
    made_of = Array(_called(name), _dtype(dtype), None, asked, False)
    return made_of[dims] if dims else made_of


class _Piece(NamedTuple):
    """Elements of a source, which is a scope of its own.  stacked: the axis at which pieces follow each other; its
    index counts from where this piece begins."""
    source: Lazy | Array
    indices: tuple[Any, ...]                    # Index; a Lazy of whole numbers
    stacked: int | None


class Lazy(_Operators):
    """An expression: an element for each position of its dims.

    dims: in the order of the axes of what it evaluates to; dtype: numpy's.  Operators and functions of numpy that the
    library has give further ones, by numpy's rules of types; operands meet by dim, and one without a dim of the other
    is constant along it.  Where axes have no names, operands meet by position and are broadcast, as in numpy.
    """
    __slots__ = ("_op", "_operands", "_info", "_options", "_programs", "dims", "dtype", "__weakref__")

    def __init__(self, op: str, operands: Sequence[Lazy], dims: Sequence[Dim], dtype: np.dtype[Any], info: Any = None):
        self._op, self._operands, self._info = op, tuple(operands), info
        self.dims, self.dtype = tuple(dims), dtype
        self._options: dict[str, Any] = {}
        self._programs: dict[Any, tuple[Program, dict[str, Any]]] = {}

    # -- numbers --

    def numpy(self, /, **inputs: Any) -> Any:
        """What it is, as an array; inputs: those made by input(), by name."""
        program, lent = self._ready(inputs)
        return program(**lent, **inputs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if copy is False:
            raise ValueError("a lazy array is computed when numpy asks for it, which is a copy")
        found = np.asarray(self.numpy())
        return found if dtype is None else found.astype(dtype, copy=False)

    def __deepcopy__(self, memo: Any) -> Lazy:
        return self                             # it is a value: nothing changes it

    def __reduce__(self) -> Any:
        raise refuse("Unsupported", "a lazy array is not pickled; numpy.asarray() evaluates it")

    def __float__(self) -> float:
        return float(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __bool__(self) -> bool:
        return bool(self.numpy())

    # -- how it is computed --

    def program(self, /, **inputs: Any) -> Program:
        """The Program that computes it, for inputs of these shapes."""
        return self._ready(inputs)[0]

    @property
    def tree(self) -> Tree:
        """The loops that compute it.  Where inputs are open: program(x=...).tree()."""
        return self.program().tree()

    def with_tree(self, tree: Tree | str) -> Lazy:
        """The same expression, computed by another tree: one of its own that was changed, or a text."""
        found = self.with_options(schedule=str(tree))
        try:
            found.program()
        except CLASSES["Missing"]:
            if not _open(found):                # else it is seen when its inputs are
                raise
        return found

    def with_options(self, **options: Any) -> Lazy:
        """The same expression, compiled with options of compile(): backend="ref", threads=1."""
        found = Lazy(self._op, self._operands, self.dims, self.dtype, self._info)
        found._options = {**self._options, **options}
        return found

    def _ready(self, inputs: Mapping[str, Any]) -> tuple[Program, dict[str, Any]]:
        key = tuple((name, _shape_of(value)) for name, value in sorted(inputs.items())) if inputs else ()
        found = self._programs.get(key)
        if found is None:
            if len(self._programs) >= _SHAPES:
                self._programs.clear()
            found = self._programs[key] = _program_of((self,), inputs, self._options)
        return found

    def _looptree_text_(self) -> str:
        """As a source of compile(): the text of its graph."""
        builder = _Builder((self,), {})
        return builder.text()

    # -- axes --

    def __iter__(self) -> Any:
        raise refuse("Mismatch", "a lazy array is not gone through; numpy.asarray() evaluates it")

    def __len__(self) -> int:
        if not self.dims:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dims.  Where inputs leave them open: program(x=...).results[0].shape."""
        if self._unnamed():
            return tuple(d.size or 0 for d in self.dims)
        return _Builder((self,), {}).shape(self)

    def _unnamed(self) -> bool:
        return all(isinstance(d, Axis) for d in self.dims)

    def transpose(self, *dims: Any) -> Lazy:
        """Its dims, or the numbers of its axes, in this order; none: the other way round."""
        if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
            dims = tuple(dims[0])
        order = tuple(self._dim(d) for d in dims) if dims else self.dims[::-1]
        if sorted(map(id, order)) != sorted(map(id, self.dims)):
            raise refuse("Invalid", "transpose(%s) is not the dims of %s in an order" % (_names(order), self._what()))
        return Lazy("transpose", (self,), order, self.dtype)

    @property
    def T(self) -> Lazy:
        return self.transpose()

    def pad(self, dim: Dim, before: int, after: int | None = None, fill: Any = 0) -> Lazy:
        """`before` and `after` (None: as many) elements of `fill` around a dim, which is that much larger."""
        d = self._dim(dim)
        first = _whole(before, "how many elements are padded")
        last = first if after is None else _whole(after, "how many elements are padded")
        if first < 0 or last < 0:
            raise refuse("Invalid", "pad adds elements; %d before and %d after are not" % (first, last))
        to = d if not isinstance(d, Axis) else Axis(d.name, (d.size or 0) + first + last)
        piece = _Piece(self, tuple(to - first if e is d else e for e in self.dims), None)
        return Lazy("view", (), [to if e is d else e for e in self.dims], self.dtype,
                    ((piece,), _number(fill, self.dtype), (self.dims.index(d), first + last)))

    def reshape(self, *shape: Any) -> Lazy:
        """Its elements in another shape, of which one extent may be -1; the axes of what comes out have no names."""
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        own, asked = self.shape, [_whole(extent, "an extent") for extent in shape]
        known = _product(extent for extent in asked if extent != -1)
        if asked.count(-1) == 1 and known > 0:
            asked[asked.index(-1)] = _product(own) // known
        if min(asked, default=1) < 1 or _product(asked) != _product(own):
            raise refuse("Mismatch", "%s cannot have the shape %s" % (list(own), list(shape)))
        to = _axes(asked)
        return self._viewed(to, _reshaped(own, to))

    def _viewed(self, to: Sequence[Dim], indices: Sequence[Index]) -> Lazy:
        return Lazy("view", (), to, self.dtype, ((_Piece(self, tuple(indices), None),), None, None))

    # -- reductions --

    def sum(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The sum over these dims, or over all; in the type that numpy sums in."""
        return self._reduced("add", dims, axis, np.add, keepdims)

    def prod(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The product over these dims, or over all."""
        return self._reduced("mul", dims, axis, np.multiply, keepdims)

    def max(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The greatest over these dims, or over all; NaN where one is NaN."""
        return self._reduced("max", dims, axis, np.maximum, keepdims)

    def min(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The least over these dims, or over all; NaN where one is NaN."""
        return self._reduced("min", dims, axis, np.minimum, keepdims)

    def any(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """Whether one of these dims' elements is not 0."""
        return self.astype(bool).max(*dims, axis=axis, keepdims=keepdims)

    def all(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """Whether none of these dims' elements is 0."""
        return self.astype(bool).min(*dims, axis=axis, keepdims=keepdims)

    def mean(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The mean over these dims, or over all; of whole numbers in float64."""
        x = self if self.dtype.kind not in "iub" else self.astype("f8")
        over = x._over(dims, axis)
        count = Lazy("count", (), (), x.dtype, (x, over))
        return x.sum(*over, keepdims=keepdims) / count if over else x

    def var(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The mean of the squares of what is left when the mean is taken away."""
        rest = _applied(np.subtract, [self, self.mean(*dims, axis=axis, keepdims=self._unnamed())])
        over = [rest._dim(self.dims.index(d)) for d in self._over(dims, axis)]
        return _applied(np.square, [rest]).mean(*over, keepdims=keepdims)

    def std(self, *dims: Any, axis: Any = None, keepdims: bool = False) -> Lazy:
        """The root of var()."""
        return _applied(np.sqrt, [self.var(*dims, axis=axis, keepdims=keepdims)])

    def _over(self, dims: Sequence[Any], axis: Any) -> tuple[Dim, ...]:
        asked = tuple(dims)
        if axis is not None:
            asked += tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
        over = tuple(self._dim(d) for d in asked) if asked else self.dims
        if len(set(map(id, over))) != len(over):
            raise refuse("Invalid", "a dim is named twice: %s" % _names(over))
        return over

    def _reduced(self, op: str, dims: Sequence[Any], axis: Any, as_numpy: np.ufunc, keepdims: bool) -> Lazy:
        over = self._over(dims, axis)
        if keepdims and not self._unnamed():
            raise refuse("Unsupported", "keepdims is for axes without names; by name, an expression without %s is "
                         "constant along it" % _names(over))
        if not over:
            return self
        x = self.astype(as_numpy.reduce(np.ones(1, self.dtype)).dtype)
        _computes(op, x.dtype)
        found = Lazy("reduce", (x,), [d for d in x.dims if d not in over], x.dtype, (op, over))
        return found._viewed([Axis(d.name, 1) if d in over else d for d in x.dims], found.dims) if keepdims else found

    def _dim(self, dim: Any) -> Dim:
        """One of its dims, by itself or by the number of its axis."""
        if isinstance(dim, Dim):
            if any(d is dim for d in self.dims):
                return dim
        else:
            axis = _whole(dim, "an axis")
            if -len(self.dims) <= axis < len(self.dims):
                return self.dims[axis]
        raise refuse("Missing", "%s is no dim of %s" % (dim, self._what()))

    # -- elements --

    def astype(self, dtype: Any) -> Lazy:
        """Elements as another type: floats to whole numbers truncate and saturate, NaN gives 0."""
        kind = _dtype(dtype)
        return self if kind == self.dtype else Lazy("cast", (self,), self.dims, kind)

    def _what(self) -> str:
        if self.dims and self._unnamed():
            return "an array %s" % list(self.shape)
        return "an expression over (%s)" % _names(self.dims)

    def __repr__(self) -> str:
        if self.dims and self._unnamed():
            return "<looptree.Lazy %s%s>" % (self.dtype, list(self.shape))
        return "<looptree.Lazy %s (%s)>" % (self.dtype, _names(self.dims))


def _not_in_place(self: _Operators, other: Any) -> Any:
    return NotImplemented                       # so that c += d is c = c + d


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
    setattr(_Operators, "__i%s__" % _name, _not_in_place)
_Operators.__imatmul__ = _not_in_place          # type: ignore[method-assign, assignment]


def _names(dims: Iterable[Dim]) -> str:
    return ", ".join(d.name for d in dims)


def _union(of: Iterable[Iterable[Dim]]) -> list[Dim]:
    found: dict[int, Dim] = {}
    for dims in of:
        for d in dims:
            found.setdefault(id(d), d)
    return list(found.values())


def _product(numbers: Iterable[int]) -> int:
    found = 1
    for n in numbers:
        found *= n
    return found


def _reshaped(own: Sequence[int], to: Sequence[Axis]) -> list[Index]:
    """The indices of axes of these extents, for as many elements over `to`.  Axes that together hold as many elements
    as some of `to` are taken by themselves."""
    indices: list[Index] = []
    at = 0
    while len(indices) < len(own) or at < len(to):
        first, begin, here, there = len(indices), at, 1, 1
        end = first
        while here != there or end == first and at == begin:
            if here <= there and end < len(own):
                here, end = here * own[end], end + 1
            else:
                there, at = there * (to[at].size or 1), at + 1
        flat = Index({}, 0)
        for d in to[begin:at]:
            flat = flat * (d.size or 1) + d
        for axis in range(first, end):
            inner = _product(own[axis + 1:end])
            part = flat // inner if inner > 1 else flat
            indices.append(_plain(part % own[axis] if axis > first else part))
    return indices


def _plain(i: Index) -> Index:
    """A dim alone as that dim, which then has the size of the axis."""
    alone = [term for term, factor in i.terms.items() if isinstance(term, Dim) and factor == 1]
    return alone[0] if len(i.terms) == len(alone) == 1 and i.plus == 0 else i


def _indexed(source: Any, indices: Any, fill: Any) -> Lazy:
    given = list(indices) if isinstance(indices, tuple) else [indices]
    given = [_table(i) for i in given]
    called = (source.name or "an array") if isinstance(source, Array) else source._what()
    by_name = any(isinstance(i, Index) or isinstance(i, Lazy) and not i._unnamed() for i in given)
    if any(isinstance(i, slice) or i is None or i is Ellipsis for i in given):
        if by_name or fill is not None:
            raise refuse("Mismatch", "axes are indexed by dims, or all by slices and numbers; a slice of one axis is "
                         "index arithmetic: x[i + 3, j], dim i of its size")
    rank = len(source.dims) if isinstance(source, Lazy) else None if source.shape is None else len(source.shape)
    sliced = not by_name and fill is None and not (rank is not None and len(given) == rank and all(
        isinstance(i, Lazy) or isinstance(i, (int, np.integer)) and i >= 0 for i in given))
    if sliced and all(isinstance(i, (int, np.integer, slice, Lazy, type(None), type(Ellipsis))) for i in given):
        given, rank = _by_position(called, _extents(source), given), None
    if rank is not None and len(given) != rank:
        raise refuse("Invalid", "%s has %d axes, and %s" % (called, rank, _indices(len(given))))
    found: list[Any] = []
    dims: list[Dim] = []
    for i in given:
        if isinstance(i, Lazy):
            if i.dtype.kind not in "iu":
                raise refuse("Mismatch", "an array of indices holds whole numbers, and this one %s" % i.dtype)
        elif i is None:
            dims.append(Axis("d%d" % len(dims), 1))
            continue
        elif not isinstance(i, Dim):
            extents = getattr(source, "shape", None) if isinstance(i, (int, np.integer)) and i < 0 else None
            i = _index_of(i if extents is None or fill is not None else int(i) + extents[len(found)])
        found.append(i)
        dims += i.dims if isinstance(i, Lazy) else _dims_of(i)
    tables = [i for i in found if isinstance(i, Lazy)]
    if len(tables) > 1 or tables and fill is not None:
        raise refuse("Unsupported", "one index may be an array of indices, without a fill")
    return Lazy("view", tables, _union((dims,)), source.dtype, (
        (_Piece(source, tuple(found), None),), None if fill is None else _number(fill, source.dtype), None))


def _table(i: Any) -> Any:
    """Arrays and lists among indices as expressions."""
    if isinstance(i, (list, np.ndarray)):
        i = array(i)
    if isinstance(i, Array):
        i = i._whole()
    if isinstance(i, Lazy) and i.dtype == _BOOL:
        raise refuse("Unsupported", "how many elements a mask takes is not known before it is computed; lt.where keeps "
                     "the shape")
    return i


def _indices(n: int) -> str:
    return "1 index is given" if n == 1 else "%d indices are given" % n


def _by_position(called: str, extents: Sequence[int], given: list[Any]) -> list[Any]:
    """Indices as numpy has them: slices, numbers that count from the end below 0, None, ..."""
    n = sum(i is not None and i is not Ellipsis for i in given)
    if n > len(extents) or sum(i is Ellipsis for i in given) > 1:
        raise refuse("Invalid", "%s has %d axes, and %s" % (called, len(extents), _indices(n)))
    if not any(i is Ellipsis for i in given):
        given = given + [Ellipsis]
    at = next(k for k, i in enumerate(given) if i is Ellipsis)
    found: list[Any] = []
    axis = 0
    for i in given[:at] + [slice(None)] * (len(extents) - n) + given[at + 1:]:
        if i is None:
            found.append(None)
            continue
        extent = extents[axis]
        if isinstance(i, slice):
            try:
                begin, end, step = i.indices(extent)
            except TypeError as error:
                raise refuse("Mismatch", "a slice of axis %d of %s: %s" % (axis, called, error)) from None
            size = len(range(begin, end, step))
            if size == 0:
                raise refuse("Invalid", "%s[...] of axis %d, which has %d elements, has none" % (called, axis, extent))
            d = Axis("d%d" % axis, size)
            i = d if (begin, step, size) == (0, 1, extent) else step * d + begin
        found.append(i)
        axis += 1
    return found


# ---- operators ----

def _shape_of(value: Any) -> tuple[int, ...]:
    shape = getattr(value, "shape", None)
    return tuple(shape) if shape is not None and not isinstance(value, Lazy) else np.shape(value)


def _number(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    try:
        return np.array(value, dtype)
    except (ValueError, TypeError) as error:
        raise refuse("Mismatch", "%r is no %s: %s" % (value, dtype, error)) from None


def _operand(value: Any) -> Any:
    """A Lazy, or an Array whose axes are not yet looked at; a number as Python has it, whose type is weak."""
    if isinstance(value, (_Operators, bool, int, float)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, Index):
        return index(value)
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        return Lazy("lit", (), (), value.dtype, np.asarray(value))
    if isinstance(value, (np.ndarray, list)) or hasattr(value, "__dlpack__"):
        return array(value)
    raise refuse("Mismatch", "a %s meets a lazy array: numbers, lists and arrays of numpy's or DLPack's may; make an "
                 "array of it, lt.array(x)" % type(value).__name__)


def _expression(value: Any) -> Lazy:
    found = _operand(value)
    if isinstance(found, Array):
        return found._whole()
    return found if isinstance(found, Lazy) else Lazy("lit", (), (), np.asarray(found).dtype, np.asarray(found))


def _met(values: Sequence[Any]) -> tuple[list[Any], list[Dim]]:
    """Operands, and the dims of what is made of them: by name, or by position and then broadcast."""
    found = [_operand(x) for x in values]
    if any(isinstance(x, Lazy) and not x._unnamed() for x in found):
        for x in found:
            if isinstance(x, Array) and x.shape != () or isinstance(x, Lazy) and x.dims and x._unnamed():
                raise refuse("Mismatch", "the axes of %s have no names yet; give them: lt.array(x)[i, j]"
                             % (x.name or "an array" if isinstance(x, Array) else x._what()))
        found = [x._whole() if isinstance(x, Array) else x for x in found]
        return found, _union(x.dims for x in found if isinstance(x, Lazy))
    found = [x._whole() if isinstance(x, Array) else x for x in found]
    lazy = [x for x in found if isinstance(x, Lazy)]
    over = _broadcast([x.dims for x in lazy])
    return [x if not isinstance(x, Lazy) else _along(x, over[len(over) - len(x.dims):]) for x in found], over


def _broadcast(of: Sequence[tuple[Dim, ...]]) -> list[Dim]:
    """The axes of what arrays with these axes make together, as numpy's rule has it."""
    over: list[Dim] = []
    for place in range(max(map(len, of), default=0), 0, -1):
        here = [dims[-place] for dims in of if len(dims) >= place]
        sizes = {d.size for d in here} - {1}
        if len(sizes) > 1:
            raise refuse("Mismatch", "arrays of the shapes %s do not go together: their axes %d from the last have %s "
                         "elements" % (" and ".join(str([d.size for d in dims]) for dims in of), place,
                                       " and ".join(str(d.size) for d in here)))
        size = sizes.pop() if sizes else 1
        d = next(d for d in here if d.size == size)
        over.append(d if d not in over else Axis(d.name, size))
    return over


def _along(x: Lazy, over: Sequence[Dim]) -> Lazy:
    """An array with axes of these sizes, or of 1, over these."""
    if all(a is b for a, b in zip(x.dims, over)):
        return x
    indices = [b if a.size == b.size else Index({}, 0) for a, b in zip(x.dims, over)]
    return x._viewed([b for a, b in zip(x.dims, over) if a.size == b.size], indices)


def _as(value: Any, dtype: np.dtype[Any]) -> Lazy:
    return value.astype(dtype) if isinstance(value, Lazy) else Lazy("lit", (), (), dtype, _number(value, dtype))


def _computes(op: str, dtype: np.dtype[Any]) -> None:
    row = _OPERATORS[op]
    kind = values[_KINDS[0 if dtype.kind not in "iub" else 2 if dtype.kind == "b" else 1]]
    if not row["any_type"] and not row["kinds"] >> kind & 1:
        raise refuse("Mismatch", "%s (%s) does not compute in %s; cast by astype()" % (op, row["help"], dtype))


def _node(op: str, dtype: np.dtype[Any], *operands: Any, over: Sequence[Dim]) -> Lazy:
    """An operator on operands that are cast to one type."""
    _computes(op, dtype)
    return Lazy("op", [_as(x, dtype) for x in operands], over, _BOOL if _OPERATORS[op]["to_bool"] else dtype, op)


def _applied(ufunc: np.ufunc, inputs: Sequence[Any]) -> Lazy:
    name = ufunc.__name__
    if name == "matmul":
        return _matmul(*map(_expression, inputs))
    operands, over = _met(inputs)
    try:
        asked: Any = tuple(x.dtype if isinstance(x, Lazy) else type(x) if type(x) in (int, float, complex) else _BOOL
                           for x in operands) + (None,) * ufunc.nout
        types = ufunc.resolve_dtypes(asked)
    except TypeError as error:
        raise refuse("Mismatch", str(error)) from None
    kind = _BOOL if name.startswith("logical_") else types[0]
    if any(t != types[0] for t in types[:ufunc.nin]):
        raise refuse("Mismatch", "numpy.%s of %s compares two types that have none in common; cast one by astype()"
                     % (name, " and ".join(str(t) for t in types[:ufunc.nin])))
    if name in _WRITTEN and (kind.kind == "f" or name in ("positive", "square", "isnan")):
        return _WRITTEN[name](_as(operands[0], kind))
    if name == "invert":
        ones = Lazy("lit", (), (), kind, _number(-1, _I64).astype(kind))
        return _node("not", kind, *operands, over=over) if kind == _BOOL else _node("xor", kind, *operands, ones,
                                                                                    over=over)
    op = _OF_NUMPY.get(name, name)
    if op not in _OPERATORS or _OPERATORS[op]["arity"] != ufunc.nin or name == "floor_divide" and kind.kind not in "iu":
        raise refuse("Unsupported", "there is no lazy numpy.%s of %s" % (name, kind))
    return _node(op, kind, *operands, over=over)


# Functions of numpy of one operand, by others.
_WRITTEN: dict[str, Callable[[Lazy], Lazy]] = {
    "positive": lambda x: x, "square": lambda x: x * x, "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == np.inf, "isfinite": lambda x: abs(x) < np.inf, "fabs": abs,
    "trunc": lambda x: where(x < 0, _applied(np.ceil, [x]), _applied(np.floor, [x])),
}
_REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any",
            "logical_and": "all"}


def _matmul(a: Lazy, b: Lazy) -> Lazy:
    """a @ b: over the last axis of a and the last but one of b, or its only one; by name these are one dim."""
    if not a.dims or not b.dims:
        raise refuse("Mismatch", "@ takes arrays with axes; * multiplies by a number")
    by_name = not a._unnamed() or not b._unnamed()
    at = max(len(b.dims) - 2, 0)
    k, mine, other = a.dims[-1], a.dims[:-1], b.dims[:at] + b.dims[at + 1:]
    if by_name and (a._unnamed() or b._unnamed()):
        _met([a, b])                            # which says what is wrong
    if by_name and b.dims[at] is not k or not by_name and b.dims[at].size != k.size:
        raise refuse("Mismatch", "%s @ %s: the last of the left one, %s, is to be the last but one of the right one, "
                     "%s; by other names a product is (a[m, k] * b[k, n]).sum(k)"
                     % (a._what(), b._what(), *((d.name if by_name else d.size) for d in (k, b.dims[at]))))
    m, n = mine[-1:], other[-1:] if len(b.dims) > 1 else ()
    if not by_name:
        many = _broadcast([mine[:-1], other[:-1]])
        m, n = tuple(Axis("m", d.size) for d in m), tuple(Axis("n", d.size) for d in n)
        sum_over = Axis("k", k.size)
        a = _along(a, [*many[len(many) - len(mine[:-1]):], *m, sum_over])
        b = _along(b, [*many[len(many) - len(other[:-1]):], sum_over, *n])
        k = sum_over
    else:
        many = _union((mine[:-1], other[:-1]))
        if len(_union((many, m, n))) != len([*many, *m, *n]):
            raise refuse("Mismatch", "%s @ %s: a dim of both that is not summed is one of many products, and stands "
                         "first; write (a * b).sum(%s)" % (a._what(), b._what(), k))
    kind: np.dtype[Any] = np.matmul.resolve_dtypes((a.dtype, b.dtype, None))[2]
    add, mul = ("max", "and") if kind == _BOOL else ("add", "mul")
    _computes(add, kind)
    product = _node(mul, kind, a, b, over=[*many, *m, *n, k])
    return Lazy("reduce", (product,), [*many, *m, *n], kind, (add, (k,)))


def where(condition: Any, a: Any, b: Any) -> Lazy:
    """a where the condition is not 0, else b; any of them a lazy array, a dim or a number."""
    (asked, x, y), over = _met([condition, a, b])
    kind = np.result_type(*(v.dtype if isinstance(v, Lazy) else v for v in (x, y)))
    return Lazy("op", [_as(asked, _BOOL), _as(x, kind), _as(y, kind)], over, kind, "select")


def index(of: Index) -> Lazy:
    """The number itself, int64: lt.where(lt.index(i) < lt.index(j), a[i, j], 0)."""
    whole = _index_of(of)
    return Lazy("index", (), _union((_dims_of(whole),)), _I64, whole)


def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Lazy:
    """Arrays over the same dims, one after the other along one of them, which is as long as all together."""
    if not arrays:
        raise refuse("Invalid", "concatenate takes at least one array")
    found = [_expression(x) for x in arrays]
    first = found[0]
    at = first.dims.index(first._dim(axis))
    kind = np.result_type(*(x.dtype for x in found))
    dims = list(first.dims)
    if first._unnamed():
        alike = all(x._unnamed() and len(x.dims) == len(dims) and all(
            i == at or d.size == e.size for i, (d, e) in enumerate(zip(dims, x.dims))) for x in found)
        dims[at] = Axis(dims[at].name, sum(x.dims[at].size or 0 for x in found) if alike else 1)
        places = [at] * len(found)
    else:
        alike = all(sorted(map(id, x.dims)) == sorted(map(id, dims)) for x in found)
        places = [x.dims.index(dims[at]) for x in found] if alike else []
    if not alike:
        raise refuse("Mismatch", "what is concatenated has the same dims, (%s), or all axes but one of the same sizes"
                     % _names(dims))
    pieces = tuple(_Piece(x.astype(kind), tuple(dims) if first._unnamed() else x.dims, place)
                   for x, place in zip(found, places))
    return Lazy("view", (), dims, kind, (pieces, None, (at, 0)))


def _clip(x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    x = x if a_min is None else np.maximum(x, a_min)
    return x if a_max is None else np.minimum(x, a_max)


def _positional(x: Any, what: str) -> Lazy:
    found = _expression(x)
    if not found._unnamed():
        raise refuse("Unsupported", "numpy.%s goes by position, and the axes of %s have names; write it by dims"
                     % (what, found._what()))
    return found


def _stack(arrays: Sequence[Any], axis: int = 0) -> Lazy:
    parts = [_positional(x, "stack") for x in arrays]
    rank = len(parts[0].dims) + 1 if parts else 1
    return concatenate([_new_axis(x, axis, rank) for x in parts], axis)


def _new_axis(x: Lazy, axis: int, rank: int) -> Lazy:
    if not -rank <= axis < rank:
        raise refuse("Missing", "there is no axis %d among %d" % (axis, rank))
    return x[(slice(None),) * (axis % rank) + (None,)] if x.dims else x[None]


def _squeeze(x: Any, axis: Any = None) -> Lazy:
    of = _positional(x, "squeeze")
    gone = [d for d in of.dims if d.size == 1] if axis is None else list(of._over((), axis))
    if any(d.size != 1 for d in gone):
        raise refuse("Mismatch", "only axes of one element are squeezed, and %s has others there" % of._what())
    return of[tuple(0 if d in gone else slice(None) for d in of.dims)] if gone else of


def _flip(x: Any, axis: Any = None) -> Lazy:
    of = _positional(x, "flip")
    turned = of._over((), axis)
    return of[tuple(slice(None, None, -1 if d in turned else 1) for d in of.dims)] if of.dims else of


def _broadcast_to(x: Any, shape: Any) -> Lazy:
    of = _positional(x, "broadcast_to")
    over = _axes((shape,) if isinstance(shape, int) else shape)
    if [d.size for d in _broadcast([of.dims, over])] != [d.size for d in over]:
        raise refuse("Mismatch", "%s is not broadcast to %s" % (of._what(), [d.size for d in over]))
    last = over[len(over) - len(of.dims):]
    return of._viewed(over, [b if a.size == b.size else Index({}, 0) for a, b in zip(of.dims, last)])


def _pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Lazy:
    of = _positional(x, "pad")
    if mode != "constant" or np.ndim(constant_values):
        raise refuse("Unsupported", "the lazy numpy.pad fills with one number")
    for axis, (before, after) in enumerate(np.broadcast_to(pad_width, (len(of.dims), 2)).tolist()):
        of = of.pad(of.dims[axis], before, after, constant_values) if before or after else of
    return of


def _einsum(subscripts: str, *operands: Any) -> Lazy:
    """Letters are dims, and the axes of what comes out have no names."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    found = [_expression(x) for x in operands]
    if not (left + right).replace(",", "").isalpha() or [len(t) for t in terms] != [len(x.dims) for x in found]:
        raise refuse("Unsupported", "the lazy numpy.einsum has a letter for each axis of each operand, and no ...: %r "
                     "of %s" % (subscripts, " and ".join(x._what() for x in found)))
    letters: dict[str, Axis] = {}
    for term, x in zip(terms, found):
        for letter, size in zip(term, x.shape):
            if letters.setdefault(letter, Axis(letter, size)).size != size:
                raise refuse("Mismatch", "einsum: '%s' is %s and %d elements long" % (letter, letters[letter].size,
                                                                                      size))
    asked = right if arrow else "".join(sorted(c for c in letters if left.count(c) == 1))
    if len(set(asked)) != len(asked) or not set(asked) <= set(letters):
        raise refuse("Invalid", "einsum: the result of %r repeats a letter, or has one that no operand has"
                     % subscripts)
    kind = np.result_type(*(x.dtype for x in found))
    over: list[Dim] = []
    product: Lazy | None = None
    for term, x in zip(terms, found):
        own = [letters[c] for c in term]
        part = _as(x._viewed(_union((own,)), own), kind)
        over = _union((over, own))
        product = part if product is None else _node("and" if kind == _BOOL else "mul", kind, product, part, over=over)
    assert product is not None
    to = [letters[c] for c in asked]
    gone = tuple(d for d in over if d not in to)
    if gone:
        op = "max" if kind == _BOOL else "add"
        _computes(op, kind)
        product = Lazy("reduce", (product,), [d for d in over if d not in gone], kind, (op, gone))
    return product.transpose(*to) if list(product.dims) != list(to) else product


def _dot(a: Any, b: Any) -> Lazy:
    left, right = _expression(a), _expression(b)
    if not left.dims or not right.dims:
        return _applied(np.multiply, [left, right])
    if len(right.dims) > 2:
        raise refuse("Unsupported", "the lazy numpy.dot takes a right operand of at most 2 axes; @ takes many products")
    return _matmul(left, right)


def _triangle(upper: bool) -> Callable[..., Lazy]:
    def of(x: Any, k: int = 0) -> Lazy:
        a = _positional(x, "triu" if upper else "tril")
        if len(a.dims) < 2:
            raise refuse("Mismatch", "a triangle is of an array with two axes or more, and this is %s" % a._what())
        ahead = _node("sub", _I64, index(a.dims[-1]), index(a.dims[-2]), over=a.dims[-2:])
        kept = _node("greaterequal" if upper else "lessequal", _I64, ahead, k, over=a.dims[-2:])
        return Lazy("op", [kept, a, _as(0, a.dtype)], a.dims, a.dtype, "select")
    return of


def _method(name: str) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: getattr(_expression(x), name)(axis=axis, keepdims=keepdims)


def _asked(f: Callable[..., Any]) -> Callable[..., Any]:
    """A question about elements, which asks for them."""
    return lambda *arrays, **more: f(*map(np.asarray, arrays), **more)


def _swapped(x: Lazy, one: Any, other: Any) -> Lazy:
    order = list(x.dims)
    i, j = order.index(x._dim(one)), order.index(x._dim(other))
    order[i], order[j] = order[j], order[i]
    return x.transpose(*order)


def _rounded(x: Any, decimals: int = 0) -> Any:
    if decimals:
        raise refuse("Unsupported", "the lazy numpy.round rounds to whole numbers")
    return np.rint(x)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): _method(name) for name in ("sum", "prod", "max", "min", "mean", "any", "all", "var", "std")},
    **{f: _asked(f) for f in (np.array_equal, np.allclose, np.isclose)},
    np.where: where, np.clip: _clip, np.concatenate: concatenate, np.stack: _stack, np.pad: _pad, np.flip: _flip,
    np.squeeze: _squeeze, np.broadcast_to: _broadcast_to, np.einsum: _einsum, np.dot: _dot,
    np.tril: _triangle(False), np.triu: _triangle(True),
    np.ndim: lambda x: _expression(x).ndim, np.shape: lambda x: _extents(x), np.round: _rounded,
    np.transpose: lambda x, axes=None: _expression(x).transpose(*(axes or ())),
    np.reshape: lambda x, shape: _expression(x).reshape(shape), np.ravel: lambda x: _expression(x).reshape(-1),
    np.expand_dims: lambda x, axis: _new_axis(_positional(x, "expand_dims"), axis, len(_extents(x)) + 1),
    np.outer: lambda a, b: _expression(a).reshape(-1, 1) * _expression(b).reshape(1, -1),
    np.swapaxes: lambda x, axis1, axis2: _swapped(_expression(x), axis1, axis2),
    np.astype: lambda x, dtype: _expression(x).astype(dtype),
    np.count_nonzero: lambda x, axis=None: _expression(x).astype(bool).astype("i8").sum(axis=axis),
}
for _alias in ("amax", "amin", "around"):       # other names of functions that are there
    _FUNCTIONS[getattr(np, _alias)] = _FUNCTIONS[getattr(np, {"around": "round"}.get(_alias, _alias[1:]))]


def _function(op: str) -> Callable[[Any], Lazy]:
    def f(x: Any) -> Lazy:
        (x,), over = _met([x])
        kind = x.dtype if isinstance(x, Lazy) else np.dtype(type(x))
        return _node(op, kind if kind.kind not in "iub" else np.dtype("f8"), x, over=over)
    f.__name__, f.__doc__ = op, "%s, of each element." % _OPERATORS[op]["help"]
    return f


# Functions of one operand that numpy has no name for.
FUNCTIONS = {op: _function(op) for op, row in _OPERATORS.items()
             if row["arity"] == 1 and row["kinds"] and not hasattr(np, op) and op not in _OF_NUMPY.values()}


# ---- sizes ----

class _Var:
    """A dim in a scope."""
    __slots__ = ("name", "size", "why", "at")

    def __init__(self, d: Dim):
        self.name, self.size, self.at = d.name, d.size, _NONE
        self.why = "as it was made"

    def fix(self, size: int, why: str) -> None:
        if self.size is not None and self.size != size:
            raise refuse("Mismatch", "dim %s has two sizes: %d, %s, and %d, %s; use another dim, or index arithmetic "
                         "(%s + 0), which reads a part of an axis"
                         % (self.name, self.size, self.why, size, why, self.name))
        self.size, self.why = size, why


_Env = dict[Dim, _Var]


class _Read(NamedTuple):
    """An index of an axis; shape: of what is read, None where that is open and nothing has said it yet."""
    of: Index
    env: _Env
    shape: list[int | None]
    axis: int
    place: str
    source: str

    @property
    def extent(self) -> int | None:
        return self.shape[self.axis]


class _Instance(NamedTuple):
    """An expression in a scope: its dims are these vars."""
    of: Lazy
    env: _Env
    operands: tuple[Any, ...]                   # keys of instances
    key: Any
    pieces: tuple[Any, ...]                     # of a view: for each (the source's scope or None, extents)


class _Scope:
    def __init__(self, root: Lazy):
        self.env: _Env = {d: _Var(d) for d in root.dims}
        self.order: list[_Instance] = []
        self.seen: dict[Any, _Instance] = {}
        self.reads: list[_Read] = []            # by index arithmetic
        self.whole: list[_Read] = []            # by a dim alone, of axes that an input leaves open
        self.at: dict[Any, int] = {}
        self.vars: list[_Var] = list(self.env.values())
        self.node = _NONE

    def solve(self) -> None:
        """Sizes that only index arithmetic bounds, and whether all indices are inside."""
        self._share()
        left = [v for v in self.vars if v.size is None]
        while left:
            found = [(v, size) for v in left if (size := self._greatest(v)) is not None]
            if not found:
                v = left[0]
                self._refuse_open()
                bounded = any(r.env[d] is v for r in self.reads for d in _dims_of(r.of))
                raise refuse("Missing", "the size of dim %s is open: %s; give it one by lt.dim('%s', size)" % (
                    v.name, "its indices depend on other dims without sizes, or do not bound it" if bounded
                    else "no array has it", v.name))
            for v, size in found:
                v.fix(size, "the most that its indices allow")
            self._share()
            left = [v for v in left if v.size is None]
        self._refuse_open()
        for read in self.reads:
            if any(isinstance(term, Part) for term in read.of.terms):
                continue                        # terms that depend on each other: asked of the view, exactly
            low, high = _range(read.of, lambda d: read.env[d].size or 0)
            if low < 0 or high >= (read.extent or 0):
                raise refuse("OutOfRange", "index %s of %s reaches from %d to %d, and the axis has %d elements; give "
                             "its dims sizes by lt.dim('i', size), or what is outside by .at(..., fill=0)"
                             % (read.of, read.place, low, high, read.extent or 0))

    def _share(self) -> None:
        """Axes of open inputs have the sizes of their dims, and the other way round."""
        more = True
        while more:
            more = False
            for read in self.whole:
                v, = (read.env[d] for d in _dims_of(read.of))
                if read.extent is not None:
                    more |= v.size is None
                    v.fix(read.extent, read.place)
                elif v.size is not None:
                    read.shape[read.axis], more = v.size, True

    def _refuse_open(self) -> None:
        for read in self.whole + self.reads:
            if read.extent is None:
                raise refuse("Missing", "input '%s' is open; give it when you ask: numpy(%s=...)"
                             % (read.source, read.source))

    def _greatest(self, v: _Var) -> int | None:
        """The most that its indices allow; None: something else decides that, too."""
        most: int | None = None
        for read in self.reads:
            own = [d for d in _dims_of(read.of) if read.env[d] is v]
            if not own:
                continue
            if len(own) > 1 or read.extent is None or any(
                    read.env[d].size is None for d in _dims_of(read.of) if read.env[d] is not v):
                return None

            def inside(size: int) -> bool:
                low, high = _range(read.of, lambda d: size if read.env[d] is v else read.env[d].size or 0)
                return low >= 0 and high < (read.extent or 0)
            if not inside(1):
                raise refuse("OutOfRange", "index %s of %s is outside for every %s: the axis has %d elements"
                             % (read.of, read.place, v.name, read.extent))
            least, beyond = 1, (_MOST_INT if most is None else most) + 1
            if inside(beyond - 1):              # this one does not bound it, or not more than another one
                continue
            while beyond - least > 1:
                middle = (least + beyond) // 2
                least, beyond = (middle, beyond) if inside(middle) else (least, middle)
            most = least
        return most


# ---- to a graph ----

_Steps = Generator[Any, Any, Any]


def _driven(steps: _Steps) -> Any:
    """Runs generators that yield generators, so that no expression is too deep."""
    stack, value = [steps], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as done:
            stack.pop()
            value = done.value
    return value


def _numbers(kind: Any, of: Iterable[int]) -> Any:
    listed = list(of)
    return (kind * max(1, len(listed)))(*listed)


class _Builder:
    """The graph of expressions, built by the functions of lt/graph.h."""

    def __init__(self, roots: Sequence[Lazy], given: Mapping[str, Any]):
        self._given = dict(given)
        self._context = Context()
        self.graph = made(self._context, "lt_graph_new", "lt_graph_free", self._context.at)
        self._scopes: dict[int, _Scope] = {}
        self._arrays: dict[int, tuple[Array, str, list[int | None], int]] = {}
        self._names: set[str] = set()
        for i, root in enumerate(roots):
            scope = _driven(self._scope(root))
            self._call("lt_graph_result", b"result" if len(roots) == 1 else b"result_%d" % i, scope.node)
        for name in given:
            if name not in self._names:
                raise refuse("Missing", "no input is named '%s'" % name)

    def text(self) -> str:
        return self._context.text("lt_graph_print", self.graph.at)

    def shape(self, root: Lazy) -> tuple[int, ...]:
        return tuple(v.size or 0 for v in self._scopes[id(root)].env.values())

    def arrays(self) -> Iterable[tuple[Array, str]]:
        return ((a, name) for a, name, _, _ in self._arrays.values())

    def _call(self, name: str, *arguments: Any) -> Any:
        found = function(name)(self.graph.at, *arguments)
        failed = found != 0 if _native._functions[name][0] == "lt_status" else found == _NONE
        if failed:
            context = self._context.at
            _native._fail(function("lt_context_code")(context),
                          function("lt_context_message")(context).decode("utf-8", "backslashreplace"))
        return found

    # -- sizes --

    def _scope(self, root: Lazy) -> _Steps:
        known = self._scopes.get(id(root))
        if known is not None:
            return known
        scope = _Scope(root)
        last = yield self._visit(root, scope.env, scope)
        scope.solve()
        for v in scope.vars:
            v.at = self._call("lt_graph_var", v.name.encode(), v.size)
        for instance in scope.order:
            scope.at[instance.key] = self._lowered(instance, scope)
        scope.node = scope.at[last.key]
        self._scopes[id(root)] = scope
        return scope

    def _visit(self, x: Lazy, env: _Env, scope: _Scope) -> _Steps:
        key = (id(x), tuple(id(env[d]) for d in x.dims))
        if key in scope.seen:
            return scope.seen[key]
        inner = {d: env[d] for d in x.dims}
        pieces: list[Any] = []
        if x._op == "reduce":
            for d in x._info[1]:
                inner[d] = _Var(d)
                scope.vars.append(inner[d])
        elif x._op == "view":
            for piece in x._info[0]:
                of = None
                if isinstance(piece.source, Lazy):
                    of = yield self._scope(piece.source)
                    extents = [of.env[d].size for d in piece.source.dims]
                else:
                    extents = self._shape(piece.source, len(piece.indices))
                pieces.append((of, extents))
            self._read(x, inner, pieces, scope)
        elif x._op == "count":
            of = yield self._scope(x._info[0])
            pieces.append((of, []))
        operands = []
        for y in x._operands:
            operand = yield self._visit(y, inner, scope)
            operands.append(operand.key)
        instance = _Instance(x, inner, tuple(operands), key, tuple(pieces))
        scope.seen[key] = instance
        scope.order.append(instance)
        return instance

    def _read(self, x: Lazy, env: _Env, pieces: Sequence[Any], scope: _Scope) -> None:
        """What the indices of a view say of sizes."""
        listed, fill, grown = x._info
        for number, (piece, (_, extents)) in enumerate(zip(listed, pieces)):
            for axis, (i, extent) in enumerate(zip(piece.indices, extents)):
                called = self._called(piece.source)
                place = "axis %d of %s" % (axis, called)
                if isinstance(i, Lazy) or piece.stacked == axis:
                    continue
                read = _Read(_index_of(i), env, extents, axis, place, called)
                if isinstance(i, Dim):
                    if grown is not None and x.dims[grown[0]] is i:
                        continue
                    if extent is None:
                        scope.whole.append(read)
                    else:
                        env[i].fix(extent, place)
                elif fill is None:
                    scope.reads.append(read)
                elif extent is None:
                    raise refuse("Missing", "input '%s' is open; give it when you ask: numpy(%s=...)"
                                 % (called, called))
        if grown is not None:
            axis, more = grown
            d = x.dims[axis]
            sizes: list[int] = [p[1][piece.stacked if piece.stacked is not None else axis]
                                for p, piece in zip(pieces, listed)]
            env[d].fix(sum(sizes) + more, "as what is padded or joined")

    def _called(self, source: Lazy | Array) -> str:
        return source._what() if isinstance(source, Lazy) else self._name(source)

    def _name(self, a: Array) -> str:
        known = self._arrays.get(id(a))
        return known[1] if known else a.name or "an array"

    def _shape(self, a: Array, rank: int) -> list[int | None]:
        """The extents of its axes; None: open, and found from its dims."""
        known = self._arrays.get(id(a))
        if known is None:
            name = a.name or "a%d" % len(self._arrays)
            while a.name is None and name in self._names:
                name += "_"
            if name in self._names:
                raise refuse("Exists", "two arrays are named '%s'" % name)
            shape: Iterable[int | None] = a.shape if a.shape is not None else (None,) * rank
            if a.shape is None and name in self._given:
                shape = _shape_of(self._given[name])
            self._names.add(name)
            known = self._arrays[id(a)] = (a, name, list(shape), _NONE)
        if len(known[2]) != rank:
            raise refuse("Invalid", "%s has %d axes, and %s" % (known[1], len(known[2]), _indices(rank)))
        return known[2]

    # -- nodes --

    def _lowered(self, instance: _Instance, scope: _Scope) -> int:
        x = instance.of
        operands = [scope.at[key] for key in instance.operands]
        variables = [instance.env[d].at for d in x.dims]
        lent = _numbers(ctypes.c_int32, variables)
        dtype = NUMBER_OF[dtype_name(x.dtype) or ""]
        if x._op == "lit":
            return self._literal(x._info, dtype)
        if x._op == "count":
            count = 1
            for d in x._info[1]:
                count *= instance.pieces[0][0].env[d].size
            return self._literal(np.array(count), dtype)
        if x._op == "index":
            return self._position(x._info, instance.env)
        if x._op == "cast":
            return self._int("lt_graph_cast", operands[0], dtype)
        if x._op == "op":
            given = _numbers(ctypes.c_int32, operands)
            return self._int("lt_graph_op_to", x._info.encode(), len(operands), ctypes.addressof(given), len(variables),
                             ctypes.addressof(lent))
        if x._op == "reduce":
            over = _numbers(ctypes.c_int32, (instance.env[d].at for d in x._info[1]))
            return self._int("lt_graph_reduce", x._info[0].encode(), operands[0], len(x._info[1]),
                             ctypes.addressof(over))
        if x._op == "transpose":
            permutation = _numbers(ctypes.c_int32, (x._operands[0].dims.index(d) for d in x.dims))
            return self._int("lt_graph_permute", operands[0], len(variables), ctypes.addressof(permutation))
        return self._view(instance, operands, variables)

    def _int(self, name: str, *arguments: Any) -> int:
        return int(self._call(name, *arguments))

    def _literal(self, value: np.ndarray[Any, Any], dtype: int) -> int:
        if value.dtype.kind in "iub":
            return self._int("lt_graph_literal_int", dtype, int(value.astype(np.int64)))
        return self._int("lt_graph_literal", dtype, float(value))

    def _position(self, of: Index, env: _Env) -> int:
        """An index as a value: sums and products of the positions along dims."""
        if any(abs(n) > _MOST_INT for n in (of.plus, *of.terms.values())):
            raise refuse("Overflow", "an index exceeds 62 bits: %s" % of)
        i64 = NUMBER_OF["i64"]
        total = _NONE
        for term, factor in of.terms.items():
            if isinstance(term, Dim):
                node = self._int("lt_graph_index", env[term].at)
            else:
                node = self._int("lt_graph_binary", b"div" if term.kind == "floor" else b"mod",
                                 self._position(term.of, env), self._int("lt_graph_literal_int", i64, term.by))
            if factor != 1:
                node = self._int("lt_graph_binary", b"mul", node, self._int("lt_graph_literal_int", i64, factor))
            total = node if total == _NONE else self._int("lt_graph_binary", b"add", total, node)
        if of.plus or total == _NONE:
            node = self._int("lt_graph_literal_int", i64, of.plus)
            total = node if total == _NONE else self._int("lt_graph_binary", b"add", total, node)
        return total

    def _view(self, instance: _Instance, operands: list[int], variables: list[int]) -> int:
        x, env = instance.of, instance.env
        listed, fill, grown = x._info
        keep: list[Any] = []
        pieces = (_native.struct("lt_view_piece") * len(listed))()
        begin = 0
        for made_of, piece, (scope, extents) in zip(pieces, listed, instance.pieces):
            indices: list[Any] = list(piece.indices)
            if scope is not None:
                node = scope.node
            else:
                alone = len(listed) == 1 and fill is None and list(map(id, indices)) == list(map(id, x.dims))
                node, fresh = self._source(piece.source, extents, variables if alone else None)
                if fresh and alone:
                    return node
            if operands:
                axis = next(a for a, i in enumerate(indices) if isinstance(i, Lazy))
                node = self._gathered(node, operands[0], axis, extents)
                indices[axis:axis + 1] = indices[axis].dims
                extents = [*extents[:axis], *(env[d].size for d in piece.indices[axis].dims), *extents[axis + 1:]]
            if piece.stacked is not None:
                indices[piece.stacked] = indices[piece.stacked] - begin
            guards = []
            if fill is not None or piece.stacked is not None:
                for i, extent in zip(indices, extents):
                    low, high = _range(i, lambda d: env[d].size or 0)
                    guards += ([i] if low < 0 else []) + ([extent - 1 - i] if high >= extent else [])
            if piece.stacked is not None:
                begin += extents[piece.stacked]
            made_of.source = node
            self._mapped(made_of.map, indices, guards, x.dims, keep)
        bits = 0 if fill is None else int.from_bytes(fill.tobytes(), "little")
        lent = _numbers(ctypes.c_int32, variables)
        try:
            return self._int("lt_graph_view", len(variables), ctypes.addressof(lent), len(listed),
                             ctypes.addressof(pieces), bits, fill is not None)
        except CLASSES["Invalid"] as error:     # of a view that is well formed: what it reads is outside
            raise refuse("OutOfRange", str(error)) from None

    def _source(self, a: Array, extents: Sequence[int], variables: list[int] | None) -> tuple[int, bool]:
        """The node of an array, and whether it was made just now, over these vars if they are given."""
        held, name, shape, node = self._arrays[id(a)]
        if node != _NONE:
            return node, False
        over = variables
        if over is None:
            over = [self._int("lt_graph_var", b"%s_%d" % (name.encode(), i), extent)
                    for i, extent in enumerate(extents)]
        lent = _numbers(ctypes.c_int32, over)
        node = self._int("lt_graph_constant" if a.fixed else "lt_graph_input", name.encode(),
                         NUMBER_OF[dtype_name(a.dtype) or ""], len(over), ctypes.addressof(lent))
        self._arrays[id(a)] = (held, name, shape, node)
        return node, True

    def _gathered(self, node: int, table: int, axis: int, extents: Sequence[int]) -> int:
        """Over vars of its own, which those of the table cannot meet."""
        over = _numbers(ctypes.c_int32, (self._int("lt_graph_var", None, extent) for extent in extents))
        node = self._int("lt_graph_rename", node, len(extents), ctypes.addressof(over))
        return self._int("lt_graph_gather", node, table, axis)

    def _mapped(self, out: Any, indices: list[Any], guards: list[Any], dims: Sequence[Dim], keep: list[Any]) -> None:
        """Rows over [1 | dims | floors]."""
        column = {d: 1 + i for i, d in enumerate(dims)}
        floors: list[tuple[int, dict[int, int]]] = []
        number: dict[Part, int] = {}

        def row_of(of: Index) -> dict[int, int]:
            row = {0: of.plus}

            def add(at: int, factor: int) -> None:
                row[at] = row.get(at, 0) + factor
            for term, factor in of.terms.items():
                if isinstance(term, Dim):
                    add(column[term], factor)
                    continue
                if term not in number:
                    numerator = row_of(term.of)
                    number[term] = 1 + len(dims) + len(floors)
                    floors.append((term.by, numerator))
                if term.kind == "floor":
                    add(number[term], factor)
                else:
                    for at, f in row_of(term.of).items():
                        add(at, factor * f)
                    add(number[term], -factor * term.by)
            return row
        rows, conditions = [row_of(_index_of(i)) for i in indices], [row_of(_index_of(g)) for g in guards]
        width = 1 + len(dims) + len(floors)

        def dense(of: Iterable[dict[int, int]]) -> list[int]:
            return [row.get(c, 0) for row in of for c in range(width)]
        flat = {"div": [n for by, row in floors for n in (by, *dense([row]))], "guard": dense(conditions),
                "row": dense(rows)}
        out.n_param, out.n_dim, out.n_div = 0, len(dims), len(floors)
        out.n_guard, out.n_row = len(conditions), len(rows)
        for member, numbers in flat.items():
            if any(abs(n) > _MOST_INT for n in numbers):
                raise refuse("Overflow", "an index or what it is compared with exceeds 62 bits: %s"
                             % ", ".join(str(i) for i in indices))
            lent = _numbers(ctypes.c_int64, numbers)
            keep.append(lent)
            setattr(out, member, ctypes.addressof(lent) if numbers else None)


# ---- evaluating ----

_MOST = 256                                     # programs that are kept
_cache: OrderedDict[Any, tuple[Program, Any]] = OrderedDict()
_lock = threading.Lock()


def _open(x: Lazy) -> bool:
    """Whether an input of it is given only when it is evaluated."""
    left, seen = [x], set()
    while left:
        y = left.pop()
        if id(y) in seen:
            continue
        seen.add(id(y))
        left += y._operands
        if y._op == "count":
            left.append(y._info[0])
        for piece in y._info[0] if y._op == "view" else ():
            if isinstance(piece.source, Lazy):
                left.append(piece.source)
            elif piece.source.value is None:
                return True
    return False


def _program_of(roots: Sequence[Lazy], given: Mapping[str, Any],
                options: Mapping[str, Any]) -> tuple[Program, dict[str, Any]]:
    """The program of a structure, compiled once, and the arrays that it is called with."""
    builder = _Builder(roots, given)
    fixed = {name: a.value for a, name in builder.arrays() if a.fixed}
    key = (builder.text(), tuple(sorted(options.items())), tuple((name, id(value)) for name, value in fixed.items()))
    lent = {name: a.value for a, name in builder.arrays() if a.value is not None and not a.fixed}
    with _lock:
        found = _cache.get(key)
        if found is not None:
            _cache.move_to_end(key)
            return found[0], lent
    load_backends()
    asked = dict(options)
    if "backend" in asked:
        asked["backends"] = asked.pop("backend")
    if "threads" in asked:
        asked["n_thread"] = asked.pop("threads")
    program = _compiled(builder.graph, asked, None, None)
    for name, value in fixed.items():
        program.bind(name, value)
    with _lock:
        _cache[key] = program, fixed            # the constants live as long as their numbers are in the key
        while len(_cache) > _MOST:
            _cache.popitem(last=False)
    return program, lent


def evaluate(*arrays: Lazy | Array, **inputs: Any) -> tuple[Any, ...]:
    """Several expressions in one program, which computes once what they share: their arrays, in this order."""
    if not arrays:
        return ()
    for x in arrays:
        if not isinstance(x, _Operators):
            raise refuse("Mismatch", "evaluate takes lazy arrays, not a %s" % type(x).__name__)
    asked = [_expression(x) for x in arrays]
    if len(asked) == 1:
        return (asked[0].numpy(**inputs),)
    program, lent = _program_of(asked, inputs, asked[0]._options)
    found = program(**lent, **inputs)
    return tuple(found["result_%d" % i] for i in range(len(arrays)))


globals().update(FUNCTIONS)
