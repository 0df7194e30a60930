/* Parameters: out of the forms that files have, into the forms that kernels read. */
#ifndef CFORGE_PACKING_H
#define CFORGE_PACKING_H

#include "CForgeKernels.h"

/* ---- parameters as files hold them ---- */
typedef enum {
  FORGE_STORED_FLOAT32 = 0,
  FORGE_STORED_FLOAT16,
  FORGE_STORED_BFLOAT16,
  FORGE_STORED_FLOAT64
} forge_stored_type;

/* out, row-major of these sizes, as floats: element i is in[strides . i]. Strides in elements of
 * the stored type, which need not be aligned; 0 repeats, one below 0 goes backwards from `in`. A
 * number too large for a float becomes infinite. rank: at most FORGE_MAX_RANK. threads: as with
 * packing, below. */
void forge_gather(const void *in, int32_t type, int32_t rank, const int64_t *sizes,
                  const int64_t *strides, float *out, int32_t threads);

/* ---- packing: weights in the forms that kernels read ----
 *
 * Every float of the form is written. Where there is `threads`, up to so many threads of the pool
 * (see CForgePool.h) take part when there is enough to do; with 1 the pool is not touched. */

/* [outputs][taps][inputs] -> [panel][tap][in blocks * 16][panel_width], zero where padded. */
void forge_pack_convolution(const float *weights, float *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width, int32_t threads);

/* [outputs][kernel_height][kernel_width][inputs of a group] -> what
 * forge_grouped_convolution_arguments has, forge_grouped_convolution_floats of them: per block of
 * 16 outputs and group, or per block where groups have few outputs, [ky][input of the
 * group][kx][16], zero where no output is (see grouped.h in this folder's parent). inputs: of one
 * group; outputs: of all. */
void forge_pack_grouped_convolution(const float *weights, float *packed, int64_t groups,
                                    int64_t outputs, int64_t kernel_height, int64_t kernel_width,
                                    int64_t inputs);
int64_t forge_grouped_convolution_floats(int64_t groups, int64_t outputs, int64_t kernel_height,
                                         int64_t kernel_width, int64_t inputs);

/* [outputs][kernel_height][kernel_width][inputs] -> G weights G^T of F(tile, kernel), computed in
 * double: [panel][unit][in blocks * 16][panel_width], zero where padded. */
void forge_pack_winograd(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                         int32_t kernel_width, int32_t stride, int64_t panel_width,
                         int32_t threads);

/* The units of weights per panel: see forge_winograd_arguments. */
int64_t forge_winograd_units(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                             int32_t kernel_width, int32_t stride);

/* [outputs][inputs] -> the right sides of Strassen's algorithm, computed in double:
 * [panel of outputs >> levels][7 or 49][inputs >> levels][panel_width], zero where padded.
 * input_scales, output_scales: float [inputs] and [outputs], powers of two or 0, which the weights
 * are divided by first (what is divided by 0 becomes 0); both may be NULL. */
void forge_pack_strassen(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int64_t panel_width, int32_t levels, const float *input_scales,
                         const float *output_scales, int32_t threads);

/* How much larger an error may be than on evenly spread weights, where it is 1: see balance.c. */
typedef struct {
  double channel; /* of one output channel, of inputs of like scale */
  double block;   /* of one output channel, of inputs of which only those 16 are in use for which it
                     is worst */
  double input;   /* of all outputs, of inputs whose scales make up for those of the weights */
} forge_unevenness;

/* Powers of two that make the norms of weights [outputs][inputs] even when each weight is divided
 * by the scale of its input and that of its output; 0 where all weights of an input or output are
 * 0. */
void forge_balance(const float *weights, int64_t outputs, int64_t inputs, float *input_scales,
                   float *output_scales);

/* The unevenness of weights [outputs][inputs] divided by scales, which may be NULL, for Strassen's
 * algorithm. NaN or infinite where a weight is not finite. */
forge_unevenness forge_strassen_unevenness(const float *weights, int64_t outputs, int64_t inputs,
                                           int32_t levels, const float *input_scales,
                                           const float *output_scales);

#endif
