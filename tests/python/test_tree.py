"""Trees changed by primitives: what runs by them, what is refused, and what leaves access, against enumeration."""
import copy
import html
import itertools
import re

import numpy as np
import pytest

import looptree as lt


def test_primitives_are_methods():
    for name in lt._tree.PRIMITIVES:
        method = getattr(lt.Tree, name.replace("-", "_"), None)
        assert method is not None and method.__doc__


def test_a_tree_is_a_value(product, random):
    p = product(8, 6, 4)
    tree = p.tree()
    before = str(tree)
    changed = tree.split("%y/m", 2)
    assert str(tree) == before and "step 2" in str(changed)
    assert str(changed) == str(tree.apply("split %y/m 2"))
    x, w = random.integers(-9, 9, (8, 6)).astype("f4"), random.integers(-9, 9, (6, 4)).astype("f4")
    for program in (p.with_tree(changed), changed.compile(), p.with_tree(str(changed))):
        np.testing.assert_array_equal(program(x=x, w=w), x @ w)
        assert str(program.tree()) == str(changed)


def test_trees_are_compared_and_copied(product):
    p = product(8, 6, 4)
    tree = p.tree()
    assert tree == p.tree() and hash(tree) == hash(p.tree()) and tree != tree.split("%y/m", 2) and tree != str(tree)
    assert tree == product(8, 6, 4).tree() and tree != product(9, 6, 4).tree()
    assert copy.copy(tree) == copy.deepcopy([tree])[0] == tree


def test_a_schedule_is_a_tree_or_a_file(product, tmp_path):
    tree = product(8, 6, 4).tree().split("%y/m", 2)
    (tmp_path / "a.tree").write_text(str(tree))
    for schedule in (tree, tmp_path / "a.tree", str(tree)):
        assert product(8, 6, 4, schedule=schedule).tree() == tree


def test_what_notebooks_show(product):
    """Texts as they are, trees as boxes."""
    p = product(8, 6, 4, backend="cpu")
    for shown in (p.graph(), p.source(), p.dump("access"), p.kernels(), p.verify(), p.time(samples=2), p.profile(),
                  lt.backends()):
        assert shown._repr_html_() == "<pre>%s</pre>" % html.escape(str(shown)) and len(str(shown)) > 15
    with pytest.raises(AttributeError, match="no 'src'; it has number, .*nodes, dump, source, asm$"):
        p.kernels()[0].src()
    assert isinstance(p.graph(), str) and p.graph()[:5] == "graph"
    assert p.tree()._repr_html_().count("<span>for ") == sum(line.text[:4] == "for " for line in p.tree().lines()) >= 3
    assert "reads %x[m, k]" in repr(p.tree().access("%x"))


def test_weights_go_with_a_tree():
    p = lt.compile("x = InputTensor(x, float32, [4]); w = ConstantTensor(w, float32, [4]); y = x * w; result = y;",
                   backend="ref", weights={"w": np.float32([1, 2, 3, 4])})
    loop = next(line for line in p.tree().lines() if line.text.startswith("for "))
    q = p.with_tree(p.tree().split(loop.text.split()[1], 2))
    np.testing.assert_array_equal(q(x=np.float32([1, 1, 1, -1])), [1, 2, 3, -4])


def test_illegal(product):
    tree = product().tree()
    with pytest.raises(lt.Illegal) as caught:
        tree.parallel("%y/k")
    e = caught.value
    assert e.status == "EILLEGAL" and e.loop == "k" and e.node == "y" and e.line == 1
    assert e.violation.kind == "carried" and e.violation.loop == "k" and e.violation.value == "y"
    first, second = e.violation.pair
    assert first.node == second.node == "y" and first.at["k"] != second.at["k"]
    assert all(first.at[v] == second.at[v] for v in first.at if v != "k")


def test_what_is_no_step(product):
    tree = product().tree()
    for step in ("split", "split nowhere 2", "splitt k 2", "split %y/m 0", "split %y/m -3", "split %y/m x", ""):
        if not step:
            assert str(tree.apply(step)) == str(tree)
            continue
        with pytest.raises(lt.Error) as caught:
            tree.apply(step)
        assert len(str(caught.value)) > 10


def test_memory_and_lines(product):
    tree = product(5, 7, 3).tree()
    assert {a.text: a.bytes for a in tree.memory()}["%y"] == 4 * 5 * 3
    rows = {a.name: a for a in tree.split("k", 2).memory()}
    assert rows["y"].lives == "whole" and rows["y"].extents == [5, 3] and str(rows["y"]) == "%y whole, 60 bytes"
    inner = next(a for a in rows.values() if a.lives == "local")
    assert str(inner) == "%%%s local to an iteration of %s, 4 bytes" % (inner.name, inner.owner_path)
    assert str(tree.memory()).count("\n") == len(rows) - 1 and "outside" in str(tree.memory())
    lines = tree.lines()
    assert all(line.parent < line.at or line.parent < 0 for line in lines)
    assert str(tree).rstrip().endswith(lines[-1].text) or lines[-1].text in str(tree)
    html = tree._repr_html_()
    assert html.count("<div") == html.count("</div>") == len(lines)


STEPS = ["split %y/m {}", "split %y/n {}", "split %y/k {}", "unroll %y/n", "parallel %y/m"]


@pytest.mark.parametrize("seed", range(12))
def test_random_schedules(product, seed):
    """Whatever is not refused gives the same numbers; and where a leaf reads and writes is what one counts."""
    draw = np.random.default_rng(seed)
    m, k, n = (int(draw.integers(1, 14)) for _ in range(3))
    p = product(m, k, n)
    tree = p.tree()
    for _ in range(3):
        step = STEPS[draw.integers(len(STEPS))].format(int(draw.integers(1, 6)))
        try:
            tree = tree.apply(step)
        except lt.Error as error:
            assert len(str(error)) > 10
    x, w = draw.integers(-9, 9, (m, k)).astype("f4"), draw.integers(-9, 9, (k, n)).astype("f4")
    np.testing.assert_array_equal(p.with_tree(tree)(x=x, w=w), x @ w)
    elements_read(tree, m, k, n)


def elements_read(tree, m, k, n):
    """What the text of the access of x says, evaluated in every iteration of the loops: all of x, and nothing else."""
    access = tree.access("%x")
    (text,) = [a.text for a in access.accesses]
    read = re.match(r"%\S+ reads %x\[(.*)\] at (.*)$", text)
    assert read, text
    seen = set()
    for at in itertools.product(*(range(loop.trip_count) for loop in access.loops)):
        names = dict(zip((loop.text for loop in access.loops), at))
        index = tuple(evaluate(part, names) for part in read[1].split(", "))
        if index[0] < m and index[1] < k:               # else it is one of a last tile, which is not whole
            seen.add(index)
            assert evaluate(read[2], names) == index[0] * k + index[1]
    assert seen == set(itertools.product(range(m), range(k)))


def evaluate(text, names):
    return eval(re.sub(r"[a-z]+'*", lambda v: "N[%r]" % v[0], text), {"N": names})


def test_along(product):
    """The derivative of an address along a loop: of %w[k, n] in a row-major array of 7 x 3."""
    access = product(5, 7, 3).tree().access("%w")
    (a,) = access.accesses
    assert [a.text] == ["%y.mul reads %w[k, n] at 3*k + n"]
    along = {loop.text: access.along(a.first_row + a.place if a.place < a.first_row else a.place, i)
             for i, loop in enumerate(access.loops)}
    assert along == {"m": 0, "k": 3, "n": 1}
    row = access.row(a.first_row)
    assert row[1 + len(access.params) + [loop.text for loop in access.loops].index("k")] == 1 and sum(row) == 1


def test_a_tree_of_a_program_with_a_schedule(random):
    """Its own steps are in its tree, and are not taken again; constants stay, also where the tree is a text."""
    text = "x = InputTensor(x, float32, [6, 8]); w = ConstantTensor(w, float32, [8, 4]); y = x @ w; result = y;"
    x, w = random.integers(-9, 9, (6, 8)).astype("f4"), random.integers(-9, 9, (8, 4)).astype("f4")
    for how in ({"schedule": "schedule 1\nsplit %y/m 2"}, {"apply": "split %y/m 2"},
                {"schedule": "schedule 1\nsplit %y/m 3", "apply": "split %y/n 2"}):
        p = lt.compile(text, backend="ref", weights={"w": w}, **how)
        tree = p.tree().unroll("%y/m'")
        for q in (p.with_tree(tree), p.with_tree(str(tree)), p.with_tree(tree).with_tree(str(tree))):
            assert str(q.tree()) == str(tree)
            np.testing.assert_array_equal(q(x=x), x @ w)
