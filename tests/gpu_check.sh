#!/usr/bin/env bash
# tests/gpu_check.sh -- what tools/gpu-check.sh answers, with programs made up here: 0 where all went well, 1 where
# something failed, did nothing, was cut off, or is slower than what is asked for.  Prints TAP.
set -u
if ! python3 -c '' 2>/dev/null; then
	echo "ok - tools/gpu-check.sh # SKIP there is no python3"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin/tests" "$dir/lib" "$dir/tests"
cp tools/gpu-check.sh bench/{gpu,pytorch}_table.py "$dir"
mkdir "$dir/nets" && : >"$dir/nets/small.lt"
printf '# comment\nexamples/a.lt -q\nexamples/b.lt -q\n' >"$dir/tests/examples.txt"

# fake NAME LINES: a program.
fake() {
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}
good() {
	fake lt-run 'echo "verify: passed"; echo "time: median 150 us, minimum 1 us"'
	fake lt-llama 'echo "1 2 3"; echo "achieved tok/s: ${SPEED:-4000}.5" >&2'
	fake lt-check 'echo "cuda 1: nothing failed of 20 cases that ran; part 1/2"'
	fake lt-bench 'while [ $# -gt 0 ]; do [ "$1" = --json ] && out=$2; shift; done
echo "{\"peak\":{},\"compile\":[],\"cases\":[{\"suite\":\"gpu\",\"group\":\"s\",\"name\":\"4096\",\"rows\":[
{\"contestant\":\"cuda\",\"status\":\"measured\",\"median_s\":1e-3},
{\"contestant\":\"cublas\",\"status\":\"measured\",\"median_s\":${CUBLAS:-1e-3}}]}]}" >"$out"'
	fake tests/test_cuda_host 'for o; do [[ $o == --tap=* ]] && echo "ok - gpu::one" >"${o#--tap=}"; done; exit 0'
	for name in programs blas bench; do cp "$dir/bin/tests/test_cuda_host" "$dir/bin/tests/test_cuda_$name"; done
	cp "$dir/bin/tests/test_cuda_host" "$dir/bin/tests/test_grid_trees"
	fake tests/measure_cuda 'echo "empty run                          9.10 us"'
	fake tests/measure_blas 'echo "bf16 4096x4096x4096, against cuBLAS   ${BF16:-0.990} of its speed: 9 us, 9 TFLOP/s"
echo "bf16 512x512x512, against cuBLAS      0.500 of its speed: 9 us, 9 TFLOP/s"'
}
# answers CODE WHAT [WORDS]: of the parts that are made up; the table has the words.
answers() {
	local status
	(cd "$dir" && ./gpu-check.sh -p ${PARTS:-tests,measure,examples,nets,llama,check,bench} out) >"$dir/said" 2>&1
	status=$?
	if [ "$status" = "$1" ] && grep -qF -- "${3-whole check}" "$dir/said"; then echo "ok - $2"
	else echo "not ok - $2"; echo "exit code $status" >&2; cat "$dir/said" >&2; fi
}
good
answers 0 'all went well' 'over cublasSgemm | ≥ 0.98 | yes | least 1.000 (4096)'
PARTS=nets answers 0 'a network is timed' 'network small                                | median 150 us, minimum 1 us'
CUBLAS=0.9e-3 PARTS=bench answers 1 'less than is asked for' 'over cublasSgemm | ≥ 0.98 | no | least 0.900 (4096)'
BF16=0.970 PARTS=measure answers 1 'a call is slower than cuBLAS' '| bf16 4096x4096x4096 0.970'
SPEED=2999 PARTS=llama answers 1 'a model is slower than is asked for' '2999 tok/s'
fake lt-llama 'for o; do [ "$o" = cuda ] && echo 7 || echo 8; done'
PARTS=llama answers 1 'other tokens than the processor' "not the processor's"
good
fake lt-bench 'exit 1'
PARTS=bench answers 1 'lt-bench fails' 'exit code 1'
good
fake lt-check 'exit 0'
PARTS=check answers 1 'lt-check runs nothing' 'all 0 cases ran'
fake lt-check 'echo "cuda 1: nothing failed of 20 cases that ran; the time was up"; exit 3'
PARTS=check answers 1 'a part of lt-check is cut off' 'the time was up'
good
fake lt-run 'echo "verify: FAILED"; exit 1'
PARTS=nets answers 1 'a network fails' \
	'network small                                | failed: verify: FAILED (nets/small.log)'
PARTS=examples answers 1 'an example fails' 'examples/b.lt: exit code 1'
good
fake tests/test_cuda_blas 'exit 0'
PARTS=tests answers 1 'a test program runs nothing' '0 passed'
good

# The parts of cuDNN: each script runs twice, the second time by plans that are kept.
PARTS=cudnn answers 0 'without cuDNN there is nothing to check' '| cuDNN '
usable='[ "$1" = --list-backends ] && { echo "cudnn   1  9  cudnn:sm_90a/9.14"; exit; }'
fake lt-run "$usable"'
again=${*: -1}.seen
echo "verify: passed"; echo "18 kernels; plans of libraries: $([ -e "$again" ] && echo "${AGAIN:-0}" || echo 1) built"
touch "$again"; [[ ${*: -1} == *"${WRONG:-none}"* ]] && exit 1; exit 0'
PARTS=cudnn answers 0 'convolutions are right, and by plans that are kept' \
	'cuDNN: convolutions that are right           | 24 of 24; by plans that were kept 24'
PARTS=cudnn answers 0 'and norms and attention' '| 12 of 12; by plans that were kept 12'
AGAIN=1 PARTS=cudnn answers 1 'a second process that builds plans' '24 of 24; by plans that were kept 0'
WRONG=convolution7.lt PARTS=cudnn answers 1 'a convolution that is wrong' '| 23 of 24; by plans that were kept 23'
fake lt-check '[ "$2" = "${BAD:-none}" ] && { echo "$2: 1 failed"; exit 1; }
echo "$2: nothing failed of 20 cases that ran; part 1/2"'
PARTS=check-cudnn,check-tf32 answers 0 'all of lt-check by cuDNN' "lt-check -b cudnn:tf32"
BAD=cudnn:tf32 PARTS=check-cudnn,check-tf32 answers 1 'and by TF32' '| 1  cudnn:tf32: 1 failed'
if python3 -c 'import torch' 2>/dev/null; then
	echo 'ok - the table without PyTorch # SKIP there is PyTorch here'
else
	PARTS=table answers 1 'the table without PyTorch' 'there is no PyTorch'
fi
