/* What tests need and Swift does not have: counted allocations (malloc and its relatives are
 * interposed), fork, the time of the process. */
#ifndef CFORGE_TEST_SUPPORT_H
#define CFORGE_TEST_SUPPORT_H

#include <stdint.h>

/* Begins to count the calling thread's allocations from 0. */
void forge_count_allocations(void);

/* Ends the count: the number of calls of malloc, calloc, realloc, posix_memalign, aligned_alloc,
 * memalign and free that the calling thread has made since. */
int64_t forge_counted_allocations(void);

/* Forks, calls `body` in the child, which ends with what that returns, and returns the child's exit
 * status; -1 where it did not end by itself. */
int32_t forge_fork_and_wait(int32_t (*body)(void));

/* The seconds of processor time that all threads of the process have used. */
double forge_processor_seconds(void);

/* Flushes denormals to zero on the calling thread, or no longer; returns whether the processor can. */
int32_t forge_flush_denormals(int32_t flush);

#endif
