#!/bin/sh
# setup.sh [check] -- sees that the packages needed to build (with `check`: to test) are there.  Missing ones are
# installed through apt-get where this user may do that; otherwise the one command to run is printed.  Uses no network,
# and takes no time, when everything is there.
# setup.sh llvm|onnx FOLDER -- the same for LLVM, which the backend llvm is built with, or protobuf-c, which model files
# are read with; without them these are left out.  What could not be installed is not tried again: FOLDER/setup-NAME.log
# says why.
# setup.sh left-out FOLDER LLVM|PROTOC|CUDA|CUDNN|OPENCL... -- says what is left out without these, why, and how to
#   have it.
# setup.sh hamkaas FOLDER COMMAND -- says what the libhamkaas.so there has, which COMMAND builds, too.
# setup.sh bench -- the same for OpenBLAS and oneDNN, which lt-bench measures next to Looptree; nothing fails without
# them.
# setup.sh opencl -- the same for OpenCL's headers and loader, and PoCL, an OpenCL device of any processor, on which
# tests run kernels for devices; without the headers the backend opencl is left out.
# setup.sh cross -- the same for compilers for arm, aarch64 and riscv64, and QEMU, which runs what they compile: for the
# tests of lt-build; nothing fails without them.
# setup.sh micro -- the same for compilers for ARM's and AVR's microcontrollers and what emulates these (QEMU, simavr):
# for lt-build's targets cortex-m0, cortex-m3, cortex-m4, avr5 and arduino-uno, and their tests; nothing fails without
# them.
# setup.sh wasm -- the same for clang 19, its linker and the C library for WebAssembly, node, which runs modules, the
# compiler of TypeScript, which checks their types, and wabt's assembler: for lt-build's target wasm32 and the text of
# the backend wasm; nothing fails without them.
# setup.sh emscripten -- the same for emscripten, by which make wasm builds the library, and node, which tries it.
# setup.sh browser -- the same for Chromium, in which a test opens what lt-run --view writes; nothing fails without it.
# setup.sh onnx-suite FOLDER -- makes a virtual environment of Python there with the onnx package and its tests.
# setup.sh python FOLDER -- makes a virtual environment of Python there with what the tests of the package need, and
# examples/tour.ipynb.
# setup.sh tflm FOLDER -- makes a virtual environment of Python there with TensorFlow Lite Micro (tflite-micro of PyPI,
# which is there for Linux on x86-64), whose layers tests compare with.
# setup.sh peers FOLDER -- makes a virtual environment of Python there with ONNX Runtime, OpenVINO and PyTorch, for
# bench/peers/.
# SETUP=no in the environment: no package is installed, by none of these.
set -u

is_root() { [ "$(id -u)" = 0 ]; }
sudo=
is_root || sudo="sudo -n"
# Whether packages can be installed here, without a question.
may_install() {
	[ "${SETUP-}" != no ] && command -v apt-get >/dev/null 2>&1 && { is_root || sudo -n true 2>/dev/null; }
}
# What a user types to have these packages.
command_for() { echo "$(is_root || echo 'sudo ')apt-get install -y $*"; }
# The first try spares the update where the package lists are there and fresh.
install() {
	set -- $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
	"$@" </dev/null || { $sudo apt-get update -q </dev/null && "$@" </dev/null; }
}

# Installs packages that something can do without, one by one.
optional() {
	why=$1
	shift
	for package in "$@"; do
		if may_install; then
			echo "Installing $package" >&2
			install "$package" >/dev/null 2>&1 && continue
		fi
		echo "$package is not installed; $why: $(command_for "$package")" >&2
	done
}

# Those of the backend llvm and the frontend onnx.
packages_of() {
	case $1 in
	llvm) echo llvm-19-dev ;;
	onnx) echo protobuf-c-compiler libprotobuf-c-dev ;;
	esac
}
if [ "${1-}" = llvm ] || [ "${1-}" = onnx ]; then
	log=$2/setup-$1.log
	"${0%/*}/$1.sh" >/dev/null || [ -e "$log" ] || ! may_install && exit 0
	mkdir -p "$2"
	echo "Installing $(packages_of "$1")" >&2
	install $(packages_of "$1") >"$log" 2>&1 && "${0%/*}/$1.sh" >/dev/null && rm "$log"
	exit 0
fi
# Why that is not there: setup.sh llvm or onnx has been asked for it.
why_not() {
	if [ "${SETUP-}" = no ]; then echo "SETUP=no installs nothing"
	elif [ -e "$1" ]; then echo "it could not be installed ($1)"
	elif ! command -v apt-get >/dev/null 2>&1; then echo "there is no apt-get to install it"
	else echo "this user may not install it"; fi
}
left_out() { printf 'left out: %s: %s\n    to have it: %s\n' "$@"; }
if [ "${1-}" = left-out ]; then
	folder=$2
	shift 2
	for what in "$@"; do
		case $what in
		LLVM) left_out "the backend llvm (kernels compiled in memory; cpu stands in, by the C compiler)" \
			"there is no LLVM of 15 to 21; $(why_not "$folder/setup-llvm.log")" \
			"$(command_for $(packages_of llvm)) && make" ;;
		PROTOC) left_out "models of ONNX" "there is no protobuf-c; $(why_not "$folder/setup-onnx.log")" \
			"$(command_for $(packages_of onnx)) && make" ;;
		CUDA) left_out "the backend cuda (GPUs of NVIDIA)" "cuda.h and nvrtc.h are not there; make does not install them" \
			"$(command_for cuda-toolkit) && make, from NVIDIA's packages (https://developer.nvidia.com/cuda-downloads)" ;;
		CUDNN) left_out "the backend cudnn (convolutions by cuDNN)" \
			"cudnn_graph.h of cuDNN 9 is not there, or the toolkit is not; make does not install it" \
			"$(command_for cudnn9-cuda-13) && make, from NVIDIA's packages (https://developer.nvidia.com/cudnn-downloads)" ;;
		OPENCL) left_out "the backend opencl (devices of any vendor)" "CL/cl.h is not there; make does not install it" \
			"$(command_for opencl-c-headers) && make" ;;
		esac
	done
	exit 0
fi
if [ "${1-}" = hamkaas ]; then
	echo "built: $2/libhamkaas.so with all that is found here; $3 builds the same"
	"$2/lt-run" --list-backends | awk '/^[a-z]/ && $1 != "default:" { printf "%s %s", n++ ? "," : "  backends:", $1 }
		END { print "" }'
	echo "  UseGpu takes cuda; UseCudnn takes cudnn, which is cuda with convolutions by cuDNN"
	exit 0
fi
if [ "${1-}" = bench ]; then
	there() { ldconfig -p 2>/dev/null | grep -q "$1" || ls /usr/lib/*/"$1"* >/dev/null 2>&1; }
	want=
	there libopenblas.so.0 || want="libopenblas0-pthread"
	there libdnnl.so || want="$want libdnnl2"
	optional "to measure beside it" $want
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
	command -v aarch64-linux-gnu-gcc >/dev/null || want="$want gcc-aarch64-linux-gnu"
	[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || want="$want libc6-dev-arm64-cross"
	command -v riscv64-linux-gnu-gcc >/dev/null || want="$want gcc-riscv64-linux-gnu"
	[ -e /usr/riscv64-linux-gnu/include/stdio.h ] || want="$want libc6-dev-riscv64-cross"
	optional "lt-build is not tested for that machine; to test it" $want
	exit 0
fi
if [ "${1-}" = micro ]; then
	want=
	command -v arm-none-eabi-gcc >/dev/null || want="gcc-arm-none-eabi libnewlib-arm-none-eabi"
	command -v qemu-system-arm >/dev/null || want="$want qemu-system-arm"
	command -v avr-gcc >/dev/null || want="$want gcc-avr"
	[ -e /usr/lib/avr/include/avr/io.h ] || want="$want avr-libc"
	command -v simavr >/dev/null || want="$want simavr"
	[ -e /usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h ] || want="$want arduino-core-avr"
	optional "lt-build is not tested for microcontrollers; to test it" $want
	exit 0
fi
if [ "${1-}" = wasm ]; then
	want=
	command -v clang-19 >/dev/null || want=clang-19
	command -v wasm-ld-19 >/dev/null || want="$want lld-19"
	[ -e /usr/include/wasm32-wasi/math.h ] || want="$want wasi-libc"
	command -v node >/dev/null || want="$want nodejs"
	command -v tsc >/dev/null || want="$want node-typescript"
	command -v wat2wasm >/dev/null || want="$want wabt"
	optional "WebAssembly is not tested; to test it" $want
	exit 0
fi
if [ "${1-}" = emscripten ]; then
	want=
	command -v emcc >/dev/null || want=emscripten
	command -v node >/dev/null || want="$want nodejs"
	optional "make wasm builds nothing; to build it" $want
	exit 0
fi
if [ "${1-}" = browser ]; then
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
		optional "pages of lt-run --view are not opened by tests; to do that" chromium
	exit 0
fi
if [ "${1-}" = onnx-suite ]; then
	folder=$2
	[ -x "$folder/bin/python" ] || python3 -m venv "$folder" || exit 1
	"$folder/bin/python" -c 'import onnx, numpy; assert onnx.__version__ >= "1.23"' 2>/dev/null ||
		"$folder/bin/python" -m pip install -q --disable-pip-version-check numpy onnx==1.23.0 || exit 1
	exit 0
fi
if [ "${1-}" = python ]; then
	folder=$2
	[ -x "$folder/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder" || exit 1
	modules="numpy pytest mypy ml_dtypes pandas matplotlib nbconvert ipykernel"
	"$folder/bin/python" -c "import $(echo $modules | tr ' ' ,)" 2>/dev/null ||
		"$folder/bin/python" -m pip install -q --disable-pip-version-check $modules || exit 1
	exit 0
fi
if [ "${1-}" = tflm ]; then
	folder=$2
	[ "${SETUP-}" != no ] || exit 1
	mkdir -p "$(dirname "$folder")" && exec 9>"$folder.lock" && flock 9         # two tests may want it at once
	"$folder/bin/python" -m pip --version >/dev/null 2>&1 || "${PYTHON:-python3}" -m venv --clear "$folder" || exit 1
	"$folder/bin/python" -c 'import tflite_micro' 2>/dev/null ||
		"$folder/bin/python" -m pip install -q --disable-pip-version-check tflite-micro || exit 1
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
all="$packages libcriterion-dev python3"
programs=
if [ "${1-}" = check ]; then
	modules="$modules criterion"
	packages=$all
	programs=yes            # python3, of make tidy and tests, with its library: python3-minimal lacks most of that
fi

have_all() {
	pkg-config --exists $modules 2>/dev/null && [ -e /usr/include/stdio.h ] &&
		{ [ -z "$programs" ] || python3 -c 'import fractions' 2>/dev/null; }
}

if ! have_all; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "Packages are missing: pkg-config must find $modules (on Debian: $packages)." >&2
		exit 1
	fi
	if ! may_install; then
		echo "Packages are missing. Please run:" >&2
		echo "  $(command_for $all)" >&2
		exit 1
	fi
	echo "Installing $packages" >&2
	said=$(install $packages 2>&1) || echo "$said" >&2
	if ! have_all; then
		echo "Packages are still missing. Please run: ${sudo:+sudo }apt-get update && $(command_for $all)" >&2
		exit 1
	fi
fi
