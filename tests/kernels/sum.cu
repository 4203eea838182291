typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

/* Blocks of the next kernel may come, and wait: here, until the kernels before this one are done. */
static __device__ __forceinline__ void lt_after(void)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}

/* A kernel that has begun before others are done reads what they write: no data that nobody writes while it runs
 * (ld.global.nc), for which a compiler takes what only const pointers reach. */
template <class T> static __device__ __forceinline__ T *lt_seen(T *p)
{
	asm volatile("" : "+l"(p));
	__builtin_assume(__isGlobal(p));
	return p;
}
typedef struct { float v[8]; } lt_f32x8;
static __device__ __forceinline__ lt_f32x8 lt_f32x8_load(const float *p)
{
	union { uint4 w[2]; lt_f32x8 v; } u;
#pragma unroll
	for (int i = 0; i < 2; i++)
		u.w[i] = ((const uint4 *)p)[i];
	return u.v;
}
static __device__ __forceinline__ float lt_f32x8_fold_add(lt_f32x8 a)
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

static __device__ __forceinline__ void sum_1_body(const float *__restrict__ x, float *__restrict__ y)
{
	__shared__ __align__(128) uint8_t lt_shared[32];
	const uint32_t lt_self = (uint32_t)threadIdx.x;
	float *const part = (float *)(lt_shared + 0);
	const int32_t v0 = (int32_t)blockIdx.x;
	const int32_t v1 = (int32_t)threadIdx.x;
	const float v4 = x[v0 * 256 + v1];
	const float v5 = __shfl_xor_sync(0xffffffffu, v4, 16);
	const float v6 = v4 + v5;
	const float v7 = __shfl_xor_sync(0xffffffffu, v6, 8);
	const float v8 = v6 + v7;
	const float v9 = __shfl_xor_sync(0xffffffffu, v8, 4);
	const float v10 = v8 + v9;
	const float v11 = __shfl_xor_sync(0xffffffffu, v10, 2);
	const float v12 = v10 + v11;
	const float v13 = __shfl_xor_sync(0xffffffffu, v12, 1);
	const float v14 = v12 + v13;
	const int32_t v15 = (int32_t)(lt_self / 32);
	if ((int32_t)(lt_self % 32) == 0) {
		part[v15] = v14;
	}
	__syncthreads();
	if (v1 == 0) {
		y[v0] = lt_f32x8_fold_add(lt_f32x8_load(&part[0]));
	}
}

extern "C" __global__ void __launch_bounds__(256) sum_1(const float *x, float *y)
{
	lt_after();
	sum_1_body(lt_seen(x), lt_seen(y));
}
