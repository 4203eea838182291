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
typedef struct { float v[2]; } lt_f32x2;
static inline lt_f32x2 lt_f32x2_load_global(const __global float *p)
{
	union { uint2 w[1]; lt_f32x2 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __global uint2 *)p)[i];
	return u.v;
}
static inline lt_f32x2 lt_f32x2_load_on_global(const __global float *p, uint32_t m)
{
	if (m == 0x3u)
		return lt_f32x2_load_global(p);
	if (!m) {
		lt_f32x2 r;
#pragma unroll
		for (int i = 0; i < 2; i++)
			r.v[i] = 0;
		return r;
	}
	lt_f32x2 r;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r.v[i] = m >> i & 1 ? p[i] : 0;
	return r;
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
static inline void lt_f32x4_store_local(__local float *p, lt_f32x4 v)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
	u.v = v;
#pragma unroll
	for (int i = 0; i < 1; i++)
		((__local uint4 *)p)[i] = u.w[i];
}
static inline lt_f32x4 lt_f32x4_load_local(const __local float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __local uint4 *)p)[i];
	return u.v;
}
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

__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k0_c_copy_1(__global const char *lt_at0, int64_t lt_offset0, __global const char *lt_at2, int64_t lt_offset2, __global char *lt_at4, int64_t lt_offset4)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[2048];
	__global const float *restrict const a_2 = (__global const float *)(lt_at0 + lt_offset0);
	__local float *const a_copy = (__local float *)(lt_shared + 0);
	__global const float *restrict const b = (__global const float *)(lt_at2 + lt_offset2);
	__local float *const b_copy = (__local float *)(lt_shared + 1024);
	__global float *restrict const c_copy = (__global float *)(lt_at4 + lt_offset4);
	const int32_t v0 = (int32_t)get_group_id(1);
	const int32_t v1 = (int32_t)get_group_id(0);
	const int32_t v2 = (int32_t)get_local_id(1);
	const int32_t v3 = (int32_t)get_local_id(0);
	float c_0 = 0.0f;
	float c_1 = 0.0f;
	float c_2 = 0.0f;
	float c_3 = 0.0f;
	float c_4 = 0.0f;
	float c_5 = 0.0f;
	float c_6 = 0.0f;
	float c_7 = 0.0f;
	float c_8 = 0.0f;
	float c_9 = 0.0f;
	float c_10 = 0.0f;
	float c_11 = 0.0f;
	float c_12 = 0.0f;
	float c_13 = 0.0f;
	float c_14 = 0.0f;
	float c_15 = 0.0f;
	const int32_t v4 = v3 / 2;
	const int32_t v5 = v3 % 2;
	const int32_t v10 = v0 * -32 + v2 * -4 + v4 * -1;
	const int32_t v11 = v5 * -4;
	const int32_t v18 = v0 * 1600 + v2 * 200 + v4 * 50 + v5 * 4;
	const int32_t v19 = v2 * 4;
	const int32_t v22 = v19 + v4 + v5 * 128;
	const int32_t v23 = v2 * -1;
	const int32_t v26 = v1 * -32 + v3 * -4;
	const int32_t v30 = v3 * 4;
	const int32_t v31 = v1 * 32 + v2 * 92 + v30;
	const int32_t v33 = v2 * 32 + v30;
	for (int32_t i34 = 0; i34 < 7; i34++) {
		LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		const int v35 = v10 >= -69;
		const int32_t v36 = i34 * -8;
		const int32_t v37 = v11 + v36;
		const int32_t v41 = v18 + i34 * 8;
		const lt_f32x2 v43 = lt_f32x2_load_on_global(&a_2[v41], (v35 && v37 >= -48) ? 0x3u : 0u);
		a_copy[v22] = v43.v[0];
		a_copy[v22 + 32L] = v43.v[1];
		const lt_f32x2 v49 = lt_f32x2_load_on_global(&a_2[v41 + 2L], (v35 && v37 >= -44) ? 0x3u : 0u);
		a_copy[v22 + 64L] = v49.v[0];
		a_copy[v22 + 96L] = v49.v[1];
		lt_f32x4_store_local(&b_copy[v33], lt_f32x4_load_on_global(&b[v31 + i34 * 736], (v23 + v36 >= -49 && v26 >= -88) ? 0xfu : 0u));
		LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		for (int32_t i60 = 0; i60 < 8; i60++) {
			const int32_t v61 = i60 * 32;
			const lt_f32x4 v63 = lt_f32x4_load_local(&a_copy[v19 + v61]);
			const float v64 = v63.v[0];
			const lt_f32x4 v66 = lt_f32x4_load_local(&b_copy[v30 + v61]);
			const float v67 = v66.v[0];
			c_0 += v64 * v67;
			const float v69 = v66.v[1];
			c_1 += v64 * v69;
			const float v71 = v66.v[2];
			c_2 += v64 * v71;
			const float v73 = v66.v[3];
			c_3 += v64 * v73;
			const float v75 = v63.v[1];
			c_4 += v75 * v67;
			c_5 += v75 * v69;
			c_6 += v75 * v71;
			c_7 += v75 * v73;
			const float v80 = v63.v[2];
			c_8 += v80 * v67;
			c_9 += v80 * v69;
			c_10 += v80 * v71;
			c_11 += v80 * v73;
			const float v85 = v63.v[3];
			c_12 += v85 * v67;
			c_13 += v85 * v69;
			c_14 += v85 * v71;
			c_15 += v85 * v73;
		}
	}
	const int32_t v92 = v0 * -32 + v2 * -4;
	const int v97 = v1 * -32 + v3 * -4 >= -88;
	const int v98 = v92 >= -68 && v97;
	const int32_t v106 = v0 * 2944 + v1 * 32 + v2 * 368 + v3 * 4;
	const lt_f32x2 v110 = lt_f32x2_of(c_0, c_1);
	const lt_f32x2 v111 = lt_f32x2_of(c_2, c_3);
	lt_f32x4_store_on_global(&c_copy[v106], lt_f32x4_of(v110.v[0], v110.v[1], v111.v[0], v111.v[1]), v98 ? 0xfu : 0u);
	const lt_f32x2 v118 = lt_f32x2_of(c_4, c_5);
	const lt_f32x2 v119 = lt_f32x2_of(c_6, c_7);
	lt_f32x4_store_on_global(&c_copy[v106 + 92L], lt_f32x4_of(v118.v[0], v118.v[1], v119.v[0], v119.v[1]), v98 ? 0xfu : 0u);
	const int v123 = v92 >= -64 && v97;
	const lt_f32x2 v128 = lt_f32x2_of(c_8, c_9);
	const lt_f32x2 v129 = lt_f32x2_of(c_10, c_11);
	lt_f32x4_store_on_global(&c_copy[v106 + 184L], lt_f32x4_of(v128.v[0], v128.v[1], v129.v[0], v129.v[1]), v123 ? 0xfu : 0u);
	const lt_f32x2 v136 = lt_f32x2_of(c_12, c_13);
	const lt_f32x2 v137 = lt_f32x2_of(c_14, c_15);
	lt_f32x4_store_on_global(&c_copy[v106 + 276L], lt_f32x4_of(v136.v[0], v136.v[1], v137.v[0], v137.v[1]), v123 ? 0xfu : 0u);
}
