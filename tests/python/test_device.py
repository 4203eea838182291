"""Arrays in a device's memory: device_cases.py in a process whose driver of CUDA is that of tests/cuda/mock.h."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def test_on_a_driver_that_is_not_there():
    if not (pathlib.Path(os.environ.get("O", "build")) / "tests" / "cuda" / "libcuda.so.1").exists():
        pytest.skip("the driver of the tests is not built: it needs CUDA's toolkit (make python-check)")
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", HERE / "device_cases.py"],
                          capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])})
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 20, done.stdout
