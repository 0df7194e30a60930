/* Products by i8mm's usmmla: a matrix of two pixels by two outputs, of two quads of each. */

/* The sums of two pixels: of outputs 0 and 1, then 2 and 3, up to 15. A register holds both of the
 * first pixel, then of the second. */
typedef int32x4_t pixel_pair[FORGE_LANES / 2];

/* One or two quads of a pixel. */
FORGE_INLINE uint8x8_t load_quads(const uint8_t *at, const bool both) {
  if (both) return vld1_u8(at);
  uint32_t quad;
  memcpy(&quad, at, sizeof quad);
  return vcreate_u8(quad);
}

/* Adds the products of two quads, or of one, of `rows` pixels. `quad`: bytes between the weights of
 * quads. */
FORGE_INLINE void add_quad_pair(pixel_pair *sums, const uint8_t *at, int64_t pixel,
                                const int8_t *weights, int64_t quad, const int rows,
                                const bool both) {
  uint8x16_t x[(FORGE_BYTE_MOST_ROWS + 1) / 2];
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r += 2) {
    const uint8x8_t first = load_quads(at + r * pixel, both);
    x[r / 2] = vcombine_u8(first, r + 1 < rows ? load_quads(at + (r + 1) * pixel, both) : first);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
    const int32x4_t a = vreinterpretq_s32_s8(vld1q_s8(weights + 16 * i));
    const int32x4_t b =
      both ? vreinterpretq_s32_s8(vld1q_s8(weights + quad + 16 * i)) : vdupq_n_s32(0);
    const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(a, b));
    const int8x16_t high = vreinterpretq_s8_s32(vzip2q_s32(a, b));
#pragma clang loop unroll(full)
    for (int p = 0; p < (rows + 1) / 2; p++) {
      sums[p][2 * i] = vusmmlaq_s32(sums[p][2 * i], x[p], low);
      sums[p][2 * i + 1] = vusmmlaq_s32(sums[p][2 * i + 1], x[p], high);
    }
  }
}

/* The same function as in quantized_convolution.h. */
FORGE_INLINE void add_products(const quad_row *row, int64_t x, int64_t vector, int64_t pixel,
                               quad_sums sum, const int rows, const int vectors) {
  (void)vectors; /* 1 */
  const int64_t quad = row->width * FORGE_QUAD;
  const int8_t *weights = row->weights + vector * FORGE_BYTE_LANES;
  const int8_t *next = row->next;
  const int64_t next_lines = row->next_lines;
  pixel_pair sums[(FORGE_BYTE_MOST_ROWS + 1) / 2];
#pragma clang loop unroll(full)
  for (int p = 0; p < (rows + 1) / 2; p++)
#pragma clang loop unroll(full)
    for (int i = 0; i < FORGE_LANES / 2; i++) sums[p][i] = vdupq_n_s32(0);
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const uint8_t *at = row->in + x * pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block < row->whole_blocks; block++, at += row->in_block) {
#pragma clang loop unroll(disable)
        for (int part = 0; part < FORGE_BLOCK_QUADS; part += 4, weights += 4 * quad) {
          fetch_bytes(next, next_lines);
          next += next_lines * FORGE_BYTE_LANES;
          add_quad_pair(sums, at + part * FORGE_QUAD, pixel, weights, quad, rows, true);
          add_quad_pair(sums, at + (part + 2) * FORGE_QUAD, pixel, weights + 2 * quad, quad, rows,
                        true);
        }
      }
      int64_t q = 0;
#pragma clang loop unroll(disable)
      for (; q + 2 <= row->rest; q += 2, weights += 2 * quad)
        add_quad_pair(sums, at + q * FORGE_QUAD, pixel, weights, quad, rows, true);
      if (q < row->rest) {
        add_quad_pair(sums, at + q * FORGE_QUAD, pixel, weights, quad, rows, false);
        weights += quad;
      }
      weights += row->skipped;
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    int32x4_t outputs[4];
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; i++) {
      const int32x4_t a = sums[r / 2][2 * i], b = sums[r / 2][2 * i + 1];
      outputs[i] = r % 2 == 0 ? vcombine_s32(vget_low_s32(a), vget_low_s32(b))
                              : vcombine_s32(vget_high_s32(a), vget_high_s32(b));
    }
    v16i products;
    memcpy(&products, outputs, sizeof products);
    sum[r][0] = wrapping_sum(sum[r][0], products);
  }
}
