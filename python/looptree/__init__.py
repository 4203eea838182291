"""Looptree: tensor programs as loops that are seen, changed and proven.

    import looptree as lt
    p = lt.compile("x = InputTensor(x, float32, [2, 3]); result y = x + 1;")
    p(x=numpy.ones((2, 3), "f4"))
"""
import sysconfig as _sysconfig

if _sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError("looptree uses Python's limited API, which a free-threaded interpreter has not; "
                      "use one with the GIL")

from . import _errors, _native, lazy
from ._errors import Error
from ._options import options
from ._program import Port, Program, backends, compile, load_backend, read_weights
from ._tree import Access, Tree, Violation
from .lazy import Array, Dim, Index, Lazy, array, concatenate, constant, dim, dims, evaluate, index, input, where

globals().update(_errors.CLASSES)
globals().update(lazy.FUNCTIONS)
__version__: str = _native.function("lt_version")().decode()
__all__ = ["Access", "Array", "Dim", "Error", "Index", "Lazy", "Port", "Program", "Tree", "Violation", "array",
           "backends", "compile", "concatenate", "constant", "dim", "dims", "evaluate", "index", "input",
           "load_backend", "options", "read_weights", "where", *_errors.CLASSES, *lazy.FUNCTIONS]
