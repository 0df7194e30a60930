/* Convolution of bytes: the micro-kernel of convolution.h on quads of channels.
 *
 * A tile is up to FORGE_BYTE_ROWS_v output pixels by v vectors of 16 outputs. AVX-512 computes all
 * vectors of a panel at once, the others one at a time. */

/* One row of output of one panel. Distances are in bytes. */
typedef struct {
  const uint8_t *in;           /* the first pixel of the row's first window */
  const int8_t *weights;       /* of the panel */
  int64_t tap_row, tap_column; /* from one tap of the window to the next */
  int64_t pixel;               /* from one output pixel's window to the next */
  int64_t in_block;
  int64_t kernel_height, kernel_width;
  int64_t whole_blocks, rest; /* blocks of 16 quads, and the quads of the partial block */
  int64_t skipped;            /* bytes of weights after the quads of the partial block */
  int64_t width;              /* outputs of the panel, in whole vectors */
  int64_t output;             /* the panel's first */
  int64_t y;
  int64_t out_width; /* pixels of a row of the image: with `flat` the row here is longer */
  uint8_t *out;      /* pixel 0 of the panel, if the output is bytes */
  int64_t out_skip;  /* with `flat`, bytes between the end of a row and the next row */
  const float *scales;
  const int32_t *biases;
  byte_rule end;
  bool plain; /* sums become bytes without further terms */
  const forge_quantized_convolution_arguments *a;
  const forge_frame *frame;
  const int8_t *next; /* weights to fetch meanwhile */
  int64_t next_lines; /* cache lines of them per four quads of a tile */
} quad_row;

#if FORGE_BYTE_VECTORS > 1
#define FORGE_BYTE_MOST_ROWS 14
#else
#define FORGE_BYTE_MOST_ROWS FORGE_BYTE_ROWS_1
#endif

typedef v16i quad_sums[FORGE_BYTE_MOST_ROWS][FORGE_BYTE_VECTORS];

/* ---- the ends of sums that are not plain ---- */

/* The sum of the inputs of the window of pixel x. */
static uint32_t sum_of_inputs(const quad_row *row, int64_t x) {
  const forge_quantized_convolution_arguments *a = row->a;
  uint32_t sum = 0;
  for (int64_t ky = 0; ky < a->kernel_height; ky++)
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const uint8_t *at =
        row->in + x * row->pixel + ky * row->tap_row + kx * a->dilation_x * (int64_t)a->pixel_bytes;
      for (int64_t c = 0; c < a->in.channels; c += FORGE_BYTE_LANES, at += row->in_block) {
        const int64_t lanes = forge_smaller(FORGE_BYTE_LANES, a->in.channels - c);
        for (int64_t lane = 0; lane < lanes; lane++) sum += at[lane];
      }
    }
  return sum;
}

/* Stores the sums of a vector of outputs, output ... output + 15, of pixel (y, x) in the form of
 * the end. `inputs`: of sum_of_inputs. */
static void finish_vector(const quad_row *row, v16i sum, int64_t output, int64_t y, int64_t x,
                          uint32_t inputs) {
  const forge_sum_end *end = &row->a->end;
  const forge_frame *frame = row->frame;
  const forge_view *view = &row->a->out;
  const int64_t lanes = view->channels - output;
  v16 factor = end->scales ? load(end->scales + output) : splat(0);
  if (end->weight_zeros)
    sum = wrapping_sum(sum,
                       wrapping_product(load_integers(end->weight_zeros + output),
                                        splat_word((int32_t)(0 - inputs))));
  if (end->has_range) {
    const int64_t at = (y * view->width + x) * end->range_step;
    const forge_quantization q = forge_quantization_at(&end->range, frame, at);
    sum = wrapping_sum(sum,
                       wrapping_product(load_integers(end->totals + output),
                                        splat_word((int32_t)(0 - (uint32_t)q.zero))));
    if (end->form == FORGE_SUMS_TO_FLOATS) factor = splat(q.scale) * factor;
  }
  if (end->form == FORGE_SUMS_TO_BYTES) {
    const v16 f = floats_of(sum) * factor;
    store_bytes(forge_byte_row(view, frame, output / FORGE_BYTE_LANES, y) + x * FORGE_BYTE_LANES +
                  output % FORGE_BYTE_LANES,
                &f, 1, row->end);
    return;
  }
  const int64_t block = output / FORGE_LANES;
  float *to = forge_row(view, frame, block, y) + x * FORGE_LANES;
  if (end->form == FORGE_SUMS_AS_INTEGERS) {
    store_integers(to, sum & first_lanes(lanes));
    return;
  }
  v16 value = floats_of(sum) * factor;
  if (end->offsets) value += load(end->offsets + output);
  if (end->epilogue.has_residual)
    value += load(forge_row(&end->epilogue.residual, frame, block, y) + x * FORGE_LANES);
  const forge_activation *activation = &end->epilogue.activation;
  if (activation->kind == FORGE_CLAMP)
    value = clamp(value, splat(activation->a), splat(activation->b));
  store(to, keep(first_lanes(lanes), value));
  if (activation->kind != FORGE_CLAMP && activation->kind != FORGE_LINEAR)
    FORGE_ACTIVATE_PIXELS(to, to, 1, lanes, activation);
}

/* Stores the sums of pixels x ..< x + rows, [rows][vectors][16], of the panel's vectors from
 * `vector` on. */
static __attribute__((noinline)) void finish_sums(const quad_row *row, const v16i *sums, int64_t x,
                                                  int64_t rows, int64_t vector, int64_t vectors) {
  const bool needs_inputs = row->a->end.weight_zeros != NULL;
  for (int64_t r = 0; r < rows; r++) {
    const int64_t y = row->y + (x + r) / row->out_width, column = (x + r) % row->out_width;
    const uint32_t inputs = needs_inputs ? sum_of_inputs(row, x + r) : 0;
    for (int64_t v = 0; v < vectors; v++)
      finish_vector(row, sums[r * vectors + v], row->output + (vector + v) * FORGE_LANES, y, column,
                    inputs);
  }
}

/* ---- tiles ---- */

/* Prefetches weights, at least a line: see convolution.h. */
FORGE_INLINE void fetch_bytes(const int8_t *next, int64_t lines) {
  __builtin_prefetch(next, 0, 2);
#pragma clang loop unroll(disable)
  for (int64_t line = 1; line < lines; line++)
    __builtin_prefetch(next + line * FORGE_BYTE_LANES, 0, 2);
}

#if FORGE_HAS_MATRICES
#include "quad_matrices.h"
#else
/* Adds the products of one quad of each pixel. */
FORGE_INLINE void add_quad(quad_sums sum, const uint8_t *at, int64_t pixel, const int8_t *weights,
                           const int rows, const int vectors) {
  quad_weights w[FORGE_BYTE_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++)
    w[v] = weights_of(load_integers(weights + v * FORGE_BYTE_LANES));
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const quad_inputs x = inputs_of(splat_quad(at + r * pixel));
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) sum[r][v] = add_quads(sum[r][v], x, w[v]);
  }
}

/* Adds the products of pixels x ..< x + rows, `pixel` apart, and vectors `vector` ..< vector +
 * vectors of the panel. rows and vectors are constants. */
FORGE_INLINE void add_products(const quad_row *row, int64_t x, int64_t vector, int64_t pixel,
                               quad_sums sum, const int rows, const int vectors) {
  const int64_t quad =
    FORGE_BYTE_VECTORS > 1 ? vectors * FORGE_BYTE_LANES : row->width * FORGE_QUAD;
  const int8_t *weights = row->weights + vector * FORGE_BYTE_LANES;
  const int8_t *next = row->next;
  const int64_t next_lines = row->next_lines;
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const uint8_t *at = row->in + x * pixel + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block < row->whole_blocks; block++, at += row->in_block) {
#pragma clang loop unroll(disable)
        for (int part = 0; part < FORGE_BLOCK_QUADS; part += 4) {
          fetch_bytes(next, next_lines);
          next += next_lines * FORGE_BYTE_LANES;
#pragma clang loop unroll(full)
          for (int q = 0; q < 4; q++)
            add_quad(sum, at + (part + q) * FORGE_QUAD, pixel, weights + q * quad, rows, vectors);
          weights += 4 * quad;
        }
      }
#pragma clang loop unroll(disable)
      for (int64_t q = 0; q < row->rest; q++, weights += quad)
        add_quad(sum, at + q * FORGE_QUAD, pixel, weights, rows, vectors);
      weights += row->skipped;
    }
  }
}
#endif

/* Computes pixels x ..< x + rows, vectors `vector` ..< vector + vectors of the panel. rows, vectors
 * and spacing (row->pixel, or 0 if unknown) are constants. */
FORGE_INLINE void quad_tile(const quad_row *row, int64_t x, int64_t vector, const int rows,
                            const int vectors, const int spacing) {
  quad_sums sum;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) {
    const v16i bias = load_integers(row->biases + (vector + v) * FORGE_LANES);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) sum[r][v] = bias;
  }
  add_products(row, x, vector, spacing > 0 ? spacing : row->pixel, sum, rows, vectors);
  if (!row->plain) {
    v16i all[FORGE_BYTE_MOST_ROWS * FORGE_BYTE_VECTORS];
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
      for (int v = 0; v < vectors; v++) all[r * vectors + v] = sum[r][v];
    finish_sums(row, all, x, rows, vector, vectors);
    return;
  }
  /* The place of each pixel. A tile may pass the end of a row. */
  uint8_t *out = row->out + x * FORGE_BYTE_LANES + vector * FORGE_LANES;
  int64_t column = 0;
  if (row->out_skip != 0) {
    out += x / row->out_width * row->out_skip;
    column = x % row->out_width;
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    v16 f[FORGE_BYTE_VECTORS];
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++)
      f[v] = floats_of(sum[r][v]) * load(row->scales + (vector + v) * FORGE_LANES);
    store_bytes(out, f, vectors, row->end);
    out += FORGE_BYTE_LANES;
    if (row->out_skip != 0 && ++column == row->out_width) {
      column = 0;
      out += row->out_skip;
    }
  }
}

typedef void (*quad_tile_function)(const quad_row *row, int64_t x, int64_t vector);

/* The tiles of one number of vectors: of windows at any distance, and of adjacent pixels. */
typedef struct {
  int64_t most_rows;
  quad_tile_function of[2][FORGE_BYTE_MOST_ROWS];
} quad_tiles;

#if FORGE_BYTE_VECTORS > 1
#define FORGE_BYTE_SHAPES(X)     \
  X(bytes, FORGE_BYTE_ROWS_1, 1) \
  X(bytes, FORGE_BYTE_ROWS_2, 2) X(bytes, FORGE_BYTE_ROWS_3, 3) X(bytes, FORGE_BYTE_ROWS_4, 4)
#else
#define FORGE_BYTE_SHAPES(X) X(bytes, FORGE_BYTE_ROWS_1, 1)
#endif

#define FORGE_BYTE_UP_TO(X, name, n, v) FORGE_BYTE_UP_TO_(X, name, n, v)
#define FORGE_BYTE_UP_TO_(X, name, n, v) FORGE_BYTE_UP_TO_##n(X, name, v)
#define FORGE_BYTE_UP_TO_1(X, name, v) X(name, 1, v)
#define FORGE_BYTE_UP_TO_2(X, name, v) FORGE_BYTE_UP_TO_1(X, name, v) X(name, 2, v)
#define FORGE_BYTE_UP_TO_3(X, name, v) FORGE_BYTE_UP_TO_2(X, name, v) X(name, 3, v)
#define FORGE_BYTE_UP_TO_4(X, name, v) FORGE_BYTE_UP_TO_3(X, name, v) X(name, 4, v)
#define FORGE_BYTE_UP_TO_6(X, name, v) FORGE_BYTE_UP_TO_4(X, name, v) X(name, 5, v) X(name, 6, v)
#define FORGE_BYTE_UP_TO_8(X, name, v) FORGE_BYTE_UP_TO_6(X, name, v) X(name, 7, v) X(name, 8, v)
#define FORGE_BYTE_UP_TO_12(X, name, v) \
  FORGE_BYTE_UP_TO_8(X, name, v)        \
  X(name, 9, v) X(name, 10, v) X(name, 11, v) X(name, 12, v)
#define FORGE_BYTE_UP_TO_14(X, name, v) \
  FORGE_BYTE_UP_TO_12(X, name, v) X(name, 13, v) X(name, 14, v)

#define FORGE_BYTE_TILE(name, rows, vectors)                                                       \
  static void name##_strided_##rows##x##vectors(const quad_row *row, int64_t x, int64_t vector) {  \
    quad_tile(row, x, vector, rows, vectors, 0);                                                   \
  }                                                                                                \
  static void name##_adjacent_##rows##x##vectors(const quad_row *row, int64_t x, int64_t vector) { \
    quad_tile(row, x, vector, rows, vectors, FORGE_BYTE_LANES);                                    \
  }
#define FORGE_BYTE_TILE_NAME(name, rows, vectors) name##_##rows##x##vectors,
#define FORGE_BYTE_TILES_UP_TO(name, n, v) FORGE_BYTE_UP_TO(FORGE_BYTE_TILE, name, n, v)
#define FORGE_BYTE_TILE_ENTRY(name, n, v)                           \
  {n,                                                               \
   {{FORGE_BYTE_UP_TO(FORGE_BYTE_TILE_NAME, name##_strided, n, v)}, \
    {FORGE_BYTE_UP_TO(FORGE_BYTE_TILE_NAME, name##_adjacent, n, v)}}},

FORGE_BYTE_SHAPES(FORGE_BYTE_TILES_UP_TO)
static const quad_tiles quad_tile_table[FORGE_BYTE_VECTORS] = {
  FORGE_BYTE_SHAPES(FORGE_BYTE_TILE_ENTRY)};

/* ---- rows ---- */

/* Cuts pixels first ..< last of a row into tiles of nearly equal size, the larger ones first, and
 * fetches `lines` lines of weights from `next` on meanwhile. */
static void convolve_bytes(quad_row *row, int64_t first, int64_t last, const int8_t *next,
                           int64_t lines) {
  const int64_t width = last - first, vectors = row->width / FORGE_LANES;
  const int64_t at_once = FORGE_BYTE_VECTORS > 1 ? vectors : 1;
  const quad_tiles *tiles = &quad_tile_table[at_once - 1];
  const int64_t count = forge_quotient_up(width, tiles->most_rows);
  if (count == 0) return;
  const int64_t rows = width / count, larger = width % count;
  const quad_tile_function *of = tiles->of[row->pixel == FORGE_BYTE_LANES];
  const int64_t calls = count * (vectors / at_once);
  const int64_t groups = calls * row->kernel_height * row->kernel_width * row->whole_blocks * 4;
  row->next_lines =
    next && groups > 0 && calls > 1 ? forge_smaller(forge_quotient_up(lines, groups), 8) : 0;
  const int64_t call_bytes = next ? forge_quotient_up(lines, calls) * FORGE_BYTE_LANES : 0;
  row->next = next ? next : row->weights;
  /* With one vector after another, the first-level cache keeps a vector's weights. */
  for (int64_t vector = 0; vector < vectors; vector += at_once)
    for (int64_t tile = 0, x = first; tile < count; tile++, row->next += call_bytes) {
      const int64_t pixels = rows + (tile < larger);
      of[pixels - 1](row, x, vector);
      x += pixels;
    }
}

/* Sets what all rows share. */
static quad_row quad_row_of(const forge_quantized_convolution_arguments *a,
                            const forge_frame *frame) {
  const forge_sum_end *end = &a->end;
  const int64_t quads = forge_quotient_up(a->in.channels, FORGE_QUAD);
  quad_row row = {
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * a->pixel_bytes,
    .pixel = (int64_t)a->stride_x * a->pixel_bytes,
    .in_block = a->in.block_stride,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .whole_blocks = quads / FORGE_BLOCK_QUADS,
    .rest = quads % FORGE_BLOCK_QUADS,
    .out_width = a->out.width,
    .out_skip = a->flat ? a->out.row_stride - (int64_t)a->out.width * FORGE_BYTE_LANES : 0,
    .end = {end->zero, end->low, end->high},
    .plain = end->form == FORGE_SUMS_TO_BYTES && !end->has_range && !end->weight_zeros,
    .a = a,
    .frame = frame,
  };
  if (a->pixel_bytes == FORGE_SMALL_PIXEL && a->dilation_x == 1) {
    /* The pixels of a row of the window are adjacent quads: one long tap. */
    row.rest = a->kernel_width;
    row.kernel_width = 1;
  }
  return row;
}

/* Computes the tiles first ..< last. `convolve` computes pixels of a row. */
FORGE_INLINE void convolve_byte_image(const forge_quantized_convolution_arguments *a,
                                      const forge_frame *frame, int64_t first, int64_t last,
                                      void (*const convolve)(quad_row *row, int64_t first,
                                                             int64_t last, const int8_t *next,
                                                             int64_t lines)) {
  quad_row row = quad_row_of(a, frame);
  const int64_t tap_quads = forge_tap_quads(a->in.channels, a->pixel_bytes);
  const int64_t quads = (int64_t)a->kernel_height * a->kernel_width * tap_quads;
  const int64_t panel_bytes = quads * FORGE_QUAD * FORGE_BYTE_LANES;
  const int64_t width = a->flat ? (int64_t)a->out.width * a->out.height : a->out.width;
  const int64_t segments = forge_larger(a->segments, 1);
  const int64_t parts = (a->flat ? 1 : a->out.height) * segments;
  const bool has_bytes = a->end.form == FORGE_SUMS_TO_BYTES;
#if FORGE_SIGNED_QUADS
  int64_t folded_panel = -1;
  int32_t folded[FORGE_BYTE_LANES];
#endif
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / parts, part = tile % parts, segment = part % segments;
    const int64_t y = part / segments;
    row.y = y;
    row.in = forge_byte_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) -
      (int64_t)a->pad_left * a->pixel_bytes;
    row.output = panel * FORGE_BYTE_LANES;
    row.width = forge_panel_width(a->out.channels, panel);
    row.skipped = row.rest > 0 && a->pixel_bytes == FORGE_BYTE_LANES
      ? (FORGE_BLOCK_QUADS - row.rest) * row.width * FORGE_QUAD
      : 0;
    row.weights = a->weights + panel * panel_bytes;
    row.biases = a->end.biases + row.output;
#if FORGE_SIGNED_QUADS
    if (panel != folded_panel) fold_excess(folded, row.biases, row.weights, quads, row.width);
    folded_panel = panel;
    row.biases = folded;
#endif
    row.scales = a->end.scales ? a->end.scales + row.output : NULL;
    row.out = has_bytes ? forge_byte_row(&a->out, frame, panel, y) : NULL;
    /* Each part of the image prefetches its share of the next panel, or of the next step. */
    const int64_t left = a->out.channels - row.output - row.width;
    const int8_t *next = left > 0 ? row.weights + panel_bytes : a->next;
    const int64_t next_bytes =
      left > 0 ? quads * FORGE_QUAD * forge_panel_width(a->out.channels, panel + 1) : a->next_bytes;
    const int64_t lines = next_bytes / FORGE_BYTE_LANES;
    const int64_t begin = lines * part / parts, end = lines * (part + 1) / parts;
    convolve(&row, width * segment / segments, width * (segment + 1) / segments,
             next ? next + begin * FORGE_BYTE_LANES : NULL, end - begin);
  }
}

#ifndef FORGE_TILE_PRODUCTS
FORGE_KERNEL(quantized_convolution) {
  convolve_byte_image(arguments, frame, first, last, convolve_bytes);
}
#endif
