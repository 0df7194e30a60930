/* How many tiles each step has: what may be dealt out to threads. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

/* Rows of all blocks of a blocked tensor. */
static int64_t block_rows(const forge_view *view) {
  return forge_blocks(view->channels) * view->height;
}

int64_t forge_block_tiles(const forge_block_arguments *a) { return block_rows(&a->out); }

int64_t forge_unblock_tiles(const forge_unblock_arguments *a) { return a->out.height; }

int64_t forge_clear_halo_tiles(const forge_clear_halo_arguments *a) {
  return forge_blocks(a->out.channels) * a->out.height;
}

int64_t forge_fill_tiles(const forge_fill_arguments *a) { return forge_blocks(a->out.channels); }

int64_t forge_copy_tiles(const forge_copy_arguments *a) { return forge_blocks(a->out.channels); }

int64_t forge_copy_channels_tiles(const forge_copy_channels_arguments *a) {
  (void)a;
  return 1;
}

int64_t forge_gather_channels_tiles(const forge_gather_channels_arguments *a) {
  return a->out.height;
}

int64_t forge_convolution_tiles(const forge_convolution_arguments *a) {
  const int64_t panels = (a->out.channels + a->panel_width - 1) / a->panel_width;
  return panels * a->out.height * forge_larger(a->segments, 1);
}

int64_t forge_plain_convolution_tiles(const forge_plain_convolution_arguments *a) {
  const int64_t panels = (a->out.channels + a->panel_width - 1) / a->panel_width;
  return panels * a->out.height;
}

/* A tile of 14 pixels, the widest there is, must fit what vector/plain_convolution.h copies it to.
 */
int32_t forge_plain_convolution_fits(int64_t kernel_height, int64_t kernel_width, int64_t stride_x,
                                     int64_t channels) {
  if (channels >= FORGE_LANES || kernel_height > 64 || kernel_width > 64 || stride_x > 64)
    return false;
  return kernel_height * (13 * stride_x + kernel_width) * channels <= 4096;
}

int64_t forge_winograd_tiles(const forge_winograd_arguments *a) {
  return forge_winograd_layout_of(a).chunks;
}

int64_t forge_winograd_input_tiles(const forge_winograd_arguments *a) {
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  return layout.chunks * layout.phases * forge_blocks(a->in.channels);
}

int64_t forge_winograd_output_tiles(const forge_winograd_arguments *a) {
  const int64_t panels = (a->out.channels + a->panel_width - 1) / a->panel_width;
  return forge_winograd_layout_of(a).chunks * panels;
}

int64_t forge_grouped_convolution_tiles(const forge_grouped_convolution_arguments *a) {
  return block_rows(&a->out);
}

int64_t forge_depthwise_tiles(const forge_depthwise_arguments *a) { return block_rows(&a->out); }

int64_t forge_pooling_tiles(const forge_pooling_arguments *a) { return block_rows(&a->out); }

int64_t forge_activation_tiles(const forge_activation_arguments *a) { return block_rows(&a->out); }

int64_t forge_affine_tiles(const forge_affine_arguments *a) { return block_rows(&a->out); }

int64_t forge_binary_tiles(const forge_binary_arguments *a) { return block_rows(&a->out); }

int64_t forge_softmax_tiles(const forge_softmax_arguments *a) { return a->out.height; }

int64_t forge_resize_tiles(const forge_resize_arguments *a) {
  (void)a;
  return 1;
}

/* A tensor of rank 0 is one number: one tile. */
int64_t forge_copy_plain_tiles(const forge_copy_plain_arguments *a) {
  return a->rank > 0 ? a->sizes[0] : 1;
}

int64_t forge_binary_plain_tiles(const forge_binary_plain_arguments *a) {
  return a->rank > 0 ? a->sizes[0] : 1;
}

int64_t forge_activation_plain_tiles(const forge_activation_plain_arguments *a) {
  return (a->count + 1023) / 1024;
}

int64_t forge_softmax_plain_tiles(const forge_softmax_plain_arguments *a) { return a->rows; }
