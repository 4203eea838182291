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
struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };
static inline void lt_fault_at(__global struct lt_kernel_fault *fault, int64_t value, int32_t stmt, int32_t access)
{
	if (atomic_inc((volatile __global int *)&fault->n) == 0) {
		fault->stmt = stmt;
		fault->access = access;
		fault->value = value;
	}
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
static inline uint16_t lt_f16_of_f32(float x)
{
	union { uint32_t bits; float value; } w, base, bias;
	w.value = x;
	uint32_t sign = w.bits & 0x80000000u, twice = w.bits + w.bits;
	w.bits -= sign;
	base.value = w.value * 0x1p112f * 0x1p-110f;
	bias.bits = twice & 0xff000000u;
	bias.bits = ((bias.bits < 0x71000000u ? 0x71000000u : bias.bits) >> 1) + 0x07800000u;
	base.value += bias.value;
	uint32_t rest = ((base.bits >> 13) & 0x7c00u) + (base.bits & 0x0fffu);
	return (uint16_t)((sign >> 16) | (twice > 0xff000000u ? 0x7e00u : rest));
}
typedef struct { uint16_t v[4]; } lt_u16x4;
static inline lt_u16x4 lt_f16x4_cast_f32(lt_f32x4 a)
{
	lt_u16x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = lt_f16_of_f32(a.v[i]);
	return r;
}
static inline void lt_f16x4_store_global(__global uint16_t *p, lt_u16x4 v)
{
	union { uint2 w[1]; lt_u16x4 v; } u;
	u.v = v;
#pragma unroll
	for (int i = 0; i < 1; i++)
		((__global uint2 *)p)[i] = u.w[i];
}
typedef struct { float v[2]; } lt_f32x2;
static inline lt_f32x2 lt_f32x2_load_by_global(const __global float *p, int64_t n)
{
	lt_f32x2 r;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r.v[i] = p[i * n];
	return r;
}
static inline lt_f32x2 lt_f32x2_splat(float x)
{
	lt_f32x2 r;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r.v[i] = x;
	return r;
}
static inline uint32_t lt_maskx2_greater_f32(lt_f32x2 a, lt_f32x2 b)
{
	uint32_t r = 0;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r |= (uint32_t)(a.v[i] > b.v[i]) << i;
	return r;
}

__kernel __attribute__((reqd_work_group_size(16, 2, 1))) void gather_1(__global const char *lt_at0, int64_t lt_offset0, __global const char *lt_at1, int64_t lt_offset1, __global const char *lt_at2, int64_t lt_offset2, __global char *lt_at5, int64_t lt_offset5, float a0, __global struct lt_kernel_fault *fault)
{
	__global const double *restrict const table = (__global const double *)(lt_at0 + lt_offset0);
	__global const int32_t *restrict const index = (__global const int32_t *)(lt_at1 + lt_offset1);
	__global const int64_t *restrict const n_2 = (__global const int64_t *)(lt_at2 + lt_offset2);
	__global float *restrict const kept = (__global float *)(lt_at5 + lt_offset5);
	const int64_t n = n_2[1];
	const int32_t v2 = (int32_t)get_local_id(0);
	const int32_t v4 = (int32_t)get_group_id(0) * 2;
	if (!(v4 >= n)) {
		const int32_t v6 = v4 + (int32_t)get_local_id(1);
		const int v7 = v6 < n;
		const int64_t v9 = (int64_t)(v7 ? index[v6] : 0);
		const int v12 = v9 < 0 || v9 >= 8;
		if (v12 && v2 == 0)
			lt_fault_at(fault, v9, 3, 1);
		if (v7)
			kept[v6 * 16 + v2] = (float)table[(uint64_t)(v12 ? 0 : v9) * 16 + (uint64_t)v2] * (a0 + 1.0f);
	}
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gather_2(__global const char *lt_at2, int64_t lt_offset2, __global char *lt_at3, int64_t lt_offset3, __global char *lt_at4, int64_t lt_offset4, __global const char *lt_at5, int64_t lt_offset5, int64_t a0)
{
	__global const int64_t *restrict const n_2 = (__global const int64_t *)(lt_at2 + lt_offset2);
	__global uint16_t *restrict const y = (__global uint16_t *)(lt_at3 + lt_offset3);
	__global int64_t *restrict const z = (__global int64_t *)(lt_at4 + lt_offset4);
	__global const float *restrict const kept = (__global const float *)(lt_at5 + lt_offset5);
	const int64_t n = n_2[1];
	const int64_t v4 = (uint64_t)(int32_t)get_group_id(0) * (uint64_t)a0 + (uint64_t)(int32_t)get_group_id(1);
	if (!(v4 >= n)) {
		const int64_t v7 = (uint64_t)v4 * 16;
		int64_t count = 0;
		__attribute__((aligned(16))) int32_t own_2[4];
		if (0)
			own_2[0] = 0;
		own_2[0] = 5;
		for (int32_t i8 = 0; i8 < 16; i8 += 4) {
			const int64_t v9 = (uint64_t)v7 + (uint64_t)i8;
			lt_f16x4_store_global(&y[v9], lt_f16x4_cast_f32(lt_f32x4_load_global(&kept[v9])));
			int here = lt_maskx2_greater_f32(lt_f32x2_load_by_global(&kept[v9], 2), lt_f32x2_splat(0.0f)) != 0;
			here = here && 1;
			if (here) {
				count = (uint64_t)count + 1;
			} else {
				own_2[0] = (uint32_t)own_2[0] - 1;
			}
		}
		count = (uint64_t)count * 10;
		count = (uint64_t)count + (uint64_t)(int64_t)own_2[0];
		z[v4] = count;
	}
}
