#!/usr/bin/env python3
"""bodies.py [--lines N] [FOLDER...] -- finds the same function body twice, in whatever folders the two are.

Two bodies are the same if one becomes the other when names are exchanged one for one: those of variables, parameters,
types, members and of the functions that are called. Comments, layout and const do not count, numbers and strings do.
Looked at are functions of which a copy has N lines or more (8) from the line of the name to the closing brace, in all
folders of sources or in those that are named. Prints each group and answers 1 if there is one. `make tidy` calls it,
tests/tidy.sh tries it.
"""
import os
import re
import sys

ROOTS = 'base ir looptree kernel backends frontends program check tools python'.split()
# What is written twice on purpose: each checks the other.
INDEPENDENT = [{'base/number.h', 'kernel/simulate/value.c'}]
KEYWORDS = set('''auto break case continue default do else enum extern for goto if inline register
restrict return sizeof static struct switch typedef union void volatile while
true false NULL'''.split())
TOKEN = re.compile(r'''\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\d[\w.]*|[A-Za-z_]\w*
	|->|\+\+|--|<<=|>>=
	|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|.''', re.S | re.X)
# A function begins at the left margin, and so does the brace that ends it.
FUNCTION = re.compile(r'^(?![#}\s/])[^\n;={}]*(?:\n[ \t][^\n;={}]*)*\n?\{(?:[^\n]*\}$|.*?^\})', re.S | re.M)
NAME = re.compile(r'([A-Za-z_]\w*)\s*\(')


def functions(text):
	"""Each function of a file: line, name, lines, its body as a tuple of tokens with names numbered by appearance."""
	for found in FUNCTION.finditer(text):
		source = found.group()
		head = source[:source.index('{')]
		name = NAME.search(re.sub(r'__attribute__\s*\(\(.*?\)\)\s*\)?', '', head))
		if not name:
			continue
		seen, body = {}, []
		for token in TOKEN.findall(source[source.index('('):]):
			if token[0].isspace() or token[:2] in ('//', '/*') or token == 'const':
				continue
			if (token[0].isalpha() or token[0] == '_') and token not in KEYWORDS:
				token = '#%d' % seen.setdefault(token, len(seen))
			body.append(token)
		yield text.count('\n', 0, found.start()) + 1, name.group(1), source.count('\n') + 1, tuple(body)


def main(args):
	lines = 8
	if args and args[0] == '--lines':
		lines = int(args[1])
		args = args[2:]
	groups = {}
	for root in args or ROOTS:
		for folder, _, files in sorted(os.walk(root)):
			for file in sorted(files):
				if not file.endswith(('.c', '.h', '.inc')):
					continue
				path = os.path.join(folder, file)
				with open(path, encoding='utf-8') as f:
					for line, name, n, body in functions(f.read()):
						groups.setdefault(body, []).append((n, path, '%s:%d: %s' % (path, line, name)))
	twice = sorted((g for g in groups.values() if len(g) > 1 and max(g)[0] >= lines and
		{path for _, path, _ in g} not in INDEPENDENT), key=lambda g: -g[0][0] * len(g))
	for group in twice:
		print('the same body of %d lines:' % group[0][0])
		for _, _, where in group:
			print('  ' + where)
	return 1 if twice else 0


sys.exit(main(sys.argv[1:]))
