/* Depthwise convolution of bytes. The bytes of four rows of a column are joined to quads, so that a
 * product of quads adds four taps of 16 channels. A tile has several pixels, whose windows share
 * columns that are joined once. */

/* One row of output of a block. Distances are in bytes. */
typedef struct {
  const forge_quantized_depthwise_arguments *a;
  const uint8_t *zeros;  /* 64 of the zero point */
  const uint8_t *in;     /* column 0 of the first row of the row's windows, perhaps outside */
  const int8_t *weights; /* of the block: [kernel_width][groups of four rows][64][4] */
  const float *scales;
  const int32_t *biases;
  uint8_t *out;
  int64_t groups;
  int64_t top; /* the first row of the windows */
  byte_rule end;
} depthwise_bytes;

/* The rows of a group: where their column 0 is, and from one pixel to the next. A row outside the
 * image is one pixel of zeros, which is every column. */
typedef struct {
  const uint8_t *column[FORGE_QUAD];
  int64_t step[FORGE_QUAD];
} depthwise_rows;

FORGE_INLINE depthwise_rows rows_of_group(const depthwise_bytes *row, int64_t group) {
  const forge_quantized_depthwise_arguments *a = row->a;
  depthwise_rows rows;
#pragma clang loop unroll(full)
  for (int i = 0; i < FORGE_QUAD; i++) {
    const int64_t ky = group * FORGE_QUAD + i, y = row->top + ky * a->dilation_y;
    /* The weights of rows past the window are zero. */
    const bool inside = ky < a->kernel_height && y >= 0 && y < a->in.height;
    rows.column[i] = inside ? row->in + ky * a->dilation_y * a->in.row_stride : row->zeros;
    rows.step[i] = inside ? FORGE_BYTE_LANES : 0;
  }
  return rows;
}

/* Joins a column, of zeros if it is outside. */
FORGE_INLINE void join_column(const depthwise_bytes *row, const depthwise_rows *rows, int64_t x,
                              const bool edge, v16i quads[4]) {
  const bool outside = edge && (x < 0 || x >= row->a->in.width);
  v64b four[FORGE_QUAD];
#pragma clang loop unroll(full)
  for (int i = 0; i < FORGE_QUAD; i++)
    four[i] = load_bytes(outside ? row->zeros : rows->column[i] + x * rows->step[i]);
  join_rows(four, quads);
}

/* Adds a tap: quads of a column times the weights of a column of the window. */
FORGE_INLINE void add_column(v16i sum[4], const v16i quads[4], const int8_t *weights) {
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++)
    sum[v] = add_quads(sum[v], inputs_of(quads[v]),
                       weights_of(load_integers(weights + v * FORGE_BYTE_LANES)));
}

FORGE_INLINE void finish_depthwise(const depthwise_bytes *row, int64_t x, v16i sum[][4],
                                   const int pixels) {
#pragma clang loop unroll(full)
  for (int p = 0; p < pixels; p++) {
    v16 f[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) f[v] = floats_of(sum[p][v]) * load(row->scales + v * FORGE_LANES);
    store_joined(row->out + (x + p) * FORGE_BYTE_LANES, f, row->end);
  }
}

/* Computes pixels x ..< x + pixels. width and stride are those of the window, constants, or width
 * is 0 for a window of any. edge: whether columns may be outside. */
FORGE_INLINE void depthwise_byte_tile(const depthwise_bytes *row, int64_t x, const int pixels,
                                      const int width, const int stride, const bool edge) {
  const forge_quantized_depthwise_arguments *a = row->a;
  v16i sum[FORGE_BYTE_DEPTHWISE][4];
#pragma clang loop unroll(full)
  for (int p = 0; p < pixels; p++)
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) sum[p][v] = load_integers(row->biases + v * FORGE_LANES);
  const int64_t left = x * a->stride_x - a->pad_left;
  for (int64_t group = 0; group < row->groups; group++) {
    const depthwise_rows rows = rows_of_group(row, group);
    const int8_t *weights = row->weights + group * FORGE_QUAD * FORGE_BYTE_LANES;
    const int64_t next = row->groups * FORGE_QUAD * FORGE_BYTE_LANES;
    v16i quads[4];
    if (width > 0) {
#pragma clang loop unroll(full)
      for (int column = 0; column < (pixels - 1) * stride + width; column++) {
        join_column(row, &rows, left + column, edge, quads);
#pragma clang loop unroll(full)
        for (int p = 0; p < pixels; p++) {
          const int kx = column - p * stride;
          if (kx >= 0 && kx < width) add_column(sum[p], quads, weights + kx * next);
        }
      }
    } else {
      for (int64_t kx = 0; kx < a->kernel_width; kx++, weights += next)
#pragma clang loop unroll(full)
        for (int p = 0; p < pixels; p++) {
          join_column(row, &rows, left + p * (int64_t)a->stride_x + kx * a->dilation_x, edge,
                      quads);
          add_column(sum[p], quads, weights);
        }
    }
  }
  finish_depthwise(row, x, sum, pixels);
}

/* Computes a row of windows of a constant width and stride, or of any (width 0). */
FORGE_INLINE void depthwise_byte_row(const depthwise_bytes *row, const int width,
                                     const int stride) {
  const forge_quantized_depthwise_arguments *a = row->a;
  /* The windows of pixels first ..< end are inside the image. */
  const int64_t extent = (int64_t)(a->kernel_width - 1) * a->dilation_x;
  const int64_t last = a->in.width - 1 - extent + a->pad_left; /* where a window may begin */
  const int64_t first = forge_smaller(forge_quotient_up(a->pad_left, a->stride_x), a->out.width);
  const int64_t end =
    last < 0 ? first : forge_larger(first, forge_smaller(last / a->stride_x + 1, a->out.width));
  int64_t x = 0;
  for (; x < first; x++) depthwise_byte_tile(row, x, 1, width, stride, true);
  for (; x + FORGE_BYTE_DEPTHWISE <= end; x += FORGE_BYTE_DEPTHWISE)
    depthwise_byte_tile(row, x, FORGE_BYTE_DEPTHWISE, width, stride, false);
  for (; x < end; x++) depthwise_byte_tile(row, x, 1, width, stride, false);
  for (; x < a->out.width; x++) depthwise_byte_tile(row, x, 1, width, stride, true);
}

/* ---- windows of three columns and at most four rows ---- */

/* The columns of a row of output, each joined once, from left to right. */
typedef struct {
  const uint8_t *at[FORGE_QUAD]; /* the next column of each row */
  int64_t step[FORGE_QUAD];
  int64_t x; /* the next column */
} column_stream;

FORGE_INLINE void next_column(const depthwise_bytes *row, column_stream *stream, v16i quads[4]) {
  const bool outside = (uint64_t)stream->x >= (uint64_t)row->a->in.width;
  v64b four[FORGE_QUAD];
#pragma clang loop unroll(full)
  for (int i = 0; i < FORGE_QUAD; i++) {
    four[i] = load_bytes(outside ? row->zeros : stream->at[i]);
    stream->at[i] += stream->step[i];
  }
  stream->x++;
  join_rows(four, quads);
}

/* Computes pixel x, whose window is the columns a, b and c. */
FORGE_INLINE void depthwise_three(const depthwise_bytes *row, const v16i weights[3][4], int64_t x,
                                  const v16i a[4], const v16i b[4], const v16i c[4]) {
  v16i sum[1][4];
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) {
    sum[0][v] = load_integers(row->biases + v * FORGE_LANES);
    sum[0][v] = add_quads(sum[0][v], inputs_of(a[v]), weights_of(weights[0][v]));
    sum[0][v] = add_quads(sum[0][v], inputs_of(b[v]), weights_of(weights[1][v]));
    sum[0][v] = add_quads(sum[0][v], inputs_of(c[v]), weights_of(weights[2][v]));
  }
  finish_depthwise(row, x, sum, 1);
}

/* Computes a row of windows of three columns, `stride` apart, a constant. The weights and the
 * columns of a window stay in registers. */
FORGE_INLINE void depthwise_by_stream(const depthwise_bytes *given, const int stride) {
  const depthwise_bytes row = *given;
  const forge_quantized_depthwise_arguments *a = row.a;
  const int64_t width = a->out.width;
  const depthwise_rows rows = rows_of_group(&row, 0);
  column_stream stream = {.x = -a->pad_left};
  for (int i = 0; i < FORGE_QUAD; i++) {
    stream.step[i] = rows.step[i];
    stream.at[i] = rows.column[i] + stream.x * rows.step[i];
  }
  v16i w[3][4];
#pragma clang loop unroll(full)
  for (int k = 0; k < 3; k++)
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++)
      w[k][v] = load_integers(row.weights + (k * 4 + v) * FORGE_BYTE_LANES);
  v16i p[4], q[4], r[4];
  next_column(&row, &stream, p);
  if (stride == 2) {
    for (int64_t x = 0; x < width; x++) {
      next_column(&row, &stream, q);
      next_column(&row, &stream, r);
      depthwise_three(&row, w, x, p, q, r);
      if (++x == width) break;
      next_column(&row, &stream, q);
      next_column(&row, &stream, p);
      depthwise_three(&row, w, x, r, q, p);
    }
    return;
  }
  next_column(&row, &stream, q);
  for (int64_t x = 0; x < width; x++) {
    next_column(&row, &stream, r);
    depthwise_three(&row, w, x, p, q, r);
    if (++x == width) break;
    next_column(&row, &stream, p);
    depthwise_three(&row, w, x, q, r, p);
    if (++x == width) break;
    next_column(&row, &stream, q);
    depthwise_three(&row, w, x, r, p, q);
  }
}

/* ---- rows ---- */

static void depthwise_bytes_stream(const depthwise_bytes *row) { depthwise_by_stream(row, 1); }
static void depthwise_bytes_stream_by_2(const depthwise_bytes *row) { depthwise_by_stream(row, 2); }
static void depthwise_bytes_3(const depthwise_bytes *row) { depthwise_byte_row(row, 3, 1); }
static void depthwise_bytes_3_by_2(const depthwise_bytes *row) { depthwise_byte_row(row, 3, 2); }
static void depthwise_bytes_5(const depthwise_bytes *row) { depthwise_byte_row(row, 5, 1); }
static void depthwise_bytes_5_by_2(const depthwise_bytes *row) { depthwise_byte_row(row, 5, 2); }
static void depthwise_bytes_any(const depthwise_bytes *row) { depthwise_byte_row(row, 0, 1); }

static void (*depthwise_bytes_for(const forge_quantized_depthwise_arguments *a))(
  const depthwise_bytes *row) {
  if (a->dilation_x != 1 || a->stride_x > 2) return depthwise_bytes_any;
  if (a->kernel_width == 3 && a->kernel_height <= FORGE_QUAD)
    return a->stride_x == 1 ? depthwise_bytes_stream : depthwise_bytes_stream_by_2;
  switch (a->kernel_width) {
    case 3: return a->stride_x == 1 ? depthwise_bytes_3 : depthwise_bytes_3_by_2;
    case 5: return a->stride_x == 1 ? depthwise_bytes_5 : depthwise_bytes_5_by_2;
    default: return depthwise_bytes_any;
  }
}

FORGE_KERNEL(quantized_depthwise) {
  const forge_quantized_depthwise_arguments *a = arguments;
  uint8_t zeros[FORGE_BYTE_LANES];
  memset(zeros, a->in_zero, sizeof zeros);
  void (*const compute)(const depthwise_bytes *row) = depthwise_bytes_for(a);
  const int64_t groups = forge_quotient_up(a->kernel_height, FORGE_QUAD);
#if FORGE_SIGNED_QUADS
  int64_t folded_block = -1;
  int32_t folded[FORGE_BYTE_LANES];
#endif
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t top = y * a->stride_y - a->pad_top;
    depthwise_bytes row = {
      .a = a,
      .zeros = zeros,
      .in = forge_byte_row(&a->in, frame, block, top),
      .weights = a->weights + block * a->kernel_width * groups * FORGE_QUAD * FORGE_BYTE_LANES,
      .scales = a->scales + block * FORGE_BYTE_LANES,
      .biases = a->biases + block * FORGE_BYTE_LANES,
      .out = forge_byte_row(&a->out, frame, block, y),
      .groups = groups,
      .top = top,
      .end = {a->zero, a->low, a->high},
    };
#if FORGE_SIGNED_QUADS
    if (block != folded_block)
      fold_excess(folded, row.biases, row.weights, a->kernel_width * groups, FORGE_BYTE_LANES);
    folded_block = block;
    row.biases = folded;
#endif
    compute(&row);
  }
}
