"""looptree.onnx_backend driven by onnx.backend.test's own runner, and beside onnx's reference evaluator and numpy."""
import unittest
import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")

import looptree as lt
import looptree.onnx_backend as backend
from onnx import TensorProto, helper

F4 = TensorProto.FLOAT


def runner():
    """The standard's tests of a few operators, of each kind of what the backend does with inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import onnx.backend.test
        tests = onnx.backend.test.BackendTest(backend, __name__)
    for name in ("add", "matmul_2d", "softmax_axis_1", "reshape_allowzero_reordered", "reshape_extended_dims",
                 "cast_FLOAT_to_FLOAT8E4M3FN", "cast_FLOAT_to_INT4", "quantizelinear_axis",
                 "range_int32_type_negative_delta", "split_variable_parts_1d_opset18", "expand_dim_changed",
                 "gather_negative_indices"):
        tests.include("^test_%s_cpu$" % name)
    return tests


@pytest.mark.more
def test_the_runner_of_the_standard():
    result = unittest.TestResult()
    runner().test_suite.run(result)
    ran = result.testsRun - len(result.skipped)
    assert not result.errors and not result.failures, (result.errors + result.failures)[0][1]
    assert ran >= 11, (ran, result.skipped[:3])


def model(nodes, inputs, results):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*i) for i in inputs],
                              [helper.make_tensor_value_info(*r) for r in results])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def test_open_extents_are_those_of_the_inputs():
    m = model([helper.make_node("Sub", ["x", "y"], ["z"])], [("x", F4, ["n", 3]), ("y", F4, [1, 3])],
              [("z", F4, ["n", 3])])
    prepared = backend.prepare(m)
    y = np.array([[-0.0, np.nan, -7]], "f4")
    for n in (1, 5, 1):
        x = np.arange(3 * n, dtype="f4").reshape(n, 3) - 4
        z, = prepared.run([x, y])
        np.testing.assert_array_equal(z, x - y)


def test_extents_from_run_to_run():
    m = model([helper.make_node("Neg", ["x"], ["y"])], [("x", F4, ["n", 3])], [("y", F4, ["n", 3])])
    prepared = backend.prepare(m, dims={"n": "1..7"})
    for n in (7, 1, 5):
        x = np.arange(3 * n, dtype="f4").reshape(n, 3)
        np.testing.assert_array_equal(prepared.run({"x": x})[0], -x)
    assert len(prepared._programs) == 1


def test_inputs_that_have_to_be_known_may_change():
    m = model([helper.make_node("Reshape", ["x", "s"], ["y"])], [("x", F4, [2, 3]), ("s", TensorProto.INT64, [2])],
              [("y", F4, ["a", "b"])])
    prepared, x = backend.prepare(m), np.arange(6, dtype="f4").reshape(2, 3)
    for shape in ([3, 2], [6, 1], [1, -1], [3, 2]):
        np.testing.assert_array_equal(prepared.run([x, np.array(shape, "i8")])[0], x.reshape(shape))


def test_a_known_number_has_no_axis():
    m = model([helper.make_node("Range", ["a", "b", "c"], ["y"])], [(n, F4, []) for n in "abc"], [("y", F4, ["n"])])
    y, = backend.run_model(m, [np.float32(5), np.float32(-2), np.float32(-3)])
    np.testing.assert_array_equal(y, np.arange(5, -2, -3, dtype="f4"))


def test_a_model_is_a_source():
    m = model([helper.make_node("Neg", ["x"], ["y"])], [("x", F4, [2])], [("y", F4, [2])])
    np.testing.assert_array_equal(lt.compile(m, backend="ref")(x=np.float32([3, -2])), [-3, 2])


def test_node():
    x = np.array([[3, -1, 2], [-5, 7, 11]], "f4")
    node = helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=1)
    values, places = backend.run_node(node, [x, np.array([2], "i8")])
    np.testing.assert_array_equal(values, -np.sort(-x, 1)[:, :2])
    np.testing.assert_array_equal(places, np.argsort(-x, 1)[:, :2])


def test_what_is_refused_says_why():
    m = model([helper.make_node("RandomNormalLike", ["x"], ["y"])], [("x", F4, [2])], [("y", F4, [2])])
    with pytest.raises(lt.Error, match="random"):
        backend.run_model(m, [np.ones(2, "f4")])
    assert backend.supports_device("CPU") and not backend.supports_device("CUDA:0")
    with pytest.raises(lt.Unsupported, match="CUDA"):
        backend.prepare(m, "CUDA:0")
