/* call_kernel.h -- a kernel program that calls routines, beside a grid and in a loop of the host's. */
#ifndef TESTS_CALL_KERNEL_H
#define TESTS_CALL_KERNEL_H

/* w = a b for each of two halves of the rows, then y = relu(b' w + v) of the transposed, then a grid negates y. */
static const char call_kernel[] =
	"kernel 1\nname calls\nworkspace 128 thread 0\n"
	"buffer a f32[12] slot 0 align 4 exclusive\nbuffer b f32[6] slot 1 align 4 exclusive\n"
	"buffer v f32[3] slot 2 align 4 exclusive\nbuffer y f32[9] slot 3 align 4 exclusive written\n"
	"buffer w f32[8] workspace 0 align 64 exclusive written\n"
	"call gemm f32 () (row \"m'\" 2, column n 2, deep k 3) w (2, 1, 0) a (3, 0, 1) b (0, 1, 2) @1\n"
	"call gemm.bias f32 (bias, relu) (row k 3, column n 3, deep n2 2) y (1, 3, 0) b (2, 0, 1) b (0, 2, 1) v (0, 1, 0)\n"
	"region host\n\tloop %0 from 0 to 4 step 2\n\t\t%1 = mul i64 %0 3\n\t\t%2 = mul i64 %0 2\n"
	"\t\tcall 0 (%2, %1, i64 0, i64 2, i64 2, i64 3) @2\n\tend\n"
	"\tcall 1 (i64 0, i64 0, i64 0, i64 0, i64 3, i64 3, i64 2)\n\tlaunch_grid 1 9 1 1 ()\n"
	"region grid 1 blocks (9, 1, 1) threads (1, 1, 1) subgroup 1 shared 0\n"
	"\t%0 = block 0\n\t%1 = remainder i64 %0 8\n\t%2 = load f32 w[%1]\n\t%3 = load f32 y[%0]\n\t%4 = sub f32 %2 %3\n"
	"\tstore y[%0] %4\n";
#endif
