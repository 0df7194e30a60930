/* The allocator's functions, each counted and then handed to glibc's own. */
#define _GNU_SOURCE
#include "CForgeTestSupport.h"

#include <errno.h>
#include <stddef.h>

/* Per thread, so that other threads of the test runner do not disturb a count. */
static __thread int64_t count;
static __thread int counting;

void forge_count_allocations(void) {
  count = 0;
  counting = 1;
}

int64_t forge_counted_allocations(void) {
  counting = 0;
  return count;
}

#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  count += counting;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count += counting;
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  count += counting;
  return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  count += counting;
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *pointer = memory;
  return 0;
}

void free(void *pointer) {
  count += counting;
  __libc_free(pointer);
}
#endif
