"""The examples of docs/python.md give what stands below them."""
import doctest
import os
import re

import looptree as lt

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


def test_python_md(monkeypatch):
    monkeypatch.chdir(ROOT)
    with open("docs/python.md", encoding="utf-8") as file:
        text = file.read()
    names = {}
    blocks = list(re.finditer(r"^```pycon\n(.*?)^```$", text, re.S | re.M))
    assert len(blocks) > 5
    said = []
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        test = doctest.DocTestParser().get_doctest(block[1], names, "docs/python.md", "docs/python.md", line)
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    assert not said, "".join(said)


def test_everything_public_says_what_it_is():
    for name in lt.__all__:
        assert getattr(lt, name).__doc__, name
    for of in (lt.Program, lt.Tree, lt.Access):
        for name, member in vars(of).items():
            assert name.startswith("_") or not callable(member) or member.__doc__, "%s.%s" % (of.__name__, name)
