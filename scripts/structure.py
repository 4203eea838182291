#!/usr/bin/env python3
"""structure.py -- checks where the sources below this folder may look: floors, doors, homes, circles, tags.

    floor     a file includes only from the floors that FLOORS gives its own
    door      from another folder a file includes only that folder's door: the header that bears the folder's name
              (looptree/freeze/freeze.h), or the table of that name (ir/op/op.def); base/ has none: each header is one
    home      a header declares what its own folder defines, and a source file what itself defines
    circle    folders do not need each other in a circle, by what they include; nor do the headers of a folder; nor do
              the source files of a folder, by the functions that they call
    name      files that comments name are there
    map       docs/architecture.md names each folder in a row of its map, and no other
    dead      what a header declares and a file defines is used somewhere, if only by a test
    tag       no struct or union is defined twice

Prints what does not hold and answers 1.  `make tidy` calls it, tests/tidy.sh tries it.
"""
import collections
import os
import re
import sys

# Floor: floors that it may include from, besides itself; then what else it may not include.
CONTRACTS = r'lt/(graph|looptree|schedule|access|program|frontend|lt)\.h'
FLOORS = {
	'include': ('', None),
	'base': ('include', r'lt/(?!context|status|options)'),
	'ir': ('include base', r'lt/(looptree|schedule|access|program|frontend|lt)\.h'),
	'looptree': ('include base ir', r'lt/(program|frontend|lt)\.h'),
	'kernel': ('include base', CONTRACTS),
	'backends': ('include base kernel', CONTRACTS),
	'frontends': ('include base ir', r'lt/(program|looptree|schedule|access|lt)\.h'),
	'program': ('include base ir looptree kernel backends', None),
	'check': ('include base ir looptree kernel backends program', None),
	'tools': ('include base ir looptree kernel backends frontends program check', None),
	'python': ('include', None),
}
# Folders that may include less than their floor.
STRICTER = {
	'backends/llvm': r'kernel/|backends/(?!llvm/)|base/',          # a plug-in: public headers only
	'backends/text': r'backends/(?!text/)|lt/target\.h',
}
# Which of their names backends define each for itself (lt/backend.h).
OPEN_TAG = re.compile(r'^struct (\w+);', re.M)

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.M)
DEFINED = re.compile(r'^(?!static\b|typedef\b|extern\b|[#}\s])[^\n;={}]*?\b([a-z]\w*)\([^;{}]*\)[^;{}]*\{', re.M)
DECLARED = re.compile(r'^(?!static\b|typedef\b|[#}\s/])[^\n;={}()]*?\b([a-z]\w*)\([^;{}]*\)[^;{}]*;', re.M)
TAG = re.compile(r'\b(?:struct|union)\s+([A-Za-z_]\w*)\s*\{')
NO_CALL = re.compile(r'\b(?:struct|union|enum)\s+\w+|(?:\.|->)\s*\w+')
BLOCK = re.compile(r'/\*.*?\*/', re.S)
FILE = re.compile(r'(?<![\w/.*"<-])(?:[a-z_0-9]+/)*[a-z][a-z_0-9]*\.(?:c|h|def|inc)\b')
NO_FILE = {'llama2.c', 'math.h', 'mine.c', 'cuda.h'}           # of others
STATIC = re.compile(r'^static\b[^\n;={}(]*?\b(\w+)\(', re.M)
WORD = re.compile(r'[A-Za-z_]\w*')


def read_sources(floors):
	"""By path: its text."""
	sources = {}
	for floor in floors:
		for folder, _, files in os.walk(floor):
			for file in files:
				if file.endswith(('.c', '.h', '.inc', '.def')):
					with open(os.path.join(folder, file), encoding='utf-8') as f:
						sources[os.path.join(folder, file)] = f.read()
	return sources


def circles(needs):
	"""Groups of two and more that need each other in a circle (Tarjan); needs: by member, a set of members."""
	found, index, low, stack, on = [], {}, {}, [], set()

	def visit(v):
		index[v] = low[v] = len(index)
		stack.append(v)
		on.add(v)
		for w in sorted(needs.get(v, ())):
			if w not in index:
				visit(w)
				low[v] = min(low[v], low[w])
			elif w in on:
				low[v] = min(low[v], index[w])
		if low[v] == index[v]:
			group = []
			while not group or group[-1] != v:
				group.append(stack.pop())
				on.discard(group[-1])
			if len(group) > 1:
				found.append(sorted(group))

	for v in sorted(needs):
		if v not in index:
			visit(v)
	return found


def tell_circles(what, needs, why):
	"""A sentence for each circle; why: by pair, who needs what."""
	for group in circles(needs):
		yield '%s need each other in a circle: %s' % (what, ', '.join(group))
		for a in group:
			for b in group:
				if (a, b) in why:
					yield '  %s needs %s: %s' % (a, b, ', '.join(sorted(why[a, b])[:4]))


def floor_of(path):
	return path.split('/', 1)[0]


def check_includes(sources):
	folders, reasons = collections.defaultdict(set), collections.defaultdict(set)
	headers = collections.defaultdict(lambda: (collections.defaultdict(set), collections.defaultdict(set)))
	for path, text in sorted(sources.items()):
		folder = os.path.dirname(path)
		allowed, refused = FLOORS[floor_of(path)]
		for found in INCLUDE.finditer(text):
			name, line = found.group(1), text.count('\n', 0, found.start(1)) + 1
			beside = os.path.normpath(os.path.join(folder, name))
			if beside in sources and text[found.start(1) - 1] == '"':          # <cuda.h> is none of ours
				name = beside
			target = 'include/' + name if name.startswith('lt/') else name
			if floor_of(target) not in FLOORS or '/' not in name:
				if '/' in name and os.path.isdir(floor_of(target)):
					yield '%s:%d: floor: it may not include %s' % (path, line, name)
				continue
			stricter = STRICTER.get(folder)
			if (floor_of(target) != floor_of(path) and floor_of(target) not in allowed.split()) or \
					(refused and re.match(refused, name)) or (stricter and re.match(stricter, name)):
				yield '%s:%d: floor: it may not include %s' % (path, line, name)
			there = os.path.dirname(target)
			if target not in sources or there == 'include/lt':
				if there != 'include/lt' or folder != there:
					continue
			if there == folder:
				if path.endswith('.h') and name.endswith('.h'):
					headers[folder][0][path].add(target)
					headers[folder][1][path, target].add(name)
				continue
			stem, ending = os.path.splitext(os.path.basename(name))
			if there != 'base' and (stem != os.path.basename(there) or ending == '.c'):
				yield '%s:%d: door: from outside %s/ include %s/%s.h, not %s' % (
					path, line, there, there, os.path.basename(there), name)
			folders[folder].add(there)
			reasons[folder, there].add('%s includes %s' % (path, name))
	yield from tell_circles('folders', folders, reasons)
	for folder in sorted(headers):
		yield from tell_circles('headers', *headers[folder])


def check_calls(code):
	"""Source files of a folder, by the functions that one defines and another names."""
	by_folder = collections.defaultdict(list)
	for path in code:
		if path.endswith('.c'):
			by_folder[os.path.dirname(path)].append(path)
	for folder, paths in sorted(by_folder.items()):
		at = {}
		for path in paths:
			for name in DEFINED.findall(code[path]):
				if name != 'main':
					at[name] = path
		needs, why = collections.defaultdict(set), collections.defaultdict(set)
		for path in paths:
			own = set(STATIC.findall(code[path]))
			for name in (set(WORD.findall(NO_CALL.sub(' ', code[path]))) & set(at)) - own:
				if at[name] != path:
					needs[path].add(at[name])
					why[path, at[name]].add(name)
		yield from tell_circles('files', needs, why)


def check_homes(code):
	"""What a header declares is defined in its folder; a source file declares nothing that another one defines."""
	at = collections.defaultdict(set)
	for path, text in code.items():
		if path.endswith('.c'):
			for name in DEFINED.findall(text):
				at[name].add(path)
	for path, text in sorted(code.items()):
		if path.startswith('include'):
			continue
		for found in DECLARED.finditer(text):
			homes = at.get(found.group(1), set())
			if not homes or path in homes:
				continue
			if path.endswith('.c') or os.path.dirname(path) not in map(os.path.dirname, homes):
				yield '%s:%d: home: %s is defined in %s; declare it on the door there' % (
					path, text.count('\n', 0, found.start()) + 1, found.group(1), sorted(homes)[0])


def check_names(sources):
	"""Files that comments name are there: in the folder, in the one above it, in include/ or from the root on."""
	for path, text in sorted(sources.items()):
		folder = os.path.dirname(path)
		for comment in BLOCK.finditer(text):
			for found in FILE.finditer(comment.group()):
				name = found.group()
				if name not in NO_FILE and not any(os.path.exists(os.path.join(place, name))
						for place in (folder, os.path.dirname(folder), 'include', '.')):
					yield '%s:%d: name: there is no %s' % (
						path, text.count('\n', 0, comment.start() + found.start()) + 1, name)


def check_dead(code):
	used = collections.Counter()
	for path, text in [*code.items(), *read_sources(['tests', 'examples']).items()]:
		used.update(WORD.findall(text))
	declared = collections.Counter()
	for path, text in code.items():
		if path.endswith('.h') and not path.startswith('include'):
			declared.update(found.group(1) for found in DECLARED.finditer(text))
	for path, text in sorted(code.items()):
		if path.endswith('.c'):
			for name in DEFINED.findall(text):
				if declared[name] and used[name] == declared[name] + 1:
					yield '%s: dead: nothing uses %s' % (path, name)


def check_tags(code):
	where = collections.defaultdict(list)
	for path, text in sorted(code.items()):
		for tag in TAG.findall(text):
			where[tag].append(path)
	opened = set(OPEN_TAG.findall(code.get('include/lt/backend.h', '')))
	for tag, paths in sorted(where.items()):
		if len(paths) > 1 and tag not in opened:
			yield 'struct %s is defined twice; begin one name with its subject: %s' % (tag, ', '.join(paths))


def check_map(sources):
	"""The rows of the map begin with | `folder`."""
	try:
		with open('docs/architecture.md', encoding='utf-8') as f:
			rows = set(re.findall(r'^\| `([a-z0-9_/]*[a-z0-9_])` \|', f.read(), re.M))
	except FileNotFoundError:
		return
	folders = {os.path.dirname(path) for path in sources if not path.startswith('include/')}
	for folder in sorted(folders - rows):
		yield 'map: docs/architecture.md has no row for %s' % folder
	for folder in sorted(rows - folders):
		yield 'map: docs/architecture.md has a row for %s, which has no sources' % folder


def main():
	sources = read_sources(FLOORS)
	# prelude.h is text for generated code.
	code = {path: COMMENT.sub(lambda c: ' ' + '\n' * c.group().count('\n'), text)
		for path, text in sources.items() if not path.endswith('prelude.h')}
	bad = 0
	for check, given in (check_includes, sources), (check_calls, code), (check_homes, code), (check_dead, code), \
			(check_tags, code), (check_map, sources), (check_names, sources):
		for sentence in check(given):
			print(sentence)
			bad = 1
	return bad


sys.exit(main())
