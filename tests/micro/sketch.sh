#!/bin/sh
# sketch.sh SKETCH OUT -- builds a folder with a sketch as the Arduino IDE does for an Uno (with the flags of Debian's
# arduino-core-avr), runs it on simavr, and prints what it said on its serial line, then what avr-size says of it.
# OUT: a folder, in which the core stays, for the next one.
set -eu
sketch=$1
out=$2
core=/usr/share/arduino/hardware/arduino/avr
name=$(basename "$sketch")
flags="-mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10813 -DARDUINO_AVR_UNO -DARDUINO_ARCH_AVR
	-Os -w -ffunction-sections -fdata-sections -flto -I$core/cores/arduino -I$core/variants/standard"
# float.h of avr-gcc 5 has no DECIMAL_DIG for C++.
cxx="-std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics -DDECIMAL_DIG=__DECIMAL_DIG__"
mkdir -p "$out"
if [ ! -e "$out/core.a" ]; then
	for f in "$core"/cores/arduino/*.c; do
		# shellcheck disable=SC2086 -- words
		avr-gcc -std=gnu11 $flags -fno-fat-lto-objects -c "$f" -o "$out/core_$(basename "$f").o"
	done
	for f in "$core"/cores/arduino/*.cpp; do
		# shellcheck disable=SC2086 -- words
		avr-g++ $cxx $flags -c "$f" -o "$out/core_$(basename "$f").o"
	done
	avr-gcc-ar rcs "$out/core.a" "$out"/core_*.o
fi
rm -f "$out"/sketch_*
# The IDE puts the board's header before the sketch, and prototypes of its functions.
{ echo '#include <Arduino.h>'; echo "#line 1 \"$name.ino\""; cat "$sketch/$name.ino"; } >"$out/sketch_$name.ino.cpp"
# shellcheck disable=SC2086 -- words
avr-g++ $cxx $flags -Wall -Wextra -Werror -I"$sketch" -c "$out/sketch_$name.ino.cpp" -o "$out/sketch_$name.ino.o"
for f in "$sketch"/*.c; do
	# shellcheck disable=SC2086 -- words
	avr-gcc -std=gnu11 $flags -c "$f" -o "$out/sketch_$(basename "$f").o"
done
avr-gcc -Os -flto -fuse-linker-plugin -w -Wl,--gc-sections -mmcu=atmega328p -o "$out/sketch.elf" "$out"/sketch_*.o \
	"$out/core.a" -lm
# A sketch never ends: it is stopped when it has said its line.  One that does not in two minutes, where it takes less
# than a second on an idle machine, says nothing.
simavr -m atmega328p -f 16000000 "$out/sketch.elf" >"$out/said.txt" 2>&1 &
pid=$!
n=0
while [ $n -lt 1200 ] && ! grep -q 'the example' "$out/said.txt"; do
	sleep 0.1
	n=$((n + 1))
done
kill "$pid" 2>/dev/null || true
wait "$pid" 2>/dev/null || true
sed 's/\x1b\[[0-9;]*m//g; s/[.\r]*$//' "$out/said.txt"
avr-size "$out/sketch.elf"
