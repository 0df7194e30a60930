/* The kernels of Forge, their dispatch by instruction set, and the loop over steps.
 *
 * Nothing here allocates, locks, makes a system call, or keeps state between calls. Callers have
 * checked shapes, bounds and halos.
 *
 * Images inside a plan are BLOCKED:
 *     float [channels / 16, rounded up][height][width][16]
 * The lanes past the last channel ("padded lanes") hold zero. Every kernel that writes a blocked
 * tensor writes zero there and may rely on it when reading. Around the interior there may be a halo
 * of rows and columns, which holds zeros while a consumer needs it. Only forge_clear_halo and the
 * kernels that make words write a halo.
 *
 * Other tensors are PLAIN: row-major, last axis contiguous. Images: [height][width][channels]. */
#ifndef CFORGE_KERNELS_H
#define CFORGE_KERNELS_H

#include "CForgeKernelList.h"

#include <stddef.h>
#include <stdint.h>

/* Channels per block, the same for all instruction sets: plans and packed weights do not depend on
 * them. A block is one AVX-512 register, two of AVX2, four of SSE or NEON. */
#define FORGE_LANES 16

/* Indices into forge_frame.bases. Inputs and outputs follow the first two. */
enum { FORGE_BASE_ARENA = 0, FORGE_BASE_CONSTANTS = 1, FORGE_BASE_FIRST_BINDING = 2 };

/* An image tensor, or any tensor seen as one. Distances are in floats. `offset` is the distance of
 * row 0, column 0, channel 0 of the interior from the base.
 *   blocked element (y, x, c): offset + c/16*block_stride + y*row_stride + x*16 + c%16
 *   plain element (y, x, c):   offset + y*row_stride + x*channels + c      (block_stride unused)
 * image_stride is the distance between the images of a batch (0 in the arena and for constants). */
typedef struct {
  int32_t base;
  int32_t height, width, channels;
  int64_t offset, image_stride, block_stride, row_stride;
} forge_view;

/* The first number of a prediction that chooses no row of a table. */
typedef struct {
  int32_t lock; /* held while a kernel records */
  int32_t
    source; /* the one with the lowest source, and of these with the lowest index; 0 for none */
  int64_t index;
  float value;
} forge_fault;

/* The memory of one prediction, which a kernel reads besides its arguments. */
typedef struct {
  float *const *bases; /* arena, constants, inputs…, outputs… */
  int64_t image;       /* index of the image in the batch */
  const double *crops; /* per crop slot: x, y, width, height in pixels of the source */
  /* The index of this thread among those that share the step, 0 for the caller. Selects scratch. */
  int64_t worker;
  /* Earlier calls of the step's kernel by this worker. Its scratch is unchanged since. */
  int64_t calls;
  int64_t round;      /* of the step: see forge_step */
  forge_fault *fault; /* where kernels that check numbers record; may be NULL */
} forge_frame;

/* A kernel computes the tiles first ..< last of a round of its step. Tiles are independent and
 * write disjoint memory, so any split gives the same bits. */
typedef void (*forge_kernel)(const void *arguments, const forge_frame *frame, int64_t first,
                             int64_t last);

/* One step of a plan. */
typedef struct {
  forge_kernel kernel;
  const void *arguments; /* the struct of the kernel */
  int64_t tiles;         /* forge_<name>_tiles of the arguments */
  int32_t most_threads;  /* the most threads that are worth their cost */
  /* Above 1, tile i belongs to part i % parts of the image, and threads share parts instead of
   * tiles. A thread then continues with the rows that it wrote in the step before. The number of
   * tiles is a multiple of `parts`. */
  int32_t parts;
  /* The pieces that each thread's share is cut into. A thread that has finished its own takes
   * pieces that others have not begun. 1 for short steps. */
  int32_t pieces;
  /* How often all tiles are computed, one round after the other: a round may read what the one
   * before wrote. 0 counts as 1. */
  int32_t rounds;
} forge_step;

/* Runs steps[0 ..< count] in order on the calling thread. CForgeThreadPool.h takes several
 * threads. */
void forge_run(const forge_step *steps, int64_t count, const forge_frame *frame);

/* ---- activations ---- */
typedef enum {
  FORGE_LINEAR = 0, /* x */
  FORGE_CLAMP,      /* min(max(x, a), b): relu is a = 0, b = inf; relu6 is 0, 6 */
  FORGE_LEAKY_RELU, /* x < 0 ? a*x : x */
  FORGE_ELU, /* x < 0 ? a*(exp(x) - 1) : b*x    (selu: a = scale*alpha, b = scale; elu: b = 1) */
  FORGE_SIGMOID,      /* 1 / (1 + exp(-x)) */
  FORGE_TANH,         /* tanh(x) */
  FORGE_HARD_SIGMOID, /* min(max(a*x + b, 0), 1) */
  FORGE_HARD_SWISH,   /* x * min(max(a*x + b, 0), 1) */
  FORGE_SWISH,        /* x / (1 + exp(-a*x)) */
  FORGE_MISH,         /* x * tanh(log(1 + exp(x))) */
  FORGE_GELU,         /* x/2 * (1 + erf(x / sqrt(2))) */
  FORGE_GELU_TANH,    /* x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3))) */
  FORGE_SOFTPLUS      /* log(1 + exp(x)) */
} forge_activation_kind;

typedef struct {
  int32_t kind; /* forge_activation_kind */
  float a, b;
} forge_activation;

/* The end of a kernel: activation(result + residual). */
typedef struct {
  forge_activation activation;
  int32_t has_residual;
  forge_view residual; /* blocked, of the output's shape */
} forge_epilogue;

/* ---- arguments of the kernels, and their tiles ---- */

/* Plain image -> blocked image. Tiles: rows of all blocks (block * height + y). */
typedef struct {
  forge_view in, out;
} forge_block_arguments;
/* Blocked image -> plain image. Tiles: rows. */
typedef forge_block_arguments forge_unblock_arguments;

/* Zeroes the halo of a blocked tensor: top, left, bottom, right pixels around the interior.
 * Tiles: block * height + row. The rows above belong to the first tile of a block, those below to
 * the last. */
typedef struct {
  forge_view out;
  int32_t top, left, bottom, right;
} forge_clear_halo_arguments;

/* Zeroes the interior of a blocked tensor. Tiles: channel blocks. */
typedef struct {
  forge_view out;
} forge_fill_arguments;

/* Blocked -> blocked, same sizes. Tiles: channel blocks. */
typedef forge_block_arguments forge_copy_arguments;

/* Blocked -> blocked: channel c of `in` becomes channel first_channel + c of `out`, whose other
 * channels keep their values. Tiles: 1. */
typedef struct {
  forge_view in, out;
  int32_t first_channel;
} forge_copy_channels_arguments;

/* Blocked -> blocked: channel c of `out` is channel indices[c] of `in`. Tiles: rows. */
typedef struct {
  forge_view in, out;
  const int32_t *indices;
} forge_gather_channels_arguments;

/* Convolution of one group (cross-correlation). Both tensors are blocked. Output pixel (y, x) is
 *   bias(o) + the sum over ky, kx, c of weights(o, ky, kx, c) *
 *     in(y*stride_y + ky*dilation_y - pad_top, x*stride_x + kx*dilation_x - pad_left, c)
 * and then the epilogue. All pixels read are in the interior or in a zeroed halo of `in`.
 * weights: float [panel][ky][kx][in blocks * 16][panel_width], zero where padded; bias: float
 * [panels * panel_width]. panel_width: 16, 32, 48 or 64. The last panel may reach past the last
 * block of the output; nothing is stored there. A dense layer is a convolution whose kernel is the
 * whole image. Each row is cut into `segments`, 1 or more. The last fields belong to weights that
 * are not floats: see CForgePrecision.h.
 * Tiles: (panel * rows + y) * segments + segment, where rows is 1 with `flat`, else out.height. */
typedef struct {
  forge_view in, out;
  const float *weights, *bias;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  int32_t panel_width;
  int32_t segments;
  forge_epilogue epilogue;
  const float *next; /* the first weights of a later step, to be prefetched; or NULL */
  int64_t next_floats;
  const float *scales;
  const int32_t *totals;
  forge_view range;
  int32_t flat;
} forge_convolution_arguments;

/* Convolution of a plain image of few channels, without dilation: the first of a network. weights:
 * float [panel][ky][kernel_width * in.channels, rounded up to 16][panel_width], zero where padded;
 * bias: float [panels * panel_width]. height and width are the size of the convolution. With
 * `pooled` the output is its 2 by 2 maximum pooling: see forge_winograd_arguments. Reads nothing
 * outside the image. Tiles: panel * out.height + y. */
typedef struct {
  forge_view in, out;
  const float *weights, *bias;
  int32_t kernel_height, kernel_width, stride_y, stride_x, pad_top, pad_left;
  int32_t height, width;
  int32_t panel_width;
  int32_t pooled;
  forge_activation activation;
} forge_plain_convolution_arguments;

/* Whether the kernel supports a window of this size over this many channels. */
int32_t forge_plain_convolution_fits(int64_t kernel_height, int64_t kernel_width, int64_t stride_x,
                                     int64_t channels);

/* Convolution without dilation by Winograd's minimal filtering F(tile, kernel): see ../winograd.h.
 * The stride is 1, or 2 with a kernel of 3 by 3. With stride 2 the even and odd rows and columns
 * form four images (phases). Each is filtered by every other tap, the results are added, and
 * `points` are those of F(tile, 2). An axis whose kernel is 1 has tile 1. Reads no halo: pixels
 * outside count as zero.
 *
 * With `pooled` (tiles even) the output is the 2 by 2 maximum pooling, stride 2, of the
 * convolution. height and width are the size of the convolution; `out` has half of that, rounded
 * down or up. The activation follows the pooling and must never decrease. There is no residual
 * then.
 *
 * weights: float [panel][unit][in blocks * 16][panel_width] from forge_pack_winograd. A unit is a
 * point, or with stride 2 a point and a phase. bias: float [panels * panel_width]. transformed and
 * products (base and offset only) are scratch in the arena. Each worker has its own part,
 * transformed_worker and products_worker floats apart (see forge_winograd_layout).
 *
 * A convolution is one step, `winograd`, which does all three stages chunk by chunk (tiles:
 * chunks), or two steps: `winograd_input` (tiles: chunk * in blocks + block) fills `transformed`
 * for the whole image, `winograd_output` (tiles: panel * chunks + chunk) does the rest. Bits are
 * the same. */
typedef struct {
  forge_view in, out;
  const float *weights, *bias;
  int32_t kernel_height, kernel_width, tile_height, tile_width, pad_top, pad_left;
  int32_t stride;        /* 2, or anything else for 1 */
  int32_t height, width; /* of the convolution, before pooling */
  int32_t panel_width;
  int32_t chunk; /* tiles computed at a time */
  /* A multiple of 16. Products are summed over this many channels, then the sums are added.
   * Rounding errors grow with the root of a sum's length; the inverse transform magnifies them. */
  int32_t summed;
  int32_t pooled;
  forge_view transformed, products;
  int64_t transformed_worker, products_worker;
  forge_epilogue epilogue;
  const float *next; /* as forge_convolution_arguments' */
  int64_t next_floats;
} forge_winograd_arguments;

/* The parts of a Winograd convolution and the size of its scratch. */
typedef struct {
  int64_t columns, tiles;                      /* tiles in a row of tiles; in all */
  int64_t chunk, chunks;                       /* tiles of a chunk, at most `tiles`; chunks */
  int64_t points;                              /* products per tile (and phase) */
  int64_t phases;                              /* 4 with stride 2, else 1 */
  int64_t transformed_point, products_point;   /* floats from one point to the next */
  int64_t transformed_floats, products_floats; /* scratch of one chunk */
} forge_winograd_layout;

forge_winograd_layout forge_winograd_layout_of(const forge_winograd_arguments *);

/* Whether the kernels support F(tile, kernel), with `pooled` its pooling too. */
int32_t forge_has_winograd(int32_t tile_height, int32_t kernel_height, int32_t tile_width,
                           int32_t kernel_width, int32_t stride, int32_t pooled);

/* Convolution in groups of any size. Both tensors are blocked. weights: from
 * forge_pack_grouped_convolution; bias: float [out blocks * 16]. Pixels read: as in
 * forge_convolution_arguments. Tiles: block * out.height + y. */
typedef struct {
  forge_view in, out;
  const float *weights, *bias;
  int32_t groups;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  forge_epilogue epilogue;
} forge_grouped_convolution_arguments;

/* Depthwise convolution with multiplier 1. weights: float [block][ky][kx][16], bias: float
 * [blocks * 16], zero in the padded lanes. Pixels outside the image count as zero and are not read.
 * Tiles: block * out.height + y. */
typedef struct {
  forge_view in, out;
  const float *weights, *bias;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  forge_epilogue epilogue;
} forge_depthwise_arguments;

typedef enum {
  FORGE_POOL_MAXIMUM = 0,
  FORGE_POOL_AVERAGE_INSIDE, /* divided by the number of pixels inside the input */
  FORGE_POOL_AVERAGE_ALL     /* divided by kernel_height * kernel_width */
} forge_pooling_kind;

/* Pooling. Windows are clipped to the interior; no halo is read. A window that lies in the padding
 * gives 0. The window of global pooling is the whole image. A NaN in the window gives NaN.
 * Tiles: block * out.height + y. */
typedef struct {
  forge_view in, out;
  int32_t kind; /* forge_pooling_kind */
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  forge_activation activation;
} forge_pooling_arguments;

/* Elementwise activation on a blocked tensor; out may be in. Tiles: block * height + y. */
typedef struct {
  forge_view in, out;
  forge_activation activation;
} forge_activation_arguments;

/* activation(in * scale[c] + bias[c]) on a blocked tensor; scale and bias: float [blocks * 16],
 * zero in the padded lanes; out may be in. Tiles: block * height + y. */
typedef struct {
  forge_view in, out;
  const float *scale, *bias;
  forge_activation activation;
} forge_affine_arguments;

typedef enum {
  FORGE_ADD = 0,
  FORGE_SUBTRACT,
  FORGE_MULTIPLY,
  FORGE_MAXIMUM, /* NaN if either is */
  FORGE_MINIMUM, /* NaN if either is */
  FORGE_PRELU,   /* a < 0 ? a*b : a */
  FORGE_DIVIDE,
  FORGE_EQUAL, /* comparisons give 1 or 0 */
  FORGE_NOT_EQUAL,
  FORGE_LESS,
  FORGE_LESS_OR_EQUAL,
  FORGE_GREATER,
  FORGE_GREATER_OR_EQUAL,
  FORGE_AND, /* every number but 0 is true, NaN too */
  FORGE_OR,
  FORGE_XOR,
  /* Without a vector form: only in combine_plain and at the scalar level. */
  FORGE_POWER,
  FORGE_REMAINDER_OF_DIVIDEND, /* the sign of a */
  FORGE_REMAINDER_OF_DIVISOR   /* the sign of b */
} forge_binary_operator;

/* activation(a op b) on blocked tensors with broadcasting: each size of a and b is that of the
 * output or 1. out may be a or b if their shapes are equal. Tiles: block * out.height + y. */
typedef struct {
  forge_view a, b, out;
  int32_t operation; /* forge_binary_operator */
  forge_activation activation;
} forge_binary_arguments;

/* Softmax or its logarithm over the channels of each pixel. out may be in. Tiles: rows. */
typedef struct {
  forge_view in, out;
  int32_t logarithm;
} forge_softmax_arguments;

typedef enum {
  FORGE_RESIZE_NEAREST = 0, /* source = floor(start + (i + 0.5) * scale), clamped to the image */
  FORGE_RESIZE_BILINEAR,    /* half-pixel centers, taps clamped to the image (edge repeated) */
  FORGE_RESIZE_ANTIALIASED  /* triangle filter widened by the scale when shrinking, as Pillow's
                               BILINEAR */
} forge_resize_mode;

/* Resizes a plain or blocked image to a blocked one, first horizontally, then vertically, with
 * float weights computed in double and float sums. The source rectangle is
 * frame->crops[4*crop_slot…] (x, y, width, height in source pixels, inside the image, sides above
 * 0), or the whole image when crop_slot < 0. Along an axis, scale = side / output size and start =
 * x or y. For FORGE_RESIZE_ANTIALIASED, support = max(scale, 1), center = start + (i + 0.5) *
 * scale, taps run from max(0, floor(center - support + 0.5)) to min(size, floor(center + support +
 * 0.5)) exclusive, and tap t weighs max(0, 1 - |(t - center + 0.5) / support|), normalized to sum
 * 1. `scratch` (in the arena) has forge_resize_scratch floats. Tiles: 1. */
typedef struct {
  forge_view in, out;
  int32_t in_is_plain;
  int32_t mode; /* forge_resize_mode */
  int32_t crop_slot;
  forge_view scratch; /* base and offset only */
} forge_resize_arguments;

/* ---- plain tensors of any rank (up to 8) ---- */
#define FORGE_MAX_RANK 8

/* The place of a plain tensor. */
typedef struct {
  int32_t base;
  int32_t reserved;
  int64_t offset, image_stride;
} forge_place;

/* out[out_strides . i] = in[in_strides . i] for i below `sizes`: any copy, transposition or
 * concatenation. Strides are in floats. Tiles: sizes[0]. */
typedef struct {
  forge_place in, out;
  int32_t rank;
  int64_t sizes[FORGE_MAX_RANK], in_strides[FORGE_MAX_RANK], out_strides[FORGE_MAX_RANK];
} forge_copy_plain_arguments;

/* activation(a op b). A stride of 0 broadcasts. `out` is contiguous. Tiles: sizes[0]. */
typedef struct {
  forge_place a, b, out;
  int32_t rank;
  int32_t operation;
  int64_t sizes[FORGE_MAX_RANK], a_strides[FORGE_MAX_RANK], b_strides[FORGE_MAX_RANK];
  forge_activation activation;
} forge_binary_plain_arguments;

/* Elementwise activation of `count` floats; out may be in. Tiles: count / 1024, rounded up. */
typedef struct {
  forge_place in, out;
  int64_t count;
  forge_activation activation;
} forge_activation_plain_arguments;

/* Softmax over the last axis: `rows` rows of `columns`. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  int32_t logarithm;
} forge_softmax_plain_arguments;

#include "CForgeAttentionKernels.h"
#include "CForgeMatrixKernels.h"
#include "CForgePlainKernels.h"
#include "CForgeQuantizedKernels.h"
#include "CForgeRecurrentKernels.h"
#include "CForgeStrassenKernels.h"
#include "CForgeWindowKernels.h"

/* forge_<name>_tiles: the number of tiles of a step, for each kernel. */
#define FORGE_DECLARE_TILES(name, arguments, levels, tiles) \
  int64_t forge_##name##_tiles(const forge_##arguments##_arguments *);
FORGE_KERNELS(FORGE_DECLARE_TILES)

/* The scratch of a resize in floats, for any crop. */
int64_t forge_resize_scratch(int32_t in_height, int32_t in_width, int32_t channels,
                             int32_t out_height, int32_t out_width);

/* ---- dispatch ---- */
typedef enum {
  FORGE_SCALAR = 0, /* plain C, one number at a time: the others are checked against it */
  FORGE_BASELINE,   /* vectors without a fused multiply-add: SSE2 on x86-64, NEON on arm64 */
  FORGE_AVX2,       /* AVX2 and FMA */
  FORGE_AVX512      /* AVX-512 F, BW, DQ, VL */
} forge_level;

/* The kernels of one level: see CForgeKernelList.h. */
typedef struct {
  forge_level level;
  const char *name; /* "scalar", "baseline", "avx2", "avx512" */
#define FORGE_DECLARE_FIELD(name, ...) forge_kernel name;
  FORGE_KERNELS(FORGE_DECLARE_FIELD)
} forge_kernel_table;

/* Facts about a level, whether this machine has it or not. */
typedef struct {
  const char *name;         /* "scalar", "baseline", "avx2", "avx512" */
  double vectors_per_cycle; /* multiply-adds of 16 lanes per cycle of a core */
  double error_factor;      /* rounding errors relative to those of fused multiply-adds */
  int32_t has_vectors;
  int32_t tile_vectors; /* of 16 output channels, the most that a convolution's tile computes */
} forge_level_facts;

/* The facts of `level`, or NULL if there is no such level. */
const forge_level_facts *forge_facts(forge_level level);

/* Whether the compiler has optimized the kernels. Without, they are about 50 times slower. */
int32_t forge_is_optimized(void);

/* The kernels of `level`, or NULL if this machine or build lacks it. */
const forge_kernel_table *forge_kernels(forge_level level);

/* The instructions that multiply bytes. */
typedef enum {
  FORGE_PRODUCTS_OF_PAIRS = 0, /* bytes widened to 16 bits */
  FORGE_PRODUCTS_OF_QUADS,     /* AVX512-VNNI, AVX-VNNI at FORGE_AVX2, or dot products of arm64 */
  FORGE_PRODUCTS_OF_TILES      /* AMX at FORGE_AVX512, or i8mm of arm64 */
} forge_byte_products;

/* The best products of bytes of this machine at `level`: those of forge_kernels. */
forge_byte_products forge_best_products(forge_level level);

/* The kernels of `level` with products of bytes that may not be the best, or NULL if the machine or
 * build lacks them. All give the same bits. */
const forge_kernel_table *forge_kernels_with(forge_level level, forge_byte_products products);

/* The best level this machine has. */
forge_level forge_best_level(void);

/* The level called `name`, or -1. */
int32_t forge_level_named(const char *name);

/* The number of tiles of a kernel, given its arguments. */
typedef int64_t (*forge_tile_count)(const void *arguments);

/* A line of the list of kernels at one level. */
typedef struct {
  const char *name;
  forge_kernel function; /* NULL where the level has none */
  forge_tile_count tiles;
  int32_t is_optional; /* whether the level may have none */
} forge_kernel_entry;

/* Line `index` of the list, at a level that this machine has. After the last the name is NULL. */
forge_kernel_entry forge_kernel_at(forge_level level, int32_t index);

#endif
