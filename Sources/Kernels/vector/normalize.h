/* Normalisations. Numbers are taken from their mean before they are squared, and sums of many
 * vectors are continued in double precision. */

/* The vectors whose sum is a vector of floats. */
#define FORGE_NORMALIZE_RUN 64

/* A row of numbers in `pieces` of 16, `stride` floats apart. The last holds `rest` numbers. What
 * follows them is neither read nor written if `partial` (plain rows), else becomes zero (padded
 * lanes). in may be out. */
typedef struct {
  const float *in;
  float *out;
  int64_t pieces, in_stride, out_stride, rest, count;
  const float *gamma, *beta;
} normalize_row;

/* Returns piece i less `mean`, zero after the row. */
FORGE_INLINE v16 normalize_piece(const normalize_row *row, int64_t i, bool partial, v16 mean) {
  const float *at = row->in + i * row->in_stride;
  if (i < row->pieces - 1) return load(at) - mean;
  const v16 x = partial ? load_first(at, row->rest, 0) : load(at);
  return keep(first_lanes(row->rest), x - mean);
}

FORGE_INLINE double sum_in_double(v16 x) { return (double)sum_of_lanes(x)[0]; }

/* Returns the sum of all x - mean, and in `squares` that of their squares. */
FORGE_INLINE double normalize_sums(const normalize_row *row, bool partial, v16 mean,
                                   double *squares) {
  double total = 0;
  *squares = 0;
  for (int64_t from = 0; from < row->pieces; from += FORGE_NORMALIZE_RUN) {
    const int64_t to = forge_smaller(from + FORGE_NORMALIZE_RUN, row->pieces);
    v16 sum = splat(0), square = splat(0);
    for (int64_t i = from; i < to; i++) {
      const v16 x = normalize_piece(row, i, partial, mean);
      sum += x;
      square = multiply_add(x, x, square);
    }
    total += sum_in_double(sum);
    *squares += sum_in_double(square);
  }
  return total;
}

FORGE_INLINE void normalize_values(const normalize_row *row, int32_t kind, float epsilon,
                                   bool partial) {
  double squares, divisor;
  float mean = 0, rest = 0; /* the mean is their sum */
  if (kind == FORGE_NORMALIZE_STANDARD) {
    const double count = (double)row->count;
    mean = (float)(normalize_sums(row, partial, splat(0), &squares) / count);
    const double lost = normalize_sums(row, partial, splat(mean), &squares) / count;
    rest = (float)lost;
    divisor = sqrt(squares / count - lost * lost + (double)epsilon);
  } else {
    normalize_sums(row, partial, splat(0), &squares);
    if (kind == FORGE_NORMALIZE_UNIT) {
      divisor = sqrt(squares);
      if (divisor < (double)epsilon) divisor = (double)epsilon; /* a NaN stays */
    } else {
      divisor = sqrt(squares / (double)row->count + (double)epsilon);
    }
  }
  const v16 factor = splat((float)(1 / divisor)), whole = splat(mean), less = splat(rest);
  for (int64_t i = 0; i < row->pieces; i++) {
    v16 x = normalize_piece(row, i, partial, whole);
    x = kind == FORGE_NORMALIZE_STANDARD ? (x - less) * factor : x / splat((float)divisor);
    if (row->gamma)
      x = multiply_add(x, load(row->gamma + i * FORGE_LANES), load(row->beta + i * FORGE_LANES));
    float *at = row->out + i * row->out_stride;
    if (i < row->pieces - 1)
      store(at, x);
    else if (partial)
      store_first(at, row->rest, x);
    else
      store(at, keep(first_lanes(row->rest), x));
  }
}

FORGE_KERNEL(normalize_rows) {
  const forge_normalize_rows_arguments *a = arguments;
  const int64_t pieces = forge_blocks(a->columns);
  for (int64_t i = first; i < last; i++) {
    const normalize_row row = {
      .in = forge_start(&a->in, frame) + i * a->columns,
      .out = forge_start(&a->out, frame) + i * a->columns,
      .pieces = pieces,
      .in_stride = FORGE_LANES,
      .out_stride = FORGE_LANES,
      .rest = forge_lanes(a->columns, pieces - 1),
      .count = a->columns,
      .gamma = a->gamma,
      .beta = a->beta,
    };
    normalize_values(&row, a->kind, a->epsilon, true);
  }
}

FORGE_KERNEL(normalize_pixels) {
  const forge_normalize_pixels_arguments *a = arguments;
  const int64_t blocks = forge_blocks(a->out.channels);
  for (int64_t y = first; y < last; y++) {
    for (int64_t x = 0; x < a->out.width; x++) {
      const normalize_row row = {
        .in = forge_row(&a->in, frame, 0, y) + x * FORGE_LANES,
        .out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES,
        .pieces = blocks,
        .in_stride = a->in.block_stride,
        .out_stride = a->out.block_stride,
        .rest = forge_lanes(a->out.channels, blocks - 1),
        .count = a->out.channels,
        .gamma = a->gamma,
        .beta = a->beta,
      };
      normalize_values(&row, a->kind, a->epsilon, false);
    }
  }
}

/* ---- groups of channels: a lane is a channel ---- */

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
