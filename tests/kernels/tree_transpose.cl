#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void k0_y_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at2, int64_t lt_offset2)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[4224];
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__local float *const x_copy = (__local float *)(lt_shared + 0);
	__global float *restrict const y = (__global float *)(lt_at2 + lt_offset2);
	const int64_t v0 = (int64_t)get_group_id(1);
	const int64_t v1 = (int64_t)get_group_id(0);
	const int64_t v2 = (int64_t)get_local_id(1);
	const int64_t v3 = (int64_t)get_local_id(0);
	const int64_t v9 = (uint64_t)v0 * 32 + (uint64_t)v1 * 3072 + (uint64_t)v2 * 96 + (uint64_t)v3;
	const int64_t v12 = (uint64_t)v2 * 33 + (uint64_t)v3;
	x_copy[v12] = x[v9];
	x_copy[(uint64_t)v12 + 264] = x[(uint64_t)v9 + 768];
	x_copy[(uint64_t)v12 + 528] = x[(uint64_t)v9 + 1536];
	x_copy[(uint64_t)v12 + 792] = x[(uint64_t)v9 + 2304];
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	const int64_t v17 = (uint64_t)v2 + (uint64_t)v3 * 33;
	const int64_t v24 = (uint64_t)v0 * 2048 + (uint64_t)v1 * 32 + (uint64_t)v2 * 64 + (uint64_t)v3;
	y[v24] = -x_copy[v17];
	y[(uint64_t)v24 + 512] = -x_copy[(uint64_t)v17 + 8];
	y[(uint64_t)v24 + 1024] = -x_copy[(uint64_t)v17 + 16];
	y[(uint64_t)v24 + 1536] = -x_copy[(uint64_t)v17 + 24];
}
