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
static inline lt_f32x4 lt_f32x4_splat(float x)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = x;
	return r;
}
static inline void lt_copy16(__local void *to, const __global void *from, int on)
{
	uint4 x = 0;
	if (on)
		x = *(const __global uint4 *)from;
	*(__local uint4 *)to = x;
}
#if defined POCL_DEVICE_ADDRESS_BITS && !defined __SPIR__ && !defined __SPIRV__
#define LT_BARRIER(memory) barrier(memory); __asm__ volatile("")
#else
#define LT_BARRIER(memory) barrier(memory)
#endif
static inline int32_t lt_i32_mod(int32_t a, int32_t b)
{
	if (b == 0 || b == -1)
		return 0;
	return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
static inline lt_f32x4 lt_f32x4_load_local(const __local float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const __local uint4 *)p)[i];
	return u.v;
}
static inline lt_f32x4 lt_f32x4_mul(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] * b.v[i];
	return r;
}
static inline lt_f32x4 lt_f32x4_add(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] + b.v[i];
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

__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void product_1(__global const char *lt_at0, int64_t lt_offset0, __global const char *lt_at1, int64_t lt_offset1, __global char *lt_at2, int64_t lt_offset2)
{
	__local __attribute__((aligned(128))) uint8_t lt_shared[8192];
	__global const float *restrict const x = (__global const float *)(lt_at0 + lt_offset0);
	__global const float *restrict const w = (__global const float *)(lt_at1 + lt_offset1);
	__global float *restrict const y = (__global float *)(lt_at2 + lt_offset2);
	__local float *const xs = (__local float *)(lt_shared + 0);
	__local float *const ws = (__local float *)(lt_shared + 4096);
	const int32_t v0 = (int32_t)get_local_id(0);
	const int32_t v1 = (int32_t)get_local_id(1);
	const int32_t v3 = v1 * 8 + v0;
	const int32_t v6 = (int32_t)get_group_id(0) * 32;
	const int32_t v7 = (int32_t)get_group_id(1) * 32;
	lt_f32x4 c0 = lt_f32x4_splat(0.0f);
	lt_f32x4 c1 = lt_f32x4_splat(0.0f);
	lt_f32x4 c2 = lt_f32x4_splat(0.0f);
	lt_f32x4 c3 = lt_f32x4_splat(0.0f);
	for (int32_t i8 = -1; i8 < 4; i8++) {
		const int32_t v9 = i8 + 1;
		if (v9 < 4) {
			const int32_t v12 = v9 % 2 * 512;
			const int32_t v13 = v9 * 16;
			#pragma unroll 2
			for (int32_t i14 = 0; i14 < 128; i14 += 64) {
				const int32_t v15 = i14 + v3;
				const int32_t v24 = v12 + v15 * 4;
				lt_copy16(&xs[v24], &x[(v7 + v15 / 4) * 64 + (v13 + v15 % 4 * 4)], 1);
				lt_copy16(&ws[v24], &w[(v13 + v15 / 8) * 64 + (v6 + v15 % 8 * 4)], 1);
			}
		}
		if (i8 >= 0) {
			LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
			const int32_t v34 = lt_i32_mod(i8, 2) * 512;
			const int32_t v36 = v34 + v1 * 64;
			const int32_t v38 = v34 + v0 * 4;
			#pragma unroll 16
			for (int32_t i39 = 0; i39 < 16; i39++) {
				const int32_t v40 = v36 + i39;
				const lt_f32x4 v47 = lt_f32x4_load_local(&ws[v38 + i39 * 32]);
				c0 = lt_f32x4_add(c0, lt_f32x4_mul(lt_f32x4_splat(xs[v40]), v47));
				c1 = lt_f32x4_add(c1, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 16L]), v47));
				c2 = lt_f32x4_add(c2, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 32L]), v47));
				c3 = lt_f32x4_add(c3, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 48L]), v47));
			}
			LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		}
	}
	const int32_t v61 = (v7 + v1 * 4) * 64 + (v6 + v0 * 4);
	lt_f32x4_store_global(&y[v61], c0);
	lt_f32x4_store_global(&y[v61 + 64L], c1);
	lt_f32x4_store_global(&y[v61 + 128L], c2);
	lt_f32x4_store_global(&y[v61 + 192L], c3);
}
