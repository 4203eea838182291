#include <stdint.h>

#ifndef LT_ENTRY
#define LT_ENTRY
#endif

struct lt_slot { void *base; int64_t offset, bytes; };

struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef float lt_f32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k1_6: loop tree 018693d360a3dec51fbcab321f8fa972, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_6(const float *restrict n1, const float *restrict n4_right, const float *restrict n3, float *restrict n6)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t m = 0; m < 2; m++) {
			/* %4 = add.reduce, line 6 */
			lt_f32x8 n4_0 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_8 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_16 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_24 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_32 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_40 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_48 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_56 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_64 = lt_f32x8_splat(0.0f);
			lt_f32x8 n4_72 = lt_f32x8_splat(0.0f);
			for (int64_t k = 0; k < 24; k++) {
				/* %4.mul = mul, line 6 */
				const int64_t v4 = m * 120 + k;
				const int64_t v8 = n * 384 + k * 16;
				/* %4 = add.reduce, line 6 */
				n4_0 += lt_f32x8_splat(n1[v4]) * *(const lt_f32x8_u *)&n4_right[v8];
				n4_8 += lt_f32x8_splat(n1[v4]) * *(const lt_f32x8_u *)&n4_right[v8 + 8];
				n4_16 += lt_f32x8_splat(n1[v4 + 24]) * *(const lt_f32x8_u *)&n4_right[v8];
				n4_24 += lt_f32x8_splat(n1[v4 + 24]) * *(const lt_f32x8_u *)&n4_right[v8 + 8];
				n4_32 += lt_f32x8_splat(n1[v4 + 48]) * *(const lt_f32x8_u *)&n4_right[v8];
				n4_40 += lt_f32x8_splat(n1[v4 + 48]) * *(const lt_f32x8_u *)&n4_right[v8 + 8];
				n4_48 += lt_f32x8_splat(n1[v4 + 72]) * *(const lt_f32x8_u *)&n4_right[v8];
				n4_56 += lt_f32x8_splat(n1[v4 + 72]) * *(const lt_f32x8_u *)&n4_right[v8 + 8];
				n4_64 += lt_f32x8_splat(n1[v4 + 96]) * *(const lt_f32x8_u *)&n4_right[v8];
				n4_72 += lt_f32x8_splat(n1[v4 + 96]) * *(const lt_f32x8_u *)&n4_right[v8 + 8];
			}
			/* %5 = add, line 7 */
			const int64_t v49 = n * 16;
			const lt_f32x8 v51 = n4_0 + *(const lt_f32x8_u *)&n3[v49];
			/* %6 = max, line 8 */
			const int64_t v55 = v49 + m * 160;
			*(lt_f32x8_u *)&n6[v55] = lt_f32x8_select((lt_i32x8)(0.0f >= v51), lt_f32x8_splat(0.0f), v51);
			const lt_f32x8 v58 = n4_8 + *(const lt_f32x8_u *)&n3[v49 + 8];
			*(lt_f32x8_u *)&n6[v55 + 8] = lt_f32x8_select((lt_i32x8)(0.0f >= v58), lt_f32x8_splat(0.0f), v58);
			const lt_f32x8 v63 = n4_16 + *(const lt_f32x8_u *)&n3[v49];
			*(lt_f32x8_u *)&n6[v55 + 32] = lt_f32x8_select((lt_i32x8)(0.0f >= v63), lt_f32x8_splat(0.0f), v63);
			const lt_f32x8 v68 = n4_24 + *(const lt_f32x8_u *)&n3[v49 + 8];
			*(lt_f32x8_u *)&n6[v55 + 40] = lt_f32x8_select((lt_i32x8)(0.0f >= v68), lt_f32x8_splat(0.0f), v68);
			const lt_f32x8 v73 = n4_32 + *(const lt_f32x8_u *)&n3[v49];
			*(lt_f32x8_u *)&n6[v55 + 64] = lt_f32x8_select((lt_i32x8)(0.0f >= v73), lt_f32x8_splat(0.0f), v73);
			const lt_f32x8 v78 = n4_40 + *(const lt_f32x8_u *)&n3[v49 + 8];
			*(lt_f32x8_u *)&n6[v55 + 72] = lt_f32x8_select((lt_i32x8)(0.0f >= v78), lt_f32x8_splat(0.0f), v78);
			const lt_f32x8 v83 = n4_48 + *(const lt_f32x8_u *)&n3[v49];
			*(lt_f32x8_u *)&n6[v55 + 96] = lt_f32x8_select((lt_i32x8)(0.0f >= v83), lt_f32x8_splat(0.0f), v83);
			const lt_f32x8 v88 = n4_56 + *(const lt_f32x8_u *)&n3[v49 + 8];
			*(lt_f32x8_u *)&n6[v55 + 104] = lt_f32x8_select((lt_i32x8)(0.0f >= v88), lt_f32x8_splat(0.0f), v88);
			const lt_f32x8 v93 = n4_64 + *(const lt_f32x8_u *)&n3[v49];
			*(lt_f32x8_u *)&n6[v55 + 128] = lt_f32x8_select((lt_i32x8)(0.0f >= v93), lt_f32x8_splat(0.0f), v93);
			const lt_f32x8 v98 = n4_72 + *(const lt_f32x8_u *)&n3[v49 + 8];
			*(lt_f32x8_u *)&n6[v55 + 136] = lt_f32x8_select((lt_i32x8)(0.0f >= v98), lt_f32x8_splat(0.0f), v98);
		}
		/* %4 = add.reduce, line 6 */
		lt_f32x8 n4_5_0 = lt_f32x8_splat(0.0f);
		lt_f32x8 n4_5_8 = lt_f32x8_splat(0.0f);
		lt_f32x8 n4_5_16 = lt_f32x8_splat(0.0f);
		lt_f32x8 n4_5_24 = lt_f32x8_splat(0.0f);
		lt_f32x8 n4_5_32 = lt_f32x8_splat(0.0f);
		lt_f32x8 n4_5_40 = lt_f32x8_splat(0.0f);
		for (int64_t k = 0; k < 24; k++) {
			/* %4.mul = mul, line 6 */
			const int64_t v105 = n * 384 + k * 16;
			/* %4 = add.reduce, line 6 */
			n4_5_0 += lt_f32x8_splat(n1[k + 240]) * *(const lt_f32x8_u *)&n4_right[v105];
			n4_5_8 += lt_f32x8_splat(n1[k + 240]) * *(const lt_f32x8_u *)&n4_right[v105 + 8];
			n4_5_16 += lt_f32x8_splat(n1[k + 264]) * *(const lt_f32x8_u *)&n4_right[v105];
			n4_5_24 += lt_f32x8_splat(n1[k + 264]) * *(const lt_f32x8_u *)&n4_right[v105 + 8];
			n4_5_32 += lt_f32x8_splat(n1[k + 288]) * *(const lt_f32x8_u *)&n4_right[v105];
			n4_5_40 += lt_f32x8_splat(n1[k + 288]) * *(const lt_f32x8_u *)&n4_right[v105 + 8];
		}
		/* %5 = add, line 7 */
		const int64_t v130 = n * 16;
		const lt_f32x8 v132 = n4_5_0 + *(const lt_f32x8_u *)&n3[v130];
		/* %6 = max, line 8 */
		*(lt_f32x8_u *)&n6[v130 + 320] = lt_f32x8_select((lt_i32x8)(0.0f >= v132), lt_f32x8_splat(0.0f), v132);
		const lt_f32x8 v137 = n4_5_8 + *(const lt_f32x8_u *)&n3[v130 + 8];
		*(lt_f32x8_u *)&n6[v130 + 328] = lt_f32x8_select((lt_i32x8)(0.0f >= v137), lt_f32x8_splat(0.0f), v137);
		const lt_f32x8 v142 = n4_5_16 + *(const lt_f32x8_u *)&n3[v130];
		*(lt_f32x8_u *)&n6[v130 + 352] = lt_f32x8_select((lt_i32x8)(0.0f >= v142), lt_f32x8_splat(0.0f), v142);
		const lt_f32x8 v147 = n4_5_24 + *(const lt_f32x8_u *)&n3[v130 + 8];
		*(lt_f32x8_u *)&n6[v130 + 360] = lt_f32x8_select((lt_i32x8)(0.0f >= v147), lt_f32x8_splat(0.0f), v147);
		const lt_f32x8 v152 = n4_5_32 + *(const lt_f32x8_u *)&n3[v130];
		*(lt_f32x8_u *)&n6[v130 + 384] = lt_f32x8_select((lt_i32x8)(0.0f >= v152), lt_f32x8_splat(0.0f), v152);
		const lt_f32x8 v157 = n4_5_40 + *(const lt_f32x8_u *)&n3[v130 + 8];
		*(lt_f32x8_u *)&n6[v130 + 392] = lt_f32x8_select((lt_i32x8)(0.0f >= v157), lt_f32x8_splat(0.0f), v157);
	}
}

LT_ENTRY void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k1_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

typedef uint16_t lt_u16x8 __attribute__((vector_size(16)));

typedef uint16_t lt_u16x8_u __attribute__((vector_size(16), aligned(2), may_alias));

typedef int16_t lt_i16x8 __attribute__((vector_size(16)));

LT_LANES lt_i32x8 lt_i32x8_splat(int32_t x) { return x - (lt_i32x8){ 0 }; }

typedef uint32_t lt_u32x8 __attribute__((vector_size(32)));

LT_LANES lt_i32x8 lt_i32x8_select(lt_i32x8 m, lt_i32x8 a, lt_i32x8 b) { return (lt_i32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

LT_LANES lt_i32x8 lt_i32x8_larger(lt_i32x8 a, lt_i32x8 b) { return lt_i32x8_select((lt_i32x8)(a > b), a, b); }

typedef uint16_t lt_u16x2 __attribute__((vector_size(4)));

typedef uint16_t lt_u16x2_u __attribute__((vector_size(4), aligned(2), may_alias));

typedef int16_t lt_i16x2 __attribute__((vector_size(4)));

typedef int32_t lt_i32x2 __attribute__((vector_size(8)));

LT_LANES lt_i32x2 lt_i32x2_splat(int32_t x) { return x - (lt_i32x2){ 0 }; }

typedef uint32_t lt_u32x2 __attribute__((vector_size(8)));

typedef float lt_f32x2 __attribute__((vector_size(8)));

LT_LANES lt_f32x2 lt_f32x2_splat(float x) { return x - (lt_f32x2){ 0 }; }

LT_LANES lt_i32x2 lt_i32x2_select(lt_i32x2 m, lt_i32x2 a, lt_i32x2 b) { return (lt_i32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

LT_LANES lt_i32x2 lt_i32x2_larger(lt_i32x2 a, lt_i32x2 b) { return lt_i32x2_select((lt_i32x2)(a > b), a, b); }

LT_LANES lt_f32x2 lt_f32x2_select(lt_i32x2 m, lt_f32x2 a, lt_f32x2 b) { return (lt_f32x2)((m & (lt_i32x2)a) | (~m & (lt_i32x2)b)); }

/* kernel k2_10: loop tree 71bf00698af25abc895ec8bea19c71cc, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k2_10(const uint16_t *restrict n8, const uint16_t *restrict n7, uint16_t *restrict n10)
{
	/* %9 = cast, line 12 */
	const lt_f32x8 v4 = (lt_f32x8)(lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[0], lt_i32x8) << 16);
	const lt_i32x8 v5 = (lt_i32x8)v4;
	const lt_i32x8 v6 = v5 & 2147483647;
	const lt_f32x8 v14 = (lt_f32x8)(lt_i32x8_larger(v6 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v6 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v15 = (lt_i32x8)v14;
	const lt_i32x8 v21 = lt_i32x8_select((lt_i32x8)(v6 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v15 >> 13) & 31744) + (v15 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x8 v29 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[0], lt_i32x8);
	const lt_i32x8 v30 = v29 & 32767;
	const lt_f32x8 v39 = lt_f32x8_select((lt_i32x8)(v30 < 1024), (lt_f32x8)(v30 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v30 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x8 v45 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v21 | ((lt_i32x8)((lt_u32x8)v5 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v46 = __builtin_convertvector(v45, lt_i32x8);
	const lt_i32x8 v47 = v46 & 32767;
	const lt_f32x8 v56 = lt_f32x8_select((lt_i32x8)(v47 < 1024), (lt_f32x8)(v47 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v47 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x8 v62 = (lt_f32x8)((lt_i32x8)v39 | (lt_i32x8)((lt_u32x8)(v29 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v56 | (lt_i32x8)((lt_u32x8)(v46 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x8 v63 = (lt_i32x8)v62;
	const lt_i32x8 v64 = v63 & 2147483647;
	const lt_f32x8 v72 = (lt_f32x8)(lt_i32x8_larger(v64 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v64 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v73 = (lt_i32x8)v72;
	const lt_i32x8 v79 = lt_i32x8_select((lt_i32x8)(v64 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v73 >> 13) & 31744) + (v73 & 4095));
	*(lt_u16x8_u *)&n10[0] = (lt_u16x8)__builtin_convertvector(v79 | ((lt_i32x8)((lt_u32x8)v63 >> 16) & 32768), lt_i16x8);
	const lt_f32x8 v89 = (lt_f32x8)(lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[8], lt_i32x8) << 16);
	const lt_i32x8 v90 = (lt_i32x8)v89;
	const lt_i32x8 v91 = v90 & 2147483647;
	const lt_f32x8 v99 = (lt_f32x8)(lt_i32x8_larger(v91 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v91 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v100 = (lt_i32x8)v99;
	const lt_i32x8 v106 = lt_i32x8_select((lt_i32x8)(v91 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v100 >> 13) & 31744) + (v100 & 4095));
	const lt_i32x8 v114 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[8], lt_i32x8);
	const lt_i32x8 v115 = v114 & 32767;
	const lt_f32x8 v124 = lt_f32x8_select((lt_i32x8)(v115 < 1024), (lt_f32x8)(v115 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v115 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x8 v130 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v106 | ((lt_i32x8)((lt_u32x8)v90 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v131 = __builtin_convertvector(v130, lt_i32x8);
	const lt_i32x8 v132 = v131 & 32767;
	const lt_f32x8 v141 = lt_f32x8_select((lt_i32x8)(v132 < 1024), (lt_f32x8)(v132 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v132 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x8 v147 = (lt_f32x8)((lt_i32x8)v124 | (lt_i32x8)((lt_u32x8)(v114 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v141 | (lt_i32x8)((lt_u32x8)(v131 & 32768) << 16));
	const lt_i32x8 v148 = (lt_i32x8)v147;
	const lt_i32x8 v149 = v148 & 2147483647;
	const lt_f32x8 v157 = (lt_f32x8)(lt_i32x8_larger(v149 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v149 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v158 = (lt_i32x8)v157;
	const lt_i32x8 v164 = lt_i32x8_select((lt_i32x8)(v149 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v158 >> 13) & 31744) + (v158 & 4095));
	*(lt_u16x8_u *)&n10[8] = (lt_u16x8)__builtin_convertvector(v164 | ((lt_i32x8)((lt_u32x8)v148 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v173 = (lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[16], lt_i32x8) << 16);
	const lt_i32x8 v175 = (lt_i32x8)(lt_f32x8)v173;
	const lt_i32x8 v176 = v175 & 2147483647;
	const lt_f32x8 v184 = (lt_f32x8)(lt_i32x8_larger(v176 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v176 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v185 = (lt_i32x8)v184;
	const lt_i32x8 v191 = lt_i32x8_select((lt_i32x8)(v176 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v185 >> 13) & 31744) + (v185 & 4095));
	const lt_i32x8 v199 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[16], lt_i32x8);
	const lt_i32x8 v200 = v199 & 32767;
	const lt_f32x8 v209 = lt_f32x8_select((lt_i32x8)(v200 < 1024), (lt_f32x8)(v200 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v200 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x8 v215 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v191 | ((lt_i32x8)((lt_u32x8)v175 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v216 = __builtin_convertvector(v215, lt_i32x8);
	const lt_i32x8 v217 = v216 & 32767;
	const lt_f32x8 v226 = lt_f32x8_select((lt_i32x8)(v217 < 1024), (lt_f32x8)(v217 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v217 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x8 v232 = (lt_f32x8)((lt_i32x8)v209 | (lt_i32x8)((lt_u32x8)(v199 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v226 | (lt_i32x8)((lt_u32x8)(v216 & 32768) << 16));
	const lt_i32x8 v233 = (lt_i32x8)v232;
	const lt_i32x8 v234 = v233 & 2147483647;
	const lt_f32x8 v242 = (lt_f32x8)(lt_i32x8_larger(v234 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v234 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v243 = (lt_i32x8)v242;
	const lt_i32x8 v249 = lt_i32x8_select((lt_i32x8)(v234 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v243 >> 13) & 31744) + (v243 & 4095));
	*(lt_u16x8_u *)&n10[16] = (lt_u16x8)__builtin_convertvector(v249 | ((lt_i32x8)((lt_u32x8)v233 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v258 = (lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[24], lt_i32x8) << 16);
	const lt_i32x8 v260 = (lt_i32x8)(lt_f32x8)v258;
	const lt_i32x8 v261 = v260 & 2147483647;
	const lt_f32x8 v269 = (lt_f32x8)(lt_i32x8_larger(v261 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v261 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v270 = (lt_i32x8)v269;
	const lt_i32x8 v276 = lt_i32x8_select((lt_i32x8)(v261 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v270 >> 13) & 31744) + (v270 & 4095));
	const lt_i32x8 v284 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[24], lt_i32x8);
	const lt_i32x8 v285 = v284 & 32767;
	const lt_f32x8 v294 = lt_f32x8_select((lt_i32x8)(v285 < 1024), (lt_f32x8)(v285 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v285 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x8 v300 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v276 | ((lt_i32x8)((lt_u32x8)v260 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v301 = __builtin_convertvector(v300, lt_i32x8);
	const lt_i32x8 v302 = v301 & 32767;
	const lt_f32x8 v311 = lt_f32x8_select((lt_i32x8)(v302 < 1024), (lt_f32x8)(v302 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v302 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x8 v317 = (lt_f32x8)((lt_i32x8)v294 | (lt_i32x8)((lt_u32x8)(v284 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v311 | (lt_i32x8)((lt_u32x8)(v301 & 32768) << 16));
	const lt_i32x8 v318 = (lt_i32x8)v317;
	const lt_i32x8 v319 = v318 & 2147483647;
	const lt_f32x8 v327 = (lt_f32x8)(lt_i32x8_larger(v319 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v319 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v328 = (lt_i32x8)v327;
	const lt_i32x8 v334 = lt_i32x8_select((lt_i32x8)(v319 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v328 >> 13) & 31744) + (v328 & 4095));
	*(lt_u16x8_u *)&n10[24] = (lt_u16x8)__builtin_convertvector(v334 | ((lt_i32x8)((lt_u32x8)v318 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v343 = (lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[32], lt_i32x8) << 16);
	const lt_i32x8 v345 = (lt_i32x8)(lt_f32x8)v343;
	const lt_i32x8 v346 = v345 & 2147483647;
	const lt_f32x8 v354 = (lt_f32x8)(lt_i32x8_larger(v346 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v346 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v355 = (lt_i32x8)v354;
	const lt_i32x8 v361 = lt_i32x8_select((lt_i32x8)(v346 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v355 >> 13) & 31744) + (v355 & 4095));
	const lt_i32x8 v369 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[32], lt_i32x8);
	const lt_i32x8 v370 = v369 & 32767;
	const lt_f32x8 v379 = lt_f32x8_select((lt_i32x8)(v370 < 1024), (lt_f32x8)(v370 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v370 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x8 v385 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v361 | ((lt_i32x8)((lt_u32x8)v345 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v386 = __builtin_convertvector(v385, lt_i32x8);
	const lt_i32x8 v387 = v386 & 32767;
	const lt_f32x8 v396 = lt_f32x8_select((lt_i32x8)(v387 < 1024), (lt_f32x8)(v387 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v387 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x8 v402 = (lt_f32x8)((lt_i32x8)v379 | (lt_i32x8)((lt_u32x8)(v369 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v396 | (lt_i32x8)((lt_u32x8)(v386 & 32768) << 16));
	const lt_i32x8 v403 = (lt_i32x8)v402;
	const lt_i32x8 v404 = v403 & 2147483647;
	const lt_f32x8 v412 = (lt_f32x8)(lt_i32x8_larger(v404 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v404 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v413 = (lt_i32x8)v412;
	const lt_i32x8 v419 = lt_i32x8_select((lt_i32x8)(v404 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v413 >> 13) & 31744) + (v413 & 4095));
	*(lt_u16x8_u *)&n10[32] = (lt_u16x8)__builtin_convertvector(v419 | ((lt_i32x8)((lt_u32x8)v403 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v428 = (lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[40], lt_i32x8) << 16);
	const lt_i32x8 v430 = (lt_i32x8)(lt_f32x8)v428;
	const lt_i32x8 v431 = v430 & 2147483647;
	const lt_f32x8 v439 = (lt_f32x8)(lt_i32x8_larger(v431 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v431 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v440 = (lt_i32x8)v439;
	const lt_i32x8 v446 = lt_i32x8_select((lt_i32x8)(v431 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v440 >> 13) & 31744) + (v440 & 4095));
	const lt_i32x8 v454 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[40], lt_i32x8);
	const lt_i32x8 v455 = v454 & 32767;
	const lt_f32x8 v464 = lt_f32x8_select((lt_i32x8)(v455 < 1024), (lt_f32x8)(v455 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v455 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x8 v470 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v446 | ((lt_i32x8)((lt_u32x8)v430 >> 16) & 32768), lt_i16x8);
	const lt_i32x8 v471 = __builtin_convertvector(v470, lt_i32x8);
	const lt_i32x8 v472 = v471 & 32767;
	const lt_f32x8 v481 = lt_f32x8_select((lt_i32x8)(v472 < 1024), (lt_f32x8)(v472 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v472 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x8 v487 = (lt_f32x8)((lt_i32x8)v464 | (lt_i32x8)((lt_u32x8)(v454 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v481 | (lt_i32x8)((lt_u32x8)(v471 & 32768) << 16));
	const lt_i32x8 v488 = (lt_i32x8)v487;
	const lt_i32x8 v489 = v488 & 2147483647;
	const lt_f32x8 v497 = (lt_f32x8)(lt_i32x8_larger(v489 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v489 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x8 v498 = (lt_i32x8)v497;
	const lt_i32x8 v504 = lt_i32x8_select((lt_i32x8)(v489 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v498 >> 13) & 31744) + (v498 & 4095));
	*(lt_u16x8_u *)&n10[40] = (lt_u16x8)__builtin_convertvector(v504 | ((lt_i32x8)((lt_u32x8)v488 >> 16) & 32768), lt_i16x8);
	/* %9 = cast, line 12 */
	const lt_i32x2 v513 = (lt_i32x2)((lt_u32x2)__builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n8[48], lt_i32x2) << 16);
	const lt_i32x2 v515 = (lt_i32x2)(lt_f32x2)v513;
	const lt_i32x2 v516 = v515 & 2147483647;
	const lt_f32x2 v524 = (lt_f32x2)(lt_i32x2_larger(v516 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v516 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v525 = (lt_i32x2)v524;
	const lt_i32x2 v531 = lt_i32x2_select((lt_i32x2)(v516 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v525 >> 13) & 31744) + (v525 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x2 v539 = __builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n7[48], lt_i32x2);
	const lt_i32x2 v540 = v539 & 32767;
	const lt_f32x2 v549 = lt_f32x2_select((lt_i32x2)(v540 < 1024), (lt_f32x2)(v540 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v540 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x2 v555 = (lt_i16x2)(lt_u16x2)__builtin_convertvector(v531 | ((lt_i32x2)((lt_u32x2)v515 >> 16) & 32768), lt_i16x2);
	const lt_i32x2 v556 = __builtin_convertvector(v555, lt_i32x2);
	const lt_i32x2 v557 = v556 & 32767;
	const lt_f32x2 v566 = lt_f32x2_select((lt_i32x2)(v557 < 1024), (lt_f32x2)(v557 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v557 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x2 v572 = (lt_f32x2)((lt_i32x2)v549 | (lt_i32x2)((lt_u32x2)(v539 & 32768) << 16)) * (lt_f32x2)((lt_i32x2)v566 | (lt_i32x2)((lt_u32x2)(v556 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x2 v573 = (lt_i32x2)v572;
	const lt_i32x2 v574 = v573 & 2147483647;
	const lt_f32x2 v582 = (lt_f32x2)(lt_i32x2_larger(v574 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v574 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v583 = (lt_i32x2)v582;
	const lt_i32x2 v589 = lt_i32x2_select((lt_i32x2)(v574 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v583 >> 13) & 31744) + (v583 & 4095));
	*(lt_u16x2_u *)&n10[48] = (lt_u16x2)__builtin_convertvector(v589 | ((lt_i32x2)((lt_u32x2)v573 >> 16) & 32768), lt_i16x2);
}

LT_ENTRY void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k2_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}

/* k0_4_right is copied by the program, of 1 block: it has no code */
