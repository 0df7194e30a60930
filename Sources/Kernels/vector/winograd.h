/* Winograd's convolutions: transform the input, multiply point by point, transform back.
 *
 * The image is cut into tiles of tile_height by tile_width outputs. `chunk` tiles, in row-major
 * order, are computed at a time, so that the values between the three stages stay in the
 * second-level cache:
 *     transformed: float [point][input block][chunk][16]
 *     products:    float [point][vector of the panel][chunk][16]
 * Points are an odd number of cache lines apart, so that the numbers of a tile do not compete for
 * few sets of a cache. The products use the micro-kernel of convolution.h. */

typedef struct winograd_functions winograd_functions;

/* The constants of one call. */
typedef struct {
  const forge_winograd_arguments *a;
  const forge_frame *frame;
  forge_winograd_layout layout;
  int64_t units, in_blocks, panels;
  finish end;
  const winograd_functions *functions;
} winograd_call;

/* A row outside the image. */
static const float winograd_zeros[2 * FORGE_MOST_POINTS * FORGE_LANES];

/* ---- in ---- */

/* One tile of an image. For a block of at most 8 channels, two tiles share a vector. */
typedef struct {
  const float *rows[FORGE_MOST_POINTS]; /* of zeros where outside */
  int64_t left;
} winograd_window;

FORGE_INLINE winograd_window window_of(const winograd_call *call, const float *image, int64_t phase,
                                       int64_t tile, const int alpha_y) {
  const forge_winograd_arguments *a = call->a;
  const int64_t stride = a->stride == 2 ? 2 : 1;
  const int64_t top =
    tile / call->layout.columns * a->tile_height * stride - a->pad_top + phase / 2;
  const int64_t left =
    tile % call->layout.columns * a->tile_width * stride - a->pad_left + phase % 2;
  winograd_window window = {.left = left};
#pragma clang loop unroll(full)
  for (int y = 0; y < alpha_y; y++) {
    const int64_t at = top + y * stride;
    const bool inside = at >= 0 && at < a->in.height;
    window.rows[y] = inside ? image + at * a->in.row_stride + left * FORGE_LANES : winograd_zeros;
  }
  return window;
}

/* Loads the pixel at column x of row y of a window, zero if outside, or the first 8 channels of
 * those of two windows. */
FORGE_INLINE v16 window_pixel(const winograd_window *windows, int64_t width, int y, int64_t x,
                              const bool two) {
  const bool inside = windows[0].left + x >= 0 && windows[0].left + x < width;
  if (!two) return inside ? load(windows[0].rows[y] + x * FORGE_LANES) : splat(0);
  const bool beside = windows[1].left + x >= 0 && windows[1].left + x < width;
  return joined(inside ? load_half(windows[0].rows[y] + x * FORGE_LANES) : (v8){0},
                beside ? load_half(windows[1].rows[y] + x * FORGE_LANES) : (v8){0});
}

FORGE_INLINE void store_pixels(float *to, v16 x, const bool two) {
  if (two) {
    store_half(to, lower_half(x));
    store_half(to + FORGE_LANES, upper_half(x));
  } else {
    store(to, x);
  }
}

/* Transforms one tile of a block, or of one phase of it, or two tiles. to: its point 0: [16]. */
FORGE_INLINE void winograd_in_tile(const winograd_call *call, const float *image, int64_t phase,
                                   int64_t tile, float *to, const int alpha_y, const int alpha_x,
                                   const bool two) {
  const int64_t width = call->a->in.width, stride = call->a->stride == 2 ? 2 : 1;
  const int64_t next = call->layout.transformed_point;
  winograd_window windows[2];
  windows[0] = window_of(call, image, phase, tile, alpha_y);
  if (two) windows[1] = window_of(call, image, phase, tile + 1, alpha_y);
  if (alpha_y == 1 || alpha_x == 1) {
    /* Along one axis nothing is kept aside. */
    v16 line[FORGE_MOST_POINTS], whole[FORGE_MOST_POINTS];
#pragma clang loop unroll(full)
    for (int i = 0; i < alpha_y * alpha_x; i++)
      line[i] = window_pixel(windows, width, alpha_y == 1 ? 0 : i, alpha_y == 1 ? i : 0, two);
    transform_input(line, whole, alpha_y * alpha_x);
#pragma clang loop unroll(full)
    for (int i = 0; i < alpha_y * alpha_x; i++) store_pixels(to + i * next, whole[i], two);
    return;
  }
  v16 half[FORGE_MOST_POINTS * FORGE_MOST_POINTS]; /* transformed along y: [x][point of y] */
#pragma clang loop unroll(disable)
  for (int x = 0; x < alpha_x; x++) {
    v16 column[FORGE_MOST_POINTS];
#pragma clang loop unroll(full)
    for (int y = 0; y < alpha_y; y++) column[y] = window_pixel(windows, width, y, x * stride, two);
    transform_input(column, half + x * alpha_y, alpha_y);
  }
#pragma clang loop unroll(disable)
  for (int y = 0; y < alpha_y; y++) {
    v16 row[FORGE_MOST_POINTS], whole[FORGE_MOST_POINTS];
#pragma clang loop unroll(full)
    for (int x = 0; x < alpha_x; x++) row[x] = half[x * alpha_y + y];
    transform_input(row, whole, alpha_x);
#pragma clang loop unroll(full)
    for (int x = 0; x < alpha_x; x++, to += next) store_pixels(to, whole[x], two);
  }
}

/* Transforms tiles first ..< first + count of one block, or of one phase of it. `block` counts the
 * blocks of all phases. to: point 0 of the first tile: [16]. */
FORGE_INLINE void winograd_in(const winograd_call *call, int64_t block, int64_t first,
                              int64_t count, float *to, const int alpha_y, const int alpha_x) {
  const forge_winograd_arguments *a = call->a;
  const int64_t phase = block / call->in_blocks, own = block % call->in_blocks;
  const float *image = forge_row(&a->in, call->frame, own, 0);
  int64_t tile = first;
  /* Two tiles of a block with at most 8 channels fill a vector. */
  if (forge_lanes(a->in.channels, own) <= FORGE_LANES / 2)
    for (; tile + 1 < first + count; tile += 2, to += 2 * FORGE_LANES)
      winograd_in_tile(call, image, phase, tile, to, alpha_y, alpha_x, true);
  for (; tile < first + count; tile++, to += FORGE_LANES)
    winograd_in_tile(call, image, phase, tile, to, alpha_y, alpha_x, false);
}

/* ---- out ---- */

/* Returns the larger, NaN if either is NaN. */
FORGE_INLINE v16 larger_or_nan(v16 a, v16 b) { return choose((b > a) | (b != b), b, a); }

/* Transforms tiles first ..< first + count of one block of output channels back. from: point 0 of
 * the first tile: [16]. */
FORGE_INLINE void winograd_out(const winograd_call *call, int64_t block, int64_t first,
                               int64_t count, const float *from, const int n_y, const int alpha_y,
                               const int n_x, const int alpha_x, const bool pooled) {
  const forge_winograd_arguments *a = call->a;
  const forge_epilogue *e = &a->epilogue;
  const int64_t lanes = forge_lanes(a->out.channels, block);
  const v16i mask = first_lanes(lanes);
  const v16 bias = load(a->bias + block * FORGE_LANES);
  const int64_t height = a->height, width = a->width; /* of the convolution, before pooling */
  const v16 low = splat(call->end.low), high = splat(call->end.high);
  v16 half[FORGE_MOST_POINTS * FORGE_MOST_POINTS]; /* transformed along x: [x][point of y] */
  v16 sums[FORGE_MOST_POINTS * FORGE_MOST_POINTS]; /* [y][x], for pooling */
  for (int64_t tile = first; tile < first + count; tile++, from += FORGE_LANES) {
    const int64_t top = tile / call->layout.columns * n_y, left = tile % call->layout.columns * n_x;
    const float *point = from;
    if (alpha_y == 1 || alpha_x == 1) {
      /* Along one axis nothing is kept aside. */
      v16 line[FORGE_MOST_POINTS];
#pragma clang loop unroll(full)
      for (int i = 0; i < alpha_y * alpha_x; i++)
        line[i] = load(point + i * call->layout.products_point);
      transform_output(line, half, n_y * n_x, alpha_y * alpha_x);
    } else {
#pragma clang loop unroll(disable)
      for (int y = 0; y < alpha_y; y++) {
        v16 row[FORGE_MOST_POINTS], made[FORGE_MOST_POINTS];
#pragma clang loop unroll(full)
        for (int x = 0; x < alpha_x; x++, point += call->layout.products_point)
          row[x] = load(point);
        transform_output(row, made, n_x, alpha_x);
#pragma clang loop unroll(full)
        for (int x = 0; x < n_x; x++) half[x * alpha_y + y] = made[x];
      }
    }
    const int64_t rows = forge_smaller(n_y, height - top),
                  columns = forge_smaller(n_x, width - left);
    const float *residual = e->has_residual
      ? forge_row(&e->residual, call->frame, block, top) + left * FORGE_LANES
      : NULL;
    float *out = pooled ? NULL : forge_row(&a->out, call->frame, block, top) + left * FORGE_LANES;
#pragma clang loop unroll(disable)
    for (int x = 0; x < (pooled ? n_x : columns); x++) {
      v16 made[FORGE_MOST_POINTS];
      if (alpha_y == 1) {
        made[0] = half[x];
      } else if (alpha_x == 1) {
#pragma clang loop unroll(full)
        for (int y = 0; y < n_y; y++) made[y] = half[y];
      } else {
        transform_output(half + x * alpha_y, made, n_y, alpha_y);
      }
#pragma clang loop unroll(full)
      for (int y = 0; y < n_y; y++) {
        if (pooled) {
          sums[y * n_x + x] = made[y] + bias;
        } else if (y < rows) {
          v16 value = made[y] + bias;
          if (residual) value += load(residual + y * e->residual.row_stride + x * FORGE_LANES);
          store(out + y * a->out.row_stride + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
        }
      }
    }
    if (!pooled) {
      for (int y = 0; y < rows && call->end.further; y++, out += a->out.row_stride)
        activate(out, out, columns, lanes, call->end.further);
      continue;
    }
    /* The windows of 2 by 2 are inside the tile, whose sides are even. The edge of the image may
     * cut them. The activation never decreases and follows. */
    out = forge_row(&a->out, call->frame, block, top / 2) + left / 2 * FORGE_LANES;
    const int64_t pooled_rows = forge_smaller(n_y / 2, a->out.height - top / 2);
    const int64_t pooled_columns = forge_smaller(n_x / 2, a->out.width - left / 2);
#pragma clang loop unroll(disable)
    for (int y = 0; y < pooled_rows; y++, out += a->out.row_stride) {
      const v16 *above = sums + 2 * y * n_x, *below = 2 * y + 1 < rows ? above + n_x : above;
      for (int64_t x = 0; x < pooled_columns; x++) {
        const int64_t beside = 2 * x + 1 < columns ? 2 * x + 1 : 2 * x;
        const v16 value = larger_or_nan(larger_or_nan(above[2 * x], above[beside]),
                                        larger_or_nan(below[2 * x], below[beside]));
        store(out + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
      }
      if (call->end.further) activate(out, out, pooled_columns, lanes, call->end.further);
    }
  }
}

/* ---- one function per shape of tile ---- */

typedef void (*winograd_in_function)(const winograd_call *call, int64_t block, int64_t first,
                                     int64_t count, float *to);
typedef void (*winograd_out_function)(const winograd_call *call, int64_t block, int64_t first,
                                      int64_t count, const float *from);

/* X(alpha_y, alpha_x) for the inputs of all tiles. */
#define FORGE_WINOGRAD_INPUTS(X) \
  X(4, 4)                        \
  X(5, 5)                        \
  X(6, 6)                        \
  X(7, 7)                        \
  X(7, 6)                        \
  X(8, 8) X(1, 4) X(1, 6) X(1, 8) X(1, 10) X(1, 12) X(4, 1) X(6, 1) X(8, 1) X(10, 1) X(12, 1)

/* X(n_y, alpha_y, n_x, alpha_x) for all tiles, or P of the same for those that can be pooled. */
/* clang-format off */
#define FORGE_WINOGRAD_TILES(X, P)                                                  \
  P(2, 4, 2, 4) X(3, 5, 3, 5) P(4, 6, 4, 6) X(5, 7, 5, 7) X(5, 7, 4, 6) P(6, 8, 6, 8) /* 3 by 3 */ \
  X(3, 4, 3, 4) X(4, 5, 4, 5)                                      /* stride 2 */    \
  P(2, 6, 2, 6) P(4, 8, 4, 8)                                      /* 5 by 5 */      \
  X(1, 1, 2, 8) X(1, 1, 4, 10) X(1, 1, 6, 12)                      /* 1 by 7 */      \
  X(2, 8, 1, 1) X(4, 10, 1, 1) X(6, 12, 1, 1)                      /* 7 by 1 */      \
  X(1, 1, 2, 4) X(1, 1, 4, 6) X(1, 1, 6, 8) X(2, 4, 1, 1) X(4, 6, 1, 1) X(6, 8, 1, 1) /* 3 by 1 */
/* clang-format on */

#define FORGE_WINOGRAD_IN(alpha_y, alpha_x)                                                \
  static void winograd_in_##alpha_y##_##alpha_x(const winograd_call *call, int64_t block,  \
                                                int64_t first, int64_t count, float *to) { \
    winograd_in(call, block, first, count, to, alpha_y, alpha_x);                          \
  }
FORGE_WINOGRAD_INPUTS(FORGE_WINOGRAD_IN)

#define FORGE_WINOGRAD_NAME(kind, n_y, alpha_y, n_x, alpha_x) \
  winograd_##kind##_##n_y##_##alpha_y##_##n_x##_##alpha_x
#define FORGE_WINOGRAD_FUNCTION(kind, n_y, alpha_y, n_x, alpha_x, pooled)                        \
  static void FORGE_WINOGRAD_NAME(kind, n_y, alpha_y, n_x, alpha_x)(                             \
    const winograd_call *call, int64_t block, int64_t first, int64_t count, const float *from) { \
    winograd_out(call, block, first, count, from, n_y, alpha_y, n_x, alpha_x, pooled);           \
  }
#define FORGE_WINOGRAD_OUT(...) FORGE_WINOGRAD_FUNCTION(out, __VA_ARGS__, false)
#define FORGE_WINOGRAD_POOLED(...)                 \
  FORGE_WINOGRAD_FUNCTION(out, __VA_ARGS__, false) \
  FORGE_WINOGRAD_FUNCTION(pooled, __VA_ARGS__, true)
FORGE_WINOGRAD_TILES(FORGE_WINOGRAD_OUT, FORGE_WINOGRAD_POOLED)

struct winograd_functions {
  int32_t n_y, r_y, n_x, r_x;
  winograd_in_function in;
  winograd_out_function out, pooled; /* NULL where the tile cannot be pooled */
};

#define FORGE_WINOGRAD_ENTRY(n_y, alpha_y, n_x, alpha_x, pooled) \
  {n_y,                                                          \
   alpha_y - n_y + 1,                                            \
   n_x,                                                          \
   alpha_x - n_x + 1,                                            \
   winograd_in_##alpha_y##_##alpha_x,                            \
   FORGE_WINOGRAD_NAME(out, n_y, alpha_y, n_x, alpha_x),         \
   pooled},
#define FORGE_WINOGRAD_OUT_ENTRY(...) FORGE_WINOGRAD_ENTRY(__VA_ARGS__, NULL)
#define FORGE_WINOGRAD_POOLED_ENTRY(...) \
  FORGE_WINOGRAD_ENTRY(__VA_ARGS__, FORGE_WINOGRAD_NAME(pooled, __VA_ARGS__))

static const winograd_functions winograd_table[] = {
  FORGE_WINOGRAD_TILES(FORGE_WINOGRAD_OUT_ENTRY, FORGE_WINOGRAD_POOLED_ENTRY)};

static winograd_call winograd_call_of(const forge_winograd_arguments *a, const forge_frame *frame) {
  /* Plans use only tiles that forge_has_winograd accepts. */
  const winograd_functions *f = winograd_table;
  const int32_t r_y = forge_winograd_taps(a->kernel_height, a->stride);
  const int32_t r_x = forge_winograd_taps(a->kernel_width, a->stride);
  while (f->n_y != a->tile_height || f->r_y != r_y || f->n_x != a->tile_width || f->r_x != r_x) f++;
  return (winograd_call){
    .a = a,
    .frame = frame,
    .layout = forge_winograd_layout_of(a),
    .units = forge_winograd_units(a->tile_height, a->kernel_height, a->tile_width, a->kernel_width,
                                  a->stride),
    .in_blocks = forge_blocks(a->in.channels),
    .panels = forge_quotient_up(a->out.channels, a->panel_width),
    .end = finish_of(&a->epilogue.activation),
    .functions = f,
  };
}

/* ---- the three stages ---- */

/* Returns the tiles of a chunk. Its first is chunk * layout.chunk. */
static int64_t winograd_tiles(const winograd_call *call, int64_t chunk) {
  return forge_smaller(call->layout.chunk, call->layout.tiles - chunk * call->layout.chunk);
}

/* Transforms an input block of a chunk. `block` counts the blocks of all phases. */
static void winograd_transform(const winograd_call *call, int64_t chunk, int64_t block,
                               float *transformed) {
  call->functions->in(call, block, chunk * call->layout.chunk, winograd_tiles(call, chunk),
                      transformed + block * call->layout.chunk * FORGE_LANES);
}

/* Multiplies the points of one panel of a chunk and transforms back. */
static void winograd_multiply(const winograd_call *call, int64_t panel, int64_t chunk,
                              const float *transformed) {
  const forge_winograd_arguments *a = call->a;
  const int64_t vectors = a->panel_width / FORGE_LANES, block = panel * vectors;
  const int64_t unit_floats = call->in_blocks * FORGE_LANES * a->panel_width;
  const int64_t blocks = forge_smaller(vectors, forge_blocks(a->out.channels) - block);
  convolution_row row = {
    .pixel = FORGE_LANES,
    .in_block = call->layout.chunk * FORGE_LANES,
    .out_block = call->layout.chunk * FORGE_LANES,
    .residual_block = call->layout.chunk * FORGE_LANES,
    .kernel_height = 1,
    .kernel_width = 1,
    .panel_width = a->panel_width,
    .channels = a->panel_width,
    .plain = true, /* vectors past the last block are computed and never read */
    .half = ends_in_half(a->panel_width, a->out.channels - panel * a->panel_width),
  };
  const int64_t channels = a->in.channels, count = winograd_tiles(call, chunk);
  float *products =
    forge_origin(&a->products, call->frame) + call->frame->worker * a->products_worker;
  const int64_t alpha_x = a->tile_width - 1 + forge_winograd_taps(a->kernel_width, a->stride);
  const int64_t alpha_y = call->layout.points / alpha_x;
  int64_t unit = 0;
  for (int64_t point = 0; point < call->layout.points; point++) {
    row.out = products + point * call->layout.products_point;
    row.residual = NULL;
    for (int64_t phase = 0; phase < call->layout.phases; phase++) {
      if (!forge_winograd_uses(phase, point / alpha_x, alpha_y, point % alpha_x, alpha_x)) continue;
      row.in = transformed + point * call->layout.transformed_point +
        phase * call->in_blocks * call->layout.chunk * FORGE_LANES;
      row.weights = a->weights + (panel * call->units + unit) * unit_floats;
      unit++;
      /* Sums of at most `summed` channels are added: see forge_winograd_arguments. */
      for (int64_t c = 0; c < channels; c += a->summed) {
        const int64_t part = forge_smaller(a->summed, channels - c);
        row.whole_blocks = part / FORGE_LANES;
        row.rest = part % FORGE_LANES;
        /* The weights of the next unit, or panel, follow these. */
        const bool last = panel + 1 == call->panels && unit == call->units;
        const float *next = last ? a->next : row.weights + part * a->panel_width;
        convolve_row(&row, 0, count, next, last ? a->next_floats : part * a->panel_width);
        row.in += row.whole_blocks * row.in_block;
        row.weights += part * a->panel_width;
        row.residual = row.out;
      }
    }
  }
  const winograd_out_function out = a->pooled ? call->functions->pooled : call->functions->out;
  for (int64_t v = 0; v < blocks; v++)
    out(call, block + v, chunk * call->layout.chunk, count,
        products + v * call->layout.chunk * FORGE_LANES);
}

/* All three stages, chunk by chunk. */
FORGE_KERNEL(winograd) {
  const winograd_call call = winograd_call_of(arguments, frame);
  const forge_winograd_arguments *a = call.a;
  float *transformed = forge_origin(&a->transformed, frame) + frame->worker * a->transformed_worker;
  for (int64_t chunk = first; chunk < last; chunk++) {
    for (int64_t block = 0; block < call.layout.phases * call.in_blocks; block++)
      winograd_transform(&call, chunk, block, transformed);
    for (int64_t panel = 0; panel < call.panels; panel++)
      winograd_multiply(&call, panel, chunk, transformed);
  }
}

/* Returns where the transformed input of a chunk is if that of the whole image is kept. */
static float *winograd_chunk(const winograd_call *call, int64_t chunk) {
  return forge_origin(&call->a->transformed, call->frame) +
    chunk * call->layout.points * call->layout.transformed_point;
}

/* The first stage of a whole image. Tiles: chunk * input blocks (of all phases) + block. */
FORGE_KERNEL(winograd_input) {
  const winograd_call call = winograd_call_of(arguments, frame);
  const int64_t blocks = call.layout.phases * call.in_blocks;
  for (int64_t tile = first; tile < last; tile++)
    winograd_transform(&call, tile / blocks, tile % blocks, winograd_chunk(&call, tile / blocks));
}

/* The other stages, after winograd_input. Tiles: panel * chunks + chunk. */
FORGE_KERNEL(winograd_output) {
  const winograd_call call = winograd_call_of(arguments, frame);
  const int64_t chunks = call.layout.chunks;
  for (int64_t tile = first; tile < last; tile++)
    winograd_multiply(&call, tile / chunks, tile % chunks, winograd_chunk(&call, tile % chunks));
}
