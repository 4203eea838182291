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
static inline float lt_f32_pass(__local ulong *pass, uint32_t self, int64_t from, float x)
{
	((__local float *)pass)[self] = x;
	LT_BARRIER(CLK_LOCAL_MEM_FENCE);
	x = ((__local float *)pass)[from];
	LT_BARRIER(CLK_LOCAL_MEM_FENCE);
	return x;
}
typedef struct { float v[8]; } lt_f32x8;
static inline lt_f32x8 lt_f32x8_load_local(const __local float *p)
{
	union { uint4 w[2]; lt_f32x8 v; } u;
#pragma unroll
	for (int i = 0; i < 2; i++)
		u.w[i] = ((const __local uint4 *)p)[i];
	return u.v;
}
static inline float lt_f32x8_fold_add(lt_f32x8 a)
{
	a.v[0] = a.v[0] + a.v[4];
	a.v[1] = a.v[1] + a.v[5];
	a.v[2] = a.v[2] + a.v[6];
	a.v[3] = a.v[3] + a.v[7];
	a.v[0] = a.v[0] + a.v[2];
	a.v[1] = a.v[1] + a.v[3];
	a.v[0] = a.v[0] + a.v[1];
	return a.v[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sum_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at1, int64_t lt_offset1)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[32];
	__local __attribute__((aligned(128))) ulong lt_passed[256];
	const uint32_t lt_self = (uint32_t)get_local_id(0);
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__global float *restrict const y = (__global float *)(lt_at1 + lt_offset1);
	__local float *const part = (__local float *)(lt_shared + 0);
	const int32_t v0 = (int32_t)get_group_id(0);
	const int32_t v1 = (int32_t)get_local_id(0);
	const float v4 = x[v0 * 256 + v1];
	const float v5 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 16, v4);
	const float v6 = v4 + v5;
	const float v7 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 8, v6);
	const float v8 = v6 + v7;
	const float v9 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 4, v8);
	const float v10 = v8 + v9;
	const float v11 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 2, v10);
	const float v12 = v10 + v11;
	const float v13 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 1, v12);
	const float v14 = v12 + v13;
	const int32_t v15 = (int32_t)(lt_self / 32);
	if ((int32_t)(lt_self % 32) == 0) {
		part[v15] = v14;
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (v1 == 0) {
		y[v0] = lt_f32x8_fold_add(lt_f32x8_load_local(&part[0]));
	}
}
