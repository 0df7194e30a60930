/* Normalizations, one number at a time, with sums in double precision. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* Returns the place of number i. Plain rows are contiguous; blocked ones are in pieces of 16,
 * `block_stride` apart. */
static int64_t place(int64_t i, int64_t block_stride) {
  return block_stride ? i / FORGE_LANES * block_stride + i % FORGE_LANES : i;
}

/* One row of numbers and its parameters. */
typedef struct {
  const float *in;
  float *out;
  int64_t in_block_stride, out_block_stride, count; /* strides: 0 for plain rows */
  const float *gamma, *beta;
  int32_t kind;
  float epsilon;
} normalized_row;

static void normalize(const normalized_row *row) {
  double sum = 0, squares = 0;
  const bool is_standard = row->kind == FORGE_NORMALIZE_STANDARD;
  for (int64_t i = 0; i < row->count; i++) sum += (double)row->in[place(i, row->in_block_stride)];
  const double mean = is_standard ? sum / (double)row->count : 0;
  for (int64_t i = 0; i < row->count; i++) {
    const double x = (double)row->in[place(i, row->in_block_stride)] - mean;
    squares += x * x;
  }
  double divisor = sqrt(squares);
  if (row->kind != FORGE_NORMALIZE_UNIT)
    divisor = sqrt(squares / (double)row->count + (double)row->epsilon);
  else if (divisor < (double)row->epsilon)
    divisor = (double)row->epsilon; /* a NaN stays */
  for (int64_t i = 0; i < row->count; i++) {
    double x = ((double)row->in[place(i, row->in_block_stride)] - mean) / divisor;
    if (row->gamma) x = x * (double)row->gamma[i] + (double)row->beta[i];
    row->out[place(i, row->out_block_stride)] = (float)x;
  }
}

FORGE_SCALAR(normalize_rows) {
  const forge_normalize_rows_arguments *a = arguments;
  for (int64_t row = first; row < last; row++) {
    const normalized_row all = {
      .in = forge_start(&a->in, frame) + row * a->columns,
      .out = forge_start(&a->out, frame) + row * a->columns,
      .count = a->columns,
      .gamma = a->gamma,
      .beta = a->beta,
      .kind = a->kind,
      .epsilon = a->epsilon,
    };
    normalize(&all);
  }
}

FORGE_SCALAR(normalize_pixels) {
  const forge_normalize_pixels_arguments *a = arguments;
  const int64_t channels = a->out.channels;
  const int64_t runs = forge_normalize_runs(&a->out);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / runs, from = tile % runs * FORGE_NORMALIZE_PIXELS;
    const int64_t to = forge_smaller(from + FORGE_NORMALIZE_PIXELS, a->out.width);
    for (int64_t x = from; x < to; x++) {
      const normalized_row row = {
        .in = forge_row(&a->in, frame, 0, y) + x * FORGE_LANES,
        .out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES,
        .in_block_stride = a->in.block_stride,
        .out_block_stride = a->out.block_stride,
        .count = channels,
        .gamma = a->gamma,
        .beta = a->beta,
        .kind = a->kind,
        .epsilon = a->epsilon,
      };
      normalize(&row);
      for (int64_t c = channels; c < forge_blocks(channels) * FORGE_LANES; c++)
        row.out[place(c, row.out_block_stride)] = 0;
    }
  }
}

/* ---- groups of channels ---- */

/* A sum of squares in moments: the negative of its root where it leaves single precision. */
static float stored_squares(double squares) {
  return (float)(squares < 0x1p127 ? squares : -sqrt(squares));
}

static double squares_of(float stored) {
  return stored < 0 ? (double)stored * (double)stored : (double)stored;
}

FORGE_SCALAR(normalize_moments) {
  const forge_normalize_groups_arguments *a = arguments;
  const int64_t height = a->in.height, width = a->in.width;
  for (int64_t tile = first; tile < last; tile++) {
    const float *in = forge_row(&a->in, frame, tile / height, tile % height);
    float *moments = forge_origin(&a->row_moments, frame) + tile * 3 * FORGE_LANES;
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      double sum = 0, squares = 0;
      for (int64_t x = 0; x < width; x++) sum += (double)in[x * FORGE_LANES + lane];
      const double mean = sum / (double)width;
      const float near = (float)mean;
      for (int64_t x = 0; x < width; x++) {
        const double deviation = (double)in[x * FORGE_LANES + lane] - (double)near;
        squares += deviation * deviation;
      }
      moments[lane] = near;
      moments[FORGE_LANES + lane] = (float)(mean - (double)near);
      moments[2 * FORGE_LANES + lane] = stored_squares(squares);
    }
  }
}

/* The mean of a channel or a group, and the sum of squared deviations from it. */
typedef struct {
  double mean, squares;
} moments;

/* Combines the rows of a channel, which have equally many pixels. */
static moments combine_rows(const forge_normalize_groups_arguments *a, const forge_frame *frame,
                            int64_t channel) {
  const int64_t height = a->in.height, row = 3 * FORGE_LANES;
  const float *rows = forge_origin(&a->row_moments, frame) + channel / FORGE_LANES * height * row +
    channel % FORGE_LANES;
  const double width = (double)a->in.width;
  moments all = {0, 0};
  for (int64_t y = 0; y < height; y++)
    all.mean += (double)rows[y * row] + (double)rows[y * row + FORGE_LANES];
  all.mean /= (double)height;
  for (int64_t y = 0; y < height; y++) {
    const double lost = (double)rows[y * row + FORGE_LANES];
    const double difference = (double)rows[y * row] - all.mean + lost;
    all.squares +=
      squares_of(rows[y * row + 2 * FORGE_LANES]) + (difference * difference - lost * lost) * width;
  }
  return all;
}

FORGE_SCALAR(normalize_groups) {
  const forge_normalize_groups_arguments *a = arguments;
  if (first >= last) return;
  const int64_t channels = a->in.channels, lanes = forge_blocks(channels) * FORGE_LANES;
  const int64_t members = channels / a->groups;
  const double pixels = (double)a->in.height * (double)a->in.width;
  float *factors = forge_origin(&a->factors, frame);
  memset(factors, 0, (size_t)(3 * lanes) * sizeof(float));
  for (int64_t group = 0; group < a->groups; group++) {
    const int64_t from = group * members;
    moments all = {0, 0};
    for (int64_t c = from; c < from + members; c++) all.mean += combine_rows(a, frame, c).mean;
    all.mean /= (double)members;
    for (int64_t c = from; c < from + members; c++) {
      const moments channel = combine_rows(a, frame, c);
      const double difference = channel.mean - all.mean;
      all.squares += channel.squares + difference * difference * pixels;
    }
    const double variance = all.squares / (pixels * (double)members);
    const double factor = 1 / sqrt(variance + (double)a->epsilon);
    for (int64_t c = from; c < from + members; c++) {
      const float mean = (float)all.mean;
      const double scale = a->gamma ? factor * (double)a->gamma[c] : factor;
      factors[c] = mean;
      factors[lanes + c] = (float)scale;
      /* What rounding the mean has lost is made up for. */
      factors[2 * lanes + c] =
        (float)((a->beta ? (double)a->beta[c] : 0) - (all.mean - (double)mean) * scale);
    }
  }
}

FORGE_SCALAR(normalize_apply) {
  const forge_normalize_groups_arguments *a = arguments;
  const int64_t height = a->out.height, lanes = forge_blocks(a->out.channels) * FORGE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    const float *in = forge_row(&a->in, frame, block, y);
    const float *factors = forge_origin(&a->factors, frame) + block * FORGE_LANES;
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t i = 0; i < a->out.width * (int64_t)FORGE_LANES; i++) {
      const int64_t lane = i % FORGE_LANES;
      const double x = ((double)in[i] - (double)factors[lane]) * (double)factors[lanes + lane];
      out[i] = (float)(x + (double)factors[2 * lanes + lane]);
    }
  }
}
