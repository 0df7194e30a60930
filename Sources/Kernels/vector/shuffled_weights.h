/* The kernels of fixed_weights.h for vectors of two registers. Shuffles put together the last
 * vector of a group: five instructions in place of seven. */

/* Weights are prefetched this many bytes ahead. A core that converts weights has fewer loads in
 * flight than one that only reads. Prefetches give it 1.2 to 1.3 times the speed. */
enum { SHUFFLED_AHEAD = 4096 };

/* Returns the shuffle that moves the lowest byte of each word to byte `to`, a constant, and zeros
 * to the others. */
FORGE_INLINE __m256i lowest_byte_to(const int to) {
  const uint32_t zeros = 0x80808080u & ~(0xffu << 8 * to);
  const __m256i lowest = _mm256_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12); /* of a half of 16 bytes */
  return _mm256_or_si256(_mm256_set1_epi32((int32_t)zeros), _mm256_slli_epi32(lowest, 8 * to));
}

/* Converts 8 lanes of a group. words: those of its first vector. */
FORGE_INLINE void load_half_group(const char *words, v8 weights[4]) {
  const __m256i a = _mm256_loadu_si256((const __m256i *)words);
  const __m256i b = _mm256_loadu_si256((const __m256i *)(words + 64));
  const __m256i c = _mm256_loadu_si256((const __m256i *)(words + 128));
  const __m256i highest = _mm256_slli_epi32(a, 24);
  const __m256i middle = _mm256_shuffle_epi8(b, lowest_byte_to(2));
  const __m256i lowest = _mm256_shuffle_epi8(c, lowest_byte_to(1));
  const __m256i d = _mm256_or_si256(_mm256_or_si256(highest, middle), lowest);
  weights[0] = (v8)_mm256_cvtepi32_ps(a);
  weights[1] = (v8)_mm256_cvtepi32_ps(b);
  weights[2] = (v8)_mm256_cvtepi32_ps(c);
  weights[3] = (v8)_mm256_cvtepi32_ps(d);
}

/* Two vectors may have the same sum. */
FORGE_INLINE void add_group_by_shuffles(const char *group, const float *const x[4],
                                        v16 *const sums[4]) {
#pragma clang loop unroll(full)
  for (int line = 0; line < 3; line++) __builtin_prefetch(group + SHUFFLED_AHEAD + line * 64);
#pragma clang loop unroll(full)
  for (int half = 0; half < 2; half++) {
    v8 weights[4];
    load_half_group(group + half * 32, weights);
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) {
      const v8 low = lower_half(*sums[v]), high = upper_half(*sums[v]), number = splat_half(*x[v]);
      *sums[v] = half == 0 ? joined(multiply_add_half(number, weights[v], low), high)
                           : joined(low, multiply_add_half(number, weights[v], high));
    }
    /* Otherwise the compiler would load and convert several groups at once, and their sums would
     * not stay in registers. */
    __asm__ volatile("" ::: "memory");
  }
}

FORGE_FIXED_KERNELS(fixed, add_group_by_shuffles)
