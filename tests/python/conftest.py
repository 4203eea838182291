import numpy as np
import pytest

import looptree as lt

PRODUCT = """
x = InputTensor(x, float32, [%d, %d]);
w = InputTensor(w, float32, [%d, %d]);
y = x @ w;
result = y;
"""


@pytest.fixture
def product():
    """A function that compiles the product of [m, k] and [k, n]."""
    def compiled(m=5, k=7, n=3, **how):
        return lt.compile(PRODUCT % (m, k, k, n), **{"backend": "ref", "threads": 1, **how})
    return compiled


@pytest.fixture
def random():
    return np.random.default_rng(7)
