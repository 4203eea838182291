#!/usr/bin/env python3
"""Microcontrollers: instructions and cycles of layers, counted on emulators, beside CMSIS-NN, TensorFlow Lite Micro and
SeeDot's library.

    python3 bench/micro.py [--cmsis FOLDER] [--tflm FOLDER --gemmlowp FOLDER] [--seedot FOLDER] [--predicted]
                           [--lt-build build/lt-build]

Layers are built by lt-build, which verifies them, and says what a call took: on Cortex-M instructions (a timer of
qemu-system-arm with -icount, to within 3), on AVR cycles (simavr).  FOLDER has CMSIS-NN (Include and Source, such as
`git clone https://github.com/ARM-software/CMSIS-NN`): its functions for the same shapes are compiled with -Ofast, as
its own build does, and counted by the same program (tools/build/standalone/micro.c).  It requantises by a multiplier
with two roundings, ours here by a shift with one.  --tflm: `git clone https://github.com/tensorflow/tflite-micro`; its
reference kernels, which need gemmlowp (`git clone https://github.com/google/gemmlowp`), by -O2, as its own build does,
with that multiplier, too.  --seedot: tools/SeeDot/seedot of EdgeML
(`git clone https://github.com/microsoft/EdgeML`), whose product for the Arduino, a vector by a matrix in flash, is
compiled by avr-g++ with -O3 (with -Os, the Arduino IDE's own, it takes longer).  --predicted: instead, of 14 layers of
drawn shapes, how far off what lt-build predicts is.  Needs what scripts/setup.sh micro installs.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import tempfile

FC = """x = InputTensor(x, int8, [1, 256]);
w = ConstantTensor(w, int8, [256, 64]);
b = ConstantTensor(b, int32, [64]);
s = FixedMatMulNode(x, w, b, -3, 0, int32);
result y = RequantShiftNode(s, 9, int8, up);
"""
CONV = """x = InputTensor(x, int8, [1, 16, 16, 16]);
w = ConstantTensor(w, int8, [3, 3, %d, 16]);
b = ConstantTensor(b, int32, [16]);
s = FixedConv2dNode(x, w, b, -3, 0, int32, [1, 1], [1, 1, 1, 1], [1, 1], %d, NHWC);
result y = RequantShiftNode(s, 9, int8, up);
"""
DENSE = """x = InputTensor(x, int%(bits)d, [1, 64]);
w = ConstantTensor(w, int%(bits)d, [64, 16]);
b = ConstantTensor(b, int32, [16]);
s = FixedMatMulNode(x, w, b, 0, 0, int32);
result y = RequantShiftNode(s, %(shift)d, int%(bits)d, up);
"""
# Name, script, products, the call of CMSIS-NN; that of TensorFlow Lite Micro is tflm_ and the first word of the name.
LAYERS = (
    ("dense 256x64", FC, 256 * 64, "arm_fully_connected_s8(&ctx, &fc, &one, &d_x1, x, &d_w, w, &d_b, bias, &d_y1, y)"),
    ("convolution 3x3, 16x16x16 to 16", CONV % (16, 1), 16 * 16 * 16 * 9 * 16,
     "arm_convolve_wrapper_s8(&ctx, &conv, &each, &d_x, x, &d_f, w, &d_b, bias, &d_x, y)"),
    ("depthwise 3x3, 16x16x16", CONV % (1, 16), 16 * 16 * 9 * 16,
     "arm_depthwise_conv_wrapper_s8(&ctx, &dw, &each, &d_x, x, &d_g, w, &d_b, bias, &d_x, y)"),
)
ARM = ("cortex-m3", "cortex-m4", "cortex-m0")
PEER = """#include <stdint.h>
#include <string.h>
#include "arm_nnfunctions.h"
static int8_t x[16 * 16 * 16], w[64 * 256], y[16 * 16 * 16];
static int32_t bias[64], multiplier[64], shift[64];
static uint32_t room[4096];
static void try_fill(void)
{
    for (int i = 0; i < 64 * 256; i++)
        w[i] = (int8_t)(i * 37);
    for (int i = 0; i < 16 * 16 * 16; i++)
        x[i] = (int8_t)(i * 11);
    for (int i = 0; i < 64; i++) {
        multiplier[i] = 1 << 30;
        shift[i] = -8;
    }
}
static int try_call(void)
{
    cmsis_nn_context ctx = { room, sizeof room };
    const cmsis_nn_fc_params fc = { 3, 0, 0, { -128, 127 } };
    const cmsis_nn_conv_params conv = { 3, 0, { 1, 1 }, { 1, 1 }, { 1, 1 }, { -128, 127 } };
    const cmsis_nn_dw_conv_params dw = { 3, 0, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { -128, 127 } };
    const cmsis_nn_per_tensor_quant_params one = { 1 << 30, -8 };
    const cmsis_nn_per_channel_quant_params each = { multiplier, shift };
    const cmsis_nn_dims d_x1 = { 1, 1, 1, 256 }, d_w = { 256, 1, 1, 64 }, d_y1 = { 1, 1, 1, 64 },
        d_x = { 1, 16, 16, 16 }, d_f = { 16, 3, 3, 16 }, d_g = { 1, 3, 3, 16 }, d_b = { 1, 1, 1, 16 };
    (void)fc, (void)conv, (void)dw, (void)one, (void)each, (void)d_x1, (void)d_w, (void)d_y1, (void)d_x, (void)d_f,
        (void)d_g, (void)d_b;
    return %s;
}
static void try_bytes(char, int, const void *, uint32_t);
static void try_show(void) { try_bytes('r', 0, y, 16); }
"""
SCRIPT = """\
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 4M  RAM (rw) : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS {
.text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
.ARM.exidx : { *(.ARM.exidx*) } > FLASH
.data : { *(.data*) } > RAM AT > FLASH
.bss (NOLOAD) : { . = ALIGN(8); try_bss = .; *(.bss*) *(COMMON) . = ALIGN(8); try_bss_end = .; } > RAM
try_stack = ORIGIN(RAM) + LENGTH(RAM); }
"""
BOARD = {"cortex-m0": "mps2-an385", "cortex-m3": "mps2-an385", "cortex-m4": "mps2-an386"}


def said(lt_build, script, target, folder):
    """What lt-build says of a layer that it has verified."""
    path = os.path.join(folder, "layer.lt")
    with open(path, "w") as f:
        f.write(script)
    return subprocess.run([lt_build, path, "-c", "*=random", "--integer", "--target", target, "-o",
                           os.path.join(folder, "layer.c")], capture_output=True, text=True, check=True).stdout


def ours(lt_build, script, target, folder):
    """What a call takes."""
    return int(re.search(r"a call takes (\d+)", said(lt_build, script, target, folder)).group(1))


def drawn(seed):
    """Layers of drawn shapes: dense ones and convolutions."""
    r = random.Random(seed)
    for _ in range(6):
        n, m = r.randint(10, 200), r.randint(3, 40)
        yield FC.replace("256", str(n)).replace("64", str(m))
    for _ in range(8):
        k, c, o, step = r.choice([1, 3, 3, 5]), r.randint(1, 9), r.randint(2, 12), r.choice([1, 1, 2])
        image = f"[1, {r.randint(5, 10)}, {r.randint(5, 10)}, {c}]"
        yield (CONV % (c, 1)).replace("[1, 16, 16, 16]", image).replace("[3, 3", f"[{k}, {k}").replace(
            "16]", f"{o}]").replace("[1, 1], [1, 1, 1, 1]", f"[{step}, {step}], {[k // 2] * 4}")


def predicted(lt_build, folder):
    """What is predicted, over what is counted."""
    print("| target | layers | off by, mean | worst |\n| --- | --- | --- | --- |")
    for target in ARM + ("avr5",):
        off = []
        for script in drawn(7):
            took, guess = re.search(r"takes (\d+) .*; (\d+) \w+ were", said(lt_build, script, target, folder)).groups()
            off.append(abs(int(guess) / int(took) - 1))
        print(f"| {target} | {len(off)} | {sum(off) / len(off):.0%} | {max(off):.0%} |", flush=True)


TFLM = """#include "tensorflow/lite/kernels/internal/reference/integer_ops/conv.h"
#include "tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h"
#include "tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h"
using namespace tflite;
static RuntimeShape shape(int n, int h, int w, int c)
{
    const int32_t d[4] = { n, h, w, c };
    return RuntimeShape(4, d);
}
extern "C" int tflm_dense(const int8_t *x, const int8_t *w, const int32_t *b, int8_t *y)
{
    const int32_t d_x[2] = { 1, 256 }, d_w[2] = { 64, 256 }, d_b[1] = { 64 }, d_y[2] = { 1, 64 };
    FullyConnectedParams p = FullyConnectedParams();
    p.input_offset = 3;
    p.output_multiplier = 1 << 30;
    p.output_shift = -8;
    p.quantized_activation_min = -128;
    p.quantized_activation_max = 127;
    reference_integer_ops::FullyConnected(p, RuntimeShape(2, d_x), x, RuntimeShape(2, d_w), w, RuntimeShape(1, d_b), b,
        RuntimeShape(2, d_y), y);
    return 0;
}
extern "C" int tflm_convolution(const int8_t *x, const int8_t *w, const int32_t *b, int8_t *y, const int32_t *m,
    const int32_t *s)
{
    const int32_t d_b[1] = { 16 };
    ConvParams p = ConvParams();
    p.input_offset = 3;
    p.stride_width = p.stride_height = p.dilation_width_factor = p.dilation_height_factor = 1;
    p.padding_values.width = p.padding_values.height = 1;
    p.quantized_activation_min = -128;
    p.quantized_activation_max = 127;
    reference_integer_ops::ConvPerChannel(p, m, s, shape(1, 16, 16, 16), x, shape(16, 3, 3, 16), w,
        RuntimeShape(1, d_b), b, shape(1, 16, 16, 16), y);
    return 0;
}
extern "C" int tflm_depthwise(const int8_t *x, const int8_t *w, const int32_t *b, int8_t *y, const int32_t *m,
    const int32_t *s)
{
    const int32_t d_b[1] = { 16 };
    DepthwiseParams p = DepthwiseParams();
    p.input_offset = 3;
    p.stride_width = p.stride_height = p.dilation_width_factor = p.dilation_height_factor = p.depth_multiplier = 1;
    p.padding_values.width = p.padding_values.height = 1;
    p.quantized_activation_min = -128;
    p.quantized_activation_max = 127;
    reference_integer_ops::DepthwiseConvPerChannel(p, m, s, shape(1, 16, 16, 16), x, shape(1, 3, 3, 16), w,
        RuntimeShape(1, d_b), b, shape(1, 16, 16, 16), y);
    return 0;
}
"""


def peer(cmsis, call, target, folder, tflm=None):
    """The same of a function of CMSIS-NN, which answers 0; or, with tflm, folders of it and of gemmlowp, of that."""
    names = {"peer.c": PEER % call, "peer.ld": SCRIPT}
    if tflm:
        names["peer.c"] = re.sub(r"    cmsis_nn_context.*?    return", "    return", names["peer.c"], flags=re.DOTALL)
        declared = "int " + call.split("(", maxsplit=1)[0] + "();\n"
        names["peer.c"] = names["peer.c"].replace('#include "arm_nnfunctions.h"\n', declared)
        names["tflm.cc"] = TFLM
    with open("tools/build/standalone/micro.c") as f:
        names["peer.c"] += f.read()
    for name, text in names.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    elf, told = os.path.join(folder, "peer.elf"), os.path.join(folder, "peer.txt")
    flags = ["-mcpu=" + target, "-mthumb", "-mfloat-abi=soft", "-ffunction-sections", "-fdata-sections", "-w"]
    if tflm:
        sources, include = [os.path.join(folder, name) for name in ("tflm.o", "common.o")], []
        common = os.path.join(tflm[0], "tensorflow", "lite", "kernels", "internal", "common.cc")
        for source, out in zip((os.path.join(folder, "tflm.cc"), common), sources):
            subprocess.run(["arm-none-eabi-g++"] + flags + [
                "-std=c++17", "-O2", "-fno-rtti", "-fno-exceptions", "-DNDEBUG", "-DTF_LITE_STATIC_MEMORY",
                "-I" + tflm[0], "-I" + tflm[1], "-c", source, "-o", out], check=True)
    else:
        include = ["-I", os.path.join(cmsis, "Include")]
        sources = [s for kind in ("FullyConnected", "Convolution", "NNSupport")
                   for s in glob.glob(os.path.join(cmsis, "Source", kind + "*", "*.c"))
                   if "f16" not in s and "f32" not in s]
    # It calls memcpy, strlen and abort, at most, of the C library.
    subprocess.run(["arm-none-eabi-gcc"] + flags + ["-Ofast", "-nostartfiles", "-Wl,--gc-sections"] + include + [
        "-T", os.path.join(folder, "peer.ld"), os.path.join(folder, "peer.c")] + sources + [
        "-o", elf, "--specs=nosys.specs", "-lc", "-lgcc"], check=True)
    board = ["-M", BOARD[target], "-display", "none", "-monitor", "none", "-icount", "shift=6"]
    subprocess.run(["qemu-system-arm"] + board + ["-serial", "file:" + told, "-semihosting-config",
                   "enable=on,target=native", "-kernel", elf], check=True, timeout=120)
    with open(told) as f:
        text = f.read()
    if not re.search("@code 0+;", text):
        raise SystemExit("%s was refused" % call)
    return int(re.search("@time ([0-9a-f]+)", text).group(1), 16)


# A product of its library: 1 by 64 by 16, no shifts, and no level that halves, which is what takes it least.
SEEDOT = """#include <stdint.h>
#include <stdlib.h>
#include "library_fixed.h"
typedef int%(bits)d_t number;
typedef int%(wide)d_t term;
static number x[64], y[16];
static term room[72];
static const PROGMEM number w[64 * 16] = { %(w)s };
int16_t predict() { return 0; }
static void try_fill(void)
{
    for (int i = 0; i < 64; i++)
        x[i] = (number)(i * 11);
}
static int try_call(void)
{
    MatMulNC<number, number, term, number>(x, w, y, room, 1, 64, 16, 1, 1, 0, 6, 1);
    return 0;
}
static void try_bytes(char, int, const void *, uint32_t);
static void try_show(void) { try_bytes('r', 0, y, sizeof y); }
"""
# What the library asks of the Arduino's header.
ARDUINO = """#include <avr/pgmspace.h>
#include <math.h>
"""


def seedot(library, bits, folder):
    """Cycles of SeeDot's product on the ATmega328P."""
    with open("tools/build/standalone/micro.c") as f:
        harness = f.read().replace("const uint8_t *p = at;", "const uint8_t *p = (const uint8_t *)at;")
    text = SEEDOT % {"bits": bits, "wide": 2 * bits, "w": ", ".join(str(i * 37 % 255 - 127) for i in range(64 * 16))}
    for name, content in (("Arduino.h", ARDUINO), ("peer.cpp", text + harness)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content)
    elf = os.path.join(folder, "peer.elf")
    subprocess.run(["avr-g++", "-mmcu=atmega328p", "-O3", "-std=c++11", "-w", "-DF_CPU=16000000", "-I" + folder,
                    "-I" + os.path.join(library, "arduino", "library"), "-I" + os.path.join(library, "arduino"),
                    os.path.join(folder, "peer.cpp"), "-o", elf], check=True)
    text = subprocess.run(["simavr", "-m", "atmega328p", "-f", "16000000", elf], capture_output=True, check=True,
                          timeout=120)
    found = re.search("@time ([0-9a-f]+)", (text.stdout + text.stderr).decode(errors="replace"))
    if not found:
        raise SystemExit("SeeDot's library said nothing")
    return int(found.group(1), 16)


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parse.add_argument("--cmsis", metavar="FOLDER")
    parse.add_argument("--tflm", metavar="FOLDER")
    parse.add_argument("--gemmlowp", metavar="FOLDER")
    parse.add_argument("--seedot", metavar="FOLDER")
    parse.add_argument("--predicted", action="store_true")
    parse.add_argument("--lt-build", default="build/lt-build")
    o = parse.parse_args()
    if o.predicted:
        with tempfile.TemporaryDirectory() as folder:
            predicted(o.lt_build, folder)
        return
    if o.tflm and not o.gemmlowp:
        parse.error("--tflm needs --gemmlowp: TensorFlow Lite Micro's headers include those of gemmlowp")
    print("| layer | target | ours | CMSIS-NN, SeeDot | TensorFlow Lite Micro |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, script, products, call in LAYERS:
            for target in ARM:
                mine = ours(o.lt_build, script, target, folder) / products
                other = "%.2f" % (peer(o.cmsis, call, target, folder) / products) if o.cmsis else ""
                word = name.split()[0]
                own = "tflm_%s(x, w, bias, y%s)" % (word, "" if word == "dense" else ", multiplier, shift")
                third = "%.2f" % (peer(None, own, target, folder, (o.tflm, o.gemmlowp)) / products) if o.tflm else ""
                print("| %s | %s | %.2f | %s | %s |" % (name, target, mine, other, third), flush=True)
        for bits, shift in ((8, 7), (16, 15)):
            cycles = ours(o.lt_build, DENSE % {"bits": bits, "shift": shift}, "avr5", folder)
            other = format(seedot(o.seedot, bits, folder), ",") if o.seedot else ""
            print("| dense 64x16, %d bits, cycles of a call | avr5 | %s | %s | |" % (bits, format(cycles, ","), other))


if __name__ == "__main__":
    main()
