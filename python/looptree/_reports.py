"""What programs are asked, as objects: explained, verified, timed, profiled."""
from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

from ._errors import CLASSES
from ._native import Handle, as_dict, each, function, struct, text_of, values

_LIVES = {value: name[len("LT_LIVES_"):].lower() for name, value in values.items() if name.startswith("LT_LIVES_")}


class _Shown:
    """In a notebook: its text as it is."""

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % html.escape(str(self))


class Text(_Shown, str):
    """A text that a notebook shows as it is: a str otherwise."""


class _Row:
    def __init__(self, **members: Any):
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("this row has no '%s'; it has %s" % (name, ", ".join(
            word for word in (*self.__dict__, *vars(type(self))) if word[:1] != "_")))

    def __repr__(self) -> str:
        return "<%s>" % ", ".join("%s=%r" % item for item in self.__dict__.items() if not isinstance(item[1], list))


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas makes a DataFrame of pandas, which is not here: pip install pandas") from error
    return pandas.DataFrame(rows)


class _Rows(list[_Row]):
    def to_pandas(self) -> Any:
        """A DataFrame of the rows, with all that they have; pandas has to be installed."""
        return _frame([{name: value for name, value in row.__dict__.items() if name[:1] != "_"} for row in self])


class Kernel(_Shown, _Row):
    """A kernel of a program: number, kernel (its name), backend (None: none takes it), same_as (the one whose code it
    runs), nodes.  str(k) is what its backend is given: a kernel program, or of a backend that takes none a frozen
    tree."""

    def __init__(self, number: int, dump: Callable[[str, int], Text], row: _Row):
        super().__init__(number=number, kernel=row.kernel, backend=row.backend, same_as=row.same_as, nodes=row.nodes)
        self._dump = dump

    def dump(self, kind: str) -> Text:
        """The text of lt-run --dump=KIND of this kernel: access, frozen, source, asm, kernel or stats."""
        return self._dump(kind, self.number)

    def source(self) -> Text:
        """As its backend compiles it."""
        return self.dump("source")

    def asm(self) -> Text:
        """Its instructions, as text."""
        return self.dump("asm")

    def __str__(self) -> str:
        try:
            return self.dump("kernel")
        except CLASSES["Unsupported"]:
            return self.dump("frozen")

    def __repr__(self) -> str:
        return "<kernel %s of %s>" % (self.kernel, self.backend)


class Kernels(_Shown, _Rows):
    """The kernels of a program, by number: Kernel.  str(kernels) is the texts of all."""

    def __init__(self, dump: Callable[[str, int], Text], explained: Explained):
        super().__init__(Kernel(i, dump, row) for i, row in enumerate(explained))

    def __str__(self) -> str:
        return "\n".join(map(str, self))


class Allocation(_Row):
    """What a value is allocated (struct lt_allocation): bytes, lives ("whole", "local", "outside", "nowhere"),
    owner_path (the loop in an iteration of which it lives), extents ..."""

    def __init__(self, of: Any):
        super().__init__(text="%" + of.name.decode(), **{**as_dict(of), "lives": _LIVES[of.lives]},
                         extents=[e.value for e in each(of.extent, of.n_extent, "int64_t")])

    def __str__(self) -> str:
        if self.lives in ("nowhere", "outside"):
            return "%s %s" % (self.text, self.lives)
        return "%s %s%s, %d bytes%s%s" % (
            self.text, self.lives, " to an iteration of %s" % self.owner_path if self.owner_path else "", self.bytes,
            " of %d buffers" % self.buffers if self.buffers > 1 else "",
            ", laid out as %s" % self.layout if self.layout else "")

    def __repr__(self) -> str:
        return "<%s>" % self


class Allocations(_Shown, _Rows):
    """A row for each value of a tree: Allocation."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


class Explained(_Shown, _Rows):
    """A row for each kernel: kernel, backend (None: none takes it), same_as, nodes, refusals, decided, text."""

    def __init__(self, program: Handle):
        super().__init__()
        import ctypes
        for i in range(function("lt_program_kernels")(program.at)):
            out = ctypes.c_void_p()
            program.context.call("lt_program_explained", program.at, i, ctypes.addressof(out))
            e = struct("lt_explained").from_address(out.value or 0)
            at = out.value
            self.append(_Row(**as_dict(e), nodes=[_Row(**as_dict(n)) for n in each(e.node, e.n_node, "lt_kernel_node")],
                             refusals=[_Row(**as_dict(r)) for r in each(e.refusal, e.n_refusal, "lt_refusal")],
                             decided=[_Row(**as_dict(d)) for d in each(e.decided, e.n_decided, "lt_decided")],
                             text=text_of(lambda write, user: function("lt_explained_print")(at, write, user))))

    def __str__(self) -> str:
        return "".join(row.text for row in self)


class Backend(_Row):
    """name, summary, usable, reason and remedy (why not), devices, options: struct lt_backend_facts."""

    def __init__(self, handle: Handle):
        f = struct("lt_backend_facts").from_address(handle.at)
        super().__init__(**as_dict(f), usable=f.score > 0,
                         options=[_Row(**as_dict(o)) for o in each(f.option, f.n_option, "lt_backend_option")],
                         devices=[_Row(**as_dict(d)) for d in each(f.device, f.n_device, "lt_device")])

    def __repr__(self) -> str:
        return "<backend %s: %s>" % (self.name, self.summary if self.usable else self.reason)


class Backends(_Shown, _Rows):
    """A row for each backend: Backend."""

    def __init__(self, handles: Iterable[Handle]):
        super().__init__(map(Backend, handles))

    def __str__(self) -> str:
        return "".join("%-8s %s\n" % (b.name, b.summary if b.usable else "not here: " + b.reason) for b in self)


class Verified(_Shown, _Row):
    """What was found (struct lt_verified): bool(v) is whether all is right; str(v) is what lt-run --verify prints."""

    def __init__(self, verifier: Handle):
        report = verifier.context.call("lt_verifier_report", verifier.at)
        found = as_dict(struct("lt_verified").from_address(report))
        verdict = {values["LT_VERDICT_" + v]: v.lower() for v in ("PASSED", "FAILED", "OPEN")}[found.pop("verdict")]
        super().__init__(verdict=verdict, **found, text=verifier.context.text("lt_verified_print", report, 0))

    def __bool__(self) -> bool:
        return bool(self.verdict == "passed")

    def to_pandas(self) -> Any:
        """A DataFrame of one row; pandas has to be installed."""
        return _frame([self.__dict__])

    def __str__(self) -> str:
        return str(self.text)


class Times(_Shown, _Row):
    """Times of runs in nanoseconds (struct lt_timing): median_ns, min_ns, lower_ns, upper_ns, samples ..."""

    def __init__(self, at: int):
        t = struct("lt_timing").from_address(at)
        super().__init__(**as_dict(t), samples=[s.value for s in each(t.sample_ns, t.n_sample, "double")])
        function("lt_timing_free")(at)

    @property
    def median(self) -> float:
        """In seconds."""
        return float(self.median_ns) * 1e-9

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each sample: ns; pandas has to be installed."""
        return _frame([{"ns": ns} for ns in self.samples])

    def __str__(self) -> str:
        return "median %.4g us of %d runs, minimum %.4g us, middle half from %.4g to %.4g us" % (
            self.median_ns / 1e3, self.n_sample, self.min_ns / 1e3, self.lower_ns / 1e3, self.upper_ns / 1e3)


class Profile(_Shown, _Rows):
    """A row for each step of a run: name, backend, ns, busy_ns, useful, bytes, nodes ..."""

    def __init__(self, at: int):
        super().__init__()
        p = struct("lt_profile").from_address(at)
        self.run_ns: int = p.run_ns
        for step in each(p.step, p.n_step, "lt_profile_step"):
            self.append(_Row(**as_dict(step),
                             nodes=[n.name.decode() for n in each(step.node, step.n_node, "lt_kernel_node")]))

    def __str__(self) -> str:
        return "".join("%10.3f us  %5.1f %%  %s\n" % (row.ns / 1e3, 100 * row.ns / max(1, self.run_ns), row.name)
                       for row in sorted(self, key=lambda row: -row.ns))
