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

/* fork; 0 in the child, which Swift does not import because little may be called there. */
int32_t forge_fork(void);

/* Ends the calling process by SIGALRM when it lives for so many seconds more. */
void forge_set_alarm(uint32_t seconds);

/* Waits for a child and returns its exit status, or 1000 and the number of the signal that ended
 * it. */
int32_t forge_wait(int32_t child);

/* Limits the address space of the process to `bytes` more than it has; returns 0, or -1 when it
 * cannot. */
int32_t forge_limit_address_space(int64_t bytes);

/* The seconds of processor time that all threads of the process have used. */
double forge_processor_seconds(void);

/* Flushes denormals to zero on the calling thread, or no longer; returns whether the processor can.
 */
int32_t forge_flush_denormals(int32_t flush);

#endif
