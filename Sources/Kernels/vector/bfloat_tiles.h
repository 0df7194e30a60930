/* Convolution in bf16 by AMX: products of tiles of 16 pixels by 32 channels and 32 channels by 16
 * outputs.
 *
 * Words and packed weights are tiles as they lie: a pixel of 32 channels is a row of 64 bytes, and
 * 16 pairs of a panel are 16 rows, `panel_width` words apart, of 16 outputs by two channels.
 *
 * A line is a run of windows a fixed distance apart. With stride 1 the rows of an image form one
 * line: the windows past the end of a row are computed, too, and their sums dropped. So a small
 * image fills the tiles. A sum adds ky, kx, channel in order, and the bias last. Its bits do not
 * depend on the tile. */

/* What all lines of a panel share. Distances are in words and in floats. */
typedef struct {
  const forge_convolution_arguments *a;
  const float *weights, *bias, *next; /* weights to fetch meanwhile */
  float *out;                         /* pixel 0 of the line: [16] */
  const float *residual;              /* likewise, or NULL */
  int64_t tap_row, tap_column, pixel, blocks, vectors, panel_width;
  int64_t channels;                    /* output channels from the panel's first on */
  int64_t pitch, width;                /* windows from row to row of the line; those that count */
  int64_t next_lines;                  /* cache lines to fetch per product */
  int64_t first_pixels, second_pixels; /* for which the tiles are shaped */
  finish end;
} tile_panel;

/* Sums of up to 32 windows by up to 32 outputs. */
typedef struct {
  float of[2][2][FORGE_TILE_PIXELS][FORGE_LANES] __attribute__((aligned(64)));
} tile_sums_of_pair;

/* Stores the sums of the windows `first` ..< first + count of a line, for `vectors` vectors of
 * outputs from `vector` on. */
FORGE_INLINE void finish_windows(const tile_panel *p,
                                 const float sums[2][FORGE_TILE_PIXELS][FORGE_LANES], int64_t first,
                                 int64_t count, int64_t vector, int64_t vectors) {
  const forge_convolution_arguments *a = p->a;
  const v16 low = splat(p->end.low), high = splat(p->end.high);
  for (int64_t v = 0; v < vectors; v++) {
    const int64_t lanes = p->channels - (vector + v) * FORGE_LANES;
    if (lanes <= 0) return;
    const v16i mask = first_lanes(lanes);
    const v16 bias = load(p->bias + (vector + v) * FORGE_LANES);
    float *out = p->out + (vector + v) * a->out.block_stride;
    const float *residual =
      p->residual ? p->residual + (vector + v) * a->epilogue.residual.block_stride : NULL;
    int64_t y = first / p->pitch, x = first % p->pitch;
    for (int64_t i = 0; i < count;) {
      const int64_t run = forge_smaller(count - i, p->pitch - x);
      const int64_t stored = forge_smaller(run, p->width - x);
      float *to = out + y * a->out.row_stride + x * FORGE_LANES;
      const float *plus =
        residual ? residual + y * a->epilogue.residual.row_stride + x * FORGE_LANES : NULL;
      for (int64_t j = 0; j < stored; j++) {
        v16 sum = load(sums[v][i + j]) + bias;
        if (plus) sum += load(plus + j * FORGE_LANES);
        store(to + j * FORGE_LANES, keep(mask, clamp(sum, low, high)));
      }
      if (p->end.further && stored > 0) activate(to, to, stored, lanes, p->end.further);
      i += run;
      x = 0;
      y++;
    }
  }
}

/* Adds the products of all taps to the sums of 1 or 2 tiles of windows and 1 or 2 of outputs. */
FORGE_INLINE void tile_products(tile_panel *p, const float *first, const float *second,
                                int64_t vector, const int tiles, const int columns) {
  const forge_convolution_arguments *a = p->a;
  const size_t pixel = (size_t)p->pixel * sizeof(float);
  const size_t row = (size_t)p->panel_width * sizeof(float);
  const float *weights = p->weights + vector * FORGE_LANES;
  _tile_zero(0);
  if (columns > 1) _tile_zero(1);
  if (tiles > 1) _tile_zero(2);
  if (tiles > 1 && columns > 1) _tile_zero(3);
  for (int64_t ky = 0; ky < a->kernel_height; ky++)
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const int64_t tap = ky * p->tap_row + kx * p->tap_column;
      for (int64_t block = 0; block < p->blocks; block++) {
        const int64_t at = tap + block * a->in.block_stride;
        _tile_loadd(6, weights, row);
        _tile_loadd(4, first + at, pixel);
        _tile_dpbf16ps(0, 4, 6);
        if (columns > 1) {
          _tile_loadd(7, weights + FORGE_LANES, row);
          _tile_dpbf16ps(1, 4, 7);
        }
        if (tiles > 1) {
          _tile_loadd(5, second + at, pixel);
          _tile_dpbf16ps(2, 5, 6);
          if (columns > 1) _tile_dpbf16ps(3, 5, 7);
        }
        weights += FORGE_WIDE_WORDS * p->panel_width;
        for (int64_t line = 0; line < p->next_lines; line++, p->next += FORGE_LANES)
          __builtin_prefetch(p->next, 0, 2);
      }
    }
}

/* Computes the windows x ..< x + first + second of a line that begins at `in`, in 1 or 2 tiles. */
FORGE_INLINE void tile_windows(tile_panel *p, const float *in, int64_t x, int64_t first,
                               int64_t second, const int tiles) {
  if (first != p->first_pixels || (tiles > 1 && second != p->second_pixels)) {
    p->first_pixels = first;
    p->second_pixels = tiles > 1 ? second : first;
    shape_tiles(p->first_pixels, p->second_pixels);
  }
  const float *from = in + x * p->pixel, *after = from + first * p->pixel;
  const size_t stride = FORGE_LANES * sizeof(float);
  tile_sums_of_pair sums;
  for (int64_t vector = 0; vector < p->vectors; vector += 2) {
    const bool both = vector + 1 < p->vectors;
    if (both)
      tile_products(p, from, after, vector, tiles, 2);
    else
      tile_products(p, from, after, vector, tiles, 1);
    _tile_stored(0, sums.of[0][0], stride);
    if (both) _tile_stored(1, sums.of[0][1], stride);
    if (tiles > 1) _tile_stored(2, sums.of[1][0], stride);
    if (tiles > 1 && both) _tile_stored(3, sums.of[1][1], stride);
    finish_windows(p, sums.of[0], x, first, vector, 1 + both);
    if (tiles > 1) finish_windows(p, sums.of[1], x + first, second, vector, 1 + both);
  }
}

/* Computes the windows first ..< last of a line, in tiles of equal size but the last. `lines` cache
 * lines of weights are fetched meanwhile. */
static void tile_line(tile_panel *p, const float *in, int64_t first, int64_t last, int64_t lines) {
  const int64_t width = last - first;
  if (width <= 0) return;
  const int64_t count = forge_quotient_up(width, FORGE_TILE_PIXELS);
  const int64_t pixels = forge_quotient_up(width, count);
  const int64_t products = forge_quotient_up(count, 2) * forge_quotient_up(p->vectors, 2) *
    p->a->kernel_height * p->a->kernel_width * p->blocks;
  p->next_lines = count > 2 ? forge_quotient_up(lines, products) : 0;
  for (int64_t x = first; x < last; x += 2 * pixels) {
    if (last - x <= pixels)
      tile_windows(p, in, x, last - x, 0, 1);
    else
      tile_windows(p, in, x, pixels, forge_smaller(pixels, last - x - pixels), 2);
  }
}

/* Returns what all panels of a convolution share. */
static tile_panel panel_of(const forge_convolution_arguments *a) {
  return (tile_panel){
    .a = a,
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * FORGE_WIDE_WORDS,
    .pixel = (int64_t)a->stride_x * FORGE_WIDE_WORDS,
    .blocks = forge_quotient_up(a->in.channels, FORGE_TILE_CHANNELS),
    .vectors = a->panel_width / FORGE_LANES,
    .panel_width = a->panel_width,
    .width = a->out.width,
    .end = finish_of(&a->epilogue.activation),
  };
}

/* Returns the rows of the output that are one line: all if the windows of a row and of the next
 * are as far apart as those of a row are from each other, otherwise one. */
FORGE_INLINE int64_t rows_of_a_line(const forge_convolution_arguments *a) {
  const bool adjacent = a->stride_x == 1 && a->stride_y == 1 &&
    a->in.row_stride % FORGE_WIDE_WORDS == 0 && a->segments <= 1;
  return adjacent || a->flat ? a->out.height : 1;
}

FORGE_KERNEL(bfloat_tile_convolution) {
  const forge_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  tile_panel p = panel_of(a);
  const int64_t panel_words =
    (int64_t)a->kernel_height * a->kernel_width * p.blocks * FORGE_WIDE_WORDS * a->panel_width;
  const int64_t segments = forge_larger(a->segments, 1);
  const int64_t rows = a->flat ? 1 : a->out.height, parts = rows * segments;
  const int64_t most_rows = rows_of_a_line(a);
  p.pitch = a->flat || most_rows == 1 ? a->out.width : a->in.row_stride / FORGE_WIDE_WORDS;
  for (int64_t tile = first; tile < last;) {
    const int64_t panel = tile / parts, part = tile % parts, y = part / segments;
    /* The rows of this panel, from y on, that the call computes as one line. */
    const int64_t count = a->flat
      ? 1
      : forge_smaller(forge_smaller(most_rows, rows - y), forge_quotient_up(last - tile, segments));
    const int64_t column = panel * a->panel_width;
    p.weights = a->weights + panel * panel_words;
    p.bias = a->bias + column;
    p.channels = a->out.channels - column;
    p.out = forge_row(&a->out, frame, column / FORGE_LANES, y);
    p.residual = e->has_residual ? forge_row(&e->residual, frame, column / FORGE_LANES, y) : NULL;
    /* Each part of the image fetches its share of the next panel, or of the next step. */
    const bool more = p.channels > a->panel_width;
    const float *next = more ? p.weights + panel_words : a->next;
    const int64_t lines = next ? (more ? panel_words : a->next_floats) / FORGE_LANES : 0;
    const int64_t done = segments == 1 ? count : 1;
    const int64_t begin = lines * part / parts, end = lines * (part + done) / parts;
    p.next = next ? next + begin * FORGE_LANES : p.weights;
    const float *in = forge_row(&a->in, frame, 0, y * a->stride_y - a->pad_top) -
      (int64_t)a->pad_left * FORGE_WIDE_WORDS;
    const int64_t windows =
      a->flat ? (int64_t)a->out.height * a->out.width : (count - 1) * p.pitch + a->out.width;
    const int64_t segment = part % segments;
    tile_line(&p, in, windows * segment / segments, windows * (segment + 1) / segments,
              end - begin);
    tile += done;
  }
  _tile_release();
}

/* Writes rows of words of 32 channels, where a tile is block * (top + height + bottom) + row. */
FORGE_KERNEL(bfloat_tile_input) {
  const forge_words_arguments *a = arguments;
  const int64_t rows = (int64_t)a->top + a->in.height + a->bottom;
  const v16 zero = splat(0);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / rows * 2, y = tile % rows - a->top;
    const bool inside = y >= 0 && y < a->in.height;
    const int64_t lanes = a->in.channels - block * FORGE_LANES;
    const v16i low_mask = first_lanes(lanes), high_mask = first_lanes(lanes - FORGE_LANES);
    const float *low = forge_row(&a->in, frame, block, y);
    const float *high = lanes > FORGE_LANES ? low + a->in.block_stride : NULL;
    float *out = forge_row(&a->out, frame, block / 2, y) - (int64_t)a->left * FORGE_WIDE_WORDS;
    const int64_t before = inside ? a->left : (int64_t)a->left + a->in.width + a->right;
    for (int64_t x = 0; x < before; x++, out += FORGE_WIDE_WORDS) store(out, zero);
    if (!inside) continue;
    for (int64_t x = 0; x < a->in.width; x++, out += FORGE_WIDE_WORDS) {
      const v16 even = keep(low_mask, load(low + x * FORGE_LANES));
      const v16 odd = high ? keep(high_mask, load(high + x * FORGE_LANES)) : zero;
      store(out, (v16)_mm512_cvtne2ps_pbh((__m512)odd, (__m512)even));
    }
    for (int64_t x = 0; x < a->right; x++, out += FORGE_WIDE_WORDS) store(out, zero);
  }
}

/* Loads `count` floats at `from` and zeros, without reading others. */
FORGE_INLINE v16 load_some(const float *from, int64_t count) {
  const int64_t lanes = forge_larger(0, forge_smaller(count, FORGE_LANES));
  return (v16)_mm512_maskz_loadu_ps((__mmask16)((1u << lanes) - 1), from);
}

/* Writes the words of the window rows of one column. from: the first number of the window row;
 * `before` numbers are left of the image, `count` are in it. */
FORGE_INLINE void store_window_row(const forge_patch_words_arguments *a, const float *from,
                                   float *out, int64_t run, int64_t before, int64_t count) {
  for (int64_t i = 0; i < run; i += FORGE_TILE_CHANNELS, out += a->out.block_stride) {
    v16 low, high;
    if (before <= 0) {
      low = load_some(from + i, count - i);
      high = load_some(from + i + FORGE_LANES, count - i - FORGE_LANES);
    } else {
      float numbers[FORGE_TILE_CHANNELS];
      for (int64_t j = 0; j < FORGE_TILE_CHANNELS; j++)
        numbers[j] = i + j >= before && i + j < before + count ? from[i + j] : 0;
      low = load(numbers);
      high = load(numbers + FORGE_LANES);
    }
    store(out, (v16)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low));
  }
}

FORGE_KERNEL(bfloat_patch_input) {
  const forge_patch_words_arguments *a = arguments;
  const int64_t channels = a->in.channels, run = a->kernel_width * channels;
  const int64_t row_numbers = a->in.width * channels;
  const int64_t blocks = forge_quotient_up(run, FORGE_TILE_CHANNELS);
  for (int64_t y = first - a->top; y < last - a->top; y++) {
    float *out = forge_row(&a->out, frame, 0, y);
    if (y < 0 || y >= a->in.height) {
      for (int64_t block = 0; block < blocks; block++)
        memset(out + block * a->out.block_stride, 0,
               (size_t)a->out.width * FORGE_WIDE_WORDS * sizeof(float));
      continue;
    }
    const float *in = forge_origin(&a->in, frame) + y * a->in.row_stride;
    for (int64_t x = 0; x < a->out.width; x++, out += FORGE_WIDE_WORDS) {
      const int64_t start = (x * a->stride_x - a->pad_left) * channels;
      const int64_t before = forge_smaller(forge_larger(-start, 0), run);
      const int64_t end = forge_smaller(start + run, row_numbers);
      store_window_row(a, in + start, out, run, before, end - start - before);
    }
  }
}
