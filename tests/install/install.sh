#!/usr/bin/env bash
# tests/install/install.sh -- installs into a folder of its own and uses what is there as a stranger would: with
# pkg-config, shared and static, without this source tree; backends as docs/backend.md says, by the texts of that page.
# Prints TAP.
# Called with O, CC, SAN, DIRS and MAKE.
set -u
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
prefix=/opt/looptree
at=$to$prefix
flags=${SAN:+-fsanitize=$SAN}

try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}
package() {
	PKG_CONFIG_PATH=$at/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$to pkg-config "$@" looptree
}
files_are_there() {
	local f
	for f in bin/lt-run bin/lt-check bin/lt-build bin/lt-llama lib/liblooptree.a lib/liblooptree.so lib/liblooptree.so.0 \
		lib/liblt-kernel.a \
		lib/libhamkaas.so \
		lib/pkgconfig/looptree.pc include/lt/lt.h include/hamkaas.h share/man/man1/lt-run.1 \
		share/bash-completion/completions/lt-bench share/zsh/site-functions/_lt-run \
		share/fish/vendor_completions.d/lt-check.fish share/doc/looptree/README.md \
		share/doc/looptree/docs/schedule.md share/doc/looptree/examples/softmax.lt; do
		[ -s "$at/$f" ] || { echo "$f is missing"; return 1; }
	done
	# What needs LLVM is there where it was built.
	[ ! -e "$O/backends/llvm.so" ] || [ -s "$at/lib/looptree/backends/llvm.so" ] ||
		{ echo "lib/looptree/backends/llvm.so is missing"; return 1; }
}
says_hello() {
	[ "$(LD_LIBRARY_PATH=$at/lib "$1")" = "result of x: 0 4 6" ]
}
# A folder for documents may be one of others: what is theirs stays, and no folder at all is refused.
foreign_documents_stay() {
	local doc=$to/shared_doc
	mkdir -p "$doc/others" && echo theirs >"$doc/others/page" &&
	$MAKE -s install PREFIX="$to/second" DOCDIR="$doc" && [ -s "$doc/docs/schedule.md" ] &&
	$MAKE -s uninstall PREFIX="$to/second" DOCDIR="$doc" &&
	[ -s "$doc/others/page" ] && [ ! -e "$doc/docs" ] && [ ! -e "$doc/README.md" ] &&
	! $MAKE -s install PREFIX="$to/second" DOCDIR= && ! $MAKE -s uninstall O="$O" PREFIX="$to/second" DOCDIR=
}
shared_program() {
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/hello" examples/hello.c $(package --cflags --libs) &&
	says_hello "$to/hello"
}
hamkaas_program() {
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/hamkaas" tests/install/hamkaas.c \
		$(package --cflags) -L"$at/lib" -lhamkaas &&
	[ "$(LD_LIBRARY_PATH=$at/lib "$to/hamkaas")" = "0 4 6" ]
}
# What a program needs that is linked with the archive.
archive() { package --static --libs | sed "s|-llooptree|$at/lib/liblooptree.a|"; }
static_program() {
	$CC $flags -o "$to/static" examples/hello.c $(package --cflags) $(archive) &&
	! ldd "$to/static" | grep liblooptree && says_hello "$to/static"
}
# Without any shared library: the archive needs what isl needs, too.
all_static() {
	$CC -static -o "$to/all_static" tests/install/list.c $(package --cflags) $(package --static --libs) &&
	! ldd "$to/all_static" &&
	"$to/all_static" | grep -q '^backends/ref$'
}
# A program that knows kernel programs only; as in a plug-in, no name of the archive but those of lt/kernel.h clashes.
kernel_program() {
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/kernel" tests/install/kernel.c $(package --cflags) \
		-L"$at/lib" -llt-kernel -lm &&
	[ "$("$to/kernel")" = "kernel 1" ]
}
plug_in() {
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -o "$to/plain.so" tests/plugins/plain.c $(package --cflags) &&
	"$at/bin/lt-run" -B "$to/plain.so" --list-backends | grep '^plain '
}
# A plug-in built with a sanitizer for a library without one, and the other way round: a sentence, and by
# LT_BACKEND_PATH no more than that.
built_otherwise() {
	local so=$to/otherwise.so words=$2
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $1 -o "$so" tests/plugins/plain.c $(package --cflags) || return 1
	LT_BACKEND_PATH='' "$at/bin/lt-run" -B "$so" --list-backends >"$to/said" 2>&1 && { echo "it is loaded"; return 1; }
	grep -F "otherwise.so: it was built $words" "$to/said" || { cat "$to/said"; return 1; }
	LT_BACKEND_PATH=$so "$at/bin/lt-run" --list-backends >"$to/said" 2>&1 && grep '^ref ' "$to/said" ||
		{ cat "$to/said"; return 1; }
}
# Whether $CC can build a plug-in with this sanitizer.
has_runtime() { $CC -shared -fPIC -DLT_PLUGIN "$1" -Iinclude -o "$to/try.so" tests/plugins/plain.c 2>/dev/null; }
# The n-th block of a language in docs/backend.md, or a part of it.
block() {
	awk -v start='```'"$1" -v n="$2" '
		$0 == start && ++at == n { inside = 1; next }
		$0 == "```" { inside = 0 }
		inside' "${3-docs/backend.md}"
}
# Commands of the page, in a folder outside this tree.
as_author() {
	(cd "$to/page" && PATH=$to/cc:$at/bin:$PATH PKG_CONFIG_PATH=$at/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$to \
		LT_BACKEND_PATH='' CC=cc bash -eu "$@")
}
page_backend() {
	mkdir -p "$to/page" "$to/cc" &&
		printf '#!/bin/sh\nPATH=%s\nexec %s %s "$@"\n' "'$PATH'" "$CC" "$flags" >"$to/cc/cc" &&
		chmod +x "$to/cc/cc" || return 1
	block c 1 >"$to/page/mine.c"
	block sh 1 >"$to/page/first.sh"
	grep -q 'LT_BACKEND(mine)' "$to/page/mine.c" && grep -q -- '-o mine.so mine.c' "$to/page/first.sh" ||
		{ echo "the page has no mine.c"; return 1; }
	as_author first.sh >"$to/page/said" 2>"$to/page/errors" || { cat "$to/page/said" "$to/page/errors"; return 1; }
	grep -i warning "$to/page/errors" && return 1
	block text 1 >"$to/page/explained"
	grep '^mine ' "$to/page/said" && grep '^verify: passed' "$to/page/said" && grep 'nothing failed' "$to/page/said" &&
	diff "$to/page/explained" <(cat "$to/page/said" "$to/page/errors" |
		grep -A 1000 "$(head -n 1 "$to/page/explained")" | head -n "$(wc -l <"$to/page/explained")")
}
page_printer() {
	block c 2 >"$to/page/printer.c"
	block sh 2 >"$to/page/printer.sh"
	grep -q 'LT_BACKEND(printer)' "$to/page/printer.c" && grep -q -- '-llt-kernel' "$to/page/printer.sh" ||
		{ echo "the page has no printer.c"; return 1; }
	# Its last line runs all cases, which takes minutes: without CHECK_PRINTER=whole a part of them, and those that are
	# about the environment and errors.
	local suite='lt-check -B ./printer.so -b printer'
	[ "$(tail -n 1 "$to/page/printer.sh")" = "$suite" ] || { echo "the page does not run all cases"; return 1; }
	[ "${CHECK_PRINTER-}" = whole ] ||
		sed -i "\$s|.*|$suite --part 1/40; $suite --filter 'errors/*'|" "$to/page/printer.sh"
	as_author printer.sh >"$to/page/said" 2>"$to/page/errors" || { cat "$to/page/said" "$to/page/errors"; return 1; }
	grep -i warning "$to/page/errors" && return 1
	grep '^verify: passed' "$to/page/said" && grep 'nothing failed' "$to/page/said"
}
# The program for who knows loop_tool, and what the page says that it prints.
page_loop_tool() {
	sed -n "/^## Coming from loop_tool/,/^## The contract/p" docs/backend.md >"$to/page/section"
	block c 1 "$to/page/section" >"$to/page/walk.c"
	block text 1 "$to/page/section" >"$to/page/walk.text"
	[ -s "$to/page/walk.text" ] &&
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/page/walk" "$to/page/walk.c" $(package --cflags --libs) &&
	diff "$to/page/walk.text" <(LD_LIBRARY_PATH=$at/lib "$to/page/walk")
}
page_repository() {
	rm -f "$to/page/mine.so"
	block make 1 >"$to/page/Makefile"
	block sh 3 >"$to/page/second.sh"
	as_author second.sh >"$to/page/said" 2>&1 || { cat "$to/page/said"; return 1; }
	grep 'nothing failed' "$to/page/said" || return 1
	echo 'make install' >"$to/page/third.sh"          # pkg-config puts PKG_CONFIG_SYSROOT_DIR before the path
	as_author third.sh && [ -s "$at/lib/looptree/backends/mine.so" ] &&
	LT_BACKEND_PATH=$at/lib/looptree/backends "$at/bin/lt-run" --list-backends | grep '^mine '
}
# The contract on the page and lt-check name the same cases: each group, and each case of those about clauses.
page_cases() {
	local there
	there=$("$at/bin/lt-check" -b ref --list | grep -v '^#')
	local clauses='slots|accepts|threads|memory|errors|optional'
	diff <({ echo "$there" | cut -d/ -f1; echo "$there" | grep -E "^($clauses)/"; } | sort -u | grep -vxE "$clauses") \
		<(sed -n '/^## The contract/,/^### What the host/p' docs/backend.md | grep '^|' |
			grep -oE '`[a-z]+(/[a-z_]+)?`' | tr -d '\`' |
			grep -E '/|^(op|cast|reduce|gather|state|param|product|random)$' | sort -u)
}
# What decides which code is printed is in the key of a kernel that is kept.
revision_follows() {
	local f
	for f in kernel/lower/lower.c backends/text/print.c include/lt/kernel.h include/lt/tree.h include/lt/target.h; do
		[ -e "$f" ] || { echo "there is no $f"; return 1; }
		$MAKE -n -W "$f" O="$O" "$O/backends/cpu/revision.h" | grep sha256sum >/dev/null ||
			{ echo "another $f has the same revision"; return 1; }
	done
}
# A plug-in of an earlier build or installation goes where there is none now.
without_llvm_goes() {
	mkdir -p "$to/none/backends" && touch "$to/none/backends/llvm.so" && $MAKE -s LLVM= O="$to/none" without-llvm &&
	[ ! -e "$to/none/backends/llvm.so" ] &&
	$MAKE -n LLVM= O="$to/none" "$to/none/lt-run" | grep -F "rm -f $to/none/backends/llvm.so" >/dev/null &&
	$MAKE -n LLVM= O="$to/none" PREFIX="$to/second" install |
		grep -F "rm -f $to/second/lib/looptree/backends/llvm.so" >/dev/null
}
# An installation at a place of its own finds what is in its folder of plug-ins, without being told.
install_directory() {
	$MAKE -s install PREFIX="$to/own" && cp "$to/page/mine.so" "$to/own/lib/looptree/backends" &&
	LT_BACKEND_PATH='' "$to/own/bin/lt-run" --list-backends | grep '^mine '
}
# Without a C compiler, and without a word about backends.
bare() { env -u LT_BACKEND_PATH -u CC PATH="$to/nothing" XDG_CACHE_HOME="$to/cold" "$@"; }
# Where llvm is installed it is the default, and nothing needs a C compiler; where it is not, cpu stands in.
llvm_is_default() {
	local own=$to/own so=$to/own/lib/looptree/backends/llvm.so
	mkdir -p "$to/nothing" && rm -f "$own/lib/looptree/backends/mine.so" || return 1
	bare "$own/bin/lt-run" --list-backends | grep '^default: llvm, ' &&
	bare "$own/bin/lt-run" examples/softmax.lt -i x=random --no-cache --verify --explain | grep 'k0.* -> llvm' &&
	bare "$own/bin/lt-check" --filter 'op/exp/f32' | grep '^llvm 1: nothing failed of ' &&
	[ "$(bare LD_LIBRARY_PATH="$own/lib" "$to/hamkaas")" = "0 4 6" ] &&
	mv "$so" "$so.away" && env -u LT_BACKEND_PATH "$own/bin/lt-run" --list-backends | grep '^default: cpu, ' &&
	env -u LT_BACKEND_PATH CC="$CC" "$own/bin/lt-run" examples/softmax.lt -i x=random --no-cache --verify --explain |
		grep 'k0.* -> cpu' &&
	mv "$so.away" "$so"
}
# What an installed tool and its man pages call a document is there, and completion is what the tool prints.
documents() {
	local own=$to/own page
	"$own/bin/lt-run" --apply= "$own/share/doc/looptree/examples/softmax.lt" -i x=1 2>&1 |
		grep -F "($own/share/doc/looptree/docs/schedule.md)" || return 1
	for page in $(grep -ohE "[^ (]*docs/[a-z-]+\.md" "$own"/share/man/man1/*.1 | sort -u); do
		[ -s "$page" ] || { echo "$page is named and not there"; return 1; }
	done
	[ -n "$page" ] && diff "$own/share/bash-completion/completions/lt-run" <("$own/bin/lt-run" --completion=bash)
}
trace_outside() {
	mkdir "$to/trace" && cp examples/plugin/trace/*.[ch] examples/matmul.lt "$to/trace" && cd "$to/trace" || return 1
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -O2 -Wall -Wextra -Werror \
		$(package --cflags) -o trace.so *.c -lm &&
	"$at/bin/lt-run" -q -B ./trace.so -b 'trace:L1=32k/8/64/file=report' matmul.lt -i '*=random' -c '*=random' --verify &&
	grep 'L1, 32k bytes, 8 ways, lines of 64: ' report
}
# A plug-in shows one name, whatever it is made of.
one_symbol() {
	local so names n=0
	for so in "$O"/examples/plugin/*.so "$O"/plugins/*.so $(ls "$O"/backends/*.so 2>/dev/null) "$to/page/mine.so"; do
		names=$(nm -D --defined-only "$so" | awk '{ print $3 }')
		[ "$names" = lt_backend_entry ] || { echo "$so exports" $names; return 1; }
		n=$((n + 1))
	done
	[ $n -ge 4 ] || { echo "only $n plug-ins"; return 1; }
}
# Every folder of a backend or frontend in the Makefile is in the archive: a constructor that the linker drops is no
# error.  Folders below those are parts of them.
all_registered() {
	$CC $flags -o "$to/list" tests/install/list.c $(package --cflags) $(archive) &&
	diff <(printf '%s\n' $DIRS | grep -E '^(backends|frontends)/[^/]*$' | grep -vE '^backends/(command|text)$' | sort) \
		<("$to/list" | sort)
}
exports() {
	local names other
	names=$(nm -D --defined-only "$at/lib/$1" | awk '{ print $3 }')
	other=$(echo "$names" | grep -vE "$2")
	[ -n "$names" ] && [ -z "$other" ] || { echo "$1 also exports" $other; return 1; }
}
one_version() {
	[ "$(package --modversion)" = "$("$at/bin/lt-run" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)" ]
}
uninstalled() {
	rm -f "$at/lib/looptree/backends/mine.so"
	$MAKE -s uninstall DESTDIR="$to" PREFIX=$prefix && [ -z "$(find "$at" ! -type d)" ]
}

try "make install" $MAKE -s install DESTDIR="$to" PREFIX=$prefix
try "what is installed" files_are_there
try "a program against the installed library" shared_program
try "a program against the installed archive" static_program
if [ -n "$flags" ]; then
	echo "ok - a program without shared libraries # SKIP sanitizers need them"
else
	try "a program without shared libraries" all_static
fi
try "a program against the installed archive of kernel programs" kernel_program
try "a backend of one file against the installed headers" plug_in
while IFS='|' read -r flag name; do
	case "$flags" in
	'')
		if has_runtime "$flag"; then
			try "a plug-in with the $name sanitizer is refused" \
				built_otherwise "$flag" "with the $name sanitizer, this library without"
		else echo "ok - a plug-in with the $name sanitizer is refused # SKIP $CC has no runtime for it"; fi ;;
	*${flag#-fsanitize=}*)
		try "a plug-in without the $name sanitizer is refused" \
			built_otherwise "" "without a sanitizer, this library with the $name sanitizer" ;;
	esac
done <<'END'
-fsanitize=address|address
-fsanitize=thread|thread
END
try "the backend of docs/backend.md, built and run outside of the tree" page_backend
try "the printer of docs/backend.md, built and run outside of the tree" page_printer
try "the program of docs/backend.md for who knows loop_tool" page_loop_tool
try "its repository: make, make check, make install" page_repository
try "the contract names the cases that there are" page_cases
try "plug-ins of the install directory are found" install_directory
try "documents are where messages and man pages say" documents
try "the backend trace, built outside of the tree" eval '(trace_outside)'
if [ -n "$flags" ]; then
	echo "ok - a plug-in shows one symbol # SKIP sanitizers add their own"
else
	try "a plug-in shows one symbol" one_symbol
fi
try "a HamKaas program against libhamkaas.so" hamkaas_program
if [ -e "$O/backends/llvm.so" ] && [ -z "$flags" ]; then
	try "llvm is the default where it is installed, and needs no compiler" llvm_is_default
else
	echo "ok - llvm is the default where it is installed # SKIP it is not built, or with sanitizers"
fi
try "the archive has every backend and frontend" all_registered
try "liblooptree.so exports lt_ names only" exports liblooptree.so '^lt_[^_]'
try "libhamkaas.so exports its functions only" exports libhamkaas.so '^HamKaas'
try "what prints kernels is in the key of those that are kept" revision_follows
try "without LLVM, its plug-in of before goes" without_llvm_goes
try "lt-run and pkg-config name one version" one_version
try "documents of others stay where they are" foreign_documents_stay
try "make uninstall" uninstalled
