/* SPDX-License-Identifier: MIT */
/* A CUDA driver without a device, which the tests load through
 * GPUARRAY_CUDA_DRIVER: memory is the host's (stub_cuda_alloc.c), copies happen at
 * once, launches are only recorded (stub_cuda_launch.c), and faults come on command
 * (stub_cuda.h).
 * It checks what a driver checks: that a context is current, that what is freed was
 * allocated, that copies do not overlap. Where `lazy` is set, copies of pinned memory wait in
 * a queue, in order, until an event behind them or the stream is waited for.
 * Several threads may copy at once.
 *
 * Compiled three times: whole; with STUB_OLD, as a driver of CUDA 11.0, without
 * pools and parameter sizes; with STUB_BROKEN, without cuLaunchKernel. */
#include "tests/stub_driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NDEV 4

API stub_state stub = {.ndev = 1,
                       .cc = 90,
                       .version = 13000,
                       .pools = 1,
                       .total = (size_t)1 << 30,
                       .host_most = -1,
                       .foreign = &stub};

static char contexts[NDEV]; /* their addresses are the handles */
static int ready;
static _Thread_local void *stack[64];
static _Thread_local int top; /* stack[top] is current */

void *stub_current(void) { return stack[top]; }

void *stub_handle(void)
{
  static uintptr_t n;
  return (void *)__atomic_add_fetch(&n, 16, __ATOMIC_RELAXED);
}

API int cuInit(unsigned int flags)
{
  (void)flags;
  if (stub.init_result == 0) ready = 1;
  return stub.init_result;
}

API int cuDriverGetVersion(int *v)
{
  *v = stub.version;
  return OK;
}

API int cuGetErrorName(int err, const char **s)
{
  static _Thread_local char name[32];
  switch (err) {
  case INVALID: *s = "CUDA_ERROR_INVALID_VALUE"; break;
  case OOM: *s = "CUDA_ERROR_OUT_OF_MEMORY"; break;
  case 100: *s = "CUDA_ERROR_NO_DEVICE"; break;
  case NO_CONTEXT: *s = "CUDA_ERROR_INVALID_CONTEXT"; break;
  case 700: *s = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
  default: snprintf(name, sizeof name, "STUB_ERROR_%d", err); *s = name;
  }
  return OK;
}

API int cuGetErrorString(int err, const char **s)
{
  (void)err;
  *s = "said by the stub";
  return OK;
}

API int cuDeviceGetCount(int *n)
{
  *n = stub.ndev;
  return ready ? OK : NO_INIT;
}

API int cuDeviceGet(int *dev, int i)
{
  *dev = i;
  return i >= 0 && i < stub.ndev ? OK : BAD_DEVICE;
}

API int cuDeviceGetName(char *name, int n, int dev)
{
  snprintf(name, (size_t)n, "Stub %d", dev);
  return OK;
}

API int cuDeviceGetPCIBusId(char *id, int n, int dev)
{
  snprintf(id, (size_t)n, "0000:%02x:00.0", (unsigned)dev & 0xff);
  return OK;
}

API int cuDeviceGetAttribute(int *v, int attr, int dev)
{
  (void)dev;
  if (stub.attribute_result != 0) return stub.attribute_result;
  switch (attr) {
  case 1: *v = 1024; break;
  case 2:
  case 3: *v = 1024; break;
  case 4: *v = 64; break;
  case 5: *v = 2147483647; break;
  case 6:
  case 7: *v = 65535; break;
  case 8: *v = 49152; break;
  case 10: *v = 32; break;
  case 16: *v = 132; break;
  case 75: *v = stub.cc / 10; break;
  case 76: *v = stub.cc % 10; break;
  case 97: *v = 232448; break;
  case 115: *v = stub.pools; break;
  default: return INVALID;
  }
  return OK;
}

API int cuDeviceTotalMem_v2(size_t *size, int dev)
{
  (void)dev;
  *size = stub.total;
  return OK;
}

API int cuDevicePrimaryCtxRetain(void **cu, int dev)
{
  stub.retained++;
  *cu = &contexts[dev];
  return OK;
}

API int cuDevicePrimaryCtxRelease_v2(int dev)
{
  (void)dev;
  stub.retained--;
  return OK;
}

API int cuDevicePrimaryCtxSetFlags_v2(int dev, unsigned int flags)
{
  (void)dev;
  (void)flags;
  return OK;
}

API int cuCtxGetCurrent(void **cu)
{
  *cu = stack[top];
  return ready ? OK : NO_INIT;
}

API int cuCtxSetCurrent(void *cu)
{
  stack[top] = cu;
  return OK;
}

API int cuCtxPushCurrent_v2(void *cu)
{
  if (top + 1 == 64) return INVALID;
  stack[++top] = cu;
  SEEN(pushes);
  __atomic_store_n(&stub.depth, top, __ATOMIC_RELAXED);
  return OK;
}

API int cuCtxPopCurrent_v2(void **cu)
{
  if (top == 0) {
    stub.bad_pops++;
    return NO_CONTEXT;
  }
  *cu = stack[top--];
  SEEN(pops);
  __atomic_store_n(&stub.depth, top, __ATOMIC_RELAXED);
  return OK;
}

API int cuStreamCreate(void **s, unsigned int flags)
{
  NEED_CONTEXT;
  if (flags != 0) return INVALID;
  *s = stub_handle();
  stub.streams++;
  return OK;
}

API int cuStreamDestroy_v2(void *s)
{
  NEED_CONTEXT;
  (void)s;
  stub.streams--;
  return OK;
}

/* ---- what waits ----------------------------------------------------------- */

/* A copy, or (d NULL) an event. */
typedef struct waiting {
  void *d, *event;
  const void *s;
  size_t n;
  struct waiting *next;
} waiting;

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static waiting *queue, **queue_end = &queue;

static int enqueue(void *d, const void *s, size_t n, void *event)
{
  waiting *w = malloc(sizeof *w);
  if (w == NULL) return OOM;
  *w = (waiting){d, event, s, n, NULL};
  pthread_mutex_lock(&queue_lock);
  *queue_end = w;
  queue_end = &w->next;
  pthread_mutex_unlock(&queue_lock);
  return OK;
}

static int is_queued(const void *event)
{
  const waiting *w = queue;
  while (w != NULL && w->event != event) w = w->next;
  return w != NULL;
}

static void do_first(void)
{
  waiting *w = queue;
  queue = w->next;
  if (queue == NULL) queue_end = &queue;
  if (w->d != NULL) memcpy(w->d, w->s, w->n);
  free(w);
}

/* Does what waits, up to the event where it was recorded last, or (NULL) all. */
void stub_work_off(const void *event)
{
  pthread_mutex_lock(&queue_lock);
  while (event != NULL ? is_queued(event) : queue != NULL) do_first();
  pthread_mutex_unlock(&queue_lock);
}

API int cuStreamSynchronize(void *s)
{
  (void)s;
  NEED_CONTEXT;
  stub_work_off(NULL);
  SEEN(syncs);
  return OK;
}

API int cuEventCreate(void **e, unsigned int flags)
{
  (void)flags;
  NEED_CONTEXT;
  *e = stub_handle();
  SEEN(events);
  return OK;
}

API int cuEventDestroy_v2(void *e)
{
  (void)e;
  stub.events--;
  return OK;
}

API int cuEventRecord(void *e, void *s)
{
  (void)s;
  NEED_CONTEXT;
  return stub.lazy ? enqueue(NULL, NULL, 0, e) : OK;
}

API int cuStreamWaitEvent(void *s, void *e, unsigned int flags)
{
  NEED_CONTEXT;
  stub.waits++;
  return s != NULL && e != NULL && flags == 0 ? OK : INVALID;
}

API int cuDeviceCanAccessPeer(int *can, int dev, int peer)
{
  *can = dev != peer;
  return OK;
}

API int cuCtxEnablePeerAccess(void *peer, unsigned int flags)
{
  NEED_CONTEXT;
  if (flags != 0 || peer == stack[top]) return INVALID;
  stub.peers++;
  return OK;
}

API int cuEventSynchronize(void *e)
{
  NEED_CONTEXT;
  stub_work_off(e);
  return OK;
}

API int cuPointerGetAttribute(void *v, int attr, unsigned long long p)
{
  (void)p;
  if (attr != 2) return INVALID;
  *(unsigned int *)v = 1;
  return stub.pinned ? OK : INVALID;
}

API int cuCtxGetDevice(int *dev)
{
  NEED_CONTEXT;
  *dev = 0;
  return OK;
}

/* ---- copies ----------------------------------------------------------------- */

static struct {
  char *p;
  size_t size;
} pinned[256];

API int cuMemAllocHost_v2(void **p, size_t size)
{
  NEED_CONTEXT;
  if (stub.host_blocks == stub.host_most) return OOM;
  *p = malloc(size);
  if (*p == NULL) return OOM;
  pthread_mutex_lock(&queue_lock);
  for (int i = 0; i < 256; i++)
    if (pinned[i].p == NULL) {
      pinned[i].p = *p;
      pinned[i].size = size;
      break;
    }
  stub.host_blocks++;
  pthread_mutex_unlock(&queue_lock);
  return OK;
}

API int cuMemFreeHost(void *p)
{
  pthread_mutex_lock(&queue_lock);
  for (int i = 0; i < 256; i++)
    if (pinned[i].p == p) pinned[i].p = NULL;
  stub.host_blocks--;
  pthread_mutex_unlock(&queue_lock);
  free(p);
  return OK;
}

static int is_pinned(const char *p)
{
  int found = 0;
  pthread_mutex_lock(&queue_lock);
  for (int i = 0; i < 256 && !found; i++)
    found = pinned[i].p != NULL && p >= pinned[i].p && p < pinned[i].p + pinned[i].size;
  pthread_mutex_unlock(&queue_lock);
  return found;
}

static int move(void *d, const void *s, size_t n)
{
  NEED_CONTEXT;
  if ((char *)d < (const char *)s + n && (const char *)s < (char *)d + n) stub.overlaps++;
  if (__atomic_add_fetch(&stub.copies, 1, __ATOMIC_RELAXED) == stub.copy_fails) return INVALID;
  if (stub.lazy && (is_pinned(d) || is_pinned(s))) return enqueue(d, s, n, NULL);
  memmove(d, s, n);
  return OK;
}

/* Notes work on another stream than the last launch's. */
static void on_stream(void *s)
{
  if (stub.launch_stream != NULL && s != stub.launch_stream) stub.strays++;
}

API int cuMemcpyHtoDAsync_v2(unsigned long long d, const void *s, size_t n, void *st)
{
  on_stream(st);
  return move((void *)(uintptr_t)d, s, n);
}

API int cuMemcpyDtoHAsync_v2(void *d, unsigned long long s, size_t n, void *st)
{
  on_stream(st);
  return move(d, (void *)(uintptr_t)s, n);
}

API int cuMemcpyDtoDAsync_v2(unsigned long long d, unsigned long long s, size_t n, void *st)
{
  on_stream(st);
  return move((void *)(uintptr_t)d, (void *)(uintptr_t)s, n);
}

API int cuMemcpyPeerAsync(unsigned long long d, void *to, unsigned long long s, void *from,
                          size_t n, void *st)
{
  (void)st;
  if (to != stack[top] || from == NULL) stub.wrong_context++;
  return move((void *)(uintptr_t)d, (void *)(uintptr_t)s, n);
}

API int cuMemsetD8Async(unsigned long long d, unsigned char byte, size_t n, void *st)
{
  on_stream(st);
  NEED_CONTEXT;
  memset((void *)(uintptr_t)d, byte, n);
  return OK;
}
