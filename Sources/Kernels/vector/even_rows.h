/* Rows of an image, its pixels, multiplied by powers of two that make their norms alike.
 *
 * Strassen's algorithm adds rows to each other, so the rounding error of a row is relative to the
 * largest row that it is added to. Rows of like norms keep the precision that they have alone.
 * Multiplying by a power of two is exact, and so is undoing it in the result. A row that is not
 * finite becomes zero, so that it reaches no other row. */

/* The rows that are read together: their sums stay in registers on every level. */
#define FORGE_EVEN_TOGETHER 4

/* Returns 2^exponent, for exponents of normal numbers. */
FORGE_INLINE float power_of_two(int32_t exponent) {
  return forge_float_of((uint32_t)(exponent + 127) << 23);
}

/* Returns the sum of the squares of a scaled row in double precision, which no finite row leaves. */
static double even_squares(const forge_even_rows_arguments *a, const float *in) {
  double sum = 0;
  for (int64_t block = 0; block < forge_blocks(a->in.channels); block++)
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double x = (double)in[block * a->in.block_stride + lane];
      if (a->input_scales) x *= (double)a->input_scales[block * FORGE_LANES + lane];
      sum += x * x;
    }
  return sum;
}

/* Returns what a row is multiplied by, 0 for a row that becomes zero, and stores what its results
 * are multiplied by. `squares` is the sum of its squares, which may have left single precision. */
FORGE_INLINE float even_row(const forge_even_rows_arguments *a, const float *in, float squares,
                            float *factor) {
  int32_t exponent;
  if (squares >= 0x1p-60f && squares <= 0x1p100f) {
    exponent = (int32_t)(forge_bits_of(squares) >> 23) - 127;
  } else {
    const double sum = even_squares(a, in);
    if (!(sum > 0 && sum < (double)INFINITY)) {
      *factor = sum == 0 ? 0 : FORGE_NOT_FINITE;
      return 0;
    }
    exponent = ilogb(sum);
  }
  /* The norm is between 2^-1/2 and 2^1/2 afterwards, unless the factor would not be normal. */
  const int32_t half = (exponent + 1 + 4096) / 2 - 2048; /* rounded down */
  const int32_t power = half < -126 ? -126 : half > 126 ? 126 : half;
  *factor = power_of_two(power);
  return power_of_two(-power);
}

FORGE_INLINE void even_some_rows(const forge_even_rows_arguments *a, const forge_frame *frame,
                                 int64_t first, const int count, const bool scaled) {
  const float *in = forge_origin(&a->in, frame) + first * FORGE_LANES;
  float *out = forge_origin(&a->out, frame) + first * FORGE_LANES;
  float *factors = forge_origin(&a->factors, frame) + first;
  const int64_t blocks = forge_blocks(a->in.channels);
  v16 sums[FORGE_EVEN_TOGETHER], powers[FORGE_EVEN_TOGETHER];
  v16i kept[FORGE_EVEN_TOGETHER];
  for (int i = 0; i < count; i++) sums[i] = splat(0);
  for (int64_t block = 0; block < blocks; block++) {
    const v16 scale = scaled ? load(a->input_scales + block * FORGE_LANES) : splat(1);
    for (int i = 0; i < count; i++) {
      v16 x = load(in + block * a->in.block_stride + i * FORGE_LANES);
      if (scaled) x *= scale;
      sums[i] = multiply_add(x, x, sums[i]);
    }
  }
  for (int i = 0; i < count; i++) {
    const float squares = sum_of_lanes(sums[i])[0];
    powers[i] = splat(even_row(a, in + i * FORGE_LANES, squares, &factors[i]));
    kept[i] = powers[i] != splat(0);
  }
  for (int64_t block = 0; block < blocks; block++) {
    const v16 scale = scaled ? load(a->input_scales + block * FORGE_LANES) : splat(1);
    for (int i = 0; i < count; i++) {
      v16 x = load(in + block * a->in.block_stride + i * FORGE_LANES) * powers[i];
      if (scaled) x *= scale;
      store(out + block * a->out.block_stride + i * FORGE_LANES, keep(kept[i], x));
    }
  }
}

FORGE_INLINE void even_rows_in(const forge_even_rows_arguments *a, const forge_frame *frame,
                               int64_t first, int64_t last, const bool scaled) {
  for (; first + FORGE_EVEN_TOGETHER <= last; first += FORGE_EVEN_TOGETHER)
    even_some_rows(a, frame, first, FORGE_EVEN_TOGETHER, scaled);
  for (; first < last; first++) even_some_rows(a, frame, first, 1, scaled);
}

/* Tiles: FORGE_EVEN_ROWS rows. */
FORGE_KERNEL(even_rows) {
  const forge_even_rows_arguments *a = arguments;
  const int64_t rows = (int64_t)a->in.height * a->in.width;
  const int64_t from = first * FORGE_EVEN_ROWS;
  const int64_t to = forge_smaller(last * FORGE_EVEN_ROWS, rows);
  if (a->input_scales)
    even_rows_in(a, frame, from, to, true);
  else
    even_rows_in(a, frame, from, to, false);
}
