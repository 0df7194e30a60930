/* Depthwise convolution: a vector holds the 16 channels of a block. A tile has several pixels.
 *
 * No pixel outside the image is read: rows of a window above or below it are skipped, and columns
 * to the left or right of it count as zero or are skipped. The image then needs no border, which
 * would have to be cleared before each prediction. */

/* One row of output of one block. Distances are in floats. */
typedef struct {
  const float *in;      /* the first pixel of the row's first window, perhaps outside: [16] */
  const float *weights; /* [ky][kx][16] */
  v16 bias;
  float *out;            /* [width][16] */
  const float *residual; /* likewise, or NULL */
  int64_t width;
  int64_t out_row, residual_row; /* from one row of output to the next */
  int64_t tap_row, tap_column;   /* from one tap of the window to the next */
  int64_t pixel;                 /* from one output pixel's window to the next */
  int64_t kernel_height, kernel_width;
  int64_t first_tap, end_tap;   /* rows of the window, or of two windows, that are inside */
  int64_t pad_left, in_width;   /* columns of the image, in pixels */
  int64_t stride_x, dilation_x; /* in pixels */
  v16 low, high;
  v16i mask;
} depthwise_row;

/* Initializes the sums of pixels x ..< x + pixels of the row, or of the next one (`down` is 1),
 * with the bias and the residual. With the residual last, the compiler would move half of the sums
 * behind the test for it, where their inputs are no longer in registers. */
FORGE_INLINE void depthwise_start(const depthwise_row *row, int64_t x, v16 *sum, const int pixels,
                                  const int down) {
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) sum[i] = row->bias;
  if (row->residual) {
    const float *residual = row->residual + x * FORGE_LANES + down * row->residual_row;
#pragma clang loop unroll(full)
    for (int i = 0; i < pixels; i++) sum[i] += load(residual + i * FORGE_LANES);
  }
}

FORGE_INLINE void depthwise_store(const depthwise_row *row, int64_t x, const v16 *sum,
                                  const int pixels, const int down) {
  float *out = row->out + x * FORGE_LANES + down * row->out_row;
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++)
    store(out + i * FORGE_LANES, keep(row->mask, clamp(sum[i], row->low, row->high)));
}

/* Computes pixels x ..< x + pixels of any window, tap by tap, with columns first ..< end of it. */
FORGE_INLINE void depthwise_any(const depthwise_row *row, int64_t x, int64_t first, int64_t end,
                                const int pixels) {
  v16 sum[FORGE_DEPTHWISE_PIXELS];
  depthwise_start(row, x, sum, pixels, 0);
  for (int64_t ky = row->first_tap; ky < row->end_tap; ky++) {
    for (int64_t kx = first; kx < end; kx++) {
      const float *at = row->in + x * row->pixel + ky * row->tap_row + kx * row->tap_column;
      const v16 weight = load(row->weights + (ky * row->kernel_width + kx) * FORGE_LANES);
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++)
        sum[i] = multiply_add(load(at + i * row->pixel), weight, sum[i]);
    }
  }
  depthwise_store(row, x, sum, pixels, 0);
}

/* Computes pixels x ..< end, whose windows the left or right edge may cut, one by one. */
FORGE_INLINE void depthwise_edge(const depthwise_row *row, int64_t x, int64_t end) {
  for (; x < end; x++) {
    const int64_t left = x * row->stride_x - row->pad_left, dilation = row->dilation_x;
    const int64_t kx = left < 0 ? forge_quotient_up(-left, dilation) : 0;
    const int64_t inside = left < row->in_width
      ? forge_smaller(row->kernel_width, forge_quotient_up(row->in_width - left, dilation))
      : 0;
    depthwise_any(row, x, kx, inside, 1);
  }
}

static void depthwise_row_any(const depthwise_row *row) {
  /* The windows of pixels first ..< end are inside the image. */
  const int64_t extent = (row->kernel_width - 1) * row->dilation_x;
  const int64_t last = row->in_width - 1 - extent + row->pad_left; /* where a window may begin */
  const int64_t first = forge_smaller(forge_quotient_up(row->pad_left, row->stride_x), row->width);
  const int64_t end =
    last < 0 ? first : forge_larger(first, forge_smaller(last / row->stride_x + 1, row->width));
  depthwise_edge(row, 0, first);
#define FORGE_DEPTHWISE_ANY(x, pixels) depthwise_any(row, first + x, 0, row->kernel_width, pixels)
  FORGE_PIXEL_TILES(end - first, FORGE_DEPTHWISE_PIXELS, FORGE_DEPTHWISE_ANY);
  depthwise_edge(row, end, row->width);
}

#if FORGE_DEPTHWISE_NEAR

/* Windows of adjacent columns. Each input is loaded once per row and added to all its sums. A sum
 * adds its taps in the order of depthwise_any. At most half of a window is outside the image at
 * either side, so only the outer columns of a tile may be. */

/* Loads a column of a tile of `columns` columns, zero if it is outside. x: its absolute column. */
FORGE_INLINE v16 depthwise_column(const depthwise_row *row, const float *at, int64_t x,
                                  const int column, const int columns, const int reach) {
  const bool is_outer = column < reach || column >= columns - reach;
  if (is_outer && (x < 0 || x >= row->in_width)) return splat(0);
  return load(at);
}

/* Computes pixels x ..< x + pixels of 1 or 2 rows of output for windows of 3 by 3, with the weights
 * in registers. The windows of the second row are one row of input further down. */
FORGE_INLINE void depthwise_3x3(const depthwise_row *row, const v16 *weight, int64_t x,
                                const int pixels, const int rows, const int stride) {
  v16 sum[2][FORGE_DEPTHWISE_PIXELS];
#pragma clang loop unroll(full)
  for (int j = 0; j < rows; j++) depthwise_start(row, x, sum[j], pixels, j);
#pragma clang loop unroll(full)
  for (int y = 0; y < rows + 2; y++) {
    if (y < row->first_tap || y >= row->end_tap) continue;
    const float *at = row->in + x * stride * FORGE_LANES + y * row->tap_row;
    const int columns = (pixels - 1) * stride + 3;
#pragma clang loop unroll(full)
    for (int column = 0; column < columns; column++) {
      const v16 in = depthwise_column(row, at + column * FORGE_LANES,
                                      x * stride - row->pad_left + column, column, columns, 1);
#pragma clang loop unroll(full)
      for (int j = 0; j < rows; j++) {
#pragma clang loop unroll(full)
        for (int i = 0; i < pixels; i++) {
          const int ky = y - j, kx = column - i * stride;
          if (ky >= 0 && ky < 3 && kx >= 0 && kx < 3)
            sum[j][i] = multiply_add(in, weight[ky * 3 + kx], sum[j][i]);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < rows; j++) depthwise_store(row, x, sum[j], pixels, j);
}

FORGE_INLINE void depthwise_rows_3x3(const depthwise_row *row, const int rows, const int stride) {
  v16 weight[9];
#pragma clang loop unroll(full)
  for (int tap = 0; tap < 9; tap++) weight[tap] = load(row->weights + tap * FORGE_LANES);
#define FORGE_DEPTHWISE_3X3(x, pixels) depthwise_3x3(row, weight, x, pixels, rows, stride)
  FORGE_PIXEL_TILES(row->width, FORGE_DEPTHWISE_PIXELS, FORGE_DEPTHWISE_3X3);
}

static void depthwise_two_3x3_stride_1(const depthwise_row *row) { depthwise_rows_3x3(row, 2, 1); }
static void depthwise_row_3x3_stride_1(const depthwise_row *row) { depthwise_rows_3x3(row, 1, 1); }
static void depthwise_row_3x3_stride_2(const depthwise_row *row) { depthwise_rows_3x3(row, 1, 2); }

/* Computes pixels x ..< x + pixels for windows of five columns, with the weights of a row in
 * registers. */
FORGE_INLINE void depthwise_5(const depthwise_row *row, int64_t x, const int pixels,
                              const int stride) {
  v16 sum[14];
  depthwise_start(row, x, sum, pixels, 0);
  for (int64_t ky = row->first_tap; ky < row->end_tap; ky++) {
    const float *at = row->in + x * stride * FORGE_LANES + ky * row->tap_row;
    const int columns = (pixels - 1) * stride + 5;
    v16 weight[5];
#pragma clang loop unroll(full)
    for (int kx = 0; kx < 5; kx++) weight[kx] = load(row->weights + (ky * 5 + kx) * FORGE_LANES);
#pragma clang loop unroll(full)
    for (int column = 0; column < columns; column++) {
      const v16 in = depthwise_column(row, at + column * FORGE_LANES,
                                      x * stride - row->pad_left + column, column, columns, 2);
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++) {
        const int kx = column - i * stride;
        if (kx >= 0 && kx < 5) sum[i] = multiply_add(in, weight[kx], sum[i]);
      }
    }
  }
  depthwise_store(row, x, sum, pixels, 0);
}

#define FORGE_DEPTHWISE_5(stride)                                         \
  static void depthwise_row_5_stride_##stride(const depthwise_row *row) { \
    FORGE_PIXEL_TILES(row->width, 14, FORGE_DEPTHWISE_5_##stride);        \
  }
#define FORGE_DEPTHWISE_5_1(x, pixels) depthwise_5(row, x, pixels, 1)
#define FORGE_DEPTHWISE_5_2(x, pixels) depthwise_5(row, x, pixels, 2)
FORGE_DEPTHWISE_5(1)
FORGE_DEPTHWISE_5(2)

#endif

typedef void (*depthwise_function)(const depthwise_row *row);

/* The functions for one row and for two at once (or NULL). */
typedef struct {
  depthwise_function one, two;
} depthwise_functions;

static depthwise_functions depthwise_functions_of(const forge_depthwise_arguments *a) {
#if FORGE_DEPTHWISE_NEAR
  const int64_t half = a->kernel_width / 2;
  const int64_t right = (int64_t)(a->out.width - 1) * a->stride_x + a->kernel_width - a->pad_left;
  const bool near =
    a->dilation_x == 1 && a->stride_x <= 2 && a->pad_left <= half && right - a->in.width <= half;
  if (near && a->kernel_height == 3 && a->kernel_width == 3) {
    if (a->stride_x == 2) return (depthwise_functions){depthwise_row_3x3_stride_2, NULL};
    const bool next = a->stride_y == 1 && a->dilation_y == 1;
    return (depthwise_functions){depthwise_row_3x3_stride_1,
                                 next ? depthwise_two_3x3_stride_1 : NULL};
  }
  if (near && a->kernel_width == 5)
    return (depthwise_functions){
      a->stride_x == 2 ? depthwise_row_5_stride_2 : depthwise_row_5_stride_1, NULL};
#else
  (void)a;
#endif
  return (depthwise_functions){depthwise_row_any, NULL};
}

FORGE_KERNEL(depthwise) {
  const forge_depthwise_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const depthwise_functions functions = depthwise_functions_of(a);
  const finish end = finish_of(&e->activation);
  depthwise_row row = {
    .width = a->out.width,
    .out_row = a->out.row_stride,
    .residual_row = e->residual.row_stride,
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * FORGE_LANES,
    .pixel = (int64_t)a->stride_x * FORGE_LANES,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .pad_left = a->pad_left,
    .in_width = a->in.width,
    .stride_x = a->stride_x,
    .dilation_x = a->dilation_x,
    .low = splat(end.low),
    .high = splat(end.high),
  };
  for (int64_t tile = first, rows; tile < last; tile += rows) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const int64_t top = y * a->stride_y - a->pad_top;
    row.in = forge_row(&a->in, frame, block, top) - a->pad_left * FORGE_LANES;
    row.weights = a->weights + block * row.kernel_height * row.kernel_width * FORGE_LANES;
    row.bias = load(a->bias + block * FORGE_LANES);
    row.out = forge_row(&a->out, frame, block, y);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
    row.mask = first_lanes(lanes);
    rows = functions.two && tile + 1 < last && y + 1 < a->out.height ? 2 : 1;
    /* Two rows are computed at once if their windows are one row of input apart. */
    const int64_t taps = a->kernel_height + rows - 1;
    row.first_tap = forge_smaller(top < 0 ? forge_quotient_up(-top, a->dilation_y) : 0, taps);
    row.end_tap = top < a->in.height
      ? forge_smaller(taps, forge_quotient_up(a->in.height - top, a->dilation_y))
      : 0;
    (rows == 2 ? functions.two : functions.one)(&row);
    for (int64_t i = 0; end.further && i < rows; i++)
      activate(row.out + i * row.out_row, row.out + i * row.out_row, row.width, lanes, end.further);
  }
}
