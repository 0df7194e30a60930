/* Direct convolutions: convolution, plain_convolution, grouped_convolution, depthwise. */
#include "convolutions.h"

int64_t input_size(int64_t out, int64_t stride, int64_t kernel, int64_t dilation, int64_t pad) {
  return forge_larger((out - 1) * stride + (kernel - 1) * dilation + 1 - pad, 1);
}

static const int64_t channel_counts[] = {1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 33, 47, 64, 67};

static int64_t some_channels(int64_t most) {
  for (;;) {
    const int64_t c = RANDOM_OF(channel_counts);
    if (c <= most) return c;
  }
}

convolution convolution_of(const convolution_limits *l) {
  convolution c = {.fill = (fill_kind)random_below(FILLS)};
  forge_convolution_arguments *a = &c.a;
  const int64_t multiple = l->channel_multiple;
  c.inputs =
    multiple ? multiple * random_from(1, l->most_inputs / multiple) : some_channels(l->most_inputs);
  c.outputs = multiple ? multiple * random_from(1, l->most_outputs / multiple)
                       : some_channels(l->most_outputs);
  a->kernel_height = l->kernel_height ? l->kernel_height : (int32_t)random_from(1, 4);
  a->kernel_width = l->kernel_width ? l->kernel_width : (int32_t)random_from(1, 4);
  a->stride_y = l->stride ? l->stride : (int32_t)random_from(1, 3);
  a->stride_x = l->stride ? l->stride : (int32_t)random_from(1, 3);
  a->dilation_y = l->no_dilation ? 1 : (int32_t)random_from(1, 2);
  a->dilation_x = l->no_dilation ? 1 : (int32_t)random_from(1, 2);
  const int64_t border = random_below(3), gap = random_below(2);
  a->pad_top = (int32_t)random_below(forge_smaller(border, a->kernel_height - 1) + 1);
  a->pad_left = (int32_t)random_below(forge_smaller(border, a->kernel_width - 1) + 1);
  const int64_t height = l->one_pixel ? 1 : random_from(1, 7);
  const int64_t width = l->one_pixel ? 1 : random_from(1, 23);
  c.taps = (int64_t)a->kernel_height * a->kernel_width;
  c.in =
    float_image(IN, input_size(height, a->stride_y, a->kernel_height, a->dilation_y, a->pad_top),
                input_size(width, a->stride_x, a->kernel_width, a->dilation_x, a->pad_left),
                c.inputs, border, gap);
  c.out = float_image(OUT, height, width, c.outputs, random_below(2), random_below(2));
  c.residual = float_image(RESIDUAL, height, width, c.outputs, 0, random_below(2));
  a->in = c.in.view;
  a->out = c.out.view;
  a->epilogue.residual = c.residual.view;
  a->epilogue.has_residual = (int32_t)random_below(2);
  a->epilogue.activation = gentle_activation();
  a->panel_width = (int32_t)(16 * random_from(1, 4));
  a->segments = (int32_t)random_from(1, 3);
  c.bases[IN] = filled_image(&c.in, c.fill);
  c.bases[RESIDUAL] = filled_image(&c.residual, EVEN);
  c.bases[OUT] = memory_of(c.out.bytes, 0x41);

  c.padded = forge_quotient_up(c.outputs, a->panel_width) * a->panel_width;
  c.weights = memory_of(4 * c.outputs * c.taps * c.inputs, 0);
  c.bias = memory_of(4 * c.padded, 0);
  for (int64_t o = 0; o < c.outputs; o++) {
    const float scale = c.fill == UNEVEN ? random_scale(20) : 1;
    for (int64_t i = 0; i < c.taps * c.inputs; i++)
      c.weights[o * c.taps * c.inputs + i] = random_below(32) == 0 ? 0 : random_number() * scale;
    c.bias[o] = random_number() * scale;
  }
  c.packed_floats = c.padded * c.taps * forge_blocks(c.inputs) * 16;
  c.packed = memory_of(4 * c.packed_floats, 0x41);
  forge_pack_convolution(c.weights, c.packed, c.outputs, c.taps, c.inputs, a->panel_width, 1);
  a->weights = c.packed;
  a->bias = c.bias;
  if (random_below(2)) {
    a->next = c.packed;
    a->next_floats = c.packed_floats;
  }
  describe_convolution(&c, "");
  return c;
}

void describe_convolution(const convolution *c, const char *more) {
  const forge_convolution_arguments *a = &c->a;
  PROBLEM("%dx%dx%d to %dx%dx%d, kernel %dx%d, stride %d %d, dilation %d %d, pad %d %d, panel %d, "
          "segments %d, residual %d, activation %d, fill %d%s",
          a->in.height, a->in.width, a->in.channels, a->out.height, a->out.width, a->out.channels,
          a->kernel_height, a->kernel_width, a->stride_y, a->stride_x, a->dilation_y, a->dilation_x,
          a->pad_top, a->pad_left, a->panel_width, a->segments, a->epilogue.has_residual,
          a->epilogue.activation.kind, c->fill, more);
}

void free_convolution(convolution *c) {
  free(c->weights);
  free(c->packed);
  free(c->bias);
  for (int i = 0; i < BASES; i++) free(c->bases[i]);
}

/* Runs a kernel on absolute inputs and residuals, without an activation. `arguments` have absolute
 * weights. */
static float *magnitudes_by(forge_kernel kernel, const void *arguments, int64_t tiles,
                            float *const *bases, int64_t in_bytes, int64_t residual_bytes,
                            int64_t out_bytes) {
  trial t = {.arguments = arguments, .tiles = tiles, .bytes = out_bytes};
  memcpy(t.bases, bases, sizeof t.bases);
  t.bases[IN] = absolute_of(bases[IN], in_bytes / 4);
  if (bases[RESIDUAL]) t.bases[RESIDUAL] = absolute_of(bases[RESIDUAL], residual_bytes / 4);
  float *magnitudes = run_form(&t, kernel);
  free(t.bases[IN]);
  if (bases[RESIDUAL]) free(t.bases[RESIDUAL]);
  return magnitudes;
}

float *magnitudes_of_convolution(const convolution *c) {
  forge_convolution_arguments a = c->a;
  float *weights = absolute_of(c->packed, c->packed_floats);
  float *bias = absolute_of(c->bias, c->padded);
  a.weights = weights;
  a.bias = bias;
  a.epilogue.activation = (forge_activation){0};
  float *magnitudes =
    magnitudes_by(forge_kernels(FORGE_SCALAR)->convolution, &a, forge_convolution_tiles(&a),
                  c->bases, c->in.bytes, c->residual.bytes, c->out.bytes);
  free(weights);
  free(bias);
  return magnitudes;
}

void check_convolution(void) {
  const convolution_limits limits = {.most_inputs = 67, .most_outputs = 67};
  convolution c = convolution_of(&limits);
  float *magnitudes = magnitudes_of_convolution(&c);
  double *bounds = bounds_of_sums(magnitudes, c.out.bytes / 4, (double)(c.taps * c.inputs + 2));
  trial t = {.arguments = &c.a,
             .tiles = forge_convolution_tiles(&c.a),
             .bytes = c.out.bytes,
             .bounds = bounds};
  memcpy(t.bases, c.bases, sizeof t.bases);
  free(try_forms(&t));
  free(magnitudes);
  free(bounds);
  free_convolution(&c);
}

/* ---- the first convolution of a network ---- */

void check_plain_convolution(void) {
  const fill_kind fill = (fill_kind)random_below(FILLS);
  forge_plain_convolution_arguments a = {
    .kernel_height = (int32_t)random_from(1, 7),
    .kernel_width = (int32_t)random_from(1, 7),
    .stride_y = (int32_t)random_from(1, 4),
    .stride_x = (int32_t)random_from(1, 4),
    .height = (int32_t)random_from(1, 9),
    .width = (int32_t)random_from(1, 37),
    .panel_width = (int32_t)(16 * random_from(1, 4)),
    .pooled = random_below(3) == 0,
    .activation = {FORGE_CLAMP, 0, INFINITY},
  };
  if (!a.pooled) a.activation = gentle_activation();
  const int64_t channels = random_from(1, 5), outputs = random_from(1, 50);
  a.pad_top = (int32_t)random_below(a.kernel_height);
  a.pad_left = (int32_t)random_below(a.kernel_width);
  /* The windows of the last row and column may reach beyond the image, too. */
  const int64_t less = random_below(2);
  const image in = plain_image(
    IN, forge_larger(input_size(a.height, a.stride_y, a.kernel_height, 1, a.pad_top) - less, 1),
    forge_larger(input_size(a.width, a.stride_x, a.kernel_width, 1, a.pad_left) - less, 1),
    channels);
  const int64_t rows = a.pooled ? (a.height + 1) / 2 : a.height;
  const int64_t columns = a.pooled ? (a.width + 1) / 2 : a.width;
  const image out = float_image(OUT, rows, columns, outputs, random_below(2), 0);
  a.in = in.view;
  a.out = out.view;
  PROBLEM("plain %dx%dx%d to %dx%dx%d, kernel %dx%d, stride %d %d, pad %d %d, panel %d, pooled %d, "
          "fill %d",
          a.in.height, a.in.width, a.in.channels, a.height, a.width, a.out.channels,
          a.kernel_height, a.kernel_width, a.stride_y, a.stride_x, a.pad_top, a.pad_left,
          a.panel_width, a.pooled, fill);
  const int64_t padded = forge_quotient_up(outputs, a.panel_width) * a.panel_width;
  const int64_t run = forge_blocks(a.kernel_width * channels) * 16;
  const int64_t floats = padded * a.kernel_height * run;
  float *weights = memory_of(4 * floats, 0), *bias = memory_of(4 * padded, 0);
  for (int64_t o = 0; o < outputs; o++) {
    const float scale = fill == UNEVEN ? random_scale(20) : 1;
    bias[o] = random_number() * scale;
    for (int64_t ky = 0; ky < a.kernel_height; ky++)
      for (int64_t i = 0; i < a.kernel_width * channels; i++)
        weights[((o / a.panel_width * a.kernel_height + ky) * run + i) * a.panel_width +
                o % a.panel_width] = random_number() * scale;
  }
  a.weights = weights;
  a.bias = bias;
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  bases[OUT] = memory_of(out.bytes, 0x41);
  fill_numbers(bases[IN], in.bytes / 4, fill);
  forge_plain_convolution_arguments absolute = a;
  float *absolute_weights = absolute_of(weights, floats),
        *absolute_bias = absolute_of(bias, padded);
  absolute.weights = absolute_weights;
  absolute.bias = absolute_bias;
  absolute.activation = (forge_activation){0};
  const int64_t tiles = forge_plain_convolution_tiles(&a);
  float *magnitudes = magnitudes_by(now.scalar, &absolute, tiles, bases, in.bytes, 0, out.bytes);
  double *bounds = bounds_of_sums(magnitudes, out.bytes / 4,
                                  (double)(a.kernel_height * a.kernel_width * channels + 2));
  trial t = {.arguments = &a, .tiles = tiles, .bytes = out.bytes, .bounds = bounds};
  memcpy(t.bases, bases, sizeof t.bases);
  free(try_forms(&t));
  free(magnitudes);
  free(bounds);
  free(absolute_weights);
  free(absolute_bias);
  free(weights);
  free(bias);
  free(bases[IN]);
  free(bases[OUT]);
}

/* ---- groups ---- */

void check_grouped_convolution(void) {
  const convolution_limits limits = {.most_inputs = 1, .most_outputs = 1};
  convolution c = convolution_of(&limits); /* for its sizes */
  const int64_t groups = random_from(1, 9), inputs = random_from(1, 9),
                outputs = random_from(1, 21);
  const forge_convolution_arguments *from = &c.a;
  const image in =
    float_image(IN, from->in.height, from->in.width, groups * inputs, c.in.border, 0);
  const image out = float_image(OUT, from->out.height, from->out.width, groups * outputs, 0, 1);
  const image residual =
    float_image(RESIDUAL, from->out.height, from->out.width, groups * outputs, 1, 0);
  const int64_t floats = forge_grouped_convolution_floats(
    groups, groups * outputs, from->kernel_height, from->kernel_width, inputs);
  const int64_t count = groups * outputs * c.taps * inputs,
                padded = forge_blocks(groups * outputs) * 16;
  float *weights = memory_of(4 * count, 0), *packed = memory_of(4 * floats, 0x41);
  float *bias = memory_of(4 * padded, 0);
  fill_numbers(weights, count, c.fill == UNEVEN ? UNEVEN : EVEN);
  fill_numbers(bias, groups * outputs, EVEN);
  forge_pack_grouped_convolution(weights, packed, groups, groups * outputs, from->kernel_height,
                                 from->kernel_width, inputs);
  forge_grouped_convolution_arguments a = {.in = in.view,
                                           .out = out.view,
                                           .weights = packed,
                                           .bias = bias,
                                           .groups = (int32_t)groups,
                                           .kernel_height = from->kernel_height,
                                           .kernel_width = from->kernel_width,
                                           .stride_y = from->stride_y,
                                           .stride_x = from->stride_x,
                                           .dilation_y = from->dilation_y,
                                           .dilation_x = from->dilation_x,
                                           .pad_top = from->pad_top,
                                           .pad_left = from->pad_left,
                                           .epilogue = from->epilogue};
  a.epilogue.residual = residual.view;
  char text[64];
  snprintf(text, sizeof text, ", %lld groups of %lld to %lld", (long long)groups, (long long)inputs,
           (long long)outputs);
  describe_convolution(&c, text);
  float *bases[BASES] = {0};
  bases[IN] = filled_image(&in, c.fill);
  bases[OUT] = memory_of(out.bytes, 0x41);
  bases[RESIDUAL] = filled_image(&residual, EVEN);
  forge_grouped_convolution_arguments absolute = a;
  float *absolute_weights = absolute_of(packed, floats), *absolute_bias = absolute_of(bias, padded);
  absolute.weights = absolute_weights;
  absolute.bias = absolute_bias;
  absolute.epilogue.activation = (forge_activation){0};
  const int64_t tiles = forge_grouped_convolution_tiles(&a);
  float *magnitudes =
    magnitudes_by(now.scalar, &absolute, tiles, bases, in.bytes, residual.bytes, out.bytes);
  double *bounds = bounds_of_sums(magnitudes, out.bytes / 4, (double)(c.taps * inputs + 2));
  trial t = {.arguments = &a, .tiles = tiles, .bytes = out.bytes, .bounds = bounds};
  memcpy(t.bases, bases, sizeof t.bases);
  free(try_forms(&t));
  free(magnitudes);
  free(bounds);
  free(absolute_weights);
  free(absolute_bias);
  free(weights);
  free(packed);
  free(bias);
  for (int i = 0; i < BASES; i++) free(bases[i]);
  free_convolution(&c);
}

void check_depthwise(void) {
  static const int32_t kernels[] = {1, 2, 3, 3, 3, 4, 5, 5, 7};
  const fill_kind fill = (fill_kind)random_below(FILLS);
  forge_depthwise_arguments a = {.kernel_height = RANDOM_OF(kernels),
                                 .kernel_width = RANDOM_OF(kernels),
                                 .stride_y = (int32_t)random_from(1, 3),
                                 .stride_x = (int32_t)random_from(1, 3),
                                 .dilation_y = (int32_t)random_from(1, 2),
                                 .dilation_x = (int32_t)random_from(1, 2),
                                 .pad_top = (int32_t)random_below(4),
                                 .pad_left = (int32_t)random_below(4)};
  if (random_below(2)) a.kernel_height = a.kernel_width = 3, a.dilation_x = a.dilation_y = 1;
  const int64_t channels = RANDOM_OF(channel_counts);
  const image in = float_image(IN, random_from(1, 9), random_from(1, 23), channels, random_below(2),
                               random_below(2));
  const image out = float_image(OUT, random_from(1, 7), random_from(1, 23), channels, 0, 1);
  const image residual = float_image(RESIDUAL, out.view.height, out.view.width, channels, 1, 0);
  a.in = in.view;
  a.out = out.view;
  a.epilogue.residual = residual.view;
  a.epilogue.has_residual = (int32_t)random_below(2);
  a.epilogue.activation = gentle_activation();
  PROBLEM(
    "depthwise %dx%dx%d to %dx%d, kernel %dx%d, stride %d %d, dilation %d %d, pad %d %d, fill "
    "%d",
    a.in.height, a.in.width, a.in.channels, a.out.height, a.out.width, a.kernel_height,
    a.kernel_width, a.stride_y, a.stride_x, a.dilation_y, a.dilation_x, a.pad_top, a.pad_left,
    fill);
  const int64_t taps = (int64_t)a.kernel_height * a.kernel_width,
                padded = forge_blocks(channels) * 16;
  float *weights = memory_of(4 * padded * taps, 0), *bias = memory_of(4 * padded, 0);
  for (int64_t c = 0; c < channels; c++) {
    bias[c] = random_number();
    for (int64_t tap = 0; tap < taps; tap++)
      weights[(c / 16 * taps + tap) * 16 + c % 16] = random_number();
  }
  a.weights = weights;
  a.bias = bias;
  float *bases[BASES] = {0};
  bases[IN] = filled_image(&in, fill);
  poison_border(&in, bases[IN]);
  bases[OUT] = memory_of(out.bytes, 0x41);
  bases[RESIDUAL] = filled_image(&residual, EVEN);
  forge_depthwise_arguments absolute = a;
  float *absolute_weights = absolute_of(weights, padded * taps);
  float *absolute_bias = absolute_of(bias, padded);
  absolute.weights = absolute_weights;
  absolute.bias = absolute_bias;
  absolute.epilogue.activation = (forge_activation){0};
  const int64_t tiles = forge_depthwise_tiles(&a);
  float *magnitudes =
    magnitudes_by(now.scalar, &absolute, tiles, bases, in.bytes, residual.bytes, out.bytes);
  double *bounds = bounds_of_sums(magnitudes, out.bytes / 4, (double)(taps + 2));
  trial t = {.arguments = &a, .tiles = tiles, .bytes = out.bytes, .bounds = bounds};
  memcpy(t.bases, bases, sizeof t.bases);
  free(try_forms(&t));
  free(magnitudes);
  free(bounds);
  free(absolute_weights);
  free(absolute_bias);
  free(weights);
  free(bias);
  for (int i = 0; i < BASES; i++) free(bases[i]);
}
