#!/usr/bin/env bash
# tests/abi/freeze.sh -- pins the version of the backend interface that include/lt has: copies the headers that a
# plug-in sees to tests/abi/MAJOR.MINOR, with a plug-in, and writes backends/abi.def, the table of their offsets and
# values.  Called once for a version, when LT_ABI_MINOR has been raised; until the first release, 1.1 may be pinned
# again.
set -eu
cd "$(dirname "$0")/../.."
number() { sed -n "s/^#define LT_ABI_$1 \([0-9]*\)u.*/\1/p" include/lt/backend.h; }
version=$(number MAJOR).$(number MINOR)
to=tests/abi/$version/lt
mkdir -p "$to"
for h in backend tree target status options; do cp include/lt/$h.h "$to/$h.h"; done
# A plug-in of that version: the one of docs/backend.md.
awk '$0 == "```c" { inside = 1; next } $0 == "```" { inside = 0; if (n) exit } inside { n++; print }' \
	docs/backend.md >"tests/abi/$version/mine.c"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
	printf '#include <stdio.h>\n#include "lt/backend.h"\nint main(void)\n{\n'
	scripts/facts.sh include | awk '
		$1 == "struct" {
			printf "\tprintf(\"MEMBER(%s, %s, %%zu, %%zu)\\n\", offsetof(struct %s, %s), ", $2, $4, $2, $4
			printf "sizeof ((struct %s *)0)->%s);\n", $2, $4
		}
		$1 == "enum" && $4 != "last" { printf "\tprintf(\"VALUE(%s, %d)\\n\");\n", $3, $4 }'
	for s in lt_array lt_slot lt_fault lt_diag lt_backend_mark; do
		printf '\tprintf("SIZE(%s, %%zu)\\n", sizeof (struct %s));\n' $s $s
	done
	printf '\treturn 0;\n}\n'
} >"$work/layout.c"
${CC:-cc} -std=c11 -Iinclude -o "$work/layout" "$work/layout.c"
{
	cat <<END
/* backends/abi.def -- where each member of the backend interface $version is, for 64-bit machines; written by
 * tests/abi/freeze.sh.
 *
 * MEMBER(struct, member, offset, bytes)   VALUE(enumerator, value)
 * SIZE(struct, bytes)   structs that never grow: they are inside of others, or in arrays without a stride
 */
END
	"$work/layout"
	printf '#undef MEMBER\n#undef VALUE\n#undef SIZE\n'
} >backends/abi.def
