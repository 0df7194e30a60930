/* What the list of kernels generates: a table per instruction set and the number of tiles of each
 * kernel. */
#include "include/CForgePrecision.h"
#include "quantized.h"
#include "strassen.h"
#include "tiles.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* From the kernel's interface, for older headers. */
enum { HAS_DOTPROD = 1 << 20, HAS_I8MM = 1 << 13 };
#endif

/* ---- tables ---- */

/* The function of a kernel at a level, whose products of bytes have a form of their own. */
#define EVERY(name, level, form) forge_##name##_##level
#define SHARED(name, level, form) forge_##name##_scalar
#define PRODUCTS(name, level, form) forge_##name##_##form
#define VECTORS(name, level, form) VECTORS_##level(forge_##name##_##level)
#define VECTORS_scalar(function) NULL
#define VECTORS_baseline(function) function
#define VECTORS_avx2(function) function
#define VECTORS_avx512(function) function

#define SCALAR(name, arguments, levels, tiles) .name = levels(name, scalar, scalar),
static const forge_kernel_table scalar = {
  .level = FORGE_SCALAR, .name = "scalar", FORGE_KERNELS(SCALAR)};

#if defined(__x86_64__) || defined(__aarch64__)
#define BASELINE(name, arguments, levels, tiles) .name = levels(name, baseline, baseline),
#define DOTPROD(name, arguments, levels, tiles) .name = levels(name, baseline, dotprod),
#define I8MM(name, arguments, levels, tiles) .name = levels(name, baseline, i8mm),
static const forge_kernel_table baseline[] = {
  {.level = FORGE_BASELINE, .name = "baseline", FORGE_KERNELS(BASELINE)},
#if defined(__aarch64__)
  {.level = FORGE_BASELINE, .name = "baseline", FORGE_KERNELS(DOTPROD)},
  {.level = FORGE_BASELINE, .name = "baseline", FORGE_KERNELS(I8MM)},
#endif
};
#endif

#if defined(__x86_64__)
#define AVX2(name, arguments, levels, tiles) .name = levels(name, avx2, avx2),
#define AVXVNNI(name, arguments, levels, tiles) .name = levels(name, avx2, avxvnni),
static const forge_kernel_table avx2[] = {
  {.level = FORGE_AVX2, .name = "avx2", FORGE_KERNELS(AVX2)},
  {.level = FORGE_AVX2, .name = "avx2", FORGE_KERNELS(AVXVNNI)},
};

#define AVX512(name, arguments, levels, tiles) .name = levels(name, avx512, avx512),
#define AVX512VNNI(name, arguments, levels, tiles) .name = levels(name, avx512, avx512vnni),
#define AVX512AMX(name, arguments, levels, tiles) .name = levels(name, avx512, avx512amx),
static const forge_kernel_table avx512[] = {
  {.level = FORGE_AVX512, .name = "avx512", FORGE_KERNELS(AVX512)},
  {.level = FORGE_AVX512, .name = "avx512", FORGE_KERNELS(AVX512VNNI)},
  {.level = FORGE_AVX512, .name = "avx512", FORGE_KERNELS(AVX512AMX)},
};
#endif

int32_t forge_is_optimized(void) {
#if defined(__OPTIMIZE__)
  return 1;
#else
  return 0;
#endif
}

/* The best products of bytes at a level that the machine has. */
static forge_byte_products products_of(forge_level level) {
#if defined(__x86_64__)
  if (level == FORGE_AVX2 && __builtin_cpu_supports("avxvnni")) return FORGE_PRODUCTS_OF_QUADS;
  if (level == FORGE_AVX512 && __builtin_cpu_supports("avx512vnni"))
    return forge_may_use_tiles() ? FORGE_PRODUCTS_OF_TILES : FORGE_PRODUCTS_OF_QUADS;
#elif defined(__aarch64__) && defined(__linux__)
  if (level == FORGE_BASELINE && getauxval(AT_HWCAP) & HAS_DOTPROD)
    return getauxval(AT_HWCAP2) & HAS_I8MM ? FORGE_PRODUCTS_OF_TILES : FORGE_PRODUCTS_OF_QUADS;
#endif
  (void)level;
  return FORGE_PRODUCTS_OF_PAIRS;
}

const forge_kernel_table *forge_kernels_with(forge_level level, forge_byte_products products) {
#if defined(__x86_64__)
  /* These also check that the operating system saves the wide registers. */
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
    __builtin_cpu_supports("avx512vl");
#endif
  if (products > products_of(level)) return NULL;
  switch (level) {
    case FORGE_SCALAR: return &scalar;
#if defined(__x86_64__) || defined(__aarch64__)
    case FORGE_BASELINE: return &baseline[products];
#endif
#if defined(__x86_64__)
    case FORGE_AVX2: return has_avx2 ? &avx2[products] : NULL;
    case FORGE_AVX512: return has_avx512 ? &avx512[products] : NULL;
#endif
    default: return NULL;
  }
}

const forge_kernel_table *forge_kernels(forge_level level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  return forge_kernels_with(level, products_of(level));
}

forge_byte_products forge_best_products(forge_level level) {
  return forge_kernels(level) ? products_of(level) : FORGE_PRODUCTS_OF_PAIRS;
}

forge_level forge_best_level(void) {
  for (int level = FORGE_AVX512; level > FORGE_SCALAR; level--)
    if (forge_kernels((forge_level)level)) return (forge_level)level;
  return FORGE_SCALAR;
}

/* One multiply-add of 16 lanes per cycle is one port of 512 bits or two of 256. */
static const forge_level_facts facts[] = {
  [FORGE_SCALAR] = {"scalar", 0.02, 1, 0, 1},
  [FORGE_BASELINE] = {"baseline", 0.25, 1.25, 1, 1},
  [FORGE_AVX2] = {"avx2", 1, 1, 1, 1},
  [FORGE_AVX512] = {"avx512", 1, 1, 1, FORGE_AVX512_TILE_VECTORS},
};

const forge_level_facts *forge_facts(forge_level level) {
  return level <= FORGE_AVX512 ? &facts[level] : NULL;
}

int32_t forge_level_named(const char *name) {
  if (name == NULL) return -1;
  for (int32_t level = FORGE_SCALAR; level <= FORGE_AVX512; level++)
    if (strcmp(name, facts[level].name) == 0) return level;
  return -1;
}

/* forge_<name>_tiles of any arguments. */
#define COUNT(name, arguments, levels, tiles) \
  static int64_t count_##name(const void *a) { return forge_##name##_tiles(a); }
#define PRECISION_COUNT(name, needs, arguments, tiles) \
  static int64_t count_##name(const void *a) { return forge_##tiles##_tiles(a); }
FORGE_KERNELS(COUNT)
FORGE_PRECISION_KERNELS(PRECISION_COUNT)

forge_kernel_entry forge_kernel_at(forge_level level, int32_t index) {
  const forge_kernel_table *table = forge_kernels(level);
  const forge_precision_table narrow = forge_precision_kernels(level);
  const bool is_scalar = level == FORGE_SCALAR;
#define OPTIONAL_EVERY false
#define OPTIONAL_SHARED false
#define OPTIONAL_PRODUCTS false
#define OPTIONAL_VECTORS is_scalar
#define ENTRY(name, arguments, levels, tiles) {#name, table->name, count_##name, OPTIONAL_##levels},
#define PRECISION_ENTRY(name, needs, arguments, tiles) \
  {#name, narrow.name, count_##name, !is_scalar},
  const forge_kernel_entry entries[] = {
    FORGE_KERNELS(ENTRY) FORGE_PRECISION_KERNELS(PRECISION_ENTRY){NULL, NULL, NULL, true}};
  const int32_t last = (int32_t)(sizeof entries / sizeof entries[0]) - 1;
  return entries[index < last ? index : last];
}

/* ---- tiles ---- */

static int64_t rows_of_blocks(const forge_view *view) {
  return forge_blocks(view->channels) * view->height;
}

static int64_t rows_of_byte_blocks(const forge_view *view) {
  return forge_byte_blocks(view->channels) * view->height;
}

static int64_t product_tiles(const forge_matrix_product_arguments *a) {
  int64_t batches = 1;
  for (int32_t d = 0; d < a->batch_rank; d++) batches *= a->batch_sizes[d];
  return batches * forge_quotient_up(a->rows, FORGE_PRODUCT_ROWS) *
    forge_quotient_up(a->columns, FORGE_PRODUCT_COLUMNS);
}

static int64_t attention_tiles(const forge_attention_arguments *a) {
  return a->queries.height * a->heads *
    forge_quotient_up(a->queries.width, FORGE_ATTENTION_QUERIES);
}

/* The blocks of units, or of outputs if a projection has more. */
static int64_t recurrent_tiles(const forge_recurrent_arguments *a) {
  return forge_larger(forge_blocks(a->units), a->projection ? forge_blocks(a->outputs) : 0);
}

static int64_t positions(int32_t rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < rank; axis++) count *= sizes[axis];
  return count;
}

static int64_t winograd_input_tiles(const forge_winograd_arguments *a) {
  const forge_winograd_layout layout = forge_winograd_layout_of(a);
  return layout.chunks * layout.phases * forge_blocks(a->in.channels);
}

static int64_t even_tiles(const forge_even_rows_arguments *a) {
  return forge_quotient_up(forge_rows_of(&a->in), FORGE_EVEN_ROWS);
}

#define rows(a) ((a)->flat ? 1 : (a)->out.height)
#define panels(a) forge_quotient_up((a)->out.channels, (a)->panel_width)
#define byte_panels(a) forge_byte_blocks((a)->out.channels)
#define winograd_output_tiles(a) (forge_winograd_layout_of(a).chunks * panels(a))
#define first_size(a) ((a)->rank > 0 ? (a)->sizes[0] : 1) /* a tensor of rank 0 is one number */

#define FORGE_DEFINE_TILES(name, arguments, levels, tiles)               \
  int64_t forge_##name##_tiles(const forge_##arguments##_arguments *a) { \
    (void)a;                                                             \
    return tiles;                                                        \
  }
FORGE_KERNELS(FORGE_DEFINE_TILES)

int32_t forge_plain_convolution_fits(int64_t kernel_height, int64_t kernel_width, int64_t stride_x,
                                     int64_t channels) {
  if (channels >= FORGE_LANES || kernel_height > 64 || kernel_width > 64 || stride_x > 64)
    return false;
  return kernel_height * kernel_width * channels <= FORGE_PATCH_FLOATS;
}
