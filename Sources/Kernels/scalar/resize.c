/* Resizes an image or a rectangle of it: horizontally into the scratch, then vertically.
 *
 * A tap of weight 0 counts: NaN and infinity under it reach the result. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* ---- one axis ---- */

/* The source pixels of one output pixel: first ..< first + count. As large as two floats, because
 * spans are kept in the scratch. */
typedef struct {
  int32_t first, count;
} span;

/* One axis of a resize: `length` source units from `start` of an image of `size` pixels become
 * `outputs` pixels. */
typedef struct {
  int32_t mode; /* forge_resize_mode */
  int64_t size, outputs;
  double start, length;
} axis;

/* Returns the most taps of an output pixel for any crop: max(scale, 1) on either side, and one. */
static int64_t most_taps(int64_t size, int64_t outputs) {
  const int64_t support = forge_larger((size + outputs - 1) / outputs, 1);
  return 2 * support + 1;
}

/* The triangle filter, as wide as the scale when shrinking. */
static span antialiased(const axis *axis, double center, double scale, float *weights) {
  const double support = scale > 1 ? scale : 1;
  const int64_t first = forge_larger(0, (int64_t)floor(center - support + 0.5));
  const int64_t last = forge_smaller(axis->size, (int64_t)floor(center + support + 0.5));
  double total = 0;
  for (int pass = 0; pass < 2; pass++) { /* the sum of the weights, then the weights over it */
    for (int64_t t = first; t < last; t++) {
      const double weight = fmax(0, 1 - fabs(((double)t - center + 0.5) / support));
      if (pass == 0)
        total += weight;
      else
        weights[t - first] = (float)(weight / total);
    }
  }
  return (span){(int32_t)first, (int32_t)(last - first)};
}

/* Returns the source pixels of output pixel i. weights: float [count], written. */
static span taps(const axis *axis, int64_t i, float *weights) {
  const double scale = axis->length / (double)axis->outputs;
  const double center = axis->start + ((double)i + 0.5) * scale;
  if (axis->mode == FORGE_RESIZE_ANTIALIASED) return antialiased(axis, center, scale, weights);

  weights[0] = 1;
  if (axis->mode == FORGE_RESIZE_NEAREST)
    return (span){(int32_t)forge_larger(0, forge_smaller((int64_t)floor(center), axis->size - 1)),
                  1};

  const double left = floor(center - 0.5); /* FORGE_RESIZE_BILINEAR */
  if (left < 0) return (span){0, 1};
  if (left >= (double)(axis->size - 1)) return (span){(int32_t)axis->size - 1, 1};
  const double fraction = center - 0.5 - left;
  weights[0] = (float)(1 - fraction);
  weights[1] = (float)fraction;
  return (span){(int32_t)left, 2};
}

/* ---- the two passes ---- */

/* The parts of the scratch. */
typedef struct {
  span *spans;   /* [out width]: the taps of each column */
  float *across; /* [out width][taps across]: their weights */
  float *down;   /* [taps down]: the weights of one row's taps */
  float *sums;   /* [out width][channels]: one row of the result, plain */
  float *middle; /* [source rows that are needed][out width][channels]: after the first pass */
} parts;

/* Places the parts from `scratch` on. Returns their floats. */
static int64_t lay_out(float *scratch, int64_t in_height, int64_t in_width, int64_t channels,
                       int64_t out_height, int64_t out_width, parts *parts) {
  const int64_t row = out_width * channels;
  const int64_t across = 2 * out_width, down = across + out_width * most_taps(in_width, out_width);
  const int64_t sums = down + most_taps(in_height, out_height), middle = sums + row;
  if (parts) {
    parts->spans = (span *)(void *)scratch;
    parts->across = scratch + across;
    parts->down = scratch + down;
    parts->sums = scratch + sums;
    parts->middle = scratch + middle;
  }
  return middle + in_height * row;
}

int64_t forge_resize_scratch(int32_t in_height, int32_t in_width, int32_t channels,
                             int32_t out_height, int32_t out_width) {
  return lay_out(NULL, in_height, in_width, channels, out_height, out_width, NULL);
}

/* One row of the first pass.
 * in: row of the source, at column 0; middle: float [out width][channels]. */
static void resize_across(const forge_resize_arguments *a, const parts *parts, const float *in,
                          float *middle) {
  const int64_t channels = a->out.channels, pixel = a->in_is_plain ? channels : FORGE_LANES;
  const int64_t most = most_taps(a->in.width, a->out.width);
  for (int64_t x = 0; x < a->out.width; x++) {
    const span tap = parts->spans[x];
    const float *weights = parts->across + x * most;
    for (int64_t c = 0; c < channels; c++) {
      const float *from = in + tap.first * pixel;
      from += a->in_is_plain ? c : c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES;
      float sum = from[0] * weights[0];
      for (int64_t t = 1; t < tap.count; t++) sum += from[t * pixel] * weights[t];
      *middle++ = sum;
    }
  }
}

/* One row of the second pass. middle: the tap's first row; sums: float [out width * channels]. */
static void resize_down(const float *middle, span tap, const float *weights, int64_t row,
                        float *sums) {
  for (int64_t i = 0; i < row; i++) sums[i] = middle[i] * weights[0];
  for (int64_t t = 1; t < tap.count; t++)
    for (int64_t i = 0; i < row; i++) sums[i] += middle[t * row + i] * weights[t];
}

FORGE_SCALAR(resize) {
  const forge_resize_arguments *a = arguments;
  if (first >= last) return;
  axis across = {a->mode, a->in.width, a->out.width, 0, a->in.width};
  axis down = {a->mode, a->in.height, a->out.height, 0, a->in.height};
  if (a->crop_slot >= 0) {
    const double *crop = frame->crops + 4 * (int64_t)a->crop_slot; /* x, y, width, height */
    across.start = crop[0];
    across.length = crop[2];
    down.start = crop[1];
    down.length = crop[3];
  }

  parts parts;
  lay_out(forge_origin(&a->scratch, frame), a->in.height, a->in.width, a->out.channels,
          a->out.height, a->out.width, &parts);
  const int64_t row = (int64_t)a->out.width * a->out.channels;
  const int64_t most = most_taps(across.size, across.outputs);
  for (int64_t x = 0; x < across.outputs; x++)
    parts.spans[x] = taps(&across, x, parts.across + x * most);

  /* Taps move down with y, so the first and the last output row bound the source rows in use. */
  const int64_t top = taps(&down, 0, parts.down).first;
  const span lowest = taps(&down, down.outputs - 1, parts.down);
  const int64_t bottom = lowest.first + lowest.count;
  for (int64_t y = top; y < bottom; y++)
    resize_across(a, &parts, forge_origin(&a->in, frame) + y * a->in.row_stride,
                  parts.middle + (y - top) * row);

  for (int64_t y = 0; y < down.outputs; y++) {
    const span tap = taps(&down, y, parts.down);
    resize_down(parts.middle + (tap.first - top) * row, tap, parts.down, row, parts.sums);
    for (int64_t block = 0; block < forge_blocks(a->out.channels); block++)
      copy_pixels(forge_row(&a->out, frame, block, y), FORGE_LANES,
                  parts.sums + block * FORGE_LANES, a->out.channels, a->out.width,
                  forge_lanes(a->out.channels, block), true);
  }
}
