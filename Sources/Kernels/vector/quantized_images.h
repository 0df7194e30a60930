/* Arithmetic and pooling on images of bytes. Padded lanes are computed as others. */

/* ---- two images ---- */

/* Combines pixels. a_step, b_step: from pixel to pixel, 0 to repeat one. */
FORGE_INLINE void combine_bytes(const forge_quantized_binary_arguments *p, const uint8_t *a,
                                int64_t a_step, const uint8_t *b, int64_t b_step, uint8_t *out,
                                const int32_t operation) {
  const v16 a_factor = splat(p->a_factor), b_factor = splat(p->b_factor);
  const v16 zero = splat((float)p->zero);
  const byte_rule end = {0, p->low, p->high};
  for (int64_t x = 0; x < p->out.width; x++, a += a_step, b += b_step, out += FORGE_BYTE_LANES) {
    v16 f[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) {
      const v16i left = words_of(a + v * FORGE_LANES) - p->a_zero;
      const v16i right = words_of(b + v * FORGE_LANES) - p->b_zero;
      f[v] = operation == FORGE_BYTES_ADD ? floats_of(left) * a_factor + floats_of(right) * b_factor
                                          : floats_of(left * right) * a_factor;
      f[v] += zero;
    }
    store_bytes(out, f, 4, end);
  }
}

FORGE_KERNEL(quantized_binary) {
  const forge_quantized_binary_arguments *p = arguments;
  const int64_t a_step = p->a.width == 1 ? 0 : FORGE_BYTE_LANES;
  const int64_t b_step = p->b.width == 1 ? 0 : FORGE_BYTE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / p->out.height, y = tile % p->out.height;
    const uint8_t *a = forge_byte_row(&p->a, frame, block, p->a.height == 1 ? 0 : y);
    const uint8_t *b = forge_byte_row(&p->b, frame, block, p->b.height == 1 ? 0 : y);
    uint8_t *out = forge_byte_row(&p->out, frame, block, y);
    if (p->operation == FORGE_BYTES_ADD)
      combine_bytes(p, a, a_step, b, b_step, out, FORGE_BYTES_ADD);
    else
      combine_bytes(p, a, a_step, b, b_step, out, FORGE_BYTES_MULTIPLY);
  }
}

/* ---- pooling ---- */

/* The pixels of a window that are inside: `rows` by `columns` of them. Distances are in bytes. */
typedef struct {
  const uint8_t *in;
  int64_t rows, columns, row, column;
} byte_window;

FORGE_INLINE v64b largest_of_window(const byte_window *w) {
  v64b largest = {0};
  for (int64_t ky = 0; ky < w->rows; ky++)
    for (int64_t kx = 0; kx < w->columns; kx++)
      largest =
        __builtin_elementwise_max(largest, load_bytes(w->in + ky * w->row + kx * w->column));
  return largest;
}

FORGE_INLINE void sums_of_window(const byte_window *w, v16i start, v16i sum[4]) {
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) sum[v] = start;
  for (int64_t ky = 0; ky < w->rows; ky++)
    for (int64_t kx = 0; kx < w->columns; kx++) {
      const uint8_t *at = w->in + ky * w->row + kx * w->column;
#pragma clang loop unroll(full)
      for (int v = 0; v < 4; v++) sum[v] = wrapping_sum(sum[v], words_of(at + v * FORGE_LANES));
    }
}

FORGE_KERNEL(quantized_pooling) {
  const forge_quantized_pooling_arguments *a = arguments;
  const byte_rule end = {a->zero, a->low, a->high};
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t top = y * a->stride_y - a->pad_top;
    const forge_taps rows = forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++, out += FORGE_BYTE_LANES) {
      const int64_t left = x * a->stride_x - a->pad_left;
      const forge_taps columns =
        forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
      byte_window window = {
        .rows = forge_larger(rows.last - rows.first, 0),
        .columns = forge_larger(columns.last - columns.first, 0),
        .row = a->dilation_y * a->in.row_stride,
        .column = (int64_t)a->dilation_x * FORGE_BYTE_LANES,
      };
      const int64_t inside = window.rows * window.columns;
      if (inside > 0)
        window.in = forge_byte_row(&a->in, frame, block, top + rows.first * a->dilation_y) +
          (left + columns.first * a->dilation_x) * FORGE_BYTE_LANES;
      else
        window.rows = 0;
      if (a->kind == FORGE_POOL_MAXIMUM) {
        if (inside > 0)
          *(v64b_stored *)out = largest_of_window(&window);
        else
          memset(out, a->in_zero, FORGE_BYTE_LANES);
        continue;
      }
      const int64_t count = a->kind == FORGE_POOL_AVERAGE_INSIDE
        ? forge_larger(inside, 1)
        : (int64_t)a->kernel_height * a->kernel_width;
      const v16 factor = splat(a->factor / (float)count);
      v16i sum[4];
      sums_of_window(&window, splat_word((int32_t)(0 - (uint32_t)inside * (uint32_t)a->in_zero)),
                     sum);
      v16 f[4];
#pragma clang loop unroll(full)
      for (int v = 0; v < 4; v++) f[v] = floats_of(sum[v]) * factor;
      store_bytes(out, f, 4, end);
    }
  }
}

/* ---- tables ---- */

FORGE_KERNEL(byte_lookup) {
#if FORGE_HAS_PERMUTED_BYTES
  if (__builtin_cpu_supports("avx512vbmi")) {
    const forge_byte_lookup_arguments *a = arguments;
    for (int64_t tile = first; tile < last; tile++) {
      const int64_t block = tile / a->out.height, y = tile % a->out.height;
      look_up_by_permutes(forge_byte_row(&a->in, frame, block, y),
                          forge_byte_row(&a->out, frame, block, y), a->out.width, a->table);
    }
    return;
  }
#endif
  forge_byte_lookup_scalar(arguments, frame, first, last);
}
