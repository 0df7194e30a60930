/* Pooling: a vector holds the 16 channels of a block.
 *
 * Windows of usual sizes are computed by columns: each column once for all windows that contain it.
 * Others are computed tap by tap. The order of a sum depends on the window's size, never on the
 * tile. */

/* One window. in: its first pixel inside. rows, columns: taps inside, above 0. row, column: floats
 * between taps. */
typedef struct {
  const float *in;
  int64_t rows, columns, row, column;
} pooling_window;

/* Returns the maximum, or NaN if there is one. */
FORGE_INLINE v16 window_maximum(const pooling_window *window) {
  v16 largest = splat(-INFINITY);
  v16i invalid = (v16i){0};
  for (int64_t y = 0; y < window->rows; y++) {
    const float *at = window->in + y * window->row;
    for (int64_t x = 0; x < window->columns; x++, at += window->column) {
      const v16 in = load(at);
      largest = larger(in, largest); /* which passes over NaN */
      invalid |= in != in;
    }
  }
  return choose(invalid, splat(NAN), largest);
}

/* Returns the sum of the sums of the rows. */
FORGE_INLINE v16 window_sum(const pooling_window *window) {
  v16 sum = splat(0);
  for (int64_t y = 0; y < window->rows; y++) {
    const float *at = window->in + y * window->row;
    v16 row = splat(0);
    for (int64_t x = 0; x < window->columns; x++, at += window->column) row += load(at);
    sum += row;
  }
  return sum;
}

/* The end of a window's computation. */
typedef struct {
  bool clamps; /* else nothing is to be done: padded lanes give zeros by themselves */
  v16 low, high;
  v16i mask;
  float taps; /* of a whole window */
} pooling_end;

FORGE_INLINE void store_pooled(float *out, v16 value, const pooling_end *end) {
  if (end->clamps) value = keep(end->mask, clamp(value, end->low, end->high));
  store(out, value);
}

/* Returns the divisor of a window's sum. inside: taps inside the image. `kind` is a constant. */
FORGE_INLINE float pooling_divisor(int64_t inside, const pooling_end *end, const int32_t kind) {
  if (kind == FORGE_POOL_MAXIMUM) return 1;
  return kind == FORGE_POOL_AVERAGE_INSIDE ? (float)inside : end->taps;
}

/* ---- any window, tap by tap ---- */

/* Computes a row of output. in: column 0 of the first row inside. rows: taps inside. */
FORGE_INLINE void pool_clipped(const forge_pooling_arguments *a, const float *in, float *out,
                               int64_t rows, const pooling_end *end, const int32_t kind) {
  pooling_window window = {
    .rows = rows,
    .row = a->dilation_y * a->in.row_stride,
    .column = (int64_t)a->dilation_x * FORGE_LANES,
  };
  for (int64_t x = 0; x < a->out.width; x++) {
    const int64_t left = x * a->stride_x - a->pad_left;
    const forge_taps columns = forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
    window.in = in + (left + columns.first * a->dilation_x) * FORGE_LANES;
    window.columns = columns.last - columns.first;
    v16 value = splat(0);
    if (rows > 0 && window.columns > 0) {
      const float divisor = pooling_divisor(rows * window.columns, end, kind);
      value =
        kind == FORGE_POOL_MAXIMUM ? window_maximum(&window) : window_sum(&window) / splat(divisor);
    }
    store_pooled(out + x * FORGE_LANES, value, end);
  }
}

/* ---- usual windows, column by column ---- */

FORGE_INLINE bool any_nan(v16 x) {
  v16i invalid = x != x;
  uint64_t words[FORGE_LANES / 2], any = 0;
  memcpy(words, &invalid, sizeof words);
  for (int i = 0; i < FORGE_LANES / 2; i++) any |= words[i];
  return any != 0;
}

FORGE_INLINE v16 pool_two(v16 a, v16 b, const int32_t kind) {
  return kind == FORGE_POOL_MAXIMUM ? larger(a, b) : a + b;
}

/* Combines a column. All numbers are added to `seen`, which is NaN if one of them is. */
FORGE_INLINE v16 pool_column(const float *at, int64_t row, v16 *seen, const int64_t rows,
                             const int32_t kind) {
  v16 value = load(at), sum = value;
  for (int64_t y = 1; y < rows; y++) {
    const v16 in = load(at + y * row);
    value = pool_two(value, in, kind);
    sum += in;
  }
  *seen += sum;
  return value;
}

#define FORGE_WIDEST_POOLING 5

/* Computes `count` pixels whose windows are `kernel` adjacent columns, `stride` apart, stride <=
 * kernel. Each column is combined once for all its windows, then a window's columns from left to
 * right. An average is the sum times the rounded reciprocal of its divisor. in: the first row
 * inside of the first window's first column. Returns false if a maximum may have missed a NaN.
 * Summing all numbers is cheaper than testing each. Infinities of both signs also give NaN, which
 * does no harm. */
FORGE_INLINE bool pool_inside(const float *in, float *out, int64_t count, int64_t row,
                              const pooling_end *end, const int64_t rows, const int kernel,
                              const int stride, const int32_t kind) {
  const int kept = kernel - stride;
  if (count <= 0) return true;
  const v16 scale = splat(1 / pooling_divisor(rows * kernel, end, kind));
  v16 columns[FORGE_WIDEST_POOLING + 1], seen = splat(0);
#pragma clang loop unroll(full)
  for (int i = 0; i < kept; i++)
    columns[i] = pool_column(in + i * FORGE_LANES, row, &seen, rows, kind);
  for (; count > 0; count--, in += stride * FORGE_LANES, out += FORGE_LANES) {
#pragma clang loop unroll(full)
    for (int i = kept; i < kernel; i++)
      columns[i] = pool_column(in + i * FORGE_LANES, row, &seen, rows, kind);
    v16 value = columns[0];
#pragma clang loop unroll(full)
    for (int i = 1; i < kernel; i++) value = pool_two(value, columns[i], kind);
    store_pooled(out, kind == FORGE_POOL_MAXIMUM ? value : value * scale, end);
    /* Not a loop, which the compiler would make a memmove, with the columns in memory. */
    if (kept > 0) columns[0] = columns[stride];
    if (kept > 1) columns[1] = columns[1 + stride];
    if (kept > 2) columns[2] = columns[2 + stride];
    if (kept > 3) columns[3] = columns[3 + stride];
  }
  return kind != FORGE_POOL_MAXIMUM || !any_nan(seen);
}

/* Computes a window with only `columns` columns inside, 1 to 4. Returns as pool_inside. */
FORGE_INLINE bool pool_edge(const float *in, float *out, int64_t row, const pooling_end *end,
                            int64_t rows, int64_t columns, const int32_t kind) {
  switch (columns) {
    case 1: return pool_inside(in, out, 1, row, end, rows, 1, 1, kind);
    case 2: return pool_inside(in, out, 1, row, end, rows, 2, 2, kind);
    case 3: return pool_inside(in, out, 1, row, end, rows, 3, 3, kind);
    default: return pool_inside(in, out, 1, row, end, rows, 4, 4, kind);
  }
}

/* Computes a row of output whose windows are `kernel` adjacent columns, `stride` apart. in: column
 * 0 of the first row inside. rows: taps inside, above 0. Returns as pool_inside. */
FORGE_INLINE bool pool_usual(const forge_pooling_arguments *a, const float *in, float *out,
                             int64_t rows, const pooling_end *end, const int kernel,
                             const int stride, const int32_t kind) {
  const int64_t row = a->dilation_y * a->in.row_stride;
  const int64_t width = a->out.width, size = a->in.width, pad = a->pad_left;
  /* Windows first ..< last have all their columns inside. */
  const int64_t first = forge_smaller((pad + stride - 1) / stride, width);
  const int64_t room = size + pad - kernel;
  const int64_t last = forge_larger(first, forge_smaller(room < 0 ? 0 : room / stride + 1, width));
  bool done = true;
  for (int64_t x = 0; x < first; x++) {
    const int64_t left = x * stride - pad; /* below 0 */
    const int64_t columns = forge_smaller(left + kernel, size);
    if (columns > 0)
      done &= pool_edge(in, out + x * FORGE_LANES, row, end, rows, columns, kind);
    else
      store_pooled(out + x * FORGE_LANES, splat(0), end);
  }
  const float *at = in + (first * stride - pad) * FORGE_LANES; /* not read where first is last */
  float *to = out + first * FORGE_LANES;
  if (rows == kernel)
    done &= pool_inside(at, to, last - first, row, end, kernel, kernel, stride, kind);
  else
    done &= pool_inside(at, to, last - first, row, end, rows, kernel, stride, kind);
  for (int64_t x = last; x < width; x++) {
    const int64_t left = x * stride - pad; /* not below 0: x is not below first */
    if (left < size)
      done &= pool_edge(in + left * FORGE_LANES, out + x * FORGE_LANES, row, end, rows, size - left,
                        kind);
    else
      store_pooled(out + x * FORGE_LANES, splat(0), end);
  }
  return done;
}

/* The windows with functions of their own: kernel_width and stride_x. */
#define FORGE_POOLING_WINDOWS(X) X(2, 1) X(2, 2) X(3, 1) X(3, 2) X(5, 1)

/* A row of output. in: column 0 of the first row inside; out: [width][16]; rows: taps inside. */
FORGE_INLINE void pool_row(const forge_pooling_arguments *a, const float *in, float *out,
                           int64_t rows, const pooling_end *end, const int32_t kind) {
#define FORGE_POOL_USUAL(kernel, stride)                             \
  if (a->kernel_width == kernel && a->stride_x == stride && usual && \
      pool_usual(a, in, out, rows, end, kernel, stride, kind))       \
    return;
  const bool usual = rows > 0 && a->dilation_x == 1;
  FORGE_POOLING_WINDOWS(FORGE_POOL_USUAL)
  pool_clipped(a, in, out, rows, end, kind);
}

#define FORGE_POOL_ROW(name, kind)                                                           \
  static void pool_row_##name(const forge_pooling_arguments *a, const float *in, float *out, \
                              int64_t rows, const pooling_end *end) {                        \
    pool_row(a, in, out, rows, end, kind);                                                   \
  }
FORGE_POOL_ROW(maximum, FORGE_POOL_MAXIMUM)
FORGE_POOL_ROW(inside, FORGE_POOL_AVERAGE_INSIDE)
FORGE_POOL_ROW(all, FORGE_POOL_AVERAGE_ALL)

FORGE_KERNEL(pooling) {
  const forge_pooling_arguments *a = arguments;
  const finish finish = finish_of(&a->activation);
  pooling_end end = {
    .clamps = a->activation.kind == FORGE_CLAMP,
    .low = splat(finish.low),
    .high = splat(finish.high),
    .taps = (float)((int64_t)a->kernel_height * a->kernel_width),
  };
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    end.mask = first_lanes(lanes);
    const int64_t top = y * a->stride_y - a->pad_top;
    const forge_taps inside = forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
    const int64_t rows = inside.last - inside.first;
    const float *in = forge_row(&a->in, frame, block, top + inside.first * a->dilation_y);
    float *out = forge_row(&a->out, frame, block, y);
    switch (a->kind) {
      case FORGE_POOL_MAXIMUM: pool_row_maximum(a, in, out, rows, &end); break;
      case FORGE_POOL_AVERAGE_INSIDE: pool_row_inside(a, in, out, rows, &end); break;
      default: pool_row_all(a, in, out, rows, &end); break;
    }
    if (finish.further) activate(out, out, a->out.width, lanes, finish.further);
  }
}
