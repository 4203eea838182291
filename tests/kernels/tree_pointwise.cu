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
static __device__ __forceinline__ int64_t lt_i64_min(int64_t a, int64_t b) { return a < b ? a : b; }
typedef struct { float v[4]; } lt_f32x4;
static __device__ __forceinline__ lt_f32x4 lt_f32x4_load(const float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const uint4 *)p)[i];
	return u.v;
}
typedef struct { float v[2]; } lt_f32x2;
static __device__ __forceinline__ lt_f32x2 lt_f32x2_of(float v0, float v1)
{
	lt_f32x2 r;
	r.v[0] = v0;
	r.v[1] = v1;
	return r;
}
static __device__ __forceinline__ lt_f32x4 lt_f32x4_of(float v0, float v1, float v2, float v3)
{
	lt_f32x4 r;
	r.v[0] = v0;
	r.v[1] = v1;
	r.v[2] = v2;
	r.v[3] = v3;
	return r;
}
static __device__ __forceinline__ void lt_f32x4_store(float *p, lt_f32x4 v)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
	u.v = v;
#pragma unroll
	for (int i = 0; i < 1; i++)
		((uint4 *)p)[i] = u.w[i];
}

static __device__ __forceinline__ void k0_z_1_body(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ z)
{
	const int32_t v0 = (int32_t)blockIdx.x;
	const int32_t v1 = (int32_t)threadIdx.x;
	if (v1 < lt_i64_min(v0 * -128 + 1025, 128)) {
		const int32_t v8 = v0 * -512 + v1 * -4;
		if (v8 >= -4092) {
			const int32_t v12 = v0 * 512 + v1 * 4;
			const lt_f32x4 v13 = lt_f32x4_load(&x[v12]);
			const lt_f32x4 v16 = lt_f32x4_load(&w[v12]);
			const float v18 = -v13.v[0] + v16.v[0];
			const float v22 = -v13.v[1] + v16.v[1];
			const float v26 = -v13.v[2] + v16.v[2];
			const float v30 = -v13.v[3] + v16.v[3];
			const lt_f32x2 v31 = lt_f32x2_of(v18, v22);
			const lt_f32x2 v32 = lt_f32x2_of(v26, v30);
			lt_f32x4_store(&z[v12], lt_f32x4_of(v31.v[0], v31.v[1], v32.v[0], v32.v[1]));
		} else {
			if (v8 >= -4096) {
				const int32_t v37 = v0 * 512 + v1 * 4;
				z[v37] = -x[v37] + w[v37];
			}
		}
	}
}

extern "C" __global__ void __launch_bounds__(128) k0_z_1(const float *x, const float *w, float *z)
{
	lt_after();
	k0_z_1_body(lt_seen(x), lt_seen(w), lt_seen(z));
}
