/* Packing dealt out to several threads: see internal.h. */
#include "include/CForgePool.h"
#include "internal.h"

#include <stdatomic.h>

/* Less is not worth a second thread: some tens of microseconds of packing. */
#define LEAST_BYTES_OF_A_THREAD (256 << 10)

typedef struct {
  forge_deal_work work;
  const void *arguments;
  int64_t tiles;
  _Atomic int64_t *next;
} deal;

/* A share of the step is a thread that goes on while there are tiles: a thread that begins late, or not at
 * all, leaves its part to the others. */
static void take_tiles(const void *arguments, const forge_frame *frame, int64_t first, int64_t last) {
  (void)frame, (void)first, (void)last;
  const deal *deal = arguments;
  for (;;) {
    const int64_t tile = atomic_fetch_add_explicit(deal->next, 1, memory_order_relaxed);
    if (tile >= deal->tiles) return;
    deal->work(deal->arguments, tile);
  }
}

void forge_deal(forge_deal_work work, const void *arguments, int64_t tiles, int64_t bytes,
                int32_t threads) {
  threads = (int32_t)forge_smaller(threads, forge_smaller(tiles, bytes / LEAST_BYTES_OF_A_THREAD));
  if (threads <= 1) {
    for (int64_t tile = 0; tile < tiles; tile++) work(arguments, tile);
    return;
  }
  _Atomic int64_t next = 0;
  const deal deal = {.work = work, .arguments = arguments, .tiles = tiles, .next = &next};
  const forge_step step = {
    .kernel = take_tiles, .arguments = &deal, .tiles = threads, .most_threads = threads, .parts = 1,
    .pieces = 1};
  const forge_frame frame = {0};
  forge_run_parallel(&step, 1, &frame, threads, NULL, INT64_MAX);
}
