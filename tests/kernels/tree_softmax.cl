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
typedef struct { float v[4]; } lt_f32x4;
static inline lt_f32x4 lt_f32x4_load_global(const __global float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __global uint4 *)p)[i];
	return u.v;
}
static inline float lt_f32_max(float a, float b)
{
	return a != a || a > b || (a == b && !signbit(a)) ? a : b;
}
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
static inline lt_f32x4 lt_f32x4_load_local(const __local float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __local uint4 *)p)[i];
	return u.v;
}
static inline float lt_f32_exp(float x) { return x == x ? exp(x) : x; }
typedef struct { float v[2]; } lt_f32x2;
static inline lt_f32x2 lt_f32x2_of(float v0, float v1)
{
	lt_f32x2 r;
	r.v[0] = v0;
	r.v[1] = v1;
	return r;
}
static inline lt_f32x4 lt_f32x4_of(float v0, float v1, float v2, float v3)
{
	lt_f32x4 r;
	r.v[0] = v0;
	r.v[1] = v1;
	r.v[2] = v2;
	r.v[3] = v3;
	return r;
}
static inline void lt_f32x4_store_global(__global float *p, lt_f32x4 v)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
	u.v = v;
#pragma unroll
	for (int i = 0; i < 1; i++)
		((__global uint4 *)p)[i] = u.w[i];
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void k0_y_1(__global const char *lt_at1, int64_t lt_offset1, __global char *lt_at3, int64_t lt_offset3)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[64];
	__local __attribute__((aligned(128))) ulong lt_passed[128];
	const uint32_t lt_self = (uint32_t)get_local_id(0);
	__local float *const m = (__local float *)(lt_shared + 0);
	__global const float *restrict const x = (__global const float *)(lt_at1 + lt_offset1);
	__local float *const s = (__local float *)(lt_shared + 16);
	__global float *restrict const y = (__global float *)(lt_at3 + lt_offset3);
	__local float *const parts = (__local float *)(lt_shared + 32);
	__local float *const parts_9 = (__local float *)(lt_shared + 48);
	const int32_t v1 = (int32_t)get_local_id(0);
	const int v2 = v1 == 0;
	const int32_t v0 = (int32_t)get_group_id(0);
	if (v2) {
		m[0] = -INFINITY;
	}
	float part = -INFINITY;
	const int32_t v5 = v0 * 512 + v1 * 4;
	const lt_f32x4 v6 = lt_f32x4_load_global(&x[v5]);
	part = lt_f32_max(part, v6.v[0]);
	part = lt_f32_max(part, v6.v[1]);
	part = lt_f32_max(part, v6.v[2]);
	part = lt_f32_max(part, v6.v[3]);
	const float v12 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 16, part);
	const float v13 = lt_f32_max(part, v12);
	const float v14 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 8, v13);
	const float v15 = lt_f32_max(v13, v14);
	const float v16 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 4, v15);
	const float v17 = lt_f32_max(v15, v16);
	const float v18 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 2, v17);
	const float v19 = lt_f32_max(v17, v18);
	const float v20 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 1, v19);
	const float v21 = lt_f32_max(v19, v20);
	const int32_t v23 = v1 / 32;
	const int v24 = v1 % 32 == 0;
	if (v24) {
		parts[v23] = v21;
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (v2) {
		const lt_f32x4 v25 = lt_f32x4_load_local(&parts[0]);
		m[0] = lt_f32_max(m[0], lt_f32_max(lt_f32_max(v25.v[0], v25.v[2]), lt_f32_max(v25.v[1], v25.v[3])));
		s[0] = 0.0f;
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	float part_8 = 0.0f;
	const lt_f32x4 v35 = lt_f32x4_load_global(&x[v5]);
	const float v37 = m[0];
	const float v39 = lt_f32_exp(v35.v[0] - v37);
	float e_0 = v39;
	part_8 += v39;
	const float v42 = lt_f32_exp(v35.v[1] - v37);
	float e_1 = v42;
	part_8 += v42;
	const float v45 = lt_f32_exp(v35.v[2] - v37);
	float e_2 = v45;
	part_8 += v45;
	const float v48 = lt_f32_exp(v35.v[3] - v37);
	float e_3 = v48;
	part_8 += v48;
	const float v50 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 16, part_8);
	const float v51 = part_8 + v50;
	const float v52 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 8, v51);
	const float v53 = v51 + v52;
	const float v54 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 4, v53);
	const float v55 = v53 + v54;
	const float v56 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 2, v55);
	const float v57 = v55 + v56;
	const float v58 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 1, v57);
	const float v59 = v57 + v58;
	if (v24) {
		parts_9[v23] = v59;
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (v2) {
		const lt_f32x4 v60 = lt_f32x4_load_local(&parts_9[0]);
		s[0] = s[0] + (v60.v[0] + v60.v[2] + (v60.v[1] + v60.v[3]));
	}
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	const float v71 = s[0];
	const float v72 = e_0 / v71;
	const float v74 = e_1 / v71;
	const float v76 = e_2 / v71;
	const float v78 = e_3 / v71;
	const lt_f32x2 v79 = lt_f32x2_of(v72, v74);
	const lt_f32x2 v80 = lt_f32x2_of(v76, v78);
	lt_f32x4_store_global(&y[v5], lt_f32x4_of(v79.v[0], v79.v[1], v80.v[0], v80.v[1]));
}
