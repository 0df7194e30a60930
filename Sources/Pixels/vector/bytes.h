/* Resampling of bytes. Rows are read up to FORGE_ROW_PAD bytes past their end, by weights of 0. */

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
    out[i] = forge_summed(sums[0] + sums[1] + sums[2] + sums[3] + (1 << (FORGE_WEIGHT_BITS - 1)));
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

/* The sums of products of neighbors: one instruction where the compiler sees it. */
#define FORGE_NEIGHBORS(a, b)                                              \
  (FORGE_WIDE(i32x16, FORGE_EVEN(a)) * FORGE_WIDE(i32x16, FORGE_EVEN(b)) + \
   FORGE_WIDE(i32x16, FORGE_ODD(a)) * FORGE_WIDE(i32x16, FORGE_ODD(b)))
#define FORGE_EVEN(v) \
  __builtin_shufflevector(v, v, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define FORGE_ODD(v) \
  __builtin_shufflevector(v, v, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

static void FORGE_FORM(pairs4)(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  int64_t i = 0;
  for (; i + 4 <= axis->outputs; i += 4) {
    const u8x32 v = FORGE_LOAD(u8x32, in + 8 * i);
    /* The two pixels of each output, channel by channel. */
    const u8x32 neighbors =
      __builtin_shufflevector(v, v, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 16, 20,
                              17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31);
    const i32x4 w = FORGE_LOAD(i32x4, axis->weights + i);
    const i32x16 spread = FORGE_SPREAD(w);
    const i16x32 weights = (i16x32)spread, pixels = FORGE_WIDE(i16x32, neighbors);
    FORGE_STORE(out + 4 * i, FORGE_WIDE(i16x16, FORGE_NEIGHBORS(pixels, weights) >> 4));
  }
  if (i < axis->outputs) {
    forge_axis rest = *axis;
    rest.outputs -= i;
    rest.weights += i;
    forge_pixel_rows_scalar.pairs4(in + 8 * i, &rest, out + 4 * i);
  }
}

static void FORGE_FORM(pairs1)(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  forge_pixel_rows_scalar.pairs1(in, axis, out);
}

#define FORGE_UPPER_HALF(a, b) \
  FORGE_WIDE(i16x32, (FORGE_WIDE(i32x32, a) * FORGE_WIDE(i32x32, b)) >> 16)

static void FORGE_FORM(between)(const int16_t *upper, const int16_t *lower, int32_t upper_weight,
                                int32_t lower_weight, int64_t count, uint8_t *out) {
  /* As 16 bits, so that the compiler sees the upper halves of products. */
  const i16x32 high = (i16x32){0} + (int16_t)upper_weight;
  const i16x32 low = (i16x32){0} + (int16_t)lower_weight;
  for (int64_t i = 0; i < count; i += 32) {
    const i16x32 a = FORGE_LOAD(i16x32, upper + i), b = FORGE_LOAD(i16x32, lower + i);
    const i16x32 sum = FORGE_UPPER_HALF(a, high) + FORGE_UPPER_HALF(b, low);
    const i16x32 bytes = FORGE_AS_BYTES((sum + 2) >> 2);
    FORGE_STORE(out + i, FORGE_WIDE(u8x32, bytes));
  }
}
