/* Convolution: the micro-kernel and its tiles.
 *
 * A tile is up to FORGE_TILE_ROWS_v output pixels of a row by v vectors of 16 output channels. Its
 * sums stay in registers. For each input channel it loads v vectors of weights, broadcasts each
 * pixel's number, and adds the products to v sums. AVX-512 computes all vectors of a panel at once,
 * the others one at a time. If the last vector holds at most 8 channels, as with 20 or 50, its
 * products use half the width. That takes half the time on AVX2, and on processors that execute 512
 * bits in two units of 256 (Zen 4).
 *
 * A sum starts with 0 (or with the sum of an earlier product), adds ky, kx, channel in order, and
 * the bias last. Its bits do not depend on the tile. */

/* One row of output of one panel. Distances are in floats. */
typedef struct {
  const float *in;             /* the first pixel of the row's first window: [16] */
  const float *weights;        /* [ky][kx][channels][panel_width] */
  const float *bias;           /* [panel_width], or NULL: nothing */
  const float *start;          /* what sums start with, laid out as `out`; or NULL */
  float *out;                  /* pixel 0 of the panel's first block: [16] */
  const float *residual;       /* likewise, or NULL */
  int64_t tap_row, tap_column; /* from one tap of the window to the next */
  int64_t pixel;               /* from one output pixel's window to the next */
  int64_t in_block, out_block, residual_block, start_block; /* from one block to the next */
  int64_t kernel_height, kernel_width;
  int64_t whole_blocks, rest; /* input channels: blocks of 16, and those of the partial block */
  int64_t panel_width;
  int64_t channels; /* output channels from the panel's first on; more than it holds, maybe */
  finish end;
  bool plain; /* sums, and the residual, are stored as they are, in all vectors of the panel */
  bool half;  /* the panel's last vector holds at most 8 channels */
  const float *next;  /* weights to fetch meanwhile */
  int64_t next_lines; /* cache lines of them per four input channels, or words, of a tile */
  /* For words only: see word_convolution.h. */
  const float *scales;
  const int32_t *totals;
  const int32_t *ranges;
  int64_t range_step;
  int64_t out_width, out_skip, residual_skip;
} convolution_row;

#if FORGE_TILE_VECTORS > 1
#define FORGE_MOST_ROWS 14
#else
#define FORGE_MOST_ROWS FORGE_TILE_ROWS_1
#endif

typedef v16 sums[FORGE_MOST_ROWS][FORGE_TILE_VECTORS];

/* The sums of a tile. A half vector has sums of its own, which need registers of their own. */
typedef struct {
  sums whole;
  v8 half[FORGE_MOST_ROWS];
} tile_sums;

typedef v16 (*sum_product)(v16 sum, v16 x, v16 weights);

FORGE_INLINE v16 add_channel_product(v16 sum, v16 x, v16 weights) {
  return multiply_add(x, weights, sum);
}

/* Adds the products of one number of each pixel. at: the number of pixel 0; the next pixel is
 * `pixel` floats further. weights: [vectors][16]. */
FORGE_INLINE void add_numbers(sums sum, const float *at, int64_t pixel, const float *weights,
                              const int rows, const int vectors, const sum_product add) {
  v16 w[FORGE_TILE_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) w[v] = load(weights + v * FORGE_LANES);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const v16 x = splat(at[r * pixel]);
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) sum[r][v] = add(sum[r][v], x, w[v]);
  }
}

/* Adds one input channel, with half of the last vector if `half`. The assembly hides that its
 * numbers are loaded twice; otherwise the compiler would broadcast once and shuffle. */
FORGE_INLINE void add_channel_to(tile_sums *sum, const float *at, int64_t pixel,
                                 const float *weights, const int rows, const int vectors,
                                 const bool half) {
  if (!half) {
    add_numbers(sum->whole, at, pixel, weights, rows, vectors, add_channel_product);
    return;
  }
  v16 w[FORGE_TILE_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors - 1; v++) w[v] = load(weights + v * FORGE_LANES);
  const v8 last = load_half(weights + (vectors - 1) * FORGE_LANES);
  const float *again = at;
  __asm__("" : "+r"(again));
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const v16 x = splat(at[r * pixel]);
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors - 1; v++)
      sum->whole[r][v] = multiply_add(x, w[v], sum->whole[r][v]);
    sum->half[r] = multiply_add_half(splat_half(again[r * pixel]), last, sum->half[r]);
  }
}

/* Prefetches weights into the second-level cache. Each prediction uses them once, so they come from
 * far away. The first line is fetched even if `lines` is 0, so `next` has to be valid. There is
 * nearly always one line: a loop that the compiler unrolls would cost AVX2's tiles 5 to 9 % of
 * their time, and the first line within the loop 1 %. */
FORGE_INLINE void fetch(const float *next, int64_t lines) {
  __builtin_prefetch(next, 0, 2);
#pragma clang loop unroll(disable)
  for (int64_t line = 1; line < lines; line++) __builtin_prefetch(next + line * FORGE_LANES, 0, 2);
}

/* Adds the bias, last: with a large bias in the sum from the beginning, every rounding error would
 * be relative to the bias. */
FORGE_INLINE void add_bias(const convolution_row *row, sums sum, int64_t vector, const int rows,
                           const int vectors) {
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    const v16 bias = load(row->bias + (vector + v) * FORGE_LANES);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] += bias;
  }
}

/* Stores the sums of pixels x ..< x + rows, vectors `vector` ..< vector + vectors of the panel. */
FORGE_INLINE void finish_tile(const convolution_row *row, sums sum, int64_t x, int64_t vector,
                              const int rows, const int vectors) {
  float *out = row->out + vector * row->out_block + x * FORGE_LANES;
  const float *residual =
    row->residual ? row->residual + vector * row->residual_block + x * FORGE_LANES : NULL;
  if (row->plain) {
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) {
      if (residual) {
#pragma clang loop unroll(full)
        for (int r = 0; r < rows; r++)
          sum[r][v] += load(residual + v * row->residual_block + r * FORGE_LANES);
      }
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++) store(out + v * row->out_block + r * FORGE_LANES, sum[r][v]);
    }
    return;
  }
  const v16 low = splat(row->end.low), high = splat(row->end.high);
  const int64_t channels = row->channels - vector * FORGE_LANES;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    /* The last panel may reach past the last block. Nothing is stored there. */
    if (v * FORGE_LANES >= channels) break;
    const v16i mask = first_lanes(channels - v * FORGE_LANES);
    if (residual) {
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++)
        sum[r][v] += load(residual + v * row->residual_block + r * FORGE_LANES);
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++)
      store(out + v * row->out_block + r * FORGE_LANES, keep(mask, clamp(sum[r][v], low, high)));
  }
  if (row->end.further) {
    for (int v = 0; v < vectors && v * FORGE_LANES < channels; v++, out += row->out_block)
      activate(out, out, rows, channels - v * FORGE_LANES, row->end.further);
  }
}

/* Computes pixels x ..< x + rows, vectors `vector` ..< vector + vectors of the panel. The constants
 * rows, vectors, spacing (row->pixel, or 0 if unknown) and half (the last vector is half) let all
 * sums have registers and all distances be immediate. one_tap, a constant too, says that the window
 * is a pixel. */
FORGE_INLINE void convolve_tile(const convolution_row *row, int64_t x, int64_t vector,
                                const int rows, const int vectors, const int spacing,
                                const bool one_tap, const bool half) {
  const int64_t pixel = spacing > 0 ? spacing : row->pixel;
  const int64_t kernel_height = one_tap ? 1 : row->kernel_height;
  const int64_t kernel_width = one_tap ? 1 : row->kernel_width;
  const int64_t panel_width = FORGE_TILE_VECTORS > 1 ? vectors * FORGE_LANES : row->panel_width;
  const float *weights = row->weights + vector * FORGE_LANES;
  const float *next = row->next;
  const int64_t next_lines = row->next_lines;
  tile_sums sum;

  if (row->start) {
    const float *start = row->start + vector * row->start_block + x * FORGE_LANES;
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++)
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++)
        sum.whole[r][v] = load(start + v * row->start_block + r * FORGE_LANES);
  } else {
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) {
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++) {
        if (half && v == vectors - 1)
          sum.half[r] = (v8){0};
        else
          sum.whole[r][v] = splat(0);
      }
    }
  }

  for (int64_t ky = 0; ky < kernel_height; ky++) {
    for (int64_t kx = 0; kx < kernel_width; kx++) {
      const float *at = row->in + x * pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block < row->whole_blocks; block++) {
#pragma clang loop unroll(disable)
        for (int quarter = 0; quarter < FORGE_LANES; quarter += 4) {
          fetch(next, next_lines);
          next += next_lines * FORGE_LANES;
#pragma clang loop unroll(full)
          for (int lane = 0; lane < 4; lane++)
            add_channel_to(&sum, at + quarter + lane, pixel, weights + lane * panel_width, rows,
                           vectors, half);
          weights += 4 * panel_width;
        }
        at += row->in_block;
      }
      /* Padded lanes add nothing and are skipped. */
#pragma clang loop unroll(disable)
      for (int64_t lane = 0; lane < row->rest; lane++)
        add_channel_to(&sum, at + lane, pixel, weights + lane * panel_width, rows, vectors, half);
      if (row->rest > 0) weights += FORGE_LANES * panel_width;
    }
  }

  if (half) {
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum.whole[r][vectors - 1] = widened(sum.half[r]);
  }
  if (row->bias) add_bias(row, sum.whole, vector, rows, vectors);
  finish_tile(row, sum.whole, x, vector, rows, vectors);
}

/* ---- one function per tile ---- */

typedef void (*convolution_tile)(const convolution_row *row, int64_t x, int64_t vector);

/* What is known of the windows of a row's pixels: nothing; that they are as far apart as pixels in
 * memory; besides, that they are one pixel each. */
typedef enum { FORGE_STRIDED, FORGE_ADJACENT, FORGE_POINTWISE, FORGE_WINDOWS } window_kind;

/* The tiles of one number of vectors: functions for 1 ... most_rows pixels. */
typedef struct {
  int64_t most_rows;
  convolution_tile of[FORGE_WINDOWS][FORGE_MOST_ROWS];
} convolution_tiles;

/* X(name, n, v) for each number of vectors v of a tile, whose most pixels are n. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_TILE_SHAPES(X, name) \
  X(name, FORGE_TILE_ROWS_1, 1)    \
  X(name, FORGE_TILE_ROWS_2, 2) X(name, FORGE_TILE_ROWS_3, 3) X(name, FORGE_TILE_ROWS_4, 4)
#else
#define FORGE_TILE_SHAPES(X, name) X(name, FORGE_TILE_ROWS_1, 1)
#endif

/* X(name, 1, v) ... X(name, n, v) */
#define FORGE_UP_TO(X, name, n, v) FORGE_UP_TO_(X, name, n, v)
#define FORGE_UP_TO_(X, name, n, v) FORGE_UP_TO_##n(X, name, v)
#define FORGE_UP_TO_2(X, name, v) X(name, 1, v) X(name, 2, v)
#define FORGE_UP_TO_4(X, name, v) FORGE_UP_TO_2(X, name, v) X(name, 3, v) X(name, 4, v)
#define FORGE_UP_TO_6(X, name, v) FORGE_UP_TO_4(X, name, v) X(name, 5, v) X(name, 6, v)
#define FORGE_UP_TO_8(X, name, v) FORGE_UP_TO_6(X, name, v) X(name, 7, v) X(name, 8, v)
#define FORGE_UP_TO_14(X, name, v) \
  FORGE_UP_TO_8(X, name, v)        \
  X(name, 9, v) X(name, 10, v) X(name, 11, v) X(name, 12, v) X(name, 13, v) X(name, 14, v)

/* Defines the functions of all tiles, and their table, of a function
 * <name>_tile(row, x, vector, rows, vectors, windows). */
#define FORGE_TILE(name, rows, vectors)                                                  \
  static void name##_strided_##rows##x##vectors(const convolution_row *row, int64_t x,   \
                                                int64_t vector) {                        \
    name##_tile(row, x, vector, rows, vectors, FORGE_STRIDED);                           \
  }                                                                                      \
  static void name##_adjacent_##rows##x##vectors(const convolution_row *row, int64_t x,  \
                                                 int64_t vector) {                       \
    name##_tile(row, x, vector, rows, vectors, FORGE_ADJACENT);                          \
  }                                                                                      \
  static void name##_pointwise_##rows##x##vectors(const convolution_row *row, int64_t x, \
                                                  int64_t vector) {                      \
    name##_tile(row, x, vector, rows, vectors, FORGE_POINTWISE);                         \
  }
#define FORGE_TILE_NAME(name, rows, vectors) name##_##rows##x##vectors,
#define FORGE_TILES_UP_TO(name, n, v) FORGE_UP_TO(FORGE_TILE, name, n, v)
#define FORGE_TILE_ENTRY(name, n, v)                       \
  {n,                                                      \
   {{FORGE_UP_TO(FORGE_TILE_NAME, name##_strided, n, v)},  \
    {FORGE_UP_TO(FORGE_TILE_NAME, name##_adjacent, n, v)}, \
    {FORGE_UP_TO(FORGE_TILE_NAME, name##_pointwise, n, v)}}},
#define FORGE_TILE_TABLE(name)                                        \
  FORGE_TILE_SHAPES(FORGE_TILES_UP_TO, name)                          \
  static const convolution_tiles name##_tiles[FORGE_TILE_VECTORS] = { \
    FORGE_TILE_SHAPES(FORGE_TILE_ENTRY, name)};

FORGE_INLINE void whole_tile(const convolution_row *row, int64_t x, int64_t vector, const int rows,
                             const int vectors, const window_kind windows) {
  convolve_tile(row, x, vector, rows, vectors, windows == FORGE_STRIDED ? 0 : FORGE_LANES,
                windows == FORGE_POINTWISE, false);
}

FORGE_INLINE void half_tile(const convolution_row *row, int64_t x, int64_t vector, const int rows,
                            const int vectors, const window_kind windows) {
  convolve_tile(row, x, vector, rows, vectors, windows == FORGE_STRIDED ? 0 : FORGE_LANES,
                windows == FORGE_POINTWISE, true);
}

FORGE_TILE_TABLE(whole)
FORGE_TILE_TABLE(half)

/* Returns what is known of the windows of a row whose pixels take `adjacent` floats in memory. */
FORGE_INLINE window_kind windows_of(const convolution_row *row, int64_t adjacent) {
  if (row->pixel != adjacent) return FORGE_STRIDED;
  return row->kernel_height == 1 && row->kernel_width == 1 ? FORGE_POINTWISE : FORGE_ADJACENT;
}

/* Whether a panel exceeds its channels by half a vector or more. */
FORGE_INLINE bool ends_in_half(int64_t panel_width, int64_t channels) {
  return panel_width - channels >= FORGE_LANES / 2;
}

/* Whether the last of `at_once` vectors from `vector` on is half. */
FORGE_INLINE bool is_half(const convolution_row *row, int64_t vector, int64_t at_once) {
  return row->half && vector + at_once == row->panel_width / FORGE_LANES;
}

FORGE_INLINE const convolution_tiles *tiles_of(const convolution_row *row, int64_t vector,
                                               int64_t at_once) {
  return (is_half(row, vector, at_once) ? half_tiles : whole_tiles) + at_once - 1;
}

/* ---- one pixel, as a dense layer has ---- */

/* One input channel of a panel. */
FORGE_INLINE void add_weights(v16 *sum, v16 x, const char *weights, const int vectors,
                              const forge_weight_form form) {
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++)
    sum[v] = multiply_add(x, load_weights(weights, v, form), sum[v]);
}

/* Stores scale * sum + bias, and what follows, for as many vectors at once as `sums` holds. scales:
 * NULL for floats. */
FORGE_INLINE void finish_pixel(const convolution_row *row, const v16 *sum, const float *scales,
                               const int all, const int at_once, const forge_weight_form form) {
#pragma clang loop unroll(full)
  for (int v = 0; v < all; v += at_once) {
    sums some;
#pragma clang loop unroll(full)
    for (int i = 0; i < at_once; i++) {
      v16 one = sum[v + i];
      if (form != FORGE_WEIGHTS_FLOATS) one *= load(scales + (v + i) * FORGE_LANES);
      if (form == FORGE_WEIGHTS_FIXED) one *= 1 / FORGE_FIXED_INPUT_SCALE;
      some[0][i] = one + load(row->bias + (v + i) * FORGE_LANES);
    }
    finish_tile(row, some, 0, v, 1, at_once);
  }
}

/* One pixel of `panels` panels of `vectors` vectors, panel_bytes apart. Each weight is used once,
 * so reading them limits the speed, and two streams are read faster than one. */
FORGE_INLINE void one_pixel(const convolution_row *row, const char *weights, int64_t panel_bytes,
                            const float *scales, const int panels, const int vectors,
                            const forge_weight_form form) {
  const int64_t bytes = vectors * FORGE_LANES * forge_weight_bits(form) / 8; /* of a channel */
  v16 sum[2 * 4];
#pragma clang loop unroll(full)
  for (int v = 0; v < panels * vectors; v++) sum[v] = splat(0);
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block <= row->whole_blocks; block++, at += row->in_block) {
        const int64_t lanes = block < row->whole_blocks ? FORGE_LANES : row->rest;
#pragma clang loop unroll_count(4)
        for (int64_t lane = 0; lane < lanes; lane++) {
          const char *here = weights + lane * bytes;
          const v16 x = splat(at[lane]);
#pragma clang loop unroll(full)
          for (int p = 0; p < panels; p++)
            add_weights(sum + p * vectors, x, here + p * panel_bytes, vectors, form);
        }
        if (lanes > 0) weights += FORGE_LANES * bytes;
      }
    }
  }
  finish_pixel(row, sum, scales, panels * vectors, FORGE_TILE_VECTORS > 1 ? vectors : 1, form);
}

/* One pixel of one or two panels, panel_bytes apart. scales: NULL for floats. */
typedef void (*pixel_function)(const convolution_row *row, const char *weights, int64_t panel_bytes,
                               const float *scales);

#define FORGE_PIXEL(name, form, panels, vectors)                                           \
  static void name##_##panels##_##vectors(const convolution_row *row, const char *weights, \
                                          int64_t panel_bytes, const float *scales) {      \
    one_pixel(row, weights, panel_bytes, scales, panels, vectors, form);                   \
  }
#define FORGE_PIXELS_OF(name, form, panels) \
  FORGE_PIXEL(name, form, panels, 1)        \
  FORGE_PIXEL(name, form, panels, 2)        \
  FORGE_PIXEL(name, form, panels, 3) FORGE_PIXEL(name, form, panels, 4)
#define FORGE_PIXEL_NAMES(name, panels) \
  { name##_##panels##_1, name##_##panels##_2, name##_##panels##_3, name##_##panels##_4 }

/* Defines the functions of a form of weights, and their table <name>s[panels - 1][vectors of a
 * panel - 1]. The sums of one panel take half of the registers of AVX2. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_PIXEL_PANELS 2
#define FORGE_PIXELS(name, form)                                                            \
  FORGE_PIXELS_OF(name, form, 1)                                                            \
  FORGE_PIXELS_OF(name, form, 2)                                                            \
  static const pixel_function name##s[FORGE_PIXEL_PANELS][4] = {FORGE_PIXEL_NAMES(name, 1), \
                                                                FORGE_PIXEL_NAMES(name, 2)};
#else
#define FORGE_PIXEL_PANELS 1
#define FORGE_PIXELS(name, form) \
  FORGE_PIXELS_OF(name, form, 1) \
  static const pixel_function name##s[FORGE_PIXEL_PANELS][4] = {FORGE_PIXEL_NAMES(name, 1)};
#endif

FORGE_PIXELS(float_pixel, FORGE_WEIGHTS_FLOATS)

/* ---- rows ---- */

/* Cuts pixels first ..< last of a row into tiles of nearly equal size, the larger ones first,
 * because a tile of one or two pixels takes almost as long as a full one. With `words` the row's
 * tables are those of words, which take all vectors of a panel at once. */
FORGE_INLINE void convolve_row_of(convolution_row *row, int64_t first, int64_t last,
                                  const float *next, int64_t lines, const convolution_tiles *words,
                                  const int64_t adjacent, const int64_t groups) {
  const int64_t width = last - first;
  const int64_t vectors = row->panel_width / FORGE_LANES;
  const int64_t at_once = FORGE_TILE_VECTORS > 1 ? vectors : 1;
  /* A half vector alone has as many rows as a whole one. */
  const int64_t most_rows = (words ? &words[vectors - 1] : tiles_of(row, 0, at_once))->most_rows;
  const int64_t count = (width + most_rows - 1) / most_rows;
  if (count == 0) return;
  const int64_t rows = width / count, larger = width % count;
  const window_kind windows = windows_of(row, adjacent);
  /* Prefetches are spread over the calls and, in each, over its groups of input channels. */
  const int64_t calls = count * (vectors / at_once);
  const int64_t groups_of_all =
    calls * row->kernel_height * row->kernel_width * row->whole_blocks * groups;
  /* A single tile reads its weights at full speed. A prefetch would compete with it. */
  row->next_lines = next && groups_of_all > 0 && calls > 1
    ? forge_smaller((lines + groups_of_all - 1) / groups_of_all, 8)
    : 0;
  const int64_t call_floats = next ? (lines + calls - 1) / calls * FORGE_LANES : 0;
  row->next = next ? next : row->weights;
#ifdef FORGE_NEAR_FLOATS
  /* With one vector after another the first-level cache keeps a vector's weights, and the inputs
   * from one vector to the next. */
  const int64_t channels = row->kernel_height * row->whole_blocks * FORGE_LANES;
  if (channels * (width + row->kernel_width * FORGE_LANES) <= FORGE_NEAR_FLOATS) {
    for (int64_t vector = 0; vector < vectors && vector * FORGE_LANES < row->channels; vector++) {
      const convolution_tiles *tiles = tiles_of(row, vector, 1);
      for (int64_t tile = 0, x = first; tile < count; tile++, row->next += call_floats) {
        const int64_t pixels = rows + (tile < larger);
        tiles->of[windows][pixels - 1](row, x, vector);
        x += pixels;
      }
    }
    return;
  }
#endif
  for (int64_t tile = 0, x = first; tile < count; tile++) {
    const int64_t pixels = rows + (tile < larger);
    for (int64_t vector = 0; vector < vectors; vector += at_once, row->next += call_floats) {
      if (vector * FORGE_LANES >= row->channels) continue;
      const convolution_tiles *tiles = words ? &words[vectors - 1] : tiles_of(row, vector, at_once);
      tiles->of[windows][pixels - 1](row, x, vector);
    }
    x += pixels;
  }
}
