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
static __device__ __forceinline__ int16_t lt_i16_narrow(int32_t x)
{
	int32_t r;
	asm("bfe.s32 %0, %1, 0, %2;" : "=r"(r) : "r"(x), "r"(8 * (int32_t)sizeof(int16_t)));
	return (int16_t)r;
}
static __device__ __forceinline__ int8_t lt_i8_narrow(int32_t x)
{
	int32_t r;
	asm("bfe.s32 %0, %1, 0, %2;" : "=r"(r) : "r"(x), "r"(8 * (int32_t)sizeof(int8_t)));
	return (int8_t)r;
}

static __device__ __forceinline__ void narrow_1_body(const int16_t *__restrict__ x, int16_t *__restrict__ y, int8_t *__restrict__ z)
{
	const int32_t v3 = (int32_t)blockIdx.x * 32 + (int32_t)threadIdx.x;
	const int32_t v7 = 0 - ((uint32_t)(int32_t)x[v3] - -32765);
	y[v3] = lt_i16_narrow(v7);
	z[v3] = lt_i8_narrow(v7);
}

extern "C" __global__ void __launch_bounds__(32) narrow_1(const int16_t *x, int16_t *y, int8_t *z)
{
	lt_after();
	narrow_1_body(lt_seen(x), lt_seen(y), lt_seen(z));
}
