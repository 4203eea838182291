"""Loop trees as values: read, changed by primitives, given back to a program."""
from __future__ import annotations

import ctypes
import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import make, refuse
from ._native import Handle, as_dict, each_of, function, made, struct, values
from ._reports import Allocation, Allocations

if TYPE_CHECKING:
    from ._program import Program

_DOES = {value: name[len("LT_DOES_"):].lower() for name, value in values.items() if name.startswith("LT_DOES_")}
_WHY = {value: name[len("LT_VIOLATION_"):].lower() for name, value in values.items()
        if name.startswith("LT_VIOLATION_")}
PRIMITIVES = {row["name"]: row for row in _native.rows("primitive")}


class Iteration:
    """What a leaf does in one iteration: node, does ("read", "write" ...), at: the vars of the loops around it."""

    def __init__(self, of: Any):
        self.node: str = of.node.decode()
        self.does = _DOES.get(of.does, "")
        self.at: dict[str, int] = {c.name.decode(): c.at for c in each_of(of.at, "lt_coordinate")}

    def __repr__(self) -> str:
        return "%%%s %ss at %s" % (self.node, self.does, ", ".join("%s=%d" % item for item in self.at.items()))


class Violation:
    """Two iterations that are in each other's way: kind, value, loop, element, found, params, pair."""

    def __init__(self, of: Any):
        self.kind = _WHY.get(of.kind, "")
        self.value: str = of.value.decode()
        self.loop: str | None = of.loop and of.loop.decode()
        self.element = [n.value for n in each_of(of.element, "int64_t")]
        self.found = [n.value for n in each_of(of.found, "int64_t")]
        self.params: dict[str, int] = {c.name.decode(): c.at for c in each_of(of.params, "lt_coordinate")}
        self.pair = [Iteration(i) for i in each_of(of.pair, "lt_iteration")]

    def __repr__(self) -> str:
        return "<%s of %%%s%s: %s>" % (self.kind, self.value, self.element, "; ".join(map(repr, self.pair)))


class Node:
    """A line of a tree: its fields are those of struct lt_treeline (include/lt/looptree.h)."""

    def __init__(self, row: dict[str, Any]):
        self.__dict__.update(row)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("a line of a tree has no '%s'" % name)

    def __repr__(self) -> str:
        return "<%s>" % self.text


class Tree:
    """A loop tree.  str(tree) is its text; tree.split("m", 8) and every other primitive give a new tree, or raise
    Illegal with the iterations that are in each other's way."""

    def __init__(self, handle: Handle, program: Program | None = None):
        self._handle, self._program = handle, program

    def __str__(self) -> str:
        return self._handle.context.text("lt_looptree_print", self._handle.at)

    def __repr__(self) -> str:
        return "<looptree.Tree of %d lines>" % len(self.lines())

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: object) -> Tree:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise refuse("Unsupported", "a tree is of this process; str(tree) is its text, which with_tree and schedule= "
                     "take")

    def apply(self, steps: str, name: str = "schedule") -> Tree:
        """Steps, one a line or with ';' between: "split k 8; unroll k'"."""
        if not isinstance(steps, str):
            raise make(10, "steps are a text, \"split m 8; unroll m'\", not %r" % (steps,))
        text = steps.encode()
        why = ctypes.c_void_p()
        tree = ctypes.c_void_p()
        context = self._handle.context
        try:
            context.call("lt_looptree_apply", self._handle.at, text, len(text), _native.word(name, "a name"), 0, None,
                         ctypes.addressof(tree), ctypes.addressof(why))
        except _native_error() as error:
            if why.value:
                self._tell(error, why.value)
            raise
        return Tree(Handle(context, tree.value or 0, "lt_looptree_free", self._handle.of), self._program)

    def _tell(self, error: Any, why: int) -> None:
        """What a refusal holds beside its sentence."""
        refused = struct("lt_refused_step").from_address(why)
        found = as_dict(refused)
        found["node"] = found["node"] or error.node
        for member in ("line", "column", "node", "loop", "remedy", "step", "number"):
            setattr(error, member, found[member])
        error.file, error.text = found["name"], found["text"]
        error.violation = None
        if refused.violation:
            error.violation = Violation(struct("lt_violation").from_address(refused.violation))
        function("lt_refused_step_free")(why)

    def lines(self) -> list[Node]:
        """Its nodes in the order of its text."""
        lines = struct("lt_array")()
        self._handle.context.call("lt_looptree_lines", self._handle.at, ctypes.addressof(lines))
        return [Node(as_dict(line)) for line in each_of(lines, "lt_treeline")]

    def find(self, path: str) -> Node:
        """The node that steps call by this path: "m'", "%c/m'", "%c"."""
        at = ctypes.c_int32()
        self._handle.context.call("lt_looptree_find", self._handle.at, _native.word(path, "a path"),
                                  ctypes.addressof(at))
        return next(line for line in self.lines() if line.at == at.value)

    def access(self, value: str | None = None, at: str | None = None) -> Access:
        """What the leaves inside `at` (a path; None: the first root) access of a value ("%c"; None: of all)."""
        context, h = self._handle.context, self._handle
        node = self.lines()[0].at if at is None else self.find(at).at
        number = values["LT_OMIT"]
        if value is not None:
            graph = function("lt_looptree_graph")(h.at)
            number = function("lt_graph_find_node")(graph, _native.word(value.lstrip("%"), "a node's name"))
            if number == values["LT_NONE"]:
                raise make(14, "the tree's graph has no node %%%s" % value.lstrip("%"))
        return Access(made(context, "lt_looptree_access", "lt_accesses_free", h.at, node, number, of=h))

    def memory(self) -> Allocations:
        """What each value is allocated: bytes, where it lives, the loop that owns it (struct lt_allocation)."""
        found = struct("lt_array")()
        self._handle.context.call("lt_looptree_allocations", self._handle.at, ctypes.addressof(found))
        return Allocations(map(Allocation, each_of(found, "lt_allocation")))

    def compile(self) -> Program:
        """The program that runs by it."""
        if self._program is None:
            raise make(2, "the tree is of no program")
        return self._program.with_tree(self)

    def _repr_html_(self) -> str:
        """Nests as boxes."""
        parts: list[str] = []
        lines = self.lines()

        def box(node: Node) -> None:
            leaf = node.kind == values["LT_TLEAF"]
            parts.append("<div style='%s;margin:2px;padding:1px 6px;font-family:monospace'>"
                         % ("color:#333" if leaf else "border:1px solid #888;border-radius:4px"))
            parts.append("<span>%s</span>" % html.escape(node.text))
            if node.facts:
                parts.append(" <small style='color:#888'>%s</small>" % html.escape(node.facts))
            for child in lines:
                if child.parent == node.at:
                    box(child)
            parts.append("</div>")
        for line in lines:
            if line.parent < 0:
                box(line)
        return "".join(parts)


class Access:
    """What leaves access at a point of a tree: affine rows over its loops and run-time scalars (lt/access.h)."""

    def __init__(self, handle: Handle):
        self._handle = handle
        self._of = struct("lt_accesses").from_address(handle.at)
        self.loops = [Node({"text": loop.name.decode(), **as_dict(loop)})
                      for loop in each_of(self._of.loops, "lt_access_loop")]
        self.params = [Node({"text": p.name.decode(), **as_dict(p)})
                       for p in each_of(self._of.params, "lt_access_param")]
        self.accesses = [Node(as_dict(a)) for a in each_of(self._of.accesses, "lt_leaf_access")]

    def row(self, number: int) -> list[int]:
        """Coefficients over [1 | params | loops | divs]."""
        n = self._of.n_column
        return list((ctypes.c_int64 * n).from_address(self._of.rows + 8 * n * number))

    def along(self, number: int, loop: int) -> int | None:
        """The derivative of a row along a loop, by its number: None: it differs."""
        step = ctypes.c_int64()
        ok = function("lt_accesses_along")(self._handle.at, number, loop, ctypes.addressof(step))
        return step.value if ok else None

    def __str__(self) -> str:
        return "\n".join(a.text for a in self.accesses)

    def __repr__(self) -> str:
        return "<%s>" % "; ".join(a.text for a in self.accesses)


def _native_error() -> type[Exception]:
    from ._errors import Error
    return Error


def _method(row: dict[str, Any]) -> Callable[..., Tree]:
    def primitive(self: Tree, *words: object) -> Tree:
        return self.apply(" ".join([row["name"], *map(str, words)]), row["name"])
    primitive.__name__ = row["name"] if row["name"] not in ("apply", "compile") else row["name"] + "_"
    primitive.__qualname__ = "Tree." + primitive.__name__
    primitive.__doc__ = "%s: %s" % (row["usage"], row["help"])
    return primitive


for _row in PRIMITIVES.values():
    _name = _row["name"].replace("-", "_")
    setattr(Tree, _name if not hasattr(Tree, _name) else _name + "_", _method(_row))
