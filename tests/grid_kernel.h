/* grid_kernel.h -- a kernel program with each opcode that only grids have. */
#ifndef TESTS_GRID_KERNEL_H
#define TESTS_GRID_KERNEL_H

/* How the usual matrix instructions of 32 and 128 threads keep their fragments. */
#define GRID_MMA "matrix mma (16, 8, 16) threads 32 a f16 (k1, m8, k8) (k2, k4, m1, m2, m4) b f16 (k1, k8) (k2, k4, " \
	"n1, n2, n4) c f32 (n1, m8) (n2, n4, m1, m2, m4)\n"
#define GRID_WGMMA "matrix wide (64, 24, 16) threads 128 a f16 (k1, m8, k8) (k2, k4, m1, m2, m4, m16, m32) b f16 () " \
	"() c f32 (n1, m8, n8, n16) (n2, n4, m1, m2, m4, m16, m32)\n"

static const char grid_kernel[] =
	"kernel 1\nname grids\nworkspace 0 thread 0\n"
	"buffer x f16[4096] slot 0 align 16 exclusive\nbuffer y f32[8192] slot 1 align 16 exclusive written\n"
	"buffer t f16[1024] shared 0 align 128 exclusive written\nbuffer u f16[400] shared 2048 align 128 exclusive written\n"
	"variable c f32x4\nvariable d f32x8\nvariable e f32x4\n" GRID_MMA GRID_WGMMA
	"region host\n\t%0 = add i64 2 2\n\tlaunch_grid 1 %0 2 1 (%0, f32 0.5)\n"
	"region grid 1 blocks (8, 2, 1) threads (32, 4, 1) subgroup 32 shared 4096 resident 2 @3\n"
	"\t%0 = block 0\n\t%1 = argument i64 0\n\t%2 = argument f32 1\n\t%3 = greaterequal i64 %0 %1\n\tleave %3\n"
	"\t%4 = thread 0\n\t%5 = thread 1\n\t%6 = subgroup 1\n\t%7 = subgroup 4\n\t%8 = member\n"
	"\t%9 = mul i64 %5 32\n\t%10 = add i64 %9 %4\n\t%11 = mul i64 %10 8\n"
	"\tcopy_async f16x8 t[%11] from x[%11]\n\t%12 = less i64 %10 48\n\tif %12\n"
	"\t\tcopy_async f16x8 u[%11] from x[%11 + 1024] mask %12\n\tend\n\tcommit copies\n\twait copies 0\n"
	"\tbarrier block 0 threads 128\n"
	"\tvariable c\n\tvariable d\n\tvariable e\n\tset c 0\n\tset d 0\n\tset e 0\n"
	"\t%13 = mul i64 %6 256\n\t%14 = load f16x8 t[%11]\n"
	"\tmatrix mma (c) %14 0x3c00\n\tmatrix mma (c) t[%13 by 16, 1] u[0 by 8, 1 swizzle 32]\n"
	"\t%15 = fragment f16x8 mma a t[%13 by 16, 1]\n\t%16 = fragment f16x4 mma b u[16 by 8, 1 swizzle 32]\n"
	"\tmatrix mma (c) %15 %16\n"
	"\tmatrix wide (d, e) t[0 by 16, 1 swizzle 128] u[8 by 1, 16] async\n\tcommit products\n\twait products 0\n"
	"\t%17 = get c\n\t%18 = fold f32x4 add %17\n\t%19 = exchange f32 down %18 1\n\t%20 = exchange f32 up %19 2\n"
	"\t%21 = exchange f32 xor %20 16\n\t%22 = exchange f32 index %21 %8\n\t%23 = mul f32 %22 %2\n"
	"\tbarrier subgroup 0 threads 32\n\tbarrier block 1 threads 128\n"
	"\t%24 = block 1\n\t%25 = mul i64 %24 8\n\t%26 = add i64 %25 %0\n\t%27 = mul i64 %26 128\n\t%28 = add i64 %27 %10\n"
	"\t%29 = add i64 %28 %7\n\tstore y[%29] %23\n";
#endif
