/* Convolution of one output pixel and recurrent cells, with 24-bit weights: see ../words.h.
 * Converting the weights limits the speed as much as reading them, so instruction sets have
 * functions of their own that add a group. */

/* Adds the number x[v] times vector v of a group, unscaled, to each sum. */
typedef void (*group_product)(const char *group, const float *const x[4], v16 *const sums[4]);

typedef int32_t stored_words __attribute__((vector_size(64), aligned(4), may_alias));

FORGE_INLINE void add_words(const v16i a, const v16i b, const v16i c, const v16i d,
                            const float *const x[4], v16 *const sums[4]) {
  const v16 weights[4] = {__builtin_convertvector(a, v16), __builtin_convertvector(b, v16),
                          __builtin_convertvector(c, v16), __builtin_convertvector(d, v16)};
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) *sums[v] = multiply_add(splat(*x[v]), weights[v], *sums[v]);
}

FORGE_INLINE void add_group(const char *group, const float *const x[4], v16 *const sums[4]) {
  typedef uint32_t bits __attribute__((vector_size(64)));
  const stored_words *at = (const stored_words *)group;
  const v16i a = at[0], b = at[1], c = at[2];
  const v16i d = (v16i)((bits)a << 24 | ((bits)b << 16 & 0xff0000) | ((bits)c << 8 & 0xff00));
  add_words(a, b, c, d, x, sums);
}

/* Returns how many pairs of `count` panels or blocks are read at once. Two streams of weights are
 * read faster than one. Their sums would take all registers of AVX2. */
FORGE_INLINE int64_t pairs_of(int64_t count) { return FORGE_PIXEL_PANELS > 1 ? count / 2 : 0; }

/* ---- convolution ---- */

typedef v16 panel_sums[FORGE_FIXED_VECTORS];

/* The sums of `at_once` panels, 1 or 2, `apart` from each other. */
FORGE_INLINE void fixed_sums(const convolution_row *row, const char *weights, int64_t panel_bytes,
                             int64_t apart, const int at_once, panel_sums *sums,
                             scaled_inputs *scaled, const group_product add) {
  const int64_t channels = row->whole_blocks * FORGE_LANES + row->rest;
  panel_sums sum[2];
#pragma clang loop unroll(full)
  for (int p = 0; p < at_once; p++)
#pragma clang loop unroll(full)
    for (int v = 0; v < FORGE_FIXED_VECTORS; v++) sum[p][v] = splat(0);
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + ky * row->tap_row + kx * row->tap_column;
      for (int64_t channel = 0; channel < channels; channel += SCALED_AT_ONCE) {
        const int64_t some = forge_smaller(SCALED_AT_ONCE, channels - channel);
        scale_inputs(scaled, at + channel / FORGE_LANES * row->in_block, row->in_block, some);
#pragma clang loop unroll_count(2)
        for (int64_t i = 0; i < some; i++, weights += FORGE_FIXED_GROUP_BYTES) {
          const float *x = &scaled->values[i];
#pragma clang loop unroll(full)
          for (int p = 0; p < at_once; p++) {
            v16 *const to[4] = {&sum[p][0], &sum[p][1], &sum[p][2], &sum[p][3]};
            add(weights + p * apart * panel_bytes, (const float *[4]){x, x, x, x}, to);
          }
        }
      }
      /* A tap has whole blocks. */
      if (row->rest > 0) weights += (FORGE_LANES - row->rest) * FORGE_FIXED_GROUP_BYTES;
    }
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < at_once; p++)
    for (int v = 0; v < FORGE_FIXED_VECTORS; v++) sums[p * apart][v] = sum[p][v];
}

/* The panels whose sums are computed at once. Their epilogues follow together, so that the code is
 * read from the third-level cache once: see recurrent_function. */
enum { PANELS_AT_ONCE = 32 };

FORGE_INLINE void fixed_panels(const forge_convolution_arguments *a, const forge_frame *frame,
                               int64_t first, int64_t last, const group_product add) {
  const int64_t bytes = panel_bytes_of(a, 24);
  convolution_row row = row_of(a, FORGE_LANES);
  scaled_inputs scaled;
  scaled.from = NULL;
  for (int64_t panel = first; panel < last; panel += PANELS_AT_ONCE) {
    const int64_t panels = forge_smaller(PANELS_AT_ONCE, last - panel);
    const int64_t pairs = pairs_of(panels), half = panels - pairs;
    const char *weights = (const char *)a->weights + panel * bytes;
    panel_sums sums[PANELS_AT_ONCE];
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    for (int64_t i = 0; i < pairs; i++)
      fixed_sums(&row, weights + i * bytes, bytes, half, 2, sums + i, &scaled, add);
    for (int64_t i = pairs; i < half; i++)
      fixed_sums(&row, weights + i * bytes, bytes, 0, 1, sums + i, &scaled, add);
    for (int64_t i = 0; i < panels; i++) {
      move_row(&row, a, frame, panel + i, 0, FORGE_LANES);
      finish_pixel(&row, sums[i], a->scales + (panel + i) * a->panel_width, FORGE_FIXED_VECTORS,
                   FORGE_TILE_VECTORS, FORGE_WEIGHTS_FIXED);
    }
  }
}

/* ---- recurrent cells ---- */

/* The sums of a gate that are added at the end: see FORGE_CHAINS_OF. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_FIXED_CHAINS_OF(gates) ((gates) == 1 ? 4 : (gates) == 4 ? 1 : 2)
#else
#define FORGE_FIXED_CHAINS_OF(gates) ((gates) == 1 ? 4 : (gates) == 2 ? 2 : 1)
#endif

/* The products of `at_once` blocks, 1 or 2, `apart` from each other. */
FORGE_INLINE void fixed_products(const recurrent_operands *o, int64_t block, int64_t apart,
                                 const int at_once, v16 (*sums)[FORGE_MOST_GATES],
                                 scaled_inputs *scaled, const int gates, const group_product add) {
  const int chains = FORGE_FIXED_CHAINS_OF(gates);
  const char *weights = o->weights + block * o->block_bytes;
  gate_sums parts[2];
#pragma clang loop unroll(full)
  for (int b = 0; b < at_once; b++) clear_gates(parts[b], gates, chains);
  for (int64_t first = 0; first < o->count; first += SCALED_AT_ONCE) {
    const int64_t some = forge_smaller(SCALED_AT_ONCE, o->count - first);
    scale_inputs(scaled, o->values + first, FORGE_LANES, some);
    /* Four inputs of a gate are a group of four vectors. */
    for (int64_t k = 0; k < some; k += 4, weights += gates * FORGE_FIXED_GROUP_BYTES) {
#pragma clang loop unroll(full)
      for (int i = 0; i < gates * at_once; i++) {
        const int group = i / at_once, b = i % at_once;
        const float *x[4];
        v16 *to[4];
#pragma clang loop unroll(full)
        for (int v = 0; v < 4; v++) {
          const int input = (group * 4 + v) / gates, gate = (group * 4 + v) % gates;
          x[v] = &scaled->values[k + input];
          to[v] = &parts[b][input % chains][gate];
        }
        add(weights + b * apart * o->block_bytes + group * FORGE_FIXED_GROUP_BYTES, x, to);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int b = 0; b < at_once; b++) {
    const int64_t here = block + b * apart;
    finish_gates(parts[b], o->scales + here * o->block_scales, 1 / FORGE_FIXED_INPUT_SCALE,
                 sums[here], gates, chains);
  }
}

/* The two kernels with a function that adds a group. The names of others begin with `prefix`. */
#define FORGE_FIXED_KERNELS(prefix, add)                                                \
  FORGE_KERNEL(fixed_convolution) { fixed_panels(arguments, frame, first, last, add); } \
  FORGE_FIXED_PRODUCTS(prefix##_recurrence, add, 1)                                     \
  FORGE_FIXED_PRODUCTS(prefix##_recurrence, add, 2)                                     \
  FORGE_FIXED_PRODUCTS(prefix##_recurrence, add, 3)                                     \
  FORGE_FIXED_PRODUCTS(prefix##_recurrence, add, 4)                                     \
  FORGE_RECURRENT_FORM(prefix##_recurrence, FORGE_WEIGHTS_FIXED)                        \
  FORGE_KERNEL(fixed_recurrent) {                                                       \
    recurrent_blocks(arguments, frame, first, last, &prefix##_recurrence);              \
  }
#define FORGE_FIXED_PRODUCTS(name, add, gates)                                                   \
  static void name##_##gates(const recurrent_operands *o, int64_t blocks,                        \
                             v16(*sums)[FORGE_MOST_GATES], scaled_inputs *scaled) {              \
    const int64_t pairs = pairs_of(blocks), half = blocks - pairs;                               \
    for (int64_t i = 0; i < pairs; i++) fixed_products(o, i, half, 2, sums, scaled, gates, add); \
    for (int64_t i = pairs; i < half; i++) fixed_products(o, i, 0, 1, sums, scaled, gates, add); \
  }
