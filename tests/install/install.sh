#!/usr/bin/env bash
# tests/install/install.sh -- installs into a folder of its own and uses what is there as a stranger would: with
# pkg-config, shared and static, without this source tree. Prints TAP. Called with O, CC, SAN, DIRS and MAKE.
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
	for f in bin/lt-run lib/liblooptree.a lib/liblooptree.so lib/liblooptree.so.0 lib/libhamkaas.so lib/pkgconfig/looptree.pc \
		include/lt/lt.h include/hamkaas.h share/man/man1/lt-run.1; do
		[ -s "$at/$f" ] || { echo "$f is missing"; return 1; }
	done
}
says_hello() {
	[ "$(LD_LIBRARY_PATH=$at/lib "$1")" = "result of x: 0 4 6" ]
}
shared_program() {
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/hello" examples/hello.c $(package --cflags --libs) && says_hello "$to/hello"
}
hamkaas_program() {
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -o "$to/hamkaas" tests/install/hamkaas.c $(package --cflags) -L"$at/lib" -lhamkaas &&
	[ "$(LD_LIBRARY_PATH=$at/lib "$to/hamkaas")" = "0 4 6" ]
}
static_program() {
	$CC $flags -o "$to/static" examples/hello.c $(package --cflags) $(package --static --libs | sed "s|-llooptree|$at/lib/liblooptree.a|") &&
	! ldd "$to/static" | grep liblooptree && says_hello "$to/static"
}
# Without any shared library: the archive needs what isl needs, too.
all_static() {
	$CC -static -o "$to/all_static" tests/install/list.c $(package --cflags) $(package --static --libs) && ! ldd "$to/all_static" &&
	"$to/all_static" | grep -q '^backends/ref$'
}
plug_in() {
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -o "$to/plain.so" tests/plugins/plain.c $(package --cflags) &&
	"$at/bin/lt-run" -B "$to/plain.so" --list-backends | grep '^plain '
}
# Every folder of a backend or frontend in the Makefile is in the archive: a constructor that the linker drops is no error.
all_registered() {
	$CC $flags -o "$to/list" tests/install/list.c $(package --cflags) $(package --static --libs | sed "s|-llooptree|$at/lib/liblooptree.a|") &&
	diff <(printf '%s\n' $DIRS | grep -E '^(backends|frontends)/' | grep -v backends/cgen | sort) <("$to/list" | sort)
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
try "a backend of one file against the installed headers" plug_in
try "a HamKaas program against libhamkaas.so" hamkaas_program
try "the archive has every backend and frontend" all_registered
try "liblooptree.so exports lt_ names only" exports liblooptree.so '^lt_[^_]'
try "libhamkaas.so exports its functions only" exports libhamkaas.so '^HamKaas'
try "lt-run and pkg-config name one version" one_version
try "make uninstall" uninstalled
