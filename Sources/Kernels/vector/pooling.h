/* Pooling: a vector holds the 16 channels of a block. */

/* One window. in: its first pixel inside the interior: [16]; rows and columns: taps inside,
 * above 0; row and column: floats from tap to tap. */
typedef struct {
  const float *in;
  int64_t rows, columns, row, column;
} pooling_window;

/* The largest number, or NaN where there is one. */
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

/* The sum of the sums of the rows. */
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

/* A row of output. in: column 0 of the first row inside; out: [width][16]; rows: taps inside.
 * `kind` is a constant where this is inlined. */
FORGE_INLINE void pool_row(const forge_pooling_arguments *a, const float *in, float *out,
                           int64_t rows, v16i mask, const finish *end, const int32_t kind) {
  const v16 low = splat(end->low), high = splat(end->high);
  pooling_window window = {
    .rows = rows,
    .row = a->dilation_y * a->in.row_stride,
    .column = (int64_t)a->dilation_x * FORGE_LANES,
  };
  for (int64_t x = 0; x < a->out.width; x++) {
    const int64_t left = (int64_t)x * a->stride_x - a->pad_left;
    const forge_taps columns =
      forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
    window.in = in + (left + columns.first * a->dilation_x) * FORGE_LANES;
    window.columns = columns.last - columns.first;
    v16 value = splat(0);
    if (rows > 0 && window.columns > 0) {
      if (kind == FORGE_POOL_MAXIMUM) {
        value = window_maximum(&window);
      } else if (kind == FORGE_POOL_AVERAGE_INSIDE) {
        value = window_sum(&window) / splat((float)(rows * window.columns));
      } else {
        value = window_sum(&window) / splat((float)((int64_t)a->kernel_height * a->kernel_width));
      }
    }
    store(out + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
  }
}

void FORGE_KERNEL(pooling)(const void *arguments, const forge_frame *frame, int64_t first,
                           int64_t last) {
  const forge_pooling_arguments *a = arguments;
  const finish end = finish_of(&a->activation);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const v16i mask = first_lanes(lanes);
    const int64_t top = y * a->stride_y - a->pad_top;
    const forge_taps inside =
      forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
    const int64_t rows = inside.last - inside.first;
    const float *in = forge_row(&a->in, frame, block, top + inside.first * a->dilation_y);
    float *out = forge_row(&a->out, frame, block, y);
    switch (a->kind) {
      case FORGE_POOL_MAXIMUM:
        pool_row(a, in, out, rows, mask, &end, FORGE_POOL_MAXIMUM);
        break;
      case FORGE_POOL_AVERAGE_INSIDE:
        pool_row(a, in, out, rows, mask, &end, FORGE_POOL_AVERAGE_INSIDE);
        break;
      default: pool_row(a, in, out, rows, mask, &end, FORGE_POOL_AVERAGE_ALL); break;
    }
    if (end.further) activate(out, out, a->out.width, lanes, end.further);
  }
}
