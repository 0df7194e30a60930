/* Tables of 256 bytes in four registers. */

/* out[i] = table[in[i]] for whole vectors of 64 bytes. */
static __attribute__((noinline)) void look_up_by_permutes(const uint8_t *in, uint8_t *out,
                                                          int64_t vectors, const uint8_t *table) {
  const __m512i a = _mm512_loadu_si512(table), b = _mm512_loadu_si512(table + 64);
  const __m512i c = _mm512_loadu_si512(table + 128), d = _mm512_loadu_si512(table + 192);
  for (int64_t i = 0; i < vectors; i++) {
    const __m512i x = _mm512_loadu_si512(in + i * FORGE_BYTE_LANES);
    const __m512i low = _mm512_permutex2var_epi8(a, x, b), high = _mm512_permutex2var_epi8(c, x, d);
    _mm512_storeu_si512(out + i * FORGE_BYTE_LANES,
                        _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
  }
}
