/* The kernels of fixed_weights.h where a shift can take a pair of words: three instructions in
 * place of five for the last vector of a group. */

FORGE_INLINE void add_group_by_shifts(const char *group, const float *const x[4],
                                      v16 *const sums[4]) {
  const stored_words *at = (const stored_words *)group;
  const v16i a = at[0], b = at[1], c = at[2];
  const __m512i last = _mm512_slli_epi32((__m512i)c, 24);
  const __m512i last_two = _mm512_shrdi_epi32(last, (__m512i)b, 8);
  add_words(a, b, c, (v16i)_mm512_shrdi_epi32(last_two, (__m512i)a, 8), x, sums);
}

FORGE_FIXED_KERNELS(shifted, add_group_by_shifts)
