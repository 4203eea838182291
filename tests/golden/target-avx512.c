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

typedef float lt_f32x16 __attribute__((vector_size(64)));

LT_LANES lt_f32x16 lt_f32x16_splat(float x) { return x - (lt_f32x16){ 0 }; }

typedef float lt_f32x16_u __attribute__((vector_size(64), aligned(4), may_alias));

typedef int32_t lt_i32x16 __attribute__((vector_size(64)));

LT_LANES lt_f32x16 lt_f32x16_select(lt_i32x16 m, lt_f32x16 a, lt_f32x16 b) { return (lt_f32x16)((m & (lt_i32x16)a) | (~m & (lt_i32x16)b)); }

static inline void *lt_slot_at(const struct lt_slot *slot, int i)
{
	return (char *)slot[i].base + slot[i].offset;
}

/* kernel k0_6: loop tree 973904bcbd22e3d961020d0b9278f2c3, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k0_6(const float *restrict n1, const float *restrict n2, const float *restrict n3, float *restrict n6)
{
	/* %4 = add.reduce, line 6 */
	lt_f32x16 n4_0 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_16 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_32 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_48 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_64 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_80 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_96 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_112 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_128 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_144 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_160 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_176 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_192 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_208 = lt_f32x16_splat(0.0f);
	for (int64_t k = 0; k < 24; k++) {
		/* %4.mul = mul, line 6 */
		const int64_t v2 = k * 32;
		/* %4 = add.reduce, line 6 */
		n4_0 += lt_f32x16_splat(n1[k]) * *(const lt_f32x16_u *)&n2[v2];
		n4_16 += lt_f32x16_splat(n1[k]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_32 += lt_f32x16_splat(n1[k + 24]) * *(const lt_f32x16_u *)&n2[v2];
		n4_48 += lt_f32x16_splat(n1[k + 24]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_64 += lt_f32x16_splat(n1[k + 48]) * *(const lt_f32x16_u *)&n2[v2];
		n4_80 += lt_f32x16_splat(n1[k + 48]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_96 += lt_f32x16_splat(n1[k + 72]) * *(const lt_f32x16_u *)&n2[v2];
		n4_112 += lt_f32x16_splat(n1[k + 72]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_128 += lt_f32x16_splat(n1[k + 96]) * *(const lt_f32x16_u *)&n2[v2];
		n4_144 += lt_f32x16_splat(n1[k + 96]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_160 += lt_f32x16_splat(n1[k + 120]) * *(const lt_f32x16_u *)&n2[v2];
		n4_176 += lt_f32x16_splat(n1[k + 120]) * *(const lt_f32x16_u *)&n2[v2 + 16];
		n4_192 += lt_f32x16_splat(n1[k + 144]) * *(const lt_f32x16_u *)&n2[v2];
		n4_208 += lt_f32x16_splat(n1[k + 144]) * *(const lt_f32x16_u *)&n2[v2 + 16];
	}
	/* %5 = add, line 7 */
	const lt_f32x16 v60 = n4_0 + *(const lt_f32x16_u *)&n3[0];
	/* %6 = max, line 8 */
	*(lt_f32x16_u *)&n6[0] = lt_f32x16_select((lt_i32x16)(0.0f >= v60), lt_f32x16_splat(0.0f), v60);
	const lt_f32x16 v65 = n4_16 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[16] = lt_f32x16_select((lt_i32x16)(0.0f >= v65), lt_f32x16_splat(0.0f), v65);
	const lt_f32x16 v70 = n4_32 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[32] = lt_f32x16_select((lt_i32x16)(0.0f >= v70), lt_f32x16_splat(0.0f), v70);
	const lt_f32x16 v75 = n4_48 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[48] = lt_f32x16_select((lt_i32x16)(0.0f >= v75), lt_f32x16_splat(0.0f), v75);
	const lt_f32x16 v80 = n4_64 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[64] = lt_f32x16_select((lt_i32x16)(0.0f >= v80), lt_f32x16_splat(0.0f), v80);
	const lt_f32x16 v85 = n4_80 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[80] = lt_f32x16_select((lt_i32x16)(0.0f >= v85), lt_f32x16_splat(0.0f), v85);
	const lt_f32x16 v90 = n4_96 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[96] = lt_f32x16_select((lt_i32x16)(0.0f >= v90), lt_f32x16_splat(0.0f), v90);
	const lt_f32x16 v95 = n4_112 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[112] = lt_f32x16_select((lt_i32x16)(0.0f >= v95), lt_f32x16_splat(0.0f), v95);
	const lt_f32x16 v100 = n4_128 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[128] = lt_f32x16_select((lt_i32x16)(0.0f >= v100), lt_f32x16_splat(0.0f), v100);
	const lt_f32x16 v105 = n4_144 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[144] = lt_f32x16_select((lt_i32x16)(0.0f >= v105), lt_f32x16_splat(0.0f), v105);
	const lt_f32x16 v110 = n4_160 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[160] = lt_f32x16_select((lt_i32x16)(0.0f >= v110), lt_f32x16_splat(0.0f), v110);
	const lt_f32x16 v115 = n4_176 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[176] = lt_f32x16_select((lt_i32x16)(0.0f >= v115), lt_f32x16_splat(0.0f), v115);
	const lt_f32x16 v120 = n4_192 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[192] = lt_f32x16_select((lt_i32x16)(0.0f >= v120), lt_f32x16_splat(0.0f), v120);
	const lt_f32x16 v125 = n4_208 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[208] = lt_f32x16_select((lt_i32x16)(0.0f >= v125), lt_f32x16_splat(0.0f), v125);
	/* %4 = add.reduce, line 6 */
	lt_f32x16 n4_5_0 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_16 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_32 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_48 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_64 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_80 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_96 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_112 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_128 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_144 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_160 = lt_f32x16_splat(0.0f);
	lt_f32x16 n4_5_176 = lt_f32x16_splat(0.0f);
	for (int64_t k = 0; k < 24; k++) {
		/* %4.mul = mul, line 6 */
		const int64_t v130 = k * 32;
		/* %4 = add.reduce, line 6 */
		n4_5_0 += lt_f32x16_splat(n1[k + 168]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_16 += lt_f32x16_splat(n1[k + 168]) * *(const lt_f32x16_u *)&n2[v130 + 16];
		n4_5_32 += lt_f32x16_splat(n1[k + 192]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_48 += lt_f32x16_splat(n1[k + 192]) * *(const lt_f32x16_u *)&n2[v130 + 16];
		n4_5_64 += lt_f32x16_splat(n1[k + 216]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_80 += lt_f32x16_splat(n1[k + 216]) * *(const lt_f32x16_u *)&n2[v130 + 16];
		n4_5_96 += lt_f32x16_splat(n1[k + 240]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_112 += lt_f32x16_splat(n1[k + 240]) * *(const lt_f32x16_u *)&n2[v130 + 16];
		n4_5_128 += lt_f32x16_splat(n1[k + 264]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_144 += lt_f32x16_splat(n1[k + 264]) * *(const lt_f32x16_u *)&n2[v130 + 16];
		n4_5_160 += lt_f32x16_splat(n1[k + 288]) * *(const lt_f32x16_u *)&n2[v130];
		n4_5_176 += lt_f32x16_splat(n1[k + 288]) * *(const lt_f32x16_u *)&n2[v130 + 16];
	}
	/* %5 = add, line 7 */
	const lt_f32x16 v180 = n4_5_0 + *(const lt_f32x16_u *)&n3[0];
	/* %6 = max, line 8 */
	*(lt_f32x16_u *)&n6[224] = lt_f32x16_select((lt_i32x16)(0.0f >= v180), lt_f32x16_splat(0.0f), v180);
	const lt_f32x16 v185 = n4_5_16 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[240] = lt_f32x16_select((lt_i32x16)(0.0f >= v185), lt_f32x16_splat(0.0f), v185);
	const lt_f32x16 v190 = n4_5_32 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[256] = lt_f32x16_select((lt_i32x16)(0.0f >= v190), lt_f32x16_splat(0.0f), v190);
	const lt_f32x16 v195 = n4_5_48 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[272] = lt_f32x16_select((lt_i32x16)(0.0f >= v195), lt_f32x16_splat(0.0f), v195);
	const lt_f32x16 v200 = n4_5_64 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[288] = lt_f32x16_select((lt_i32x16)(0.0f >= v200), lt_f32x16_splat(0.0f), v200);
	const lt_f32x16 v205 = n4_5_80 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[304] = lt_f32x16_select((lt_i32x16)(0.0f >= v205), lt_f32x16_splat(0.0f), v205);
	const lt_f32x16 v210 = n4_5_96 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[320] = lt_f32x16_select((lt_i32x16)(0.0f >= v210), lt_f32x16_splat(0.0f), v210);
	const lt_f32x16 v215 = n4_5_112 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[336] = lt_f32x16_select((lt_i32x16)(0.0f >= v215), lt_f32x16_splat(0.0f), v215);
	const lt_f32x16 v220 = n4_5_128 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[352] = lt_f32x16_select((lt_i32x16)(0.0f >= v220), lt_f32x16_splat(0.0f), v220);
	const lt_f32x16 v225 = n4_5_144 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[368] = lt_f32x16_select((lt_i32x16)(0.0f >= v225), lt_f32x16_splat(0.0f), v225);
	const lt_f32x16 v230 = n4_5_160 + *(const lt_f32x16_u *)&n3[0];
	*(lt_f32x16_u *)&n6[384] = lt_f32x16_select((lt_i32x16)(0.0f >= v230), lt_f32x16_splat(0.0f), v230);
	const lt_f32x16 v235 = n4_5_176 + *(const lt_f32x16_u *)&n3[16];
	*(lt_f32x16_u *)&n6[400] = lt_f32x16_select((lt_i32x16)(0.0f >= v235), lt_f32x16_splat(0.0f), v235);
}

LT_ENTRY void k0_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k0_6_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k0_6(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2), lt_slot_at(slot, 3));
}

typedef uint16_t lt_u16x16 __attribute__((vector_size(32)));

typedef uint16_t lt_u16x16_u __attribute__((vector_size(32), aligned(2), may_alias));

typedef int16_t lt_i16x16 __attribute__((vector_size(32)));

LT_LANES lt_i32x16 lt_i32x16_splat(int32_t x) { return x - (lt_i32x16){ 0 }; }

typedef uint32_t lt_u32x16 __attribute__((vector_size(64)));

LT_LANES lt_i32x16 lt_i32x16_select(lt_i32x16 m, lt_i32x16 a, lt_i32x16 b) { return (lt_i32x16)((m & (lt_i32x16)a) | (~m & (lt_i32x16)b)); }

LT_LANES lt_i32x16 lt_i32x16_larger(lt_i32x16 a, lt_i32x16 b) { return lt_i32x16_select((lt_i32x16)(a > b), a, b); }

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

/* kernel k1_10: loop tree a3a9fe2193f11cdeb653987bf326437a, workspace 0 + 0 bytes a thread (lt-run --use-source reads this line) */
static __attribute__((noinline)) void k1_10(const uint16_t *restrict n8, const uint16_t *restrict n7, uint16_t *restrict n10)
{
	/* %9 = cast, line 12 */
	const lt_i32x16 v3 = (lt_i32x16)((lt_u32x16)__builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n8[0], lt_i32x16) << 16);
	const lt_i32x16 v5 = (lt_i32x16)(lt_f32x16)v3;
	const lt_i32x16 v6 = v5 & 2147483647;
	const lt_f32x16 v14 = (lt_f32x16)(lt_i32x16_larger(v6 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v6 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v15 = (lt_i32x16)v14;
	const lt_i32x16 v21 = lt_i32x16_select((lt_i32x16)(v6 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v15 >> 13) & 31744) + (v15 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x16 v29 = __builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n7[0], lt_i32x16);
	const lt_i32x16 v30 = v29 & 32767;
	const lt_f32x16 v39 = lt_f32x16_select((lt_i32x16)(v30 < 1024), (lt_f32x16)(v30 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v30 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x16 v45 = (lt_i16x16)(lt_u16x16)__builtin_convertvector(v21 | ((lt_i32x16)((lt_u32x16)v5 >> 16) & 32768), lt_i16x16);
	const lt_i32x16 v46 = __builtin_convertvector(v45, lt_i32x16);
	const lt_i32x16 v47 = v46 & 32767;
	const lt_f32x16 v56 = lt_f32x16_select((lt_i32x16)(v47 < 1024), (lt_f32x16)(v47 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v47 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x16 v62 = (lt_f32x16)((lt_i32x16)v39 | (lt_i32x16)((lt_u32x16)(v29 & 32768) << 16)) * (lt_f32x16)((lt_i32x16)v56 | (lt_i32x16)((lt_u32x16)(v46 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x16 v63 = (lt_i32x16)v62;
	const lt_i32x16 v64 = v63 & 2147483647;
	const lt_f32x16 v72 = (lt_f32x16)(lt_i32x16_larger(v64 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v64 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v73 = (lt_i32x16)v72;
	const lt_i32x16 v79 = lt_i32x16_select((lt_i32x16)(v64 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v73 >> 13) & 31744) + (v73 & 4095));
	*(lt_u16x16_u *)&n10[0] = (lt_u16x16)__builtin_convertvector(v79 | ((lt_i32x16)((lt_u32x16)v63 >> 16) & 32768), lt_i16x16);
	const lt_i32x16 v88 = (lt_i32x16)((lt_u32x16)__builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n8[16], lt_i32x16) << 16);
	const lt_i32x16 v90 = (lt_i32x16)(lt_f32x16)v88;
	const lt_i32x16 v91 = v90 & 2147483647;
	const lt_f32x16 v99 = (lt_f32x16)(lt_i32x16_larger(v91 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v91 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v100 = (lt_i32x16)v99;
	const lt_i32x16 v106 = lt_i32x16_select((lt_i32x16)(v91 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v100 >> 13) & 31744) + (v100 & 4095));
	const lt_i32x16 v114 = __builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n7[16], lt_i32x16);
	const lt_i32x16 v115 = v114 & 32767;
	const lt_f32x16 v124 = lt_f32x16_select((lt_i32x16)(v115 < 1024), (lt_f32x16)(v115 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v115 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x16 v130 = (lt_i16x16)(lt_u16x16)__builtin_convertvector(v106 | ((lt_i32x16)((lt_u32x16)v90 >> 16) & 32768), lt_i16x16);
	const lt_i32x16 v131 = __builtin_convertvector(v130, lt_i32x16);
	const lt_i32x16 v132 = v131 & 32767;
	const lt_f32x16 v141 = lt_f32x16_select((lt_i32x16)(v132 < 1024), (lt_f32x16)(v132 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v132 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x16 v147 = (lt_f32x16)((lt_i32x16)v124 | (lt_i32x16)((lt_u32x16)(v114 & 32768) << 16)) * (lt_f32x16)((lt_i32x16)v141 | (lt_i32x16)((lt_u32x16)(v131 & 32768) << 16));
	const lt_i32x16 v148 = (lt_i32x16)v147;
	const lt_i32x16 v149 = v148 & 2147483647;
	const lt_f32x16 v157 = (lt_f32x16)(lt_i32x16_larger(v149 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v149 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v158 = (lt_i32x16)v157;
	const lt_i32x16 v164 = lt_i32x16_select((lt_i32x16)(v149 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v158 >> 13) & 31744) + (v158 & 4095));
	*(lt_u16x16_u *)&n10[16] = (lt_u16x16)__builtin_convertvector(v164 | ((lt_i32x16)((lt_u32x16)v148 >> 16) & 32768), lt_i16x16);
	const lt_i32x16 v173 = (lt_i32x16)((lt_u32x16)__builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n8[32], lt_i32x16) << 16);
	const lt_i32x16 v175 = (lt_i32x16)(lt_f32x16)v173;
	const lt_i32x16 v176 = v175 & 2147483647;
	const lt_f32x16 v184 = (lt_f32x16)(lt_i32x16_larger(v176 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v176 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v185 = (lt_i32x16)v184;
	const lt_i32x16 v191 = lt_i32x16_select((lt_i32x16)(v176 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v185 >> 13) & 31744) + (v185 & 4095));
	const lt_i32x16 v199 = __builtin_convertvector((lt_i16x16)*(const lt_u16x16_u *)&n7[32], lt_i32x16);
	const lt_i32x16 v200 = v199 & 32767;
	const lt_f32x16 v209 = lt_f32x16_select((lt_i32x16)(v200 < 1024), (lt_f32x16)(v200 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v200 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_i16x16 v215 = (lt_i16x16)(lt_u16x16)__builtin_convertvector(v191 | ((lt_i32x16)((lt_u32x16)v175 >> 16) & 32768), lt_i16x16);
	const lt_i32x16 v216 = __builtin_convertvector(v215, lt_i32x16);
	const lt_i32x16 v217 = v216 & 32767;
	const lt_f32x16 v226 = lt_f32x16_select((lt_i32x16)(v217 < 1024), (lt_f32x16)(v217 | 1056964608) - 0.5f, (lt_f32x16)((lt_i32x16)((lt_u32x16)v217 << 13) + 1879048192) * 0x1.0p-112f);
	const lt_f32x16 v232 = (lt_f32x16)((lt_i32x16)v209 | (lt_i32x16)((lt_u32x16)(v199 & 32768) << 16)) * (lt_f32x16)((lt_i32x16)v226 | (lt_i32x16)((lt_u32x16)(v216 & 32768) << 16));
	const lt_i32x16 v233 = (lt_i32x16)v232;
	const lt_i32x16 v234 = v233 & 2147483647;
	const lt_f32x16 v242 = (lt_f32x16)(lt_i32x16_larger(v234 & 2139095040, lt_i32x16_splat(947912704)) + 125829120) + (lt_f32x16)v234 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x16 v243 = (lt_i32x16)v242;
	const lt_i32x16 v249 = lt_i32x16_select((lt_i32x16)(v234 > 2139095040), lt_i32x16_splat(32256), ((lt_i32x16)((lt_u32x16)v243 >> 13) & 31744) + (v243 & 4095));
	*(lt_u16x16_u *)&n10[32] = (lt_u16x16)__builtin_convertvector(v249 | ((lt_i32x16)((lt_u32x16)v233 >> 16) & 32768), lt_i16x16);
	/* %9 = cast, line 12 */
	const lt_i32x2 v258 = (lt_i32x2)((lt_u32x2)__builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n8[48], lt_i32x2) << 16);
	const lt_i32x2 v260 = (lt_i32x2)(lt_f32x2)v258;
	const lt_i32x2 v261 = v260 & 2147483647;
	const lt_f32x2 v269 = (lt_f32x2)(lt_i32x2_larger(v261 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v261 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v270 = (lt_i32x2)v269;
	const lt_i32x2 v276 = lt_i32x2_select((lt_i32x2)(v261 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v270 >> 13) & 31744) + (v270 & 4095));
	/* %10.cast = cast, line 13 */
	const lt_i32x2 v284 = __builtin_convertvector((lt_i16x2)*(const lt_u16x2_u *)&n7[48], lt_i32x2);
	const lt_i32x2 v285 = v284 & 32767;
	const lt_f32x2 v294 = lt_f32x2_select((lt_i32x2)(v285 < 1024), (lt_f32x2)(v285 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v285 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.cast2 = cast, line 13 */
	const lt_i16x2 v300 = (lt_i16x2)(lt_u16x2)__builtin_convertvector(v276 | ((lt_i32x2)((lt_u32x2)v260 >> 16) & 32768), lt_i16x2);
	const lt_i32x2 v301 = __builtin_convertvector(v300, lt_i32x2);
	const lt_i32x2 v302 = v301 & 32767;
	const lt_f32x2 v311 = lt_f32x2_select((lt_i32x2)(v302 < 1024), (lt_f32x2)(v302 | 1056964608) - 0.5f, (lt_f32x2)((lt_i32x2)((lt_u32x2)v302 << 13) + 1879048192) * 0x1.0p-112f);
	/* %10.mul = mul, line 13 */
	const lt_f32x2 v317 = (lt_f32x2)((lt_i32x2)v294 | (lt_i32x2)((lt_u32x2)(v284 & 32768) << 16)) * (lt_f32x2)((lt_i32x2)v311 | (lt_i32x2)((lt_u32x2)(v301 & 32768) << 16));
	/* %10 = cast, line 13 */
	const lt_i32x2 v318 = (lt_i32x2)v317;
	const lt_i32x2 v319 = v318 & 2147483647;
	const lt_f32x2 v327 = (lt_f32x2)(lt_i32x2_larger(v319 & 2139095040, lt_i32x2_splat(947912704)) + 125829120) + (lt_f32x2)v319 * 0x1.0p112f * 0x1.0p-110f;
	const lt_i32x2 v328 = (lt_i32x2)v327;
	const lt_i32x2 v334 = lt_i32x2_select((lt_i32x2)(v319 > 2139095040), lt_i32x2_splat(32256), ((lt_i32x2)((lt_u32x2)v328 >> 13) & 31744) + (v328 & 4095));
	*(lt_u16x2_u *)&n10[48] = (lt_u16x2)__builtin_convertvector(v334 | ((lt_i32x2)((lt_u32x2)v318 >> 16) & 32768), lt_i16x2);
}

LT_ENTRY void k1_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team);
LT_ENTRY void k1_10_entry(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, const struct lt_team *team)
{
	(void)workspace;
	(void)fault;
	(void)team;
	k1_10(lt_slot_at(slot, 0), lt_slot_at(slot, 1), lt_slot_at(slot, 2));
}
