#include "lt/own.h"
LT_TAKES(tiled, rank(0) == 2 && rank(1) == 2 && extent(1, 1) % 16 == 0);

/* Columns of the right factor, one after the other, in the workspace. */
LT_KERNEL(tiled, f32, 4 * 16 * extent(1, 0))
{
	const float *x = LT_OPERAND(0, float), *w = LT_OPERAND(1, float);
	float *y = LT_RESULT(0, float), *panel = own->workspace;
	const int64_t m = own->operand[0].extent[0], k = own->operand[0].extent[1], n = own->operand[1].extent[1];

	for (int64_t j = 0; j < n; j += 16) {
		for (int64_t l = 0; l < k; l++)
			for (int64_t c = 0; c < 16; c++)
				panel[l * 16 + c] = w[l * n + j + c];
		for (int64_t i = 0; i < m; i++) {
			float sum[16] = { 0 };
			for (int64_t l = 0; l < k; l++)
				for (int64_t c = 0; c < 16; c++)
					sum[c] += x[i * k + l] * panel[l * 16 + c];
			for (int64_t c = 0; c < 16; c++)
				y[i * n + j + c] = sum[c];
		}
	}
}
