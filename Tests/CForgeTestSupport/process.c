/* What tests ask of the process itself. */
#define _GNU_SOURCE
#include "CForgeTestSupport.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

int32_t forge_fork_and_wait(int32_t (*body)(void)) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) _exit(body());
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int32_t forge_fork(void) { return fork(); }

void forge_set_alarm(uint32_t seconds) {
  /* Whoever forked may have blocked or ignored it. */
  signal(SIGALRM, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  alarm(seconds);
}

int32_t forge_wait(int32_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int32_t forge_limit_address_space(int64_t bytes) {
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  long long pages = 0;
  const int found = fscanf(file, "%lld", &pages);
  fclose(file);
  if (found != 1) return -1;
  const rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)bytes;
  const struct rlimit both = {limit, limit};
  return setrlimit(RLIMIT_AS, &both);
}

double forge_processor_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
    1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int32_t forge_flush_denormals(int32_t flush) {
#if defined(__x86_64__)
  _mm_setcsr(flush ? _mm_getcsr() | 0x8040 : _mm_getcsr() & ~0x8040u);
  return 1;
#else
  (void)flush;
  return 0;
#endif
}
