typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

extern "C" __global__ void __launch_bounds__(256) transpose_1(const float *__restrict__ x, float *__restrict__ y)
{
	__shared__ __align__(128) uint8_t lt_shared[4224];
	float *const tile = (float *)(lt_shared + 0);
	const int64_t v0 = (int64_t)threadIdx.x;
	const int64_t v1 = (int64_t)threadIdx.y;
	const int64_t v4 = (uint64_t)(int64_t)blockIdx.x * 32;
	const int64_t v5 = (uint64_t)(int64_t)blockIdx.y * 32;
	#pragma unroll 4
	for (int64_t i6 = 0; i6 < 32; i6 += 8) {
		const int64_t v7 = (uint64_t)i6 + (uint64_t)v1;
		tile[(uint64_t)v7 * 33 + (uint64_t)v0] = x[((uint64_t)v5 + (uint64_t)v7) * 64 + ((uint64_t)v4 + (uint64_t)v0)];
	}
	__syncthreads();
	#pragma unroll 4
	for (int64_t i15 = 0; i15 < 32; i15 += 8) {
		const int64_t v16 = (uint64_t)i15 + (uint64_t)v1;
		y[((uint64_t)v4 + (uint64_t)v16) * 64 + ((uint64_t)v5 + (uint64_t)v0)] = tile[(uint64_t)v0 * 33 + (uint64_t)v16];
	}
}
