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
#if defined POCL_DEVICE_ADDRESS_BITS && !defined __SPIR__ && !defined __SPIRV__
#define LT_BARRIER(memory) barrier(memory); __asm__ volatile("")
#else
#define LT_BARRIER(memory) barrier(memory)
#endif

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void transpose_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at1, int64_t lt_offset1)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[4224];
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__global float *restrict const y = (__global float *)(lt_at1 + lt_offset1);
	__local float *const tile = (__local float *)(lt_shared + 0);
	const int32_t v0 = (int32_t)get_local_id(0);
	const int32_t v1 = (int32_t)get_local_id(1);
	const int32_t v4 = (int32_t)get_group_id(0) * 32;
	const int32_t v5 = (int32_t)get_group_id(1) * 32;
	#pragma unroll 4
	for (int32_t i6 = 0; i6 < 32; i6 += 8) {
		const int32_t v7 = i6 + v1;
		tile[v7 * 33 + v0] = x[(v5 + v7) * 64 + (v4 + v0)];
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	#pragma unroll 4
	for (int32_t i15 = 0; i15 < 32; i15 += 8) {
		const int32_t v16 = i15 + v1;
		y[(v4 + v16) * 64 + (v5 + v0)] = tile[v0 * 33 + v16];
	}
}
