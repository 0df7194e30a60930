/* Resampling of bytes. Rows are read up to FORGE_ROW_PAD bytes past their end, with weights of 0. */

/* Four weights for four pixels of four channels. */
#define FORGE_SPREAD(w) \
  __builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)

static void FORGE_FORM(across4)(const uint8_t *in, const forge_axis *axis, uint8_t *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const uint8_t *pixels = in + 4 * (int64_t)axis->first[i];
    const int32_t *weights = axis->weights + i * axis->stride;
    const int32_t count = axis->count[i];
    i32x16 sums = {0};
    for (int32_t k = 0; k < count; k += 4) {
      const i32x4 w = FORGE_LOAD(i32x4, weights + k);
      sums += FORGE_WIDE(i32x16, FORGE_LOAD(u8x16, pixels + 4 * k)) * FORGE_SPREAD(w);
    }
    const i32x8 half = __builtin_shufflevector(sums, sums, 0, 1, 2, 3, 4, 5, 6, 7) +
      __builtin_shufflevector(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15);
    const i32x4 sum = __builtin_shufflevector(half, half, 0, 1, 2, 3) +
      __builtin_shufflevector(half, half, 4, 5, 6, 7) + (1 << (FORGE_WEIGHT_BITS - 1));
    const i32x4 bytes = FORGE_AS_BYTES(sum >> FORGE_WEIGHT_BITS);
    typedef uint8_t u8x4 __attribute__((vector_size(4)));
    FORGE_STORE(out + 4 * i, FORGE_WIDE(u8x4, bytes));
  }
}

static void FORGE_FORM(across1)(const uint8_t *in, const forge_axis *axis, uint8_t *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const uint8_t *pixels = in + axis->first[i];
    const int32_t *weights = axis->weights + i * axis->stride;
    const int32_t count = axis->count[i];
    i32x4 sums = {0};
    for (int32_t k = 0; k < count; k += 4) {
      typedef uint8_t u8x4 __attribute__((vector_size(4)));
      sums += FORGE_WIDE(i32x4, FORGE_LOAD(u8x4, pixels + k)) * FORGE_LOAD(i32x4, weights + k);
    }
    out[i] =
      forge_summed(sums[0] + sums[1] + sums[2] + sums[3] + (1 << (FORGE_WEIGHT_BITS - 1)));
  }
}

static void FORGE_FORM(down)(const uint8_t *const *rows, const int32_t *weights, int64_t taps,
                             int64_t bytes, uint8_t *out) {
  /* The rows are working rows: their ends may be read, and the one of the output written. */
  for (int64_t i = 0; i < bytes; i += 32) {
    i32x32 sums = (i32x32){0} + (1 << (FORGE_WEIGHT_BITS - 1));
    for (int64_t k = 0; k < taps; k++)
      sums += FORGE_WIDE(i32x32, FORGE_LOAD(u8x32, rows[k] + i)) * weights[k];
    FORGE_STORE(out + i, FORGE_WIDE(u8x32, FORGE_AS_BYTES(sums >> FORGE_WEIGHT_BITS)));
  }
}

/* ---- pairs ---- */

static void FORGE_FORM(pairs4)(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  /* Two outputs: four pixels, the second and fourth after the first and third. */
  for (int64_t i = 0; i < axis->outputs; i += 2) {
    const i32x16 pixels = FORGE_WIDE(i32x16, FORGE_LOAD(u8x16, in + 8 * i));
    const int32_t *weights = axis->weights + i * axis->stride;
    /* Past an odd last output its own weights are used again; the pad takes the result. */
    const int32_t *others = i + 1 < axis->outputs ? weights + axis->stride : weights;
    const i32x4 w = {weights[0], weights[1], others[0], others[1]};
    const i32x16 products = pixels * FORGE_SPREAD(w);
    const i32x8 sums = __builtin_shufflevector(products, products, 0, 1, 2, 3, 8, 9, 10, 11) +
      __builtin_shufflevector(products, products, 4, 5, 6, 7, 12, 13, 14, 15);
    FORGE_STORE(out + 4 * i, FORGE_WIDE(i16x8, sums >> 4));
  }
}

static void FORGE_FORM(pairs1)(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  forge_pixel_rows_scalar.pairs1(in, axis, out);
}

static void FORGE_FORM(between)(const int16_t *upper, const int16_t *lower, int32_t upper_weight,
                                int32_t lower_weight, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i += 32) {
    const i32x32 a = FORGE_WIDE(i32x32, FORGE_LOAD(i16x32, upper + i)) * upper_weight;
    const i32x32 b = FORGE_WIDE(i32x32, FORGE_LOAD(i16x32, lower + i)) * lower_weight;
    const i16x32 sum = FORGE_WIDE(i16x32, a >> 16) + FORGE_WIDE(i16x32, b >> 16);
    const i16x32 bytes = FORGE_AS_BYTES((sum + 2) >> 2);
    FORGE_STORE(out + i, FORGE_WIDE(u8x32, bytes));
  }
}
