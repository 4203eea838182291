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
typedef struct { float v[4]; } lt_f32x4;
static __device__ __forceinline__ lt_f32x4 lt_f32x4_splat(float x)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = x;
	return r;
}
static __device__ __forceinline__ void lt_copy16(void *to, const void *from, int on)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		:: "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(on ? 16 : 0) : "memory");
}
static __device__ __forceinline__ int32_t lt_i32_mod(int32_t a, int32_t b)
{
	if (b == 0 || b == -1)
		return 0;
	return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
static __device__ __forceinline__ lt_f32x4 lt_f32x4_load(const float *p)
{
	union { uint4 w[1]; lt_f32x4 v; } u;
#pragma unroll
	for (int i = 0; i < 1; i++)
		u.w[i] = ((const uint4 *)p)[i];
	return u.v;
}
static __device__ __forceinline__ lt_f32x4 lt_f32x4_mul(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] * b.v[i];
	return r;
}
static __device__ __forceinline__ lt_f32x4 lt_f32x4_add(lt_f32x4 a, lt_f32x4 b)
{
	lt_f32x4 r;
#pragma unroll
	for (int i = 0; i < 4; i++)
		r.v[i] = a.v[i] + b.v[i];
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

static __device__ __forceinline__ void product_1_body(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y)
{
	__shared__ __align__(128) uint8_t lt_shared[8192];
	float *const xs = (float *)(lt_shared + 0);
	float *const ws = (float *)(lt_shared + 4096);
	const int32_t v0 = (int32_t)threadIdx.x;
	const int32_t v1 = (int32_t)threadIdx.y;
	const int32_t v3 = v1 * 8 + v0;
	const int32_t v6 = (int32_t)blockIdx.x * 32;
	const int32_t v7 = (int32_t)blockIdx.y * 32;
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
		asm volatile("cp.async.commit_group;" ::: "memory");
		if (i8 >= 0) {
			asm volatile("cp.async.wait_group 1;" ::: "memory");
			__syncthreads();
			const int32_t v34 = lt_i32_mod(i8, 2) * 512;
			const int32_t v36 = v34 + v1 * 64;
			const int32_t v38 = v34 + v0 * 4;
			#pragma unroll 16
			for (int32_t i39 = 0; i39 < 16; i39++) {
				const int32_t v40 = v36 + i39;
				const lt_f32x4 v47 = lt_f32x4_load(&ws[v38 + i39 * 32]);
				c0 = lt_f32x4_add(c0, lt_f32x4_mul(lt_f32x4_splat(xs[v40]), v47));
				c1 = lt_f32x4_add(c1, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 16L]), v47));
				c2 = lt_f32x4_add(c2, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 32L]), v47));
				c3 = lt_f32x4_add(c3, lt_f32x4_mul(lt_f32x4_splat(xs[v40 + 48L]), v47));
			}
			__syncthreads();
		}
	}
	asm volatile("cp.async.wait_group 0;" ::: "memory");
	const int32_t v61 = (v7 + v1 * 4) * 64 + (v6 + v0 * 4);
	lt_f32x4_store(&y[v61], c0);
	lt_f32x4_store(&y[v61 + 64L], c1);
	lt_f32x4_store(&y[v61 + 128L], c2);
	lt_f32x4_store(&y[v61 + 192L], c3);
}

extern "C" __global__ void __launch_bounds__(64, 4) product_1(const float *x, const float *w, float *y)
{
	lt_after();
	product_1_body(lt_seen(x), lt_seen(w), lt_seen(y));
}
