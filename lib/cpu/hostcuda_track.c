/* SPDX-License-Identifier: MIT */
/* A sorted array under a lock. Buffers come and go rarely next to what is done
 * with them. */
#include "hostcuda_track.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
  uintptr_t low, high;
} range;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static range *ranges;
static size_t count, capacity;

/* The first range that begins above `at`. */
static size_t above(uintptr_t at)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (ranges[mid].low <= at)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* A child of fork() finds the ranges whole and the lock free. It makes the lock
 * anew: an unlock is the thread's that locked, which the child is not. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void hold(void) { pthread_rwlock_wrlock(&lock); }
static void let_go(void) { pthread_rwlock_unlock(&lock); }
static void renew(void) { pthread_rwlock_init(&lock, NULL); }
static void prepare(void) { pthread_atfork(hold, let_go, renew); }

void ga_hc_track_add(const void *p, size_t size)
{
  uintptr_t at = (uintptr_t)p;
  pthread_once(&once, prepare);
  pthread_rwlock_wrlock(&lock);
  if (count == capacity) {
    size_t cap = capacity != 0 ? 2 * capacity : 64;
    range *more = realloc(ranges, cap * sizeof *more);
    if (more != NULL) {
      ranges = more;
      capacity = cap;
    }
  }
  if (count < capacity) {
    size_t i = above(at);
    memmove(ranges + i + 1, ranges + i, (count - i) * sizeof *ranges);
    ranges[i] = (range){at, at + size};
    count++;
  }
  pthread_rwlock_unlock(&lock);
}

void ga_hc_track_remove(const void *p)
{
  pthread_rwlock_wrlock(&lock);
  size_t i = above((uintptr_t)p);
  if (i > 0 && ranges[i - 1].low == (uintptr_t)p) {
    memmove(ranges + i - 1, ranges + i, (count - i) * sizeof *ranges);
    count--;
  }
  pthread_rwlock_unlock(&lock);
}

void *ga_hc_allocate(unsigned long align, unsigned long size)
{
  if (size > PTRDIFF_MAX - align) return NULL;
  void *p = aligned_alloc(align, (size + align - 1) / align * align);
  if (p != NULL) ga_hc_track_add(p, size);
  return p;
}

void ga_hc_release(void *p)
{
  if (p != NULL) ga_hc_track_remove(p);
  free(p);
}

int ga_hc_track_find(const void *p, uintptr_t *low, uintptr_t *high)
{
  int found = 0;
  pthread_rwlock_rdlock(&lock);
  size_t i = above((uintptr_t)p);
  if (i > 0 && (uintptr_t)p < ranges[i - 1].high) {
    *low = ranges[i - 1].low;
    *high = ranges[i - 1].high;
    found = 1;
  }
  pthread_rwlock_unlock(&lock);
  return found;
}

int ga_hc_track_near(const void *p, uintptr_t *low, uintptr_t *high)
{
  uintptr_t at = (uintptr_t)p, best = UINTPTR_MAX;
  pthread_rwlock_rdlock(&lock);
  size_t i = above(at);
  if (i > 0 && at >= ranges[i - 1].high) {
    best = at - ranges[i - 1].high;
    *low = ranges[i - 1].low;
    *high = ranges[i - 1].high;
  }
  if (i < count && ranges[i].low - at < best) {
    best = ranges[i].low - at;
    *low = ranges[i].low;
    *high = ranges[i].high;
  }
  pthread_rwlock_unlock(&lock);
  return best != UINTPTR_MAX;
}
