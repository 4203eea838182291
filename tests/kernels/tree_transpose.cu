typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

extern "C" __global__ void __launch_bounds__(256) k0_y_1(const float *__restrict__ x, float *__restrict__ y)
{
	__shared__ __align__(128) uint8_t lt_shared[4224];
	float *const x_copy = (float *)(lt_shared + 0);
	const int64_t v0 = (int64_t)blockIdx.y;
	const int64_t v1 = (int64_t)blockIdx.x;
	const int64_t v2 = (int64_t)threadIdx.y;
	const int64_t v3 = (int64_t)threadIdx.x;
	const int64_t v9 = (uint64_t)v0 * 32 + (uint64_t)v1 * 3072 + (uint64_t)v2 * 96 + (uint64_t)v3;
	const int64_t v12 = (uint64_t)v2 * 33 + (uint64_t)v3;
	x_copy[v12] = x[v9];
	x_copy[(uint64_t)v12 + 264] = x[(uint64_t)v9 + 768];
	x_copy[(uint64_t)v12 + 528] = x[(uint64_t)v9 + 1536];
	x_copy[(uint64_t)v12 + 792] = x[(uint64_t)v9 + 2304];
	__syncthreads();
	const int64_t v17 = (uint64_t)v2 + (uint64_t)v3 * 33;
	const int64_t v24 = (uint64_t)v0 * 2048 + (uint64_t)v1 * 32 + (uint64_t)v2 * 64 + (uint64_t)v3;
	y[v24] = -x_copy[v17];
	y[(uint64_t)v24 + 512] = -x_copy[(uint64_t)v17 + 8];
	y[(uint64_t)v24 + 1024] = -x_copy[(uint64_t)v17 + 16];
	y[(uint64_t)v24 + 1536] = -x_copy[(uint64_t)v17 + 24];
}
