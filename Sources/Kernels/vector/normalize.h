/* Normalizations. Numbers are taken from their mean before they are squared, and sums of many
 * vectors are continued in double precision. */

/* The vectors whose sum is a vector of floats. */
#define FORGE_NORMALIZE_RUN 64

/* A plain row of numbers in `pieces` of 16. The last holds `rest` numbers. What follows them is
 * neither read nor written. in may be out. */
typedef struct {
  const float *in;
  float *out;
  int64_t pieces, rest, count;
  const float *gamma, *beta;
} normalize_row;

/* Returns piece i less `mean`, zero after the row. */
FORGE_INLINE v16 normalize_piece(const normalize_row *row, int64_t i, v16 mean) {
  const float *at = row->in + i * FORGE_LANES;
  if (i < row->pieces - 1) return load(at) - mean;
  return keep(first_lanes(row->rest), load_first(at, row->rest, 0) - mean);
}

FORGE_INLINE double sum_in_double(v16 x) { return (double)sum_of_lanes(x)[0]; }

/* Returns the sum of all x - mean, and in `squares` that of their squares. */
FORGE_INLINE double normalize_sums(const normalize_row *row, v16 mean, double *squares) {
  double total = 0;
  *squares = 0;
  for (int64_t from = 0; from < row->pieces; from += FORGE_NORMALIZE_RUN) {
    const int64_t to = forge_smaller(from + FORGE_NORMALIZE_RUN, row->pieces);
    v16 sum = splat(0), square = splat(0);
    for (int64_t i = from; i < to; i++) {
      const v16 x = normalize_piece(row, i, mean);
      sum += x;
      square = multiply_add(x, x, square);
    }
    total += sum_in_double(sum);
    *squares += sum_in_double(square);
  }
  return total;
}

/* Whether a sum of squares is as exact as its numbers: single precision ends at squares of 2^64,
 * and loses those of 2^-63, which only a tiny epsilon lets count. Other rows, and those that are
 * not finite, are left to the scalar kernel, which has double precision. */
FORGE_INLINE bool squares_fit(double squares, double count, float epsilon) {
  return squares < (double)INFINITY && (squares >= count * 0x1p-120 || epsilon >= 0x1p-50f);
}

/* Returns false, with nothing written, if the squares do not fit. */
FORGE_INLINE bool normalize_values(const normalize_row *row, int32_t kind, float epsilon) {
  double squares, divisor;
  float mean = 0, rest = 0; /* the mean is their sum */
  if (kind == FORGE_NORMALIZE_STANDARD) {
    const double count = (double)row->count;
    mean = (float)(normalize_sums(row, splat(0), &squares) / count);
    const double lost = normalize_sums(row, splat(mean), &squares) / count;
    rest = (float)lost;
    divisor = sqrt(squares / count - lost * lost + (double)epsilon);
  } else {
    normalize_sums(row, splat(0), &squares);
    if (kind == FORGE_NORMALIZE_UNIT) {
      divisor = sqrt(squares);
      if (divisor < (double)epsilon) divisor = (double)epsilon; /* a NaN stays */
    } else {
      divisor = sqrt(squares / (double)row->count + (double)epsilon);
    }
  }
  if (!squares_fit(squares, (double)row->count, epsilon)) return false;
  const v16 factor = splat((float)(1 / divisor)), whole = splat(mean), less = splat(rest);
  for (int64_t i = 0; i < row->pieces; i++) {
    v16 x = normalize_piece(row, i, whole);
    x = kind == FORGE_NORMALIZE_STANDARD ? (x - less) * factor : x / splat((float)divisor);
    if (row->gamma)
      x = multiply_add(x, load(row->gamma + i * FORGE_LANES), load(row->beta + i * FORGE_LANES));
    float *at = row->out + i * FORGE_LANES;
    if (i < row->pieces - 1)
      store(at, x);
    else
      store_first(at, row->rest, x);
  }
  return true;
}

FORGE_KERNEL(normalize_rows) {
  const forge_normalize_rows_arguments *a = arguments;
  const int64_t pieces = forge_blocks(a->columns);
  for (int64_t i = first; i < last; i++) {
    const normalize_row row = {
      .in = forge_start(&a->in, frame) + i * a->columns,
      .out = forge_start(&a->out, frame) + i * a->columns,
      .pieces = pieces,
      .rest = forge_lanes(a->columns, pieces - 1),
      .count = a->columns,
      .gamma = a->gamma,
      .beta = a->beta,
    };
    if (!normalize_values(&row, a->kind, a->epsilon))
      forge_normalize_rows_scalar(arguments, frame, i, i + 1);
  }
}

/* Pixels side by side. One at a time would read a cache line of each block, and blocks may be as
 * far apart as lines that share a set of the cache. The sums are those of one pixel at a time. */
typedef struct {
  const float *in;
  float *out;
  int64_t in_block, out_block, blocks;
  v16i mask; /* the lanes of the last block */
} normalize_pixels_run;

/* Returns block i of pixel x less `mean`, zero in the lanes after the channels. */
FORGE_INLINE v16 normalize_pixel(const normalize_pixels_run *run, int64_t i, int x, v16 mean) {
  const v16 value = load(run->in + i * run->in_block + x * FORGE_LANES) - mean;
  return i < run->blocks - 1 ? value : keep(run->mask, value);
}

/* Computes for each pixel the sum of x - mean and that of the squares. */
FORGE_INLINE void normalize_pixel_sums(const normalize_pixels_run *run, const int count,
                                       const float *means, double *totals, double *squares) {
  for (int x = 0; x < count; x++) totals[x] = squares[x] = 0;
  for (int64_t from = 0; from < run->blocks; from += FORGE_NORMALIZE_RUN) {
    const int64_t to = forge_smaller(from + FORGE_NORMALIZE_RUN, run->blocks);
    v16 sums[FORGE_NORMALIZE_PIXELS], powers[FORGE_NORMALIZE_PIXELS];
#pragma clang loop unroll(full)
    for (int x = 0; x < count; x++) sums[x] = powers[x] = splat(0);
    for (int64_t i = from; i < to; i++) {
#pragma clang loop unroll(full)
      for (int x = 0; x < count; x++) {
        const v16 value = normalize_pixel(run, i, x, splat(means[x]));
        sums[x] += value;
        powers[x] = multiply_add(value, value, powers[x]);
      }
    }
#pragma clang loop unroll(full)
    for (int x = 0; x < count; x++) {
      totals[x] += sum_in_double(sums[x]);
      squares[x] += sum_in_double(powers[x]);
    }
  }
}

/* Returns false, with nothing written, if the squares of a pixel do not fit. */
FORGE_INLINE bool normalize_pixels_of(const forge_normalize_pixels_arguments *a,
                                      const normalize_pixels_run *run, const int count) {
  const double channels = (double)a->out.channels, epsilon = (double)a->epsilon;
  double totals[FORGE_NORMALIZE_PIXELS], squares[FORGE_NORMALIZE_PIXELS];
  float means[FORGE_NORMALIZE_PIXELS] = {0}, rests[FORGE_NORMALIZE_PIXELS] = {0};
  float factors[FORGE_NORMALIZE_PIXELS];
  normalize_pixel_sums(run, count, means, totals, squares);
  if (a->kind == FORGE_NORMALIZE_STANDARD) {
    for (int x = 0; x < count; x++) means[x] = (float)(totals[x] / channels);
    normalize_pixel_sums(run, count, means, totals, squares);
  }
  for (int x = 0; x < count; x++) {
    if (!squares_fit(squares[x], channels, a->epsilon)) return false;
    if (a->kind == FORGE_NORMALIZE_STANDARD) {
      const double lost = totals[x] / channels;
      rests[x] = (float)lost;
      factors[x] = (float)(1 / sqrt(squares[x] / channels - lost * lost + epsilon));
    } else if (a->kind == FORGE_NORMALIZE_UNIT) {
      double divisor = sqrt(squares[x]);
      if (divisor < epsilon) divisor = epsilon; /* a NaN stays */
      factors[x] = (float)divisor;
    } else {
      factors[x] = (float)sqrt(squares[x] / channels + epsilon);
    }
  }
  for (int64_t i = 0; i < run->blocks; i++) {
    float *out = run->out + i * run->out_block;
#pragma clang loop unroll(full)
    for (int x = 0; x < count; x++) {
      v16 value = normalize_pixel(run, i, x, splat(means[x]));
      value = a->kind == FORGE_NORMALIZE_STANDARD ? (value - splat(rests[x])) * splat(factors[x])
                                                  : value / splat(factors[x]);
      if (a->gamma)
        value =
          multiply_add(value, load(a->gamma + i * FORGE_LANES), load(a->beta + i * FORGE_LANES));
      store(out + x * FORGE_LANES, i < run->blocks - 1 ? value : keep(run->mask, value));
    }
  }
  return true;
}

/* Normalizes one pixel by the scalar kernel: as an image of its own. */
static void normalize_pixel_scalar(const forge_normalize_pixels_arguments *a,
                                   const forge_frame *frame, int64_t y, int64_t x) {
  forge_normalize_pixels_arguments one = *a;
  one.in.offset += y * a->in.row_stride + x * FORGE_LANES;
  one.out.offset += y * a->out.row_stride + x * FORGE_LANES;
  one.in.height = one.in.width = one.out.height = one.out.width = 1;
  forge_normalize_pixels_scalar(&one, frame, 0, 1);
}

FORGE_KERNEL(normalize_pixels) {
  const forge_normalize_pixels_arguments *a = arguments;
  const int64_t runs = forge_normalize_runs(&a->out), blocks = forge_blocks(a->out.channels);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / runs, from = tile % runs * FORGE_NORMALIZE_PIXELS;
    const int64_t count = forge_smaller(FORGE_NORMALIZE_PIXELS, a->out.width - from);
    normalize_pixels_run run = {
      .in = forge_row(&a->in, frame, 0, y) + from * FORGE_LANES,
      .out = forge_row(&a->out, frame, 0, y) + from * FORGE_LANES,
      .in_block = a->in.block_stride,
      .out_block = a->out.block_stride,
      .blocks = blocks,
      .mask = first_lanes(forge_lanes(a->out.channels, blocks - 1)),
    };
    if (count == FORGE_NORMALIZE_PIXELS && normalize_pixels_of(a, &run, FORGE_NORMALIZE_PIXELS))
      continue;
    for (int64_t x = 0; x < count; x++, run.in += FORGE_LANES, run.out += FORGE_LANES)
      if (!normalize_pixels_of(a, &run, 1)) normalize_pixel_scalar(a, frame, y, from + x);
  }
}

/* ---- groups of channels: a lane is a channel ---- */

/* Whether sums of squares stay in single precision. */
FORGE_INLINE bool moments_fit(const float *squares) {
  bool fits = true;
  for (int lane = 0; lane < FORGE_LANES; lane++) fits &= squares[lane] < 0x1p127f;
  return fits;
}

FORGE_KERNEL(normalize_moments) {
  const forge_normalize_groups_arguments *a = arguments;
  const int64_t height = a->in.height, width = a->in.width;
  for (int64_t tile = first; tile < last; tile++) {
    const float *in = forge_row(&a->in, frame, tile / height, tile % height);
    float *moments = forge_origin(&a->row_moments, frame) + tile * 3 * FORGE_LANES;
    v16 sum = splat(0);
    for (int64_t x = 0; x < width; x++) sum += load(in + x * FORGE_LANES);
    const v16 near = sum / splat((float)width);
    v16 rest = splat(0), squares = splat(0);
    for (int64_t x = 0; x < width; x++) {
      const v16 deviation = load(in + x * FORGE_LANES) - near;
      rest += deviation;
      squares = multiply_add(deviation, deviation, squares);
    }
    store(moments, near);
    store(moments + FORGE_LANES, rest / splat((float)width));
    store(moments + 2 * FORGE_LANES, squares);
    if (!moments_fit(moments + 2 * FORGE_LANES))
      forge_normalize_moments_scalar(arguments, frame, tile, tile + 1);
  }
}

FORGE_KERNEL(normalize_apply) {
  const forge_normalize_groups_arguments *a = arguments;
  const int64_t height = a->out.height, lanes = forge_blocks(a->out.channels) * FORGE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    const float *in = forge_row(&a->in, frame, block, y);
    const float *factors = forge_origin(&a->factors, frame) + block * FORGE_LANES;
    float *out = forge_row(&a->out, frame, block, y);
    const v16 mean = load(factors), scale = load(factors + lanes),
              shift = load(factors + 2 * lanes);
    for (int64_t x = 0; x < a->out.width; x++)
      store(out + x * FORGE_LANES, multiply_add(load(in + x * FORGE_LANES) - mean, scale, shift));
  }
}
