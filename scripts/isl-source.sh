#!/bin/sh
# isl-source.sh FOLDER -- isl's own source into FOLDER, which must not be there: that of Debian's package of the version
# that is installed or would be, fetched and checked by apt-get, with lists of its own, so that no file of the system's
# changes.  Another place: make wasm ISL=DIR.
set -eu
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "isl's source $*; unpack isl 0.25 or later, and say make wasm ISL=DIR" >&2; exit 1; }
command -v apt-get >/dev/null || fail "comes by apt-get, which is not there"
. /etc/os-release
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$(dirname "$folder")"
# Where the packages of this machine come from.
from=$({ sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*debian[^ ]*\) .*/\2/p' /etc/apt/sources.list \
		/etc/apt/sources.list.d/*.list
	sed -n 's/^URIs: *\([^ ]*debian\/*\)$/\1/p' /etc/apt/sources.list.d/*.sources
} 2>/dev/null | head -n 1)
echo "deb-src ${from:-http://deb.debian.org/debian} $VERSION_CODENAME main" >"$work/list"
apt() {
	apt-get -q -o Dir::Etc::sourcelist="$work/list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@" </dev/null
}
cd "$work"
{ apt update && apt source --download-only isl; } >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; fail "cannot be fetched"; }
mkdir source
tar -xf isl_*.orig.tar.* -C source --strip-components 1
cd - >/dev/null
mv "$work/source" "$folder"
