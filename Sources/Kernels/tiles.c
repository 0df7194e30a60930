/* The permission to use AMX. Linux gives it to a process that asks; a machine may have the
 * instructions and refuse. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tiles.h"

#if defined(__x86_64__) && defined(__linux__)

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From the kernel's interface: the request for a state, and the state of tiles. */
enum { REQUEST_STATE = 0x1023, TILE_STATE = 18 };

enum { UNKNOWN = 0, GRANTED, REFUSED };

bool forge_may_use_tiles(void) {
  static _Atomic int answer = UNKNOWN;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == UNKNOWN) {
    __builtin_cpu_init();
    const bool has_tiles = __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-int8");
    known =
      has_tiles && syscall(SYS_arch_prctl, REQUEST_STATE, TILE_STATE) == 0 ? GRANTED : REFUSED;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == GRANTED;
}

bool forge_may_multiply_bfloats_by_tiles(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("amx-bf16") && __builtin_cpu_supports("avx512bf16") &&
    forge_may_use_tiles();
}

#else

bool forge_may_use_tiles(void) { return false; }
bool forge_may_multiply_bfloats_by_tiles(void) { return false; }

#endif
