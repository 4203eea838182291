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
static __device__ __forceinline__ void lt_copy16(void *to, const void *from, int on)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		:: "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(on ? 16 : 0) : "memory");
}
static __device__ __forceinline__ void lt_copy4(void *to, const void *from, int on)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
		:: "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(on ? 4 : 0) : "memory");
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
typedef struct { uint16_t v[8]; } lt_u16x8;
static __device__ __forceinline__ lt_u16x8 lt_f16x8_of_words(const uint32_t *w)
{
	union { lt_u16x8 v; uint32_t w[4]; } u;
#pragma unroll
	for (int i = 0; i < 4; i++)
		u.w[i] = w[i];
	return u.v;
}
static __device__ __forceinline__ void lt_ldmatrix_x4(uint32_t *w, const void *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		: "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"((uint32_t)__cvta_generic_to_shared(p)) : "memory");
}
typedef struct { uint16_t v[4]; } lt_u16x4;
static __device__ __forceinline__ lt_u16x4 lt_f16x4_of_words(const uint32_t *w)
{
	union { lt_u16x4 v; uint32_t w[2]; } u;
#pragma unroll
	for (int i = 0; i < 2; i++)
		u.w[i] = w[i];
	return u.v;
}
static __device__ __forceinline__ void lt_ldmatrix_x2_trans(uint32_t *w, const void *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
		: "=r"(w[0]), "=r"(w[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)) : "memory");
}
static __device__ __forceinline__ void lt_f16x8_words(uint32_t *w, lt_u16x8 x)
{
	union { lt_u16x8 v; uint32_t w[4]; } u;
	u.v = x;
#pragma unroll
	for (int i = 0; i < 4; i++)
		w[i] = u.w[i];
}
static __device__ __forceinline__ void lt_f16x4_words(uint32_t *w, lt_u16x4 x)
{
	union { lt_u16x4 v; uint32_t w[2]; } u;
	u.v = x;
#pragma unroll
	for (int i = 0; i < 2; i++)
		w[i] = u.w[i];
}
static __device__ __forceinline__ void lt_mma_m16n8k16_f16(float &c0, float &c1, float &c2, float &c3, const uint32_t *a, const uint32_t *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
typedef struct { float v[2]; } lt_f32x2;
static __device__ __forceinline__ lt_f32x2 lt_f32x2_of(float v0, float v1)
{
	lt_f32x2 r;
	r.v[0] = v0;
	r.v[1] = v1;
	return r;
}
static __device__ __forceinline__ void lt_f32x2_store(float *p, lt_f32x2 v)
{
	union { uint2 w[1]; lt_f32x2 v; } u;
	u.v = v;
#pragma unroll
	for (int i = 0; i < 1; i++)
		((uint2 *)p)[i] = u.w[i];
}
static __device__ __forceinline__ lt_f32x2 lt_f32x2_splat(float x)
{
	lt_f32x2 r;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r.v[i] = x;
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
static __device__ __forceinline__ const void *lt_swizzled(const void *p, const uint8_t *shared, uint32_t mask)
{
	uint32_t at = (uint32_t)((const uint8_t *)p - shared);
	return shared + (at ^ (at >> 7 & mask) << 4);
}
static __device__ __forceinline__ void lt_matrix1_a(uint32_t *w, const float *p, int64_t rows, int64_t columns, const uint8_t *shared, uint32_t mask, int lt_lane)
{
	union { float v[4]; uint32_t w[4]; } u;
	p += ((lt_lane >> 2 & 7) * 1) * rows + ((lt_lane >> 0 & 3) * 1) * columns;
	u.v[0] = *(const float *)lt_swizzled(p + 0 * rows + 0 * columns, shared, mask);
	u.v[1] = *(const float *)lt_swizzled(p + 8 * rows + 0 * columns, shared, mask);
	u.v[2] = *(const float *)lt_swizzled(p + 0 * rows + 4 * columns, shared, mask);
	u.v[3] = *(const float *)lt_swizzled(p + 8 * rows + 4 * columns, shared, mask);
#pragma unroll
	for (int i = 0; i < 4; i++)
		w[i] = u.w[i];
}
static __device__ __forceinline__ void lt_f32x4_words(uint32_t *w, lt_f32x4 x)
{
	union { lt_f32x4 v; uint32_t w[4]; } u;
	u.v = x;
#pragma unroll
	for (int i = 0; i < 4; i++)
		w[i] = u.w[i];
}
static __device__ __forceinline__ void lt_matrix1_b(uint32_t *w, const float *p, int64_t rows, int64_t columns, const uint8_t *shared, uint32_t mask, int lt_lane)
{
	union { float v[2]; uint32_t w[2]; } u;
	p += ((lt_lane >> 0 & 3) * 1) * rows + ((lt_lane >> 2 & 7) * 1) * columns;
	u.v[0] = *(const float *)lt_swizzled(p + 0 * rows + 0 * columns, shared, mask);
	u.v[1] = *(const float *)lt_swizzled(p + 4 * rows + 0 * columns, shared, mask);
#pragma unroll
	for (int i = 0; i < 2; i++)
		w[i] = u.w[i];
}
static __device__ __forceinline__ void lt_mma_m16n8k8_tf32(float &c0, float &c1, float &c2, float &c3, const uint32_t *a, const uint32_t *b)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
		"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ lt_f32x4 lt_f32x4_of_words(const uint32_t *w)
{
	union { lt_f32x4 v; uint32_t w[4]; } u;
#pragma unroll
	for (int i = 0; i < 4; i++)
		u.w[i] = w[i];
	return u.v;
}
static __device__ __forceinline__ lt_f32x2 lt_f32x2_add(lt_f32x2 a, lt_f32x2 b)
{
	lt_f32x2 r;
#pragma unroll
	for (int i = 0; i < 2; i++)
		r.v[i] = a.v[i] + b.v[i];
	return r;
}

static __device__ __forceinline__ void matrix_1_body(const uint16_t *__restrict__ x, const uint16_t *__restrict__ w, float *__restrict__ y, const float *__restrict__ xf, const float *__restrict__ wf, float *__restrict__ yf)
{
	__shared__ __align__(128) uint8_t lt_shared[5376];
	const uint32_t lt_self = (uint32_t)threadIdx.x;
	uint16_t *const xs = (uint16_t *)(lt_shared + 0);
	uint16_t *const ws = (uint16_t *)(lt_shared + 2560);
	float *const wf_s = (float *)(lt_shared + 4096);
	float *const xf_s = (float *)(lt_shared + 4352);
	const int32_t v0 = (int32_t)threadIdx.x;
	const int32_t v1 = (int32_t)(lt_self / 32);
	const int32_t v2 = (int32_t)(lt_self % 32);
	#pragma unroll 2
	for (int32_t i3 = 0; i3 < 2; i3++) {
		const int32_t v5 = i3 * 64 + v0;
		lt_copy16(&xs[v5 / 4 * 40 + v5 % 4 * 8], &x[v5 * 8], 1);
	}
	lt_copy16(&ws[v0 / 2 * 24 + v0 % 2 * 8], &w[v0 * 8], 1);
	lt_copy4(&wf_s[v0], &wf[v0], 1);
	lt_copy16(&xf_s[(uint64_t)(v0 ^ ((int64_t)((uint64_t)v0 >> 3) & 1)) * 4], &xf[v0 * 4], 1);
	asm volatile("cp.async.commit_group;" ::: "memory");
	asm volatile("cp.async.wait_group 0;" ::: "memory");
	__syncthreads();
	const int32_t v23 = v1 * 640;
	for (int32_t i24 = 0; i24 < 2; i24++) {
		lt_f32x4 c = lt_f32x4_splat(0.0f);
		const int32_t v25 = i24 * 8;
		for (int32_t i26 = 0; i26 < 32; i26 += 16) {
			const int32_t v27 = v23 + i26;
			const int32_t v29 = i26 * 24 + v25;
			uint32_t lt_w30[4];
			{
				const int lt_lane = lt_self & 31;
				lt_ldmatrix_x4(lt_w30, &xs[v27] + ((lt_lane >> 0 & 15) * 1) * 40 + ((lt_lane >> 4 & 1) * 8) * 1);
			}
			const lt_u16x8 v30 = lt_f16x8_of_words(lt_w30);
			uint32_t lt_w31[2];
			{
				const int lt_lane = lt_self & 31;
				lt_ldmatrix_x2_trans(lt_w31, &ws[v29] + ((lt_lane >> 0 & 15) * 1) * 24 + (0) * 1);
			}
			const lt_u16x4 v31 = lt_f16x4_of_words(lt_w31);
			{
				uint32_t a[4], b[2];
				lt_f16x8_words(a, v30);
				lt_f16x4_words(b, v31);
				lt_mma_m16n8k16_f16(c.v[0], c.v[1], c.v[2], c.v[3], a, b);
			}
		}
		const int32_t v39 = (v1 * 16 + v2 / 4) * 16 + (v25 + v2 % 4 * 2);
		lt_f32x2_store(&y[v39], lt_f32x2_of(c.v[0], c.v[1]));
		lt_f32x2_store(&y[v39 + 128L], lt_f32x2_of(c.v[2], c.v[3]));
	}
	lt_f32x2 d = lt_f32x2_splat(0.0f);
	lt_f32x2 e = lt_f32x2_splat(0.0f);
	lt_f32x4 f = lt_f32x4_splat(1.0f);
	const int32_t v43 = v2 / 4;
	const int32_t v44 = v2 % 4;
	const int32_t v48 = v1 * 128;
	const int32_t v49 = v43 * 8 + v44 * 2 + v48;
	const int32_t v52 = v43 * 8 + v44 + v48;
	const float v53 = xf[v52];
	const float v54 = xf[v52 + 64L];
	const float v55 = xf[v52 + 4L];
	const float v56 = xf[v52 + 68L];
	const lt_f32x2 v57 = lt_f32x2_of(v53, v54);
	const lt_f32x2 v58 = lt_f32x2_of(v55, v56);
	const lt_f32x4 v59 = lt_f32x4_of(v57.v[0], v57.v[1], v58.v[0], v58.v[1]);
	uint32_t lt_w60[4];
	{
		const int lt_lane = lt_self & 31;
		lt_matrix1_a(lt_w60, &xf_s[v48], 8, 1, lt_shared, 1, lt_lane);
	}
	{
		const int lt_lane = lt_self & 31;
		uint32_t a[4], b[2];
		lt_f32x4_words(a, v59);
		lt_matrix1_b(b, &wf_s[0], 8, 1, lt_shared, 0, lt_lane);
		lt_mma_m16n8k8_tf32(d.v[0], d.v[1], e.v[0], e.v[1], a, b);
	}
	const lt_f32x4 v60 = lt_f32x4_of_words(lt_w60);
	{
		const int lt_lane = lt_self & 31;
		uint32_t a[4], b[2];
		lt_f32x4_words(a, v60);
		lt_matrix1_b(b, &wf_s[0], 1, 8, lt_shared, 0, lt_lane);
		lt_mma_m16n8k8_tf32(f.v[0], f.v[1], f.v[2], f.v[3], a, b);
	}
	lt_f32x2_store(&yf[v49], lt_f32x2_add(d, lt_f32x2_of(f.v[0], f.v[1])));
	lt_f32x2_store(&yf[v49 + 64L], lt_f32x2_add(e, lt_f32x2_of(f.v[2], f.v[3])));
}

extern "C" __global__ void __launch_bounds__(64) matrix_1(const uint16_t *x, const uint16_t *w, float *y, const float *xf, const float *wf, float *yf)
{
	lt_after();
	matrix_1_body(lt_seen(x), lt_seen(w), lt_seen(y), lt_seen(xf), lt_seen(wf), lt_seen(yf));
}
