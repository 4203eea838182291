#include <stdint.h>

struct lt_slot { void *base; int64_t offset, bytes; };

struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };

struct lt_host;

struct lt_team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_4_right: loop tree 766a2517694427e6baf9e81834ff5e09, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_4_right(const float *restrict n2, float *restrict n4_right)
{
	for (int64_t n = 0; n < 2; n++) {
		for (int64_t k = 0; k < 24; k++) {
			for (int64_t n_1 = 0; n_1 < 16; n_1++) {
				/* %4.right = copy, line 4 */
				n4_right[n * 384 + k * 16 + n_1] = n2[n * 16 + k * 32 + n_1];
			}
		}
	}
}

void k0_4_right_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k0_4_right_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_4_right(lt_slot_at(slot, 0), lt_slot_at(slot, 1));
}

#define LT_LANES static inline __attribute__((always_inline, unused))

typedef float lt_f32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_splat(float x) { return x - (lt_f32x8){ 0 }; }

typedef float lt_f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t lt_i32x8 __attribute__((vector_size(32)));

LT_LANES lt_f32x8 lt_f32x8_select(lt_i32x8 m, lt_f32x8 a, lt_f32x8 b) { return (lt_f32x8)((m & (lt_i32x8)a) | (~m & (lt_i32x8)b)); }

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

void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k1_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
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
	for (int64_t i4_ = 0; i4_ < 6; i4_++) {
		/* %9 = cast, line 12 */
		const int64_t v1 = i4_ * 8;
		const lt_i32x8 v5 = (lt_i32x8)((lt_u32x8)__builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n8[v1], lt_i32x8) << 16);
		const lt_i32x8 v7 = (lt_i32x8)(lt_f32x8)v5;
		const lt_i32x8 v8 = v7 & 2147483647;
		const lt_f32x8 v16 = (lt_f32x8)(lt_i32x8_larger(v8 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v8 * 0x1.0p112f * 0x1.0p-110f;
		const lt_i32x8 v17 = (lt_i32x8)v16;
		const lt_i32x8 v23 = lt_i32x8_select((lt_i32x8)(v8 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v17 >> 13) & 31744) + (v17 & 4095));
		/* %10.cast = cast, line 13 */
		const lt_i32x8 v31 = __builtin_convertvector((lt_i16x8)*(const lt_u16x8_u *)&n7[v1], lt_i32x8);
		const lt_i32x8 v32 = v31 & 32767;
		const lt_f32x8 v41 = lt_f32x8_select((lt_i32x8)(v32 < 1024), (lt_f32x8)(v32 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v32 << 13) + 1879048192) * 0x1.0p-112f);
		/* %10.cast2 = cast, line 13 */
		const lt_i16x8 v47 = (lt_i16x8)(lt_u16x8)__builtin_convertvector(v23 | ((lt_i32x8)((lt_u32x8)v7 >> 16) & 32768), lt_i16x8);
		const lt_i32x8 v48 = __builtin_convertvector(v47, lt_i32x8);
		const lt_i32x8 v49 = v48 & 32767;
		const lt_f32x8 v58 = lt_f32x8_select((lt_i32x8)(v49 < 1024), (lt_f32x8)(v49 | 1056964608) - 0.5f, (lt_f32x8)((lt_i32x8)((lt_u32x8)v49 << 13) + 1879048192) * 0x1.0p-112f);
		/* %10.mul = mul, line 13 */
		const lt_f32x8 v64 = (lt_f32x8)((lt_i32x8)v41 | (lt_i32x8)((lt_u32x8)(v31 & 32768) << 16)) * (lt_f32x8)((lt_i32x8)v58 | (lt_i32x8)((lt_u32x8)(v48 & 32768) << 16));
		/* %10 = cast, line 13 */
		const lt_i32x8 v65 = (lt_i32x8)v64;
		const lt_i32x8 v66 = v65 & 2147483647;
		const lt_f32x8 v74 = (lt_f32x8)(lt_i32x8_larger(v66 & 2139095040, lt_i32x8_splat(947912704)) + 125829120) + (lt_f32x8)v66 * 0x1.0p112f * 0x1.0p-110f;
		const lt_i32x8 v75 = (lt_i32x8)v74;
		const lt_i32x8 v81 = lt_i32x8_select((lt_i32x8)(v66 > 2139095040), lt_i32x8_splat(32256), ((lt_i32x8)((lt_u32x8)v75 >> 13) & 31744) + (v75 & 4095));
		*(lt_u16x8_u *)&n10[v1] = (lt_u16x8)__builtin_convertvector(v81 | ((lt_i32x8)((lt_u32x8)v65 >> 16) & 32768), lt_i16x8);
	}
	/* %9 = cast, line 12 */
	const lt_i32x2 v90 = (lt_i32x2)((lt_u32x2)__builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n8[48], lt_i32x2) << 16);
	const lt_i32x2 v92 = (lt_i32x2)(lt_f32x2)v90;
	const lt_i32x2 v93 = v92 & 2147483647;
	const lt_f32x2 v101 = (lt_f32x2)(lt_i32x2_larger(v93 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v93 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v102 = (lt_i32x2)v101;
	const lt_i32x2 v108 = lt_i32x2_select((lt_i32x2)(v93 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v102 >> 13) & 31744) + (v102 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x2 v116 = __builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n7[48], lt_i32x2);
	const lt_i32x2 v117 = v116 & 32767;
	const lt_f32x2 v126 = lt_f32x2_select((lt_i32x2)(v117 < 1024), (lt_f32x2)(v117 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v117 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x2 v132 = (lt_i16x2)(lt_u16x2)__builtin_convertvector(v108 | ((lt_i32x2)((lt_u32x2)v92 >> 16) & 32768), lt_i16x2);
	const lt_i32x2 v133 = __builtin_convertvector(v132, lt_i32x2);
	const lt_i32x2 v134 = v133 & 32767;
	const lt_f32x2 v143 = lt_f32x2_select((lt_i32x2)(v134 < 1024), (lt_f32x2)(v134 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v134 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x2 v149 = (lt_f32x2)((lt_i32x2)v126 | (lt_i32x2)((lt_u32x2)(v116 & 32768) << 16)) * (lt_f32x2)((lt_i32x2)v143 | (lt_i32x2)((lt_u32x2)(v133 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x2 v150 = (lt_i32x2)v149;
	const lt_i32x2 v151 = v150 & 2147483647;
	const lt_f32x2 v159 = (lt_f32x2)(lt_i32x2_larger(v151 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v151 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v160 = (lt_i32x2)v159;
	const lt_i32x2 v166 = lt_i32x2_select((lt_i32x2)(v151 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v160 >> 13) & 31744) + (v160 & 4095));
	*(lt_u16x2_u *)&n10[48] = (lt_u16x2)__builtin_convertvector(v166 | ((lt_i32x2)((lt_u32x2)v150 >> 16) & 32768), lt_i16x2);
}

void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
void k2_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k2_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
