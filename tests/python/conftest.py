import functools
import gc
import os

import numpy as np
import pytest

import looptree as lt

PRODUCT = """
x = InputTensor(x, float32, [%d, %d]);
w = InputTensor(w, float32, [%d, %d]);
y = x @ w;
result = y;
"""


def pytest_collection_modifyitems(items):
    """What is marked `more` is run by make check-more, and a notebook by make python-check, too."""
    for item in items:
        notebook = item.path.name == "test_tour.py"
        if item.get_closest_marker("more") and not {"CHECK_MORE", *(["NOTEBOOK_PYTHON"] * notebook)} & set(os.environ):
            item.add_marker(pytest.mark.skip("one of make %scheck-more" % ("python-check and make " * notebook)))


def pytest_collection_finish():
    """What has been imported stays: a collection of garbage does not go through all of PyTorch."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def torchlib_once():
    """torch.onnx makes its table of operators anew for each module, which takes longer than all else: here once.  A
    PyTorch that has no such function is as slow as it is."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            from torch.onnx._internal.exporter._registration import ONNXRegistry
            patch.setattr(ONNXRegistry, "from_torchlib", staticmethod(functools.cache(ONNXRegistry.from_torchlib)))
        except (ImportError, AttributeError):
            pass
        yield


def pytest_unconfigure():
    gc.unfreeze()


@pytest.fixture
def product():
    """A function that compiles the product of [m, k] and [k, n]."""
    def compiled(m=5, k=7, n=3, **how):
        return lt.compile(PRODUCT % (m, k, k, n), **{"backend": "ref", "threads": 1, **how})
    return compiled


@pytest.fixture
def random():
    return np.random.default_rng(7)
