/* The loops that scalar kernels share. */
#ifndef FORGE_SCALAR_H
#define FORGE_SCALAR_H

#include "../internal.h"

/* Returns the number of channel `o` at (y, x) of the output, before the residual and the
 * activation. */
#define FORGE_SCALAR_NUMBER(name) \
  float name(const void *arguments, const forge_frame *frame, int64_t o, int64_t y, int64_t x)
typedef FORGE_SCALAR_NUMBER((*scalar_number));

/* The output of a kernel and its tiles: (panel * height + y) * segments + segment. */
typedef struct {
  const forge_view *view;
  forge_activation activation;
  const forge_view *residual; /* or NULL */
  int64_t panel_width, segments;
  bool flat; /* all pixels count as one row */
} scalar_output;

/* Computes the tiles first ..< last. Padded lanes become zero. */
FORGE_INLINE void scalar_tiles(const scalar_output *output, scalar_number number,
                               const void *arguments, const forge_frame *frame, int64_t first,
                               int64_t last) {
  const forge_view *view = output->view;
  const int64_t height = output->flat ? 1 : view->height;
  const int64_t width = output->flat ? (int64_t)view->height * view->width : view->width;
  const int64_t segments = forge_larger(output->segments, 1);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / segments / height, row = tile / segments % height;
    const int64_t segment = tile % segments;
    /* The last panel may reach past the last block. Nothing is stored there. */
    const int64_t end =
      forge_smaller((panel + 1) * output->panel_width, forge_blocks(view->channels) * FORGE_LANES);
    for (int64_t c = panel * output->panel_width; c < end; c++) {
      const int64_t block = c / FORGE_LANES, lane = c % FORGE_LANES;
      for (int64_t i = width * segment / segments; i < width * (segment + 1) / segments; i++) {
        const int64_t y = output->flat ? i / view->width : row;
        const int64_t x = output->flat ? i % view->width : i;
        float value = 0;
        if (c < view->channels) {
          value = number(arguments, frame, c, y, x);
          if (output->residual)
            value += forge_row(output->residual, frame, block, y)[x * FORGE_LANES + lane];
          value = forge_activate_scalar(value, output->activation);
        }
        forge_row(view, frame, block, y)[x * FORGE_LANES + lane] = value;
      }
    }
  }
}

/* Defines forge_<name>_scalar, whose tiles are rows of panels. */
#define FORGE_SCALAR_KERNEL(name, number, panel_width)                                  \
  FORGE_SCALAR(name) {                                                                  \
    const forge_##name##_arguments *a = arguments;                                      \
    const scalar_output output = {&a->out, a->activation, NULL, panel_width, 1, false}; \
    scalar_tiles(&output, number, arguments, frame, first, last);                       \
  }

/* The same for a kernel with an epilogue and segments. */
#define FORGE_SCALAR_CONVOLUTION(name, type, number, panel_width, segments, flat)                  \
  FORGE_SCALAR(name) {                                                                             \
    const forge_##type##_arguments *a = arguments;                                                 \
    const forge_epilogue *e = &a->epilogue;                                                        \
    const scalar_output output = {                                                                 \
      &a->out, e->activation, e->has_residual ? &e->residual : NULL, panel_width, segments, flat}; \
    scalar_tiles(&output, number, arguments, frame, first, last);                                  \
  }

/* Copies `lanes` floats of each pixel. If `padded`, the rest of a block becomes zero. */
FORGE_INLINE void copy_pixels(float *out, int64_t out_pixel, const float *in, int64_t in_pixel,
                              int64_t pixels, int64_t lanes, const bool padded) {
  for (int64_t x = 0; x < pixels; x++, in += in_pixel, out += out_pixel) {
    if (lanes == FORGE_LANES) {
      memcpy(out, in, FORGE_LANES * sizeof(float));
    } else {
      for (int64_t lane = 0; lane < (padded ? FORGE_LANES : lanes); lane++)
        out[lane] = lane < lanes ? in[lane] : 0;
    }
  }
}

/* The number of a blocked tensor at this place. */
static inline float scalar_at(const forge_view *view, const forge_frame *frame, int64_t channel,
                              int64_t y, int64_t x) {
  return forge_row(view, frame, channel / FORGE_LANES, y)[x * FORGE_LANES + channel % FORGE_LANES];
}

#endif
