#!/bin/sh
# setup.sh [check] -- sees that the packages needed to build (with `check`: to test) are there.  Missing ones are
# installed through apt-get where this user may do that; otherwise the one command to run is printed.  Uses no network,
# and takes no time, when everything is there.
# setup.sh bench -- the same for OpenBLAS and oneDNN, which lt-bench measures next to Looptree; nothing fails without
# them.
# setup.sh llvm -- the same for LLVM, which the backend llvm is built with; without it the backend is left out.
# setup.sh opencl -- the same for OpenCL's headers and loader, and PoCL, an OpenCL device of any processor, on which
# tests run kernels for devices; without the headers the backend opencl is left out.
# setup.sh cross -- the same for compilers for arm and riscv64, and QEMU, which runs what they compile: for the tests of
# lt-build; nothing fails without them.
# setup.sh browser -- the same for Chromium, in which a test opens what lt-run --view writes; nothing fails without it.
# setup.sh onnx -- the same for protobuf-c, which model files are read with; without it the frontend onnx is left out.
# setup.sh onnx-suite FOLDER -- makes a virtual environment of Python there with the onnx package and its tests.
# setup.sh peers FOLDER -- makes a virtual environment of Python there with ONNX Runtime, OpenVINO and PyTorch, for
# bench/peers/.
set -u

# Installs packages that something can do without, one by one.
optional() {
	sudo=
	[ "$(id -u)" = 0 ] || sudo="sudo -n"
	install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
	why=$1
	shift
	for package in "$@"; do
		echo "Installing $package" >&2
		$install "$package" </dev/null >/dev/null 2>&1 || { $sudo apt-get update -q </dev/null >/dev/null 2>&1 &&
			$install "$package" </dev/null >/dev/null 2>&1; } ||
			echo "$package is not installed; $why: sudo apt-get install -y $package" >&2
	done
}

if [ "${1-}" = bench ]; then
	there() { ldconfig -p 2>/dev/null | grep -q "$1" || ls /usr/lib/*/"$1"* >/dev/null 2>&1; }
	want=
	there libopenblas.so.0 || want="libopenblas0-pthread"
	there libdnnl.so || want="$want libdnnl2"
	optional "to measure beside it" $want
	exit 0
fi
if [ "${1-}" = llvm ]; then
	"${0%/*}/llvm.sh" >/dev/null || optional "the backend llvm is left out; to build it" llvm-19-dev
	exit 0
fi
if [ "${1-}" = opencl ]; then
	want=
	"${0%/*}/opencl.sh" >/dev/null || want=opencl-c-headers
	ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || want="$want ocl-icd-libopencl1 pocl-opencl-icd"
	optional "the tests run nothing on OpenCL; to run it" $want
	exit 0
fi
if [ "${1-}" = cross ]; then
	want=
	command -v qemu-riscv64 >/dev/null || want=qemu-user
	command -v arm-linux-gnueabihf-gcc >/dev/null || want="$want gcc-arm-linux-gnueabihf"
	[ -e /usr/arm-linux-gnueabihf/include/stdio.h ] || want="$want libc6-dev-armhf-cross"
	command -v riscv64-linux-gnu-gcc >/dev/null || want="$want gcc-riscv64-linux-gnu"
	[ -e /usr/riscv64-linux-gnu/include/stdio.h ] || want="$want libc6-dev-riscv64-cross"
	optional "lt-build is not tested for that machine; to test it" $want
	exit 0
fi
if [ "${1-}" = browser ]; then
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
		optional "pages of lt-run --view are not opened by tests; to do that" chromium
	exit 0
fi
if [ "${1-}" = onnx ]; then
	"${0%/*}/onnx.sh" >/dev/null ||
		optional "the frontend onnx is left out; to build it" protobuf-c-compiler libprotobuf-c-dev
	exit 0
fi
if [ "${1-}" = onnx-suite ]; then
	folder=$2
	[ -x "$folder/bin/python" ] || python3 -m venv "$folder" || exit 1
	"$folder/bin/python" -c 'import onnx, numpy; assert onnx.__version__ >= "1.23"' 2>/dev/null ||
		"$folder/bin/python" -m pip install -q --disable-pip-version-check numpy onnx==1.23.0 || exit 1
	exit 0
fi
if [ "${1-}" = peers ]; then
	folder=$2
	[ -x "$folder/bin/python" ] || python3 -m venv "$folder" || exit 1
	pip="$folder/bin/python -m pip install -q --disable-pip-version-check"
	$pip numpy onnx onnxruntime openvino || exit 1
	# Without CUDA where that can be had: it is a tenth of the size.
	"$folder/bin/python" -c 'import torch' 2>/dev/null ||
		$pip torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null || $pip torch || exit 1
	for peer in onnxruntime openvino pytorch; do
		echo "lt-bench gemm --peer '$folder/bin/python bench/peers/$peer.py'"
	done
	exit 0
fi

modules="isl libzip jansson libxxhash"
packages="pkg-config libc6-dev libisl-dev libzip-dev libjansson-dev libxxhash-dev"
all="$packages libcriterion-dev python3-minimal"
programs=
if [ "${1-}" = check ]; then
	modules="$modules criterion"
	packages=$all
	programs=python3        # of make tidy
fi

have_all() {
	pkg-config --exists $modules 2>/dev/null && [ -e /usr/include/stdio.h ] &&
		{ [ -z "$programs" ] || command -v $programs >/dev/null; }
}

if ! have_all; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "Packages are missing: pkg-config must find $modules (on Debian: $packages)." >&2
		exit 1
	fi
	sudo=
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		if ! sudo -n true 2>/dev/null; then
			echo "Packages are missing. Please run:" >&2
			echo "  sudo apt-get install -y $all" >&2
			exit 1
		fi
	fi
	echo "Installing $packages" >&2
	install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages"
	# The first try spares the update where the package lists are there and fresh.
	if ! $install </dev/null >/dev/null 2>&1; then
		$sudo apt-get update -q </dev/null >&2 && $install </dev/null >&2
	fi
	if ! have_all; then
		echo "Packages are still missing. Please run: sudo apt-get update && sudo apt-get install -y $all" >&2
		exit 1
	fi
fi
