/* Counts what the program allocates, for tests: malloc and its relatives are interposed. */
#ifndef CFORGE_TEST_SUPPORT_H
#define CFORGE_TEST_SUPPORT_H

#include <stdint.h>

/* Begins to count the calling thread's allocations from 0. */
void forge_count_allocations(void);

/* Ends the count: the number of calls of malloc, calloc, realloc, posix_memalign, aligned_alloc,
 * memalign and free that the calling thread has made since. */
int64_t forge_counted_allocations(void);

#endif
