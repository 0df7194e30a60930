/* The loops over steps, and the thread pool: see CForgeThreadPool.h.
 *
 * The protocol uses one word per worker, on cache lines of its own:
 *
 *             caller            worker           worker
 *     IDLE  --------> OFFERED --------> TAKEN  --------> IDLE      a share of a step
 *     IDLE  <-------- OFFERED                                      the caller takes it back
 *     IDLE  --------> PARKED                                       by the worker, which sleeps
 *     PARKED -------> OFFERED or IDLE                              by the caller, which wakes it
 *
 * Only the caller that holds `busy` offers shares. It leaves no word OFFERED or TAKEN. A worker
 * reads the job only between TAKEN and IDLE, while the caller waits for it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "include/CForgeThreadPool.h"
#include "internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#pragma STDC FP_CONTRACT OFF

/* Two cache lines, because processors also prefetch the neighbor of a line. */
#define LINE 128

/* Without optimization every vector of an unrolled kernel has a slot of its own: frames reach 3.5
 * MiB, where they take some 10 KiB with it. */
#if defined(__OPTIMIZE__)
#define STACK_BYTES (512 * 1024)
#else
#define STACK_BYTES (8 * 1024 * 1024)
#endif

/* Pauses between two checks of anything but the awaited word. */
#define PAUSES 50

/* Rounds of PAUSES before a waiting thread yields to other programs: some 50 us. */
#define ROUNDS_BEFORE_YIELD 40

/* Runs before the next try after a thread could not be created. */
#define RETRY_AFTER 1000

/* The least time between two moves of a worker away from the caller. */
#define MOVE_EVERY_NANOSECONDS 1000000

/* The most processors that the kernel supports. */
#define MOST_PROCESSORS 8192

enum { IDLE, OFFERED, TAKEN, PARKED };

/* All that changes from one round to the next, on one line, because a line of another core takes 30
 * to 200 ns. Each thread takes pieces from its own line. Others touch the line only after they have
 * finished their own pieces. */
typedef struct {
  _Alignas(LINE) _Atomic uint32_t state;
  bool gave_way;        /* under busy: the caller has given way to it in this run */
  int64_t round;        /* of the step that is offered */
  _Atomic int64_t next; /* the next piece of its share */
} place;

/* The step that is being shared. It does not change between rounds, and the caller's frame not
 * between steps: the workers keep their lines. */
typedef struct {
  const forge_step *step;
  const forge_frame *frame;
  int64_t shares;
  int64_t parts;  /* tiles along the axis that is dealt out */
  int64_t times;  /* so often they follow each other: parts * times tiles */
  int64_t cuts;   /* of the parts of a share, for each of the times */
  int64_t pieces; /* of a share */
  uint64_t arithmetic_mode;
} job;

static struct {
  _Alignas(LINE) _Atomic int32_t processor; /* where the caller is */
  _Alignas(LINE) atomic_bool busy;          /* held by the caller whose steps the workers run */
  _Atomic int32_t workers;                  /* written under busy */
  int32_t retry_after;                      /* under busy */
  bool handles_fork;                        /* under busy */
  _Alignas(LINE) job job;
  place places[FORGE_MOST_THREADS]; /* the first one is the caller's, its state not used */
} pool;

/* ---- the machine ---- */

static inline void pause_briefly(void) {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); /* `yield` does nothing on most cores */
#endif
}

/* Returns how the calling thread rounds and treats denormals. */
static inline uint64_t arithmetic_mode(void) {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fu; /* without the flags of what has happened */
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

static inline void set_arithmetic_mode(uint64_t mode) {
  if (mode == arithmetic_mode()) return;
#if defined(__x86_64__)
  _mm_setcsr((uint32_t)mode | (_mm_getcsr() & 0x3fu));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sleep_while_parked(place *own) {
  while (atomic_load_explicit(&own->state, memory_order_acquire) == PARKED)
    syscall(SYS_futex, &own->state, FUTEX_WAIT_PRIVATE, PARKED, NULL, NULL, 0);
}

static void wake(place *other) {
  syscall(SYS_futex, &other->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int64_t forge_affinity_mask(uint8_t *bytes, int64_t count) {
  /* The system call, because the function of glibc does not return the number of bytes. */
  return syscall(SYS_sched_getaffinity, 0, (size_t)count, bytes);
}

/* Moves the calling thread to another processor if it shares that of the caller.
 *
 * The kernel often places a woken thread beside the one that woke it, even if another processor is
 * free. The two then share the processor for seconds. Forbidding the processor for a moment makes
 * the kernel move the thread at once. */
static void leave_processor_of_caller(int64_t *not_before) {
  const int processor = sched_getcpu();
  if (processor != atomic_load_explicit(&pool.processor, memory_order_relaxed)) return;
  const int64_t now = nanoseconds();
  if (now < *not_before) return;
  *not_before = now + MOVE_EVERY_NANOSECONDS;

  enum { BITS = 8 * sizeof(unsigned long) };
  unsigned long allowed[MOST_PROCESSORS / BITS] = {0}, others[MOST_PROCESSORS / BITS];
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
  if (processor < 0 || bytes * 8 <= processor) return;
  memcpy(others, allowed, sizeof others);
  others[processor / BITS] &= ~(1ul << processor % BITS);
  /* Fails if no other processor is allowed. */
  if (syscall(SYS_sched_setaffinity, 0, (size_t)bytes, others) == 0)
    syscall(SYS_sched_setaffinity, 0, (size_t)bytes, allowed);
}

/* Moves a worker's word from one state to another. Returns false if it is not in the first. */
static bool change(place *worker, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong_explicit(&worker->state, &from, to, memory_order_acq_rel,
                                                 memory_order_acquire);
}

/* ---- a share of a step ---- */

/* Divides a step along the times, so that a thread's rows stay together, and if these are too few
 * also along the parts. */
static void cut(job *job, const forge_step *step, int64_t shares) {
  job->step = step;
  job->shares = shares;
  job->parts = step->parts > 1 ? step->parts : step->tiles;
  job->times = job->parts > 0 ? step->tiles / job->parts : 0;
  const int64_t wanted = step->pieces > 1 ? step->pieces : 1;
  job->cuts = 1;
  job->pieces = forge_smaller(wanted, job->times);
  if (wanted <= job->times) return;
  const int64_t most = job->parts / shares;
  if (job->times > 0) job->cuts = forge_smaller((wanted + job->times - 1) / job->times, most);
  if (job->cuts < 1) job->cuts = 1;
  job->pieces = job->times * job->cuts;
}

static void run_piece(const job *job, forge_frame *frame, int64_t share, int64_t piece) {
  const forge_step *step = job->step;
  int64_t first = job->parts * share / job->shares;
  int64_t count = job->parts * (share + 1) / job->shares - first;
  int64_t time = job->times * piece / job->pieces;
  int64_t end = job->times * (piece + 1) / job->pieces;
  if (job->cuts > 1) {
    const int64_t part = piece % job->cuts, start = count * part / job->cuts;
    time = piece / job->cuts;
    end = time + 1;
    first += start;
    count = count * (part + 1) / job->cuts - start;
  }
  for (; count > 0 && time < end; time++) {
    const int64_t tile = time * job->parts + first;
    step->kernel(step->arguments, frame, tile, tile + count);
    frame->calls++;
  }
}

/* Runs the pieces of a share that nobody has begun. */
static void run_pieces(const job *job, forge_frame *frame, int64_t share) {
  _Atomic int64_t *next = &pool.places[share].next;
  /* Read first: a write takes the line away from the other threads. */
  while (atomic_load_explicit(next, memory_order_relaxed) < job->pieces) {
    const int64_t piece = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
    if (piece >= job->pieces) return;
    /* Odd rounds run backwards: what the round before used last may still be in the cache. */
    run_piece(job, frame, share, frame->round % 2 == 1 ? job->pieces - 1 - piece : piece);
  }
}

/* Runs its own share, then pieces that are left of others. */
static void run_share(int64_t share, int64_t worker) {
  const job *job = &pool.job;
  forge_frame frame = *job->frame;
  frame.worker = worker;
  frame.calls = 0;
  frame.round = pool.places[worker].round;
  for (int64_t i = 0; i < job->shares; i++) run_pieces(job, &frame, (share + i) % job->shares);
}

/* ---- workers ---- */

static void wait_for_offer(place *own) {
  int64_t start = 0;
  for (int round = 0;; round++) {
    for (int i = 0; i < PAUSES; i++) {
      if (atomic_load_explicit(&own->state, memory_order_relaxed) != IDLE) return;
      pause_briefly();
    }
    /* Yield to other programs, but not in the short time between two steps. */
    if (round < ROUNDS_BEFORE_YIELD) continue;
    sched_yield();
    const int64_t now = nanoseconds();
    if (start == 0) start = now;
    if (now - start < FORGE_SPIN_NANOSECONDS) continue;
    if (change(own, IDLE, PARKED)) sleep_while_parked(own);
    start = 0;
    round = 0;
  }
}

static void *work(void *argument) {
  const int64_t worker = (int64_t)(intptr_t)argument;
  place *own = &pool.places[worker];
  int64_t move_not_before = 0;
  for (;;) {
    wait_for_offer(own);
    __builtin_prefetch(&pool.job); /* while the state changes */
    leave_processor_of_caller(&move_not_before);
    if (!change(own, OFFERED, TAKEN)) continue;
    set_arithmetic_mode(pool.job.arithmetic_mode);
    run_share(worker, worker);
    atomic_store_explicit(&own->state, IDLE, memory_order_release);
  }
  return NULL;
}

/* Called in the child after fork, where only the forking thread exists. */
static void forget_workers(void) {
  for (int32_t i = 0; i < FORGE_MOST_THREADS; i++)
    atomic_store_explicit(&pool.places[i].state, IDLE, memory_order_relaxed);
  atomic_store_explicit(&pool.workers, 0, memory_order_relaxed);
  pool.retry_after = 0;
  atomic_store_explicit(&pool.busy, false, memory_order_release);
}

static bool start_worker(int32_t worker) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  size_t stack = STACK_BYTES;
#if defined(PTHREAD_STACK_MIN)
  const long least = (long)PTHREAD_STACK_MIN; /* a call in newer glibc */
  if (least > 0 && (size_t)least > stack) stack = (size_t)least;
#endif
  pthread_attr_setstacksize(&attributes, stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);

  /* Signals go to the program's own threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, work, (void *)(intptr_t)worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error != 0) return false;

  char name[16];
  snprintf(name, sizeof name, "forge-%d", (int)worker);
  pthread_setname_np(thread, name); /* detached, but it never ends */
  return true;
}

/* Creates workers until there are `wanted`, under busy. Returns their number. */
static int32_t start_workers(int32_t wanted) {
  int32_t workers = atomic_load_explicit(&pool.workers, memory_order_relaxed);
  if (workers >= wanted) return workers;
  if (pool.retry_after > 0) {
    pool.retry_after--;
    return workers;
  }
  if (!pool.handles_fork) {
    /* Without the handler a child would wait for workers that do not exist. */
    if (pthread_atfork(NULL, NULL, forget_workers) != 0) return workers;
    pool.handles_fork = true;
  }
  while (workers < wanted) {
    if (!start_worker(workers + 1)) {
      pool.retry_after = RETRY_AFTER;
      break;
    }
    atomic_store_explicit(&pool.workers, ++workers, memory_order_relaxed);
  }
  return workers;
}

/* ---- the caller ---- */

static bool take_pool(void) {
  return !atomic_load_explicit(&pool.busy, memory_order_relaxed) &&
    !atomic_exchange_explicit(&pool.busy, true, memory_order_acquire);
}

static void leave_pool(void) { atomic_store_explicit(&pool.busy, false, memory_order_release); }

/* Tells the workers where the caller is. */
static void note_processor(void) {
  const int32_t processor = sched_getcpu();
  if (processor != atomic_load_explicit(&pool.processor, memory_order_relaxed))
    atomic_store_explicit(&pool.processor, processor, memory_order_relaxed);
}

/* Takes the pool for up to `threads` threads. Returns how many it got, 1 without the pool. */
static int32_t begin(const forge_frame *frame, int32_t threads) {
  if (!take_pool()) return 1;
  const int32_t workers = start_workers(threads - 1);
  if (workers == 0) {
    leave_pool();
    return 1;
  }
  if (threads > workers + 1) threads = workers + 1;
  pool.job.arithmetic_mode = arithmetic_mode();
  pool.job.frame = frame;
  note_processor();
  /* Waking takes tens of microseconds, so wake workers before they are needed. */
  for (int32_t w = 1; w < threads; w++) {
    pool.places[w].gave_way = false;
    if (change(&pool.places[w], PARKED, IDLE)) wake(&pool.places[w]);
  }
  return threads;
}

static void offer(place *other) {
  if (atomic_exchange_explicit(&other->state, OFFERED, memory_order_acq_rel) == PARKED) wake(other);
}

/* Waits until worker `w` has finished. If a worker has not begun when the caller has finished all
 * pieces, it is asleep or has no processor. The caller then takes its share back instead of
 * waiting. */
static void join(int32_t w) {
  place *other = &pool.places[w];
  for (int round = 0;; round++) {
    for (int i = 0; i < PAUSES; i++) {
      const uint32_t state = atomic_load_explicit(&other->state, memory_order_acquire);
      if (state == IDLE || state == PARKED) return;
      pause_briefly();
    }
    /* The scheduler may have queued the worker behind this thread, where it would wait for
     * milliseconds. A worker that has begun runs elsewhere. Yielding to another program would also
     * cost milliseconds. */
    const bool has_begun = atomic_load_explicit(&other->state, memory_order_relaxed) != OFFERED;
    if (round >= ROUNDS_BEFORE_YIELD || (!has_begun && !other->gave_way)) sched_yield();
    if (!has_begun) other->gave_way = true;
    if (change(other, OFFERED, IDLE)) return;
  }
}

/* Runs all rounds of a step on this thread. */
static void run_alone(const forge_step *step, const forge_frame *frame) {
  forge_frame own = *frame;
  for (own.round = 0; own.round == 0 || own.round < step->rounds; own.round++)
    step->kernel(step->arguments, &own, 0, step->tiles);
}

/* Runs a round of the step that has been cut. */
static void deal_out(int64_t round, int32_t shares) {
  note_processor();
  /* All before the first offer, because a worker may take pieces of every share. */
  for (int32_t w = 0; w < shares; w++) {
    pool.places[w].round = round;
    atomic_store_explicit(&pool.places[w].next, 0, memory_order_relaxed);
  }
  for (int32_t w = 1; w < shares; w++) offer(&pool.places[w]);
  run_share(0, 0);
  for (int32_t w = 1; w < shares; w++) join(w);
}

void forge_prepare_threads(int32_t threads) {
  if (threads > FORGE_MOST_THREADS) threads = FORGE_MOST_THREADS;
  if (threads - 1 <= forge_worker_count() || !take_pool()) return;
  start_workers(threads - 1);
  leave_pool();
}

int32_t forge_worker_count(void) {
  return atomic_load_explicit(&pool.workers, memory_order_relaxed);
}

int64_t forge_run_parallel(const forge_step *steps, int64_t count, const forge_frame *frame,
                           int32_t threads, const int32_t *stop, int64_t deadline) {
  if (threads > FORGE_MOST_THREADS) threads = FORGE_MOST_THREADS;
  int32_t most = 1;
  if (threads > 1)
    for (int64_t i = 0; i < count; i++)
      if (steps[i].most_threads > most) most = steps[i].most_threads;
  if (threads > most) threads = most;
  if (threads > 1) threads = begin(frame, threads);

  int64_t done = 0;
  for (; done < count; done++) {
    const forge_step *step = &steps[done];
    if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0) break;
    if (deadline != INT64_MAX && nanoseconds() >= deadline) break;
    const int32_t shares = step->most_threads < threads ? step->most_threads : threads;
    if (shares < 2) {
      run_alone(step, frame);
      continue;
    }
    cut(&pool.job, step, shares);
    for (int64_t round = 0; round == 0 || round < step->rounds; round++) deal_out(round, shares);
  }
  if (threads > 1) leave_pool();
  return done;
}

void forge_run(const forge_step *steps, int64_t count, const forge_frame *frame) {
  for (int64_t i = 0; i < count; i++) run_alone(&steps[i], frame);
}
