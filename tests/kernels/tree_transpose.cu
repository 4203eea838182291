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

static __device__ __forceinline__ void k0_y_1_body(const float *__restrict__ x, float *__restrict__ y)
{
	__shared__ __align__(128) uint8_t lt_shared[4224];
	float *const x_copy = (float *)(lt_shared + 0);
	const int32_t v0 = (int32_t)blockIdx.y;
	const int32_t v1 = (int32_t)blockIdx.x;
	const int32_t v2 = (int32_t)threadIdx.y;
	const int32_t v3 = (int32_t)threadIdx.x;
	const int32_t v9 = v0 * 32 + v1 * 3072 + v2 * 96 + v3;
	const int32_t v12 = v2 * 33 + v3;
	x_copy[v12] = x[v9];
	x_copy[v12 + 264L] = x[v9 + 768L];
	x_copy[v12 + 528L] = x[v9 + 1536L];
	x_copy[v12 + 792L] = x[v9 + 2304L];
	__syncthreads();
	const int32_t v17 = v2 + v3 * 33;
	const int32_t v24 = v0 * 2048 + v1 * 32 + v2 * 64 + v3;
	y[v24] = -x_copy[v17];
	y[v24 + 512L] = -x_copy[v17 + 8L];
	y[v24 + 1024L] = -x_copy[v17 + 16L];
	y[v24 + 1536L] = -x_copy[v17 + 24L];
}

extern "C" __global__ void __launch_bounds__(256) k0_y_1(const float *x, float *y)
{
	lt_after();
	k0_y_1_body(lt_seen(x), lt_seen(y));
}
