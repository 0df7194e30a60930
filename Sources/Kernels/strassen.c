/* Strassen's pointwise convolution on all levels: packing and sizes. See vector/strassen.h. */
#include "packing.h"
#include "strassen.h"

#pragma STDC FP_CONTRACT OFF

/* ---- weights ---- */

/* Computes the seven right sides of B11, B12, B21, B22, whose row is the half of the inputs. They
 * are in the order of vector/strassen.h. */
FORGE_INLINE void right_sides(const d16 b[4], d16 sides[7]) {
  const d16 t1 = b[1] - b[0], t2 = b[3] - t1;
  sides[0] = b[0];
  sides[1] = t2;
  sides[2] = b[2];
  sides[3] = b[3] - b[1];
  sides[4] = t1;
  sides[5] = b[3];
  sides[6] = b[2] - t2;
}

typedef struct {
  const float *weights; /* [outputs][stride], of which `inputs` are packed */
  float *packed;
  int64_t outputs, inputs, stride, panel_width;
  int32_t levels;
  const float *input_scales, *output_scales; /* or NULL */
} strassen_packing;

/* Weights of 16 outputs and 16 inputs of each part: [part of the inputs][part of the
 * outputs][input][output]. */
typedef float strassen_parts[4][4][FORGE_LANES][FORGE_LANES];

/* Transposes the weights of an output block and an input block of all parts. */
FORGE_INLINE void gather_parts(const strassen_packing *a, int64_t column, int64_t block,
                               strassen_parts gathered) {
  const int64_t parts = 1 << a->levels;
  const float *weights = a->weights + (column * parts * a->stride + block * parts) * FORGE_LANES;
  for (int64_t o = 0; o < parts * FORGE_LANES; o++, weights += a->stride)
    for (int64_t i = 0; i < parts; i++)
      for (int64_t lane = 0; lane < FORGE_LANES; lane++)
        gathered[i][o / FORGE_LANES][lane][o % FORGE_LANES] = weights[i * FORGE_LANES + lane];
}

/* The inverse scales of one input lane and of 16 outputs of each part. */
typedef struct {
  double inverse_input[4];
  d16 inverse_output[4];
} strassen_scales;

static double inverse(double scale) { return scale == 0 ? 0 : 1 / scale; }

FORGE_INLINE void output_scales(const strassen_packing *a, int64_t column,
                                strassen_scales *scales) {
  const int64_t parts = 1 << a->levels;
  for (int64_t o = 0; o < parts * FORGE_LANES; o++)
    scales->inverse_output[o / FORGE_LANES][o % FORGE_LANES] =
      a->output_scales ? inverse(a->output_scales[column * parts * FORGE_LANES + o]) : 1;
}

FORGE_INLINE void input_scales(const strassen_packing *a, int64_t block, int64_t lane,
                               strassen_scales *scales) {
  const int64_t parts = 1 << a->levels;
  for (int64_t i = 0; i < parts; i++)
    scales->inverse_input[i] =
      a->input_scales ? inverse(a->input_scales[(block * parts + i) * FORGE_LANES + lane]) : 1;
}

/* Packs the products of input `lane`. `packed` points to the first. */
FORGE_INLINE void pack_strassen_input(const strassen_parts gathered, const strassen_scales *scales,
                                      int64_t lane, float *packed, int64_t product_floats,
                                      const int levels) {
  /* Halves are the even and the odd blocks, at the second level those of the first's halves. */
  const int halves = levels == 1 ? 1 : 2;
  d16 sides[4][7];
  for (int i = 0; i < halves; i++) {
    for (int o = 0; o < halves; o++) {
      d16 quarter[4];
      for (int q = 0; q < 4; q++) {
        const int in = 2 * i + q / 2, out = 2 * o + q % 2;
        quarter[q] = __builtin_convertvector(*(const f16 *)gathered[in][out][lane], d16) *
          scales->inverse_input[in] * scales->inverse_output[out];
      }
      right_sides(quarter, sides[2 * i + o]);
    }
  }
  for (int product = 0; product < 7; product++) {
    if (levels == 1) {
      *(f16 *)packed = __builtin_convertvector(sides[0][product], f16);
      packed += product_floats;
      continue;
    }
    const d16 quarter[4] = {sides[0][product], sides[1][product], sides[2][product],
                            sides[3][product]};
    d16 further[7];
    right_sides(quarter, further);
    for (int i = 0; i < 7; i++, packed += product_floats)
      *(f16 *)packed = __builtin_convertvector(further[i], f16);
  }
}

/* A tile is a block of 16 inputs of each part of one panel. */
FORGE_INLINE void pack_strassen_tile(const void *arguments, int64_t tile) {
  const strassen_packing *a = arguments;
  const int64_t products = forge_strassen_products(a->levels), width = a->panel_width;
  const int64_t blocks = a->inputs / FORGE_LANES >> a->levels;
  const int64_t columns = a->outputs / FORGE_LANES >> a->levels;
  const int64_t product_floats = blocks * FORGE_LANES * width;
  const int64_t panel = tile / blocks, block = tile % blocks, vectors = width / FORGE_LANES;
  float *packed = a->packed + panel * products * product_floats + block * FORGE_LANES * width;
  const int64_t filled = forge_smaller(vectors, columns - panel * vectors);
  if (filled < vectors)
    for (int64_t product = 0; product < products; product++)
      memset(packed + product * product_floats, 0, (size_t)(FORGE_LANES * width) * sizeof(float));
  for (int64_t vector = 0; vector < filled; vector++) {
    strassen_parts gathered;
    strassen_scales scales;
    gather_parts(a, panel * vectors + vector, block, gathered);
    output_scales(a, panel * vectors + vector, &scales);
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      float *to = packed + lane * width + vector * FORGE_LANES;
      input_scales(a, block, lane, &scales);
      if (a->levels == 1)
        pack_strassen_input(gathered, &scales, lane, to, product_floats, 1);
      else
        pack_strassen_input(gathered, &scales, lane, to, product_floats, 2);
    }
  }
}

FORGE_PACKING(pack_strassen_tile)

void forge_pack_strassen(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int64_t stride, int64_t panel_width, int32_t levels,
                         const float *input_scales, const float *output_scales, int32_t threads) {
  const strassen_packing arguments = {.weights = weights,
                                      .packed = packed,
                                      .outputs = outputs,
                                      .inputs = inputs,
                                      .stride = stride,
                                      .panel_width = panel_width,
                                      .levels = levels,
                                      .input_scales = input_scales,
                                      .output_scales = output_scales};
  const int64_t part = outputs >> levels;
  const int64_t panels = forge_quotient_up(part, panel_width);
  forge_deal(best_pack_strassen_tile(), &arguments, panels * (inputs / FORGE_LANES >> levels),
             panels * forge_strassen_products(levels) * (inputs >> levels) * panel_width *
               (int64_t)sizeof(float),
             threads);
}

/* ---- sizes ---- */

int64_t forge_strassen_products(int32_t levels) { return levels == 0 ? 1 : levels == 1 ? 7 : 49; }

int64_t forge_strassen_panels(const forge_strassen_arguments *a) {
  return forge_quotient_up(a->out.channels >> a->levels, a->panel_width);
}

int64_t forge_strassen_first(const forge_strassen_arguments *a, int64_t segment) {
  return (int64_t)a->in.height * a->in.width * segment / a->segments;
}

forge_strassen_side forge_strassen_image(const forge_strassen_arguments *a,
                                         const forge_frame *frame, int64_t segment, bool is_even) {
  const forge_view *in = is_even ? &a->uneven : &a->in;
  const int64_t first = forge_strassen_first(a, segment);
  return (forge_strassen_side){.at = forge_origin(in, frame) + first * FORGE_LANES,
                               .block = in->block_stride,
                               .blocks = a->in.channels / FORGE_LANES,
                               .rows = forge_strassen_first(a, segment + 1) - first};
}

int64_t forge_strassen_groups(const forge_strassen_arguments *a) {
  return a->in.channels / FORGE_LANES >> a->levels;
}

forge_strassen_layout forge_strassen_layout_of(const forge_strassen_arguments *a) {
  const int64_t pixels = (int64_t)a->in.height * a->in.width, channels = a->in.channels;
  const int64_t rows = (pixels + a->segments - 1) / a->segments, upper = forge_upper_half(rows);
  const int64_t vectors = a->panel_width / FORGE_LANES;
  const bool twice = a->levels == 2;
  const int64_t sums = 4 * (channels / 2) * upper;
  const int64_t further_sums = twice ? 7 * forge_strassen_further_floats(channels, rows) : 0;
  const int64_t products = (twice ? 4 : 2) * vectors * forge_strassen_vector(rows);
  const int64_t further_products = twice ? 2 * vectors * forge_strassen_vector(upper) : 0;
  forge_strassen_layout layout;
  layout.further_sums = sums;
  layout.sums_floats = sums + further_sums;
  /* A thread's own sums follow the number of their segment. */
  layout.products = a->shares_sums ? 0 : FORGE_LANES + layout.sums_floats;
  layout.further_products = layout.products + products;
  layout.scratch_floats = layout.further_products + further_products;
  return layout;
}

int64_t forge_strassen_scratch_floats(const forge_strassen_arguments *a) {
  return forge_strassen_layout_of(a).scratch_floats;
}

int64_t forge_strassen_sums_floats(const forge_strassen_arguments *a) {
  return a->shares_sums ? a->segments * forge_strassen_layout_of(a).sums_floats : 0;
}
