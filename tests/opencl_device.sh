#!/bin/sh
# tests/opencl_device.sh -- 0 where the backend opencl has a device; else 1, and why not.
: "${O:=build}"
reason=$("$O/lt-run" --list-backends | sed -n 's/^opencl .* not usable here: //p')
"$O/lt-run" --list-backends | grep -q '^opencl ' || reason="the backend opencl is left out: its headers are not there"
[ -z "$reason" ] || { echo "$reason"; exit 1; }
