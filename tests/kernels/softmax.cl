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
static inline uint64_t lt_below(int64_t n, int lanes)
{
	const uint64_t all = ~(uint64_t)0 >> (64 - lanes);
	return n <= 0 ? 0 : n >= lanes ? all : all >> (lanes - n);
}
typedef struct { float v[4]; } lt_f32x4;
static inline lt_f32x4 lt_f32x4_load_global(const __global float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __global uint4 *)p)[i];
	return u.v;
}
static inline lt_f32x4 lt_f32x4_load_on_global(const __global float *p, uint32_t m)
{
	if (m == 0xfu)
		return lt_f32x4_load_global(p);
	if (!m) {
		lt_f32x4 r;
#pragma unroll
		for (int i = 0; i < 4; i++)
			r.v[i] = 0;
		return r;
	}
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = m >> i & 1 ? p[i] : 0;
	return r;
}
static inline lt_f32x4 lt_f32x4_splat(float x)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = x;
	return r;
}
static inline lt_f32x4 lt_f32x4_mul(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] * b.v[i];
	return r;
}
static inline lt_f32x4 lt_f32x4_select_mask(uint32_t a, lt_f32x4 b, lt_f32x4 c)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = (a >> i & 1) ? b.v[i] : c.v[i];
	return r;
}
static inline float lt_f32_max(float a, float b)
{
	return a != a || a > b || (a == b && !signbit(a)) ? a : b;
}
static inline float lt_f32x4_fold_max(lt_f32x4 a)
{
	a.v[0] = lt_f32_max(a.v[0], a.v[2]);
	a.v[1] = lt_f32_max(a.v[1], a.v[3]);
	a.v[0] = lt_f32_max(a.v[0], a.v[1]);
	return a.v[0];
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
typedef struct { float v[2]; } lt_f32x2;
static inline lt_f32x2 lt_f32x2_load_local(const __local float *p)
{
	union { uint2 w[1]; lt_f32x2 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __local uint2 *)p)[i];
	return u.v;
}
static inline float lt_f32x2_fold_max(lt_f32x2 a)
{
	a.v[0] = lt_f32_max(a.v[0], a.v[1]);
	return a.v[0];
}
static inline lt_f32x4 lt_f32x4_sub(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] - b.v[i];
	return r;
}
static inline float lt_f32_exp(float x) { return x == x ? exp(x) : x; }
static inline lt_f32x4 lt_f32x4_exp(lt_f32x4 a)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = lt_f32_exp(a.v[i]);
	return r;
}
static inline float lt_f32x4_fold_add(lt_f32x4 a)
{
	a.v[0] = a.v[0] + a.v[2];
	a.v[1] = a.v[1] + a.v[3];
	a.v[0] = a.v[0] + a.v[1];
	return a.v[0];
}
static inline float lt_f32x2_fold_add(lt_f32x2 a)
{
	a.v[0] = a.v[0] + a.v[1];
	return a.v[0];
}
static inline lt_f32x4 lt_f32x4_div(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] / b.v[i];
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
static inline void lt_f32x4_store_on_global(__global float *p, lt_f32x4 v, uint32_t m)
{
	if (m == 0xfu) {
		lt_f32x4_store_global(p, v);
		return;
	}
	if (!m)
		return;
#pragma unroll
	for (int i = 0; i < 4; i++)
		if (m >> i & 1)
			p[i] = v.v[i];
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void softmax_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at1, int64_t lt_offset1, float a0)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[16];
	__local __attribute__((aligned(128))) ulong lt_passed[64];
	const uint32_t lt_self = (uint32_t)get_local_id(0);
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__global float *restrict const y = (__global float *)(lt_at1 + lt_offset1);
	__local float *const part = (__local float *)(lt_shared + 0);
	const int32_t v4 = (int32_t)get_local_id(0) * 4;
	const int32_t v5 = (int32_t)get_group_id(0) * 256 + v4;
	const uint32_t v7 = (uint32_t)lt_below(250 - v4, 4);
	const lt_f32x4 v11 = lt_f32x4_select_mask(v7, lt_f32x4_mul(lt_f32x4_load_on_global(&x[v5], v7), lt_f32x4_splat(a0)), lt_f32x4_splat(-INFINITY));
	const float v12 = lt_f32x4_fold_max(v11);
	const float v13 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 16, v12);
	const float v14 = lt_f32_max(v12, v13);
	const float v15 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 8, v14);
	const float v16 = lt_f32_max(v14, v15);
	const float v17 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 4, v16);
	const float v18 = lt_f32_max(v16, v17);
	const float v19 = lt_f32_pass(lt_passed, lt_self, lt_self + ((lt_self & 31) + 2 < 32 ? 2 : 0), v18);
	const float v20 = lt_f32_max(v18, v19);
	const float v21 = lt_f32_pass(lt_passed, lt_self, lt_self + ((lt_self & 31) + 1 < 32 ? 1 : 0), v20);
	const float v23 = lt_f32_pass(lt_passed, lt_self, (lt_self & ~31) + 0, lt_f32_max(v20, v21));
	const int32_t v24 = (int32_t)(lt_self / 32);
	const int v26 = (int32_t)(lt_self % 32) == 0;
	if (v26)
		part[v24] = v23;
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	const lt_f32x4 v31 = lt_f32x4_exp(lt_f32x4_sub(v11, lt_f32x4_splat(lt_f32x2_fold_max(lt_f32x2_load_local(&part[0])))));
	const float v32 = lt_f32x4_fold_add(v31);
	const float v33 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 16, v32);
	const float v34 = v32 + v33;
	const float v35 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 8, v34);
	const float v36 = v34 + v35;
	const float v37 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 4, v36);
	const float v38 = v36 + v37;
	const float v39 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 2, v38);
	const float v40 = v38 + v39;
	const float v41 = lt_f32_pass(lt_passed, lt_self, lt_self ^ 1, v40);
	if (v26)
		part[v24 + 2L] = v40 + v41;
	LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	lt_f32x4_store_on_global(&y[v5], lt_f32x4_div(v31, lt_f32x4_splat(lt_f32x2_fold_add(lt_f32x2_load_local(&part[2])))), v7);
}
