/* Rows of an image, its pixels, multiplied by powers of two that make their norms alike.
 *
 * Strassen's algorithm adds rows to each other, so the rounding error of a row is relative to the
 * largest row that it is added to. Rows of like norms keep the precision that they have alone.
 * Multiplying by a power of two is exact, and so is undoing it in the result. A row that is not
 * finite becomes zero, so that it reaches no other row.
 *
 * Both steps go through a block of all rows of a tile before the next block: these numbers are
 * contiguous. */
#include "../strassen.h"

/* Returns 2^exponent, for exponents of normal numbers. */
FORGE_INLINE float power_of_two(int32_t exponent) {
  return forge_float_of((uint32_t)(exponent + 127) << 23);
}

/* Returns the sum of the squares of a scaled row in double precision, which no finite row leaves.
 * */
static double exact_squares(const forge_even_rows_arguments *a, const float *in) {
  double sum = 0;
  for (int64_t block = 0; block < forge_blocks(a->in.channels); block++)
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double x = (double)in[block * a->in.block_stride + lane];
      if (a->input_scales) x *= (double)a->input_scales[block * FORGE_LANES + lane];
      sum += x * x;
    }
  return sum;
}

/* Returns the factor of a row. `squares` is the sum of its squares, which may have left single
 * precision. */
FORGE_INLINE float row_factor(const forge_even_rows_arguments *a, const float *in, float squares) {
  int32_t exponent;
  if (squares >= 0x1p-60f && squares <= 0x1p100f) {
    exponent = (int32_t)(forge_bits_of(squares) >> 23) - 127;
  } else {
    const double sum = exact_squares(a, in);
    if (!(sum > 0 && sum < (double)INFINITY)) return sum == 0 ? 0 : FORGE_NOT_FINITE;
    exponent = ilogb(sum);
  }
  /* The norm over the factor is between 2^-1/2 and 2^1/2, unless the factor would not be normal. */
  const int32_t half = (exponent + 1 + 4096) / 2 - 2048; /* rounded down */
  return power_of_two(half < -126 ? -126 : half > 126 ? 126 : half);
}

FORGE_INLINE void factors_of_rows(const forge_even_rows_arguments *a, const forge_frame *frame,
                                  int64_t first, int64_t count, const bool scaled) {
  const float *in = forge_origin(&a->in, frame) + first * FORGE_LANES;
  float *factors = forge_origin(&a->factors, frame) + first;
  v16 sums[FORGE_EVEN_ROWS];
  for (int64_t i = 0; i < count; i++) sums[i] = splat(0);
  for (int64_t block = 0; block < forge_blocks(a->in.channels); block++) {
    const float *from = in + block * a->in.block_stride;
    const v16 scale = scaled ? load(a->input_scales + block * FORGE_LANES) : splat(1);
    for (int64_t i = 0; i < count; i++) {
      v16 x = load(from + i * FORGE_LANES);
      if (scaled) x *= scale;
      sums[i] = multiply_add(x, x, sums[i]);
    }
  }
  for (int64_t i = 0; i < count; i++)
    factors[i] = row_factor(a, in + i * FORGE_LANES, sum_of_lanes(sums[i])[0]);
}

FORGE_INLINE void even_some_rows(const forge_even_rows_arguments *a, const forge_frame *frame,
                                 int64_t first, int64_t count, const bool scaled) {
  const float *in = forge_origin(&a->in, frame) + first * FORGE_LANES;
  float *out = forge_origin(&a->out, frame) + first * FORGE_LANES;
  const float *factors = forge_origin(&a->factors, frame) + first;
  for (int64_t block = 0; block < forge_blocks(a->in.channels); block++) {
    const float *from = in + block * a->in.block_stride;
    float *to = out + block * a->out.block_stride;
    const v16 scale = scaled ? load(a->input_scales + block * FORGE_LANES) : splat(1);
    for (int64_t i = 0; i < count; i++) {
      v16 x = splat(0);
      if (factors[i] > 0) {
        /* The inverse of a power of two has the mirrored exponent. */
        x = load(from + i * FORGE_LANES) *
          splat(forge_float_of(0x7f000000u - forge_bits_of(factors[i])));
        if (scaled) x *= scale;
      }
      store(to + i * FORGE_LANES, x);
    }
  }
}

/* What a kernel does to the rows first ..< first + count. */
typedef void (*rows_of_tile)(const forge_even_rows_arguments *a, const forge_frame *frame,
                             int64_t first, int64_t count, const bool scaled);

/* Goes through tiles of FORGE_EVEN_ROWS rows. */
FORGE_INLINE void each_tile_of_rows(const forge_even_rows_arguments *a, const forge_frame *frame,
                                    int64_t first, int64_t last, const rows_of_tile compute) {
  const int64_t rows = forge_rows_of(&a->in);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t from = tile * FORGE_EVEN_ROWS;
    const int64_t count = forge_smaller(FORGE_EVEN_ROWS, rows - from);
    if (a->input_scales)
      compute(a, frame, from, count, true);
    else
      compute(a, frame, from, count, false);
  }
}

FORGE_KERNEL(row_factors) { each_tile_of_rows(arguments, frame, first, last, factors_of_rows); }

FORGE_KERNEL(even_rows) {
  const forge_even_rows_arguments *a = arguments;
  if (!a->input_scales && forge_rows_are_even(&a->factors, frame, forge_rows_of(&a->in))) return;
  each_tile_of_rows(a, frame, first, last, even_some_rows);
}
