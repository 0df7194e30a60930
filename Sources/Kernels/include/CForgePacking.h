/* Parameters: from the forms of files to the forms that kernels read. */
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

/* Writes in[strides . i] as floats to `out`, row-major of these sizes. Strides count elements of
 * the stored type, which need not be aligned; they may be 0 or negative. Numbers too large for a
 * float become infinite. rank: at most FORGE_MAX_RANK. threads: see below. */
void forge_gather(const void *in, int32_t type, int32_t rank, const int64_t *sizes,
                  const int64_t *strides, float *out, int32_t threads);

/* ---- packing: weights in the forms that kernels read ----
 *
 * Every float of the form is written. Up to `threads` threads of the pool (CForgeThreadPool.h)
 * take part when there is enough work. With 1 the pool is not used. */

/* [outputs][taps][inputs] -> [panel][tap][in blocks * 16][panel_width], zero where padded. */
void forge_pack_convolution(const float *weights, float *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width, int32_t threads);

/* [outputs][kernel_height][kernel_width][inputs of a group] -> forge_grouped_convolution_floats:
 * per block of 16 outputs and group, or per block if groups have few outputs, [ky][input of the
 * group][kx][16], zero where no output is: see ../grouped.h. outputs: of all groups. */
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

/* The units per panel: see forge_winograd_arguments. */
int64_t forge_winograd_units(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                             int32_t kernel_width, int32_t stride);

/* [outputs][stride], of which the first `inputs` are taken -> the right sides of Strassen's
 * algorithm, computed in double:
 * [panel of outputs >> levels][7 or 49][inputs >> levels][panel_width], zero where padded. Weights
 * are first divided by input_scales and output_scales, float [inputs] and [outputs], powers of two
 * or 0 (division by 0 gives 0); both may be NULL. */
void forge_pack_strassen(const float *weights, float *packed, int64_t outputs, int64_t inputs,
                         int64_t stride, int64_t panel_width, int32_t levels,
                         const float *input_scales, const float *output_scales, int32_t threads);

/* 1 if a value is not zero and below the smallest normal number in magnitude, otherwise 0. */
int32_t forge_has_denormals(const float *values, int64_t count);

/* How much larger an error may be than with evenly spread weights, where it is 1: see
 * unevenness.c. */
typedef struct {
  double channel; /* of one output, if inputs have like scales */
  double block;   /* of one output, if only the worst 16 inputs are not zero */
  double input;   /* of all outputs, if the inputs' scales make up for those of the weights */
} forge_unevenness;

/* Powers of two that even out the norms of weights [outputs][inputs] when each weight is divided by
 * the scales of its input and its output. 0 for an input or output whose weights are all 0. */
void forge_balance(const float *weights, int64_t outputs, int64_t inputs, float *input_scales,
                   float *output_scales, int32_t threads);

/* The unevenness, for Strassen's algorithm, of weights [outputs][inputs] divided by scales, which
 * may be NULL. NaN or infinite if a weight is not finite. */
forge_unevenness forge_strassen_unevenness(const float *weights, int64_t outputs, int64_t inputs,
                                           int32_t levels, const float *input_scales,
                                           const float *output_scales, int32_t threads);

#endif
