/* The first convolution of a network, on a plain image of few channels.
 *
 * In blocks, 3 channels would fill 3 of 16 lanes. In a plain image the columns and channels of one
 * row of a window are contiguous, so the micro-kernel of convolution.h sees a window of one column
 * with kernel_width * channels input channels. Windows that reach over the border are copied with
 * zeros around them, a tile at a time.
 *
 * With pooling two rows of sums are buffered, and the maxima of their 2 by 2 windows stored. */

/* Tiles of the most pixels for the pixel distances that networks begin with: gray images, RGB, and
 * RGB with a stride of 2. A constant distance is part of the instruction. Others need a register
 * per pixel of the tile. */
#define FORGE_SPACED(spacing, rows, vectors) FORGE_SPACED_(spacing, rows, vectors)
#define FORGE_SPACED_(spacing, rows, vectors)                                                   \
  static void spaced_##spacing##_##rows##x##vectors(const convolution_row *row, int64_t x,      \
                                                    int64_t vector) {                           \
    convolve_tile(row, x, vector, rows, vectors, spacing, false, false);                        \
  }                                                                                             \
  static void spaced_half_##spacing##_##rows##x##vectors(const convolution_row *row, int64_t x, \
                                                         int64_t vector) {                      \
    convolve_tile(row, x, vector, rows, vectors, spacing, false, true);                         \
  }
#define FORGE_SPACED_NAMES(spacing, rows, vectors) FORGE_SPACED_NAMES_(spacing, rows, vectors)
#define FORGE_SPACED_NAMES_(spacing, rows, vectors) \
  {spaced_##spacing##_##rows##x##vectors, spaced_half_##spacing##_##rows##x##vectors},

FORGE_TILE_SHAPES(FORGE_SPACED, 1)
FORGE_TILE_SHAPES(FORGE_SPACED, 3)
FORGE_TILE_SHAPES(FORGE_SPACED, 6)

static const struct {
  int64_t spacing;
  convolution_tile functions[FORGE_TILE_VECTORS][2]; /* [vectors - 1][half of the last vector] */
} spaced_tiles[] = {
  {1, {FORGE_TILE_SHAPES(FORGE_SPACED_NAMES, 1)}},
  {3, {FORGE_TILE_SHAPES(FORGE_SPACED_NAMES, 3)}},
  {6, {FORGE_TILE_SHAPES(FORGE_SPACED_NAMES, 6)}},
};

/* The function for `count` pixels of `at_once` vectors of a panel from `vector` on. */
static convolution_tile plain_tile_of(const convolution_row *row, int64_t count, int64_t vector,
                                      int64_t at_once) {
  const convolution_tiles *tiles = tiles_of(row, vector, at_once);
  for (int i = 0; i < 3 && count == tiles->most_rows; i++)
    if (spaced_tiles[i].spacing == row->pixel)
      return spaced_tiles[i].functions[at_once - 1][is_half(row, vector, at_once)];
  return tiles->of[FORGE_STRIDED][count - 1];
}

typedef struct {
  const forge_plain_convolution_arguments *a;
  /* Row 0, column 0 of the source of windows: the image, or a copy with its border. */
  const float *image;
  int64_t image_row, height, width; /* floats from row to row, rows, columns */
  int64_t pad_top, pad_left;
  convolution_row row;
  int64_t most_rows; /* pixels of a tile */
  bool has_slack;    /* the image is a copy, and FORGE_GRAY_SLACK floats after it may be read */
} plain_call;

#include "gray_convolution.h"

/* Computes pixels x ..< x + count of row y. out: pixel x of the panel's first block. */
static void plain_tile(plain_call *call, int64_t y, int64_t x, int64_t count, float *out) {
  const forge_plain_convolution_arguments *a = call->a;
  convolution_row *row = &call->row;
  const int64_t channels = a->in.channels, height = call->height, width = call->width;
  const int64_t top = y * a->stride_y - call->pad_top, left = x * a->stride_x - call->pad_left;
  const int64_t columns = (count - 1) * a->stride_x + a->kernel_width;
  const bool is_inside =
    top >= 0 && top + a->kernel_height <= height && left >= 0 && left + columns <= width;
  if (!is_inside && a->kernel_height * columns * channels > FORGE_PATCH_FLOATS) {
    /* The patch holds fewer pixels at a time, at least one. */
    const int64_t half = count / 2;
    plain_tile(call, y, x, half, out);
    plain_tile(call, y, x + half, count - half, out + half * FORGE_LANES);
    return;
  }
  float patch[FORGE_PATCH_FLOATS];
  if (is_inside) {
    row->in = call->image + top * call->image_row + left * channels;
    row->tap_row = call->image_row;
  } else {
    const int64_t first = forge_larger(0, -left), last = forge_smaller(columns, width - left);
    memset(patch, 0, (size_t)(a->kernel_height * columns * channels) * sizeof(float));
    for (int64_t ky = 0; ky < a->kernel_height && first < last; ky++) {
      if (top + ky < 0 || top + ky >= height) continue;
      memcpy(patch + (ky * columns + first) * channels,
             call->image + (top + ky) * call->image_row + (left + first) * channels,
             (size_t)((last - first) * channels) * sizeof(float));
    }
    row->in = patch;
    row->tap_row = columns * channels;
  }
  row->out = out;
  const int64_t vectors = row->panel_width / FORGE_LANES;
  const int64_t at_once = FORGE_TILE_VECTORS > 1 ? vectors : 1;
  for (int64_t vector = 0; vector < vectors; vector += at_once)
    if (vector * FORGE_LANES < row->channels)
      plain_tile_of(row, count, vector, at_once)(row, 0, vector);
}

/* Makes a copy of the image with its border the source of windows, if it fits: most tiles of a
 * small image reach over its border. */
static void plain_copy_small(plain_call *call, float copy[FORGE_PATCH_FLOATS]) {
  const forge_plain_convolution_arguments *a = call->a;
  const int64_t channels = a->in.channels;
  const int64_t height = (a->height - 1) * (int64_t)a->stride_y + a->kernel_height;
  const int64_t width = (a->width - 1) * (int64_t)a->stride_x + a->kernel_width;
  if (height > FORGE_PATCH_FLOATS || height * width > FORGE_PATCH_FLOATS / channels) return;
  memset(copy, 0, (size_t)(height * width * channels) * sizeof(float));
  const int64_t columns = forge_smaller(a->in.width, width - a->pad_left);
  for (int64_t y = 0; y < a->in.height && y + a->pad_top < height && columns > 0; y++)
    memcpy(copy + ((y + a->pad_top) * width + a->pad_left) * channels,
           call->image + y * call->image_row, (size_t)(columns * channels) * sizeof(float));
#if FORGE_TILE_VECTORS > 1
  call->has_slack = height * width * channels + FORGE_GRAY_SLACK <= FORGE_PATCH_FLOATS;
  if (call->has_slack)
    memset(copy + height * width * channels, 0, FORGE_GRAY_SLACK * sizeof(float));
#endif
  call->image = copy;
  call->image_row = width * channels;
  call->height = height;
  call->width = width;
  call->pad_top = call->pad_left = 0;
}

static void plain_row(plain_call *call, int64_t y, float *out) {
  const int64_t width = call->a->width, most = call->most_rows;
  if (width < most) {
    plain_tile(call, y, 0, width, out);
    return;
  }
  /* The last tile moves back to be full. Pixels computed twice have the same bits. */
  for (int64_t x = 0; x < width; x += most) {
    const int64_t from = forge_smaller(x, width - most);
    plain_tile(call, y, from, most, out + from * FORGE_LANES);
  }
}

/* Computes one row of a panel's pooled output. `blocks` are stored. */
static void plain_pooled_row(plain_call *call, int64_t y, int64_t panel_block, int64_t blocks,
                             const forge_frame *frame) {
  const forge_plain_convolution_arguments *a = call->a;
  const finish end = finish_of(&a->activation);
  const v16 low = splat(end.low), high = splat(end.high);
  const int64_t windows = call->most_rows / 2, tiles = (a->out.width + windows - 1) / windows;
  const int64_t most = (a->out.width + tiles - 1) / tiles * 2;
  float sums[2][4 * FORGE_MOST_ROWS * FORGE_LANES];
  const bool two_rows = 2 * y + 1 < a->height;
  call->row.out_block = FORGE_MOST_ROWS * FORGE_LANES;
  for (int64_t x = 0; x < a->out.width; x += most / 2) {
    const int64_t count = forge_smaller(most, a->width - 2 * x);
    const int64_t made = forge_smaller(most / 2, a->out.width - x);
    plain_tile(call, 2 * y, 2 * x, count, sums[0]);
    if (two_rows) plain_tile(call, 2 * y + 1, 2 * x, count, sums[1]);
    for (int64_t v = 0; v < blocks; v++) {
      const int64_t block = panel_block + v;
      const int64_t lanes = forge_lanes(a->out.channels, block);
      const v16i mask = first_lanes(lanes);
      const float *above = sums[0] + v * call->row.out_block;
      const float *below = two_rows ? sums[1] + v * call->row.out_block : above;
      float *out = forge_row(&a->out, frame, block, y) + x * FORGE_LANES;
      for (int64_t i = 0; i < made; i++) {
        const int64_t here = 2 * i * FORGE_LANES;
        const int64_t beside = 2 * i + 1 < count ? here + FORGE_LANES : here;
        const v16 value = larger_or_nan(larger_or_nan(load(above + here), load(above + beside)),
                                        larger_or_nan(load(below + here), load(below + beside)));
        store(out + i * FORGE_LANES, keep(mask, clamp(value, low, high)));
      }
      if (end.further) activate(out, out, made, lanes, end.further);
    }
  }
}

FORGE_KERNEL(plain_convolution) {
  const forge_plain_convolution_arguments *a = arguments;
  const int64_t vectors = a->panel_width / FORGE_LANES, taps = a->kernel_width * a->in.channels;
  const int64_t padded = forge_blocks(taps) * FORGE_LANES;
  plain_call call = {
    .a = a,
    .image = forge_origin(&a->in, frame),
    .image_row = a->in.row_stride,
    .height = a->in.height,
    .width = a->in.width,
    .pad_top = a->pad_top,
    .pad_left = a->pad_left,
    .row =
      {
        .tap_column = 0,
        .pixel = (int64_t)a->stride_x * a->in.channels,
        .in_block = FORGE_LANES,
        .out_block = a->out.block_stride,
        .kernel_height = a->kernel_height,
        .kernel_width = 1,
        .whole_blocks = taps / FORGE_LANES,
        .rest = taps % FORGE_LANES,
        .panel_width = a->panel_width,
        .end = finish_of(&a->activation),
        .plain = a->pooled,
      },
  };
  float copy[FORGE_PATCH_FLOATS];
  plain_copy_small(&call, copy);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / a->out.height, y = tile % a->out.height;
    const int64_t block = panel * vectors;
    const int64_t blocks = forge_smaller(vectors, forge_blocks(a->out.channels) - block);
    call.row.weights = a->weights + panel * a->kernel_height * padded * a->panel_width;
    call.row.next = call.row.weights;
    call.row.bias = a->bias + panel * a->panel_width;
    call.row.half = ends_in_half(a->panel_width, a->out.channels - block * FORGE_LANES);
    call.most_rows = tiles_of(&call.row, 0, FORGE_TILE_VECTORS > 1 ? vectors : 1)->most_rows;
    call.row.channels = a->pooled ? a->panel_width : a->out.channels - block * FORGE_LANES;
#if FORGE_TILE_VECTORS > 1
    if (is_gray(&call)) {
      gray_pooled_row(&call, y, block, blocks, frame);
      continue;
    }
#endif
    if (a->pooled)
      plain_pooled_row(&call, y, block, blocks, frame);
    else
      plain_row(&call, y, forge_row(&a->out, frame, block, y));
  }
}
