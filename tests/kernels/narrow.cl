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
static inline int16_t lt_i16_narrow(int32_t x)
{
#ifdef __NV_CL_C_VERSION
	int32_t r;
	asm("bfe.s32 %0, %1, 0, %2;" : "=r"(r) : "r"(x), "r"(8 * (int32_t)sizeof(int16_t)));
	return (int16_t)r;
#else
	return (int16_t)x;
#endif
}
static inline int8_t lt_i8_narrow(int32_t x)
{
#ifdef __NV_CL_C_VERSION
	int32_t r;
	asm("bfe.s32 %0, %1, 0, %2;" : "=r"(r) : "r"(x), "r"(8 * (int32_t)sizeof(int8_t)));
	return (int8_t)r;
#else
	return (int8_t)x;
#endif
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void narrow_1(__global const char *lt_at0, int64_t lt_offset0, __global char *lt_at1, int64_t lt_offset1, __global char *lt_at2, int64_t lt_offset2)
{
	__global const int16_t *restrict const x = (__global const int16_t *)(lt_at0 + lt_offset0);
	__global int16_t *restrict const y = (__global int16_t *)(lt_at1 + lt_offset1);
	__global int8_t *restrict const z = (__global int8_t *)(lt_at2 + lt_offset2);
	const int32_t v3 = (int32_t)get_group_id(0) * 32 + (int32_t)get_local_id(0);
	const int32_t v7 = 0 - ((uint32_t)(int32_t)x[v3] - -32765);
	y[v3] = lt_i16_narrow(v7);
	z[v3] = lt_i8_narrow(v7);
}
