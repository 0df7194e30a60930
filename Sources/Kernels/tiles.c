/* How many tiles each step has. */
#include "internal.h"
#include "strassen.h"

#pragma STDC FP_CONTRACT OFF

static int64_t rows_of_blocks(const forge_view *view) {
  return forge_blocks(view->channels) * view->height;
}

static int64_t winograd_input_tiles(const forge_winograd_arguments *a) {
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  return layout.chunks * layout.phases * forge_blocks(a->in.channels);
}

#define panels(a) forge_quotient_up((a)->out.channels, (a)->panel_width)
#define winograd_output_tiles(a) (forge_winograd_layout_of(a).chunks * panels(a))
#define first_size(a) ((a)->rank > 0 ? (a)->sizes[0] : 1) /* a tensor of rank 0 is one number */

#define FORGE_DEFINE_TILES(name, arguments, levels, tiles)               \
  int64_t forge_##name##_tiles(const forge_##arguments##_arguments *a) { \
    (void)a;                                                             \
    return tiles;                                                        \
  }
FORGE_KERNELS(FORGE_DEFINE_TILES)

/* A tile of 14 pixels, the widest, must fit the buffer of vector/plain_convolution.h. */
int32_t forge_plain_convolution_fits(int64_t kernel_height, int64_t kernel_width, int64_t stride_x,
                                     int64_t channels) {
  if (channels >= FORGE_LANES || kernel_height > 64 || kernel_width > 64 || stride_x > 64)
    return false;
  return kernel_height * (13 * stride_x + kernel_width) * channels <= 4096;
}
