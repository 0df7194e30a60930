/* Depthwise convolution: a vector holds the 16 channels of a block; several pixels at a time. */

/* One row of output of one block. Distances are in floats. */
typedef struct {
  const float *in;       /* the first pixel of the row's first window: [16] */
  const float *weights;  /* [ky][kx][16] */
  v16 bias;
  float *out;            /* [width][16] */
  const float *residual; /* likewise, or NULL */
  int64_t width;
  int64_t tap_row, tap_column; /* from one tap of the window to the next */
  int64_t pixel;               /* from one output pixel's window to the next */
  int64_t kernel_height, kernel_width;
  v16 low, high;
  v16i mask;
} depthwise_row;

/* Stores pixels x ..< x + pixels. */
FORGE_INLINE void depthwise_store(const depthwise_row *row, int64_t x, const v16 *sum,
                                  const int pixels) {
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) {
    const int64_t at = (x + i) * FORGE_LANES;
    const v16 value = row->residual ? sum[i] + load(row->residual + at) : sum[i];
    store(row->out + at, keep(row->mask, clamp(value, row->low, row->high)));
  }
}

/* Pixels x ..< x + pixels of any window, tap by tap. */
FORGE_INLINE void depthwise_any(const depthwise_row *row, int64_t x, const int pixels) {
  v16 sum[FORGE_DEPTHWISE_ROWS];
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) sum[i] = row->bias;
  const float *weights = row->weights;
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + x * row->pixel + ky * row->tap_row + kx * row->tap_column;
      const v16 weight = load(weights);
      weights += FORGE_LANES;
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++)
        sum[i] = multiply_add(load(at + i * row->pixel), weight, sum[i]);
    }
  }
  depthwise_store(row, x, sum, pixels);
}

static void depthwise_row_any(const depthwise_row *row) {
  int64_t x = 0;
  for (; x + FORGE_DEPTHWISE_ROWS <= row->width; x += FORGE_DEPTHWISE_ROWS)
    depthwise_any(row, x, FORGE_DEPTHWISE_ROWS);
  for (; x < row->width; x++) depthwise_any(row, x, 1);
}

#if FORGE_DEPTHWISE_3X3

/* Pixels x ..< x + pixels of a window of 3 by 3 neighbouring pixels, the weights in registers. Each
 * input is loaded once per row of the window and added to every sum it belongs to. A sum still adds
 * its taps in the order of depthwise_any. */
FORGE_INLINE void depthwise_3x3(const depthwise_row *row, const v16 *weight, int64_t x,
                                const int pixels, const int stride) {
  v16 sum[FORGE_DEPTHWISE_ROWS];
#pragma clang loop unroll(full)
  for (int i = 0; i < pixels; i++) sum[i] = row->bias;
#pragma clang loop unroll(full)
  for (int ky = 0; ky < 3; ky++) {
    const float *at = row->in + x * stride * FORGE_LANES + ky * row->tap_row;
#pragma clang loop unroll(full)
    for (int column = 0; column < (pixels - 1) * stride + 3; column++) {
      const v16 in = load(at + column * FORGE_LANES);
#pragma clang loop unroll(full)
      for (int i = 0; i < pixels; i++) {
        const int kx = column - i * stride;
        if (kx >= 0 && kx < 3) sum[i] = multiply_add(in, weight[ky * 3 + kx], sum[i]);
      }
    }
  }
  depthwise_store(row, x, sum, pixels);
}

FORGE_INLINE void depthwise_row_3x3(const depthwise_row *row, const int stride) {
  v16 weight[9];
#pragma clang loop unroll(full)
  for (int tap = 0; tap < 9; tap++) weight[tap] = load(row->weights + tap * FORGE_LANES);
  int64_t x = 0;
  for (; x + FORGE_DEPTHWISE_ROWS <= row->width; x += FORGE_DEPTHWISE_ROWS)
    depthwise_3x3(row, weight, x, FORGE_DEPTHWISE_ROWS, stride);
  for (; x < row->width; x++) depthwise_3x3(row, weight, x, 1, stride);
}

static void depthwise_row_3x3_stride_1(const depthwise_row *row) { depthwise_row_3x3(row, 1); }
static void depthwise_row_3x3_stride_2(const depthwise_row *row) { depthwise_row_3x3(row, 2); }

#endif

typedef void (*depthwise_function)(const depthwise_row *row);

static depthwise_function depthwise_function_of(const forge_depthwise_arguments *a) {
#if FORGE_DEPTHWISE_3X3
  const bool small = a->kernel_height == 3 && a->kernel_width == 3 && a->dilation_x == 1;
  if (small && a->stride_x == 1) return depthwise_row_3x3_stride_1;
  if (small && a->stride_x == 2) return depthwise_row_3x3_stride_2;
#else
  (void)a;
#endif
  return depthwise_row_any;
}

void FORGE_KERNEL(depthwise)(const void *arguments, const forge_frame *frame, int64_t first,
                             int64_t last) {
  const forge_depthwise_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const depthwise_function compute = depthwise_function_of(a);
  const finish end = finish_of(&e->activation);
  depthwise_row row = {
    .width = a->out.width,
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * FORGE_LANES,
    .pixel = (int64_t)a->stride_x * FORGE_LANES,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .low = splat(end.low),
    .high = splat(end.high),
  };
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    row.in =
      forge_row(&a->in, frame, block, y * a->stride_y - a->pad_top) - a->pad_left * FORGE_LANES;
    row.weights = a->weights + block * row.kernel_height * row.kernel_width * FORGE_LANES;
    row.bias = load(a->bias + block * FORGE_LANES);
    row.out = forge_row(&a->out, frame, block, y);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, y) : NULL;
    row.mask = first_lanes(lanes);
    compute(&row);
    if (end.further) activate(row.out, row.out, row.width, lanes, end.further);
  }
}
