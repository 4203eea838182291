#!/usr/bin/env bash
# tests/setup.sh -- which packages make installs, and what it says at its end of those that are missing: the Makefile
# and scripts/setup.sh in a tree of their own, on a machine that is made up: its user, its apt-get, what it has.  Prints
# TAP.  Called with O and MAKE.
set -u
export LC_ALL=C.UTF-8
: "${O:=build}" "${MAKE:=make}"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
real=$PWD
case $O in /*) built=$O ;; *) built=$PWD/$O ;; esac
unset O SETUP MODE SAN MAKEFLAGS MAKELEVEL MFLAGS LLVM PROTOC CUDA CUDNN OPENCL CUDA_HOME CUDNN_HOME

for f in "$real"/*; do ln -s "$f" "$tree/${f##*/}"; done
rm "$tree/scripts" "$tree/$(basename "$built")" 2>/dev/null
rm -f "$tree/build" "$tree/config.mk"
cp -r scripts "$tree/scripts"
mkdir "$tree/bin" "$tree/has"
for f in llvm onnx cuda cudnn opencl; do
	printf '#!/bin/sh\n[ -e "%s/has/%s" ] && echo /none/%s\n' "$tree" $f $f >"$tree/scripts/$f.sh"
done
cat >"$tree/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$tree/calls"
[ -e "$tree/works" ] || { echo "E: no network"; exit 100; }
case "\$*" in
*llvm-19-dev*) : >"$tree/has/llvm" ;;
*protobuf-c-compiler*) : >"$tree/has/onnx" ;;
esac
END
printf '#!/bin/sh\ncat "%s/user"\n' "$tree" >"$tree/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$tree/bin/sudo"
chmod +x "$tree"/bin/* "$tree"/scripts/*.sh
export PATH=$tree/bin:$PATH

# machine USER [works]: without anything that is optional; nothing has been tried yet.
machine() {
	rm -rf "$tree"/has/* "$tree/works" "$tree/o"
	: >"$tree/calls"
	echo "$1" >"$tree/user"
	[ "${2-}" != works ] || : >"$tree/works"
}
# What `make WORDS` would run; its last line, which tells what is left out, is run.
run_make() {
	(cd "$tree" && "$MAKE" -n O=o "$@" >plan 2>said && last=$(tail -n 1 plan) &&
		case $last in *"setup.sh left-out"*) eval "${last#@}" >said ;; *) echo "$last" >said ;; esac)
}
calls() { [ "$(wc -l <"$tree/calls")" = "$1" ] || { echo "apt-get was called:"; cat "$tree/calls"; return 1; }; }
says() {
	local words
	for words in "$@"; do
		grep -qF -- "$words" "$tree/said" || { echo "no '$words' in:"; cat "$tree/said"; return 1; }
	done
}
says_not() { ! grep -F -- "$1" "$tree/said"; }
try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}

installs_main_features() {
	local goal
	for goal in "" demo; do
		machine 0 works
		run_make $goal && calls 2 && grep -q 'install .*llvm-19-dev' "$tree/calls" &&
			grep -q 'install .*protobuf-c-compiler libprotobuf-c-dev' "$tree/calls" &&
			says "left out: the backend cuda" "left out: the backend opencl" "apt-get install -y opencl-c-headers && make" &&
			says_not llvm && says_not ONNX && grep -q 'frontends/onnx' "$tree/plan" && run_make $goal && calls 2 || return 1
	done
}
setup_no() {
	machine 0 works
	run_make SETUP=no && calls 0 &&
		says "left out: the backend llvm" "no LLVM of 15 to 21; SETUP=no installs nothing" \
			"    to have it: apt-get install -y llvm-19-dev && make" "left out: models of ONNX" \
			"    to have it: apt-get install -y protobuf-c-compiler libprotobuf-c-dev && make" &&
		grep -qF 'SETUP=no' "$real/README.md"
}
no_network() {
	machine 0
	run_make && says "it could not be installed (o/setup-llvm.log)" "it could not be installed (o/setup-onnx.log)" &&
		grep -q 'no network' "$tree/o/setup-llvm.log" && calls 4 && run_make && calls 4
}
no_rights() {
	machine 1000 works
	run_make && calls 0 && says "this user may not install it" "to have it: sudo apt-get install -y llvm-19-dev && make"
}
chosen_by_hand() {
	machine 0 works
	run_make LLVM= PROTOC= CUDA= OPENCL= && calls 0 && [ ! -s "$tree/said" ] &&
		run_make LLVM= PROTOC= CUDA=/toolkit OPENCL= && says "left out: the backend cudnn" "cudnn9-cuda-13 && make"
}
install_installs_none() {
	machine 0 works
	run_make install && calls 0
}
# What cannot be done without is an error, whose sentence has the command.
needed() {
	local user=$1 setup=$2 want=$3
	machine "$user"
	printf '#!/bin/sh\nexit 1\n' >"$tree/bin/pkg-config"
	chmod +x "$tree/bin/pkg-config"
	! (cd "$tree" && SETUP=$setup scripts/setup.sh >said 2>&1) || return 1
	rm "$tree/bin/pkg-config"
	says "$want" "libisl-dev" && calls "$4"
}
# The goals of HamKaas: the mode, and the folder that is told.
modes() {
	machine 0 works
	run_make debug && grep -q -- '-O0 -g3' "$tree/plan" && run_make release && grep -q -- '-O2 -g' "$tree/plan" &&
		! grep -q -- '-O0 -g3' "$tree/plan" &&
	run_make debug-cudnn && grep -q -- '-O0 -g3' "$tree/plan" &&
	grep -qF "setup.sh hamkaas 'o' 'make debug'" "$tree/plan" &&
	run_make release-cudnn && grep -qF "setup.sh hamkaas 'o' 'make release'" "$tree/plan" &&
	(cd "$tree" && "$MAKE" -n debug-cudnn >plan 2>/dev/null) && grep -qF "setup.sh hamkaas 'build/debug'" "$tree/plan" &&
	grep -q -- '-o build/debug/libhamkaas.so' "$tree/plan"
}
# What -n shows is not run, though the scripts of tests are given make itself.
dry_runs_run_nothing() {
	local goal f
	machine 0 works
	rm "$tree/tests" && mkdir "$tree/tests" && ln -s "$real"/tests/* "$tree/tests" || return 1
	for f in check python; do
		rm "$tree/tests/$f.sh" && printf '#!/bin/sh\n: >"%s/ran"\n' "$tree" >"$tree/tests/$f.sh" &&
			chmod +x "$tree/tests/$f.sh" || return 1
	done
	for goal in check python-check; do
		(cd "$tree" && "$MAKE" -n O=o $goal >plan 2>/dev/null) && grep -q "tests/${goal%-check}.sh" "$tree/plan" &&
			[ ! -e "$tree/ran" ] || { echo "make -n $goal ran its tests"; return 1; }
	done
}
says_what_hamkaas_has() {
	local name
	"$real/scripts/setup.sh" hamkaas "$built" 'make release' >"$tree/said" &&
		says "built: $built/libhamkaas.so with all that is found here; make release builds the same" || return 1
	for name in $("$built/lt-run" --list-backends | awk '/^[a-z]/ && $1 != "default:" { print $1 }'); do
		grep -qE "^  backends: .*\b$name\b" "$tree/said" || { echo "$name is not named"; cat "$tree/said"; return 1; }
	done
}

try "make and make demo install LLVM and protobuf-c, once, and say what else is left out" installs_main_features
try "SETUP=no installs nothing, and the end says what that leaves out" setup_no
try "what cannot be installed is said at the end, and not tried again" no_network
try "who may not install packages is told the command" no_rights
try "what is left out by hand is neither installed nor told" chosen_by_hand
try "make install installs no packages" install_installs_none
try "packages that are needed: SETUP=no names them" needed 0 no "Please run:" 0
try "packages that are needed: a user without rights is told" needed 1000 '' "  sudo apt-get install -y" 0
try "packages that are needed: what fails is told" needed 0 '' "apt-get update && apt-get install -y" 2
try "make -n runs no tests" dry_runs_run_nothing
try "make debug, make release and their names with cudnn" modes
try "what libhamkaas.so has is told" says_what_hamkaas_has
