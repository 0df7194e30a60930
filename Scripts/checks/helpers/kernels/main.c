/* Walks the lists of kernels: each kernel of CForgeKernelList.h has a function check_<name>. One
 * that is missing does not link, one that tries nothing fails. */
#include "check.h"

#include <stdarg.h>

kernel_check now;

static uint64_t random_state;

uint32_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 32);
}

void report(const char *form, const char *format, ...) {
  if (now.failures++ >= 3) return;
  fprintf(stderr, "%s, %s: ", now.name, form);
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, "\n  %s\n", now.problem);
}

void digest(const void *result, int64_t bytes) {
  for (int64_t i = 0; i < bytes / 4; i++) {
    uint32_t word;
    float number;
    memcpy(&word, (const char *)result + 4 * i, 4);
    memcpy(&number, &word, 4);
    if (isnan(number)) word = 0x7fc00000; /* machines differ in the bits of a NaN */
    now.digest = (now.digest ^ word) * 0x100000001b3;
  }
}

/* ---- forms ---- */

/* The names of the tables of a level, by their products of bytes. */
static const char *name_of(int level, int products) {
#if defined(__aarch64__)
  static const char *const baseline[] = {"baseline", "dotprod", "i8mm"};
#else
  static const char *const baseline[] = {"baseline", "", ""};
#endif
  static const char *const avx2[] = {"avx2", "avxvnni", ""};
  static const char *const avx512[] = {"avx512", "avx512vnni", "avx512amx"};
  return (level == FORGE_BASELINE ? baseline : level == FORGE_AVX2 ? avx2 : avx512)[products];
}

static void add_form(const char *name, forge_kernel function) {
  if (function == NULL || function == now.scalar) return;
  for (int i = 0; i < now.count; i++)
    if (now.forms[i].function == function) return;
  now.forms[now.count++] = (kernel_form){name, function, 0};
}

static forge_kernel field_of(const void *table, size_t field) {
  forge_kernel kernel;
  memcpy(&kernel, (const char *)table + field, sizeof kernel);
  return kernel;
}

/* Adds the forms of a kernel that is a field of the tables. */
static void add_forms(size_t field) {
  now.scalar = field_of(forge_kernels(FORGE_SCALAR), field);
  for (int level = FORGE_BASELINE; level <= FORGE_AVX512; level++)
    for (int products = 0; products <= FORGE_PRODUCTS_OF_TILES; products++) {
      const forge_kernel_table *table =
        forge_kernels_with((forge_level)level, (forge_byte_products)products);
      if (table) add_form(name_of(level, products), field_of(table, field));
    }
}

static void add_precision_forms(size_t field) {
  const forge_precision_table scalar = forge_precision_kernels(FORGE_SCALAR);
  now.scalar = field_of(&scalar, field);
  for (int level = FORGE_BASELINE; level <= FORGE_AVX512; level++) {
    if (!forge_kernels((forge_level)level)) continue;
    const forge_precision_table best = forge_precision_kernels((forge_level)level);
    const forge_precision_table other = forge_precision_kernels_without_vbmi2((forge_level)level);
    add_form(name_of(level, 0), field_of(&other, field));
    add_form("avx512vbmi2", field_of(&best, field));
  }
}

/* The forms that this machine lacks, with functions in place of their instructions. */
#if defined(FORGE_TRY_TILES) && defined(FORGE_TRY_AVXVNNI) && defined(__x86_64__)
#define ADD_TRIED_PRODUCTS(name)                               \
  if (__builtin_cpu_supports("avx512vnni")) {                  \
    add_form("avxvnni, tried", forge_##name##_avxvnni);        \
    add_form("avx512amx, emulated", forge_##name##_avx512amx); \
  }
#else
#define ADD_TRIED_PRODUCTS(name)
#endif
#if defined(FORGE_TRY_TILES) && defined(__x86_64__)
#define ADD_TRIED_NEEDS_TILES(name)         \
  if (__builtin_cpu_supports("avx512bf16")) \
    add_form("avx512amxbf16, emulated", forge_##name##_avx512amxbf16);
#else
#define ADD_TRIED_NEEDS_TILES(name)
#endif
#define ADD_TRIED_NEEDS_F16C(name)
#define ADD_TRIED_NEEDS_VBMI2(name)
#define ADD_TRIED_NEEDS_BF16(name)
#define ADD_TRIED_NEEDS_VNNI(name)
#define ADD_TRIED_EVERY(name)
#define ADD_TRIED_SHARED(name)
#define ADD_TRIED_VECTORS(name)

/* ---- the list ---- */

typedef struct {
  const char *name;
  void (*check)(void);
  void (*add)(void);
  bool has_vectors; /* whether each level but the scalar one has a form */
} entry;

#define HAS_VECTORS_EVERY true
#define HAS_VECTORS_PRODUCTS true
#define HAS_VECTORS_VECTORS true
#define HAS_VECTORS_SHARED false
#define DEFINE_ADD(name, arguments, levels, tiles) \
  static void add_##name(void) {                   \
    add_forms(offsetof(forge_kernel_table, name)); \
    ADD_TRIED_##levels(name)                       \
  }
#define DEFINE_PRECISION_ADD(name, needs, arguments, tiles)     \
  static void add_##name(void) {                                \
    add_precision_forms(offsetof(forge_precision_table, name)); \
    ADD_TRIED_NEEDS_##needs(name)                               \
  }
FORGE_KERNELS(DEFINE_ADD)
FORGE_PRECISION_KERNELS(DEFINE_PRECISION_ADD)
#define ENTRY(name, arguments, levels, tiles) \
  {#name, check_##name, add_##name, HAS_VECTORS_##levels},
#define PRECISION_ENTRY(name, needs, arguments, tiles) {#name, check_##name, add_##name, false},
static const entry entries[] = {FORGE_KERNELS(ENTRY) FORGE_PRECISION_KERNELS(PRECISION_ENTRY)};

/* check_kernels ROUNDS [NAME]: prints a line for each kernel, with its forms and the digest of its
 * scalar results, and fails if one differs. */
int main(int count, char **words) {
  const int64_t rounds = count > 1 ? atoll(words[1]) : 20;
  const char *only = count > 2 ? words[2] : NULL;
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  int64_t failures = 0, kernels = 0, compared = 0;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    const entry *e = &entries[i];
    if (only && strcmp(only, e->name) != 0) continue;
    now = (kernel_check){.name = e->name, .digest = 0xcbf29ce484222325};
    e->add();
    for (int64_t r = 0; r < rounds && now.failures == 0; r++) {
      /* Machines have the same problems, however many forms they try. */
      random_state = 88172645463325252u + 1000003 * i + 998244353 * (uint64_t)r;
      for (int skipped = 0; skipped < 8; skipped++) random_bits();
      e->check();
    }
    if (e->has_vectors && now.count == 0) report("every level", "has no form");
    for (int f = 0; f < now.count; f++)
      if (now.forms[f].tried == 0) report(now.forms[f].name, "was not tried");
    if (now.compared == 0) report("the check", "compared nothing");
    printf("%-24s %016llx %9lld numbers  scalar", e->name, (unsigned long long)now.digest,
           (long long)now.compared);
    for (int f = 0; f < now.count; f++) printf(", %s", now.forms[f].name);
    printf("%s\n", now.failures ? "  FAILED" : "");
    fflush(stdout);
    failures += now.failures > 0;
    compared += now.compared;
    kernels++;
  }
  printf("kernels: %lld of the lists, %lld numbers compared, %lld kernels differ\n",
         (long long)kernels, (long long)compared, (long long)failures);
  return failures > 0 || kernels == 0;
}
