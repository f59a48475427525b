/* SPDX-License-Identifier: MIT */
/* Large transfers of memory that the driver cannot reach by itself (pageable). The
 * driver moves it with one thread, at a fifth of what the bus carries; here the
 * pool's threads carry pieces of it through pinned memory:
 *
 *   host            lane 0: slots A, B              device
 *   | piece 0 |  ->  [A]  ===========================> | piece 0 |
 *   | piece 1 |  ->            [A] of lane 1  =======> | piece 1 |
 *   | piece 2 |  ->  [B]  ===========================> | piece 2 |
 *
 *   ->  memcpy by the lane's thread     =>  the bus, in the order of the stream
 *
 * A lane fills one slot while the other is on its way, and takes the next piece
 * that nobody has; reading is the same backwards. All copies are the context's
 * stream's, so they are ordered with its kernels, and a fault of one of those is
 * seen by whoever waits.
 *
 * Slots are made as they pay (pinning 1 MiB costs 0.2 ms, staging it saves 0.05):
 * an eighth of what was moved so far, 32 MiB at the most, kept until the context
 * closes. H200, 16 threads, 90 Mi floats twice in and once out: the driver 128 ms,
 * slots of 0.25, 0.5, 1, 2 MiB 55, 35, 24, 23; 4, 8, 12 lanes of 0.5 MiB 48, 34, 34. */
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"
#include "lib/util/pool.h"

enum { PIECE = 1 << 20, LANES = 16, FEWEST = 2 };

typedef struct slot {
  char *mem;     /* PIECE bytes, pinned; NULL: not made yet */
  CUevent moved; /* behind the last copy */
  int busy;      /* that copy may be under way */
} slot;

struct ga_cuda_stage {
  slot slots[LANES][2];
  size_t asked; /* bytes moved, or that would have been, so far */
};

typedef struct transfer {
  ga_cuda *c;
  CUdeviceptr dev;
  char *host;
  size_t n;
  int out; /* device to host */
  slot (*slots)[2];
  atomic_size_t next; /* piece */
  atomic_int result;  /* CUresult of the first call that failed */
} transfer;

/* Notes a failure; 1 when there is none. */
static int well(transfer *t, CUresult r)
{
  int none = CUDA_SUCCESS;
  if (r != CUDA_SUCCESS) (void)atomic_compare_exchange_strong(&t->result, &none, r);
  return r == CUDA_SUCCESS;
}

/* The next piece: its place and length. 0: there is none, or no use in one. */
static int next_piece(transfer *t, size_t *at, size_t *len)
{
  if (atomic_load_explicit(&t->result, memory_order_relaxed) != CUDA_SUCCESS) return 0;
  *at = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed) * PIECE;
  if (*at >= t->n) return 0;
  *len = t->n - *at < PIECE ? t->n - *at : PIECE;
  return 1;
}

static int await(transfer *t, slot *s)
{
  if (!s->busy) return 1;
  s->busy = 0;
  return well(t, ga_cu.cuEventSynchronize(s->moved));
}

static int mark(transfer *t, slot *s)
{
  s->busy = 1;
  return well(t, ga_cu.cuEventRecord(s->moved, t->c->stream));
}

static void fill_lane(transfer *t, slot *s)
{
  size_t at, len;
  for (unsigned int k = 0; next_piece(t, &at, &len); k ^= 1) {
    if (!await(t, &s[k])) return;
    memcpy(s[k].mem, t->host + at, len);
    if (!well(t, ga_cu.cuMemcpyHtoDAsync_v2(t->dev + at, s[k].mem, len, t->c->stream)) ||
        !mark(t, &s[k]))
      return;
  }
}

static void drain_lane(transfer *t, slot *s)
{
  struct {
    size_t at, len;
  } held[2] = {{0, 0}, {0, 0}};
  int more = 1;
  for (unsigned int k = 0; more || held[k].len > 0; k ^= 1) {
    if (held[k].len > 0) {
      if (!await(t, &s[k])) return;
      memcpy(t->host + held[k].at, s[k].mem, held[k].len);
      held[k].len = 0;
    }
    more = more && next_piece(t, &held[k].at, &held[k].len);
    if (!more) {
      held[k].len = 0;
      continue;
    }
    if (!well(t, ga_cu.cuMemcpyDtoHAsync_v2(s[k].mem, t->dev + held[k].at, held[k].len,
                                            t->c->stream)) ||
        !mark(t, &s[k]))
      return;
  }
}

static void run_lanes(void *arg, ga_share *share)
{
  transfer *t = arg;
  CUcontext old;
  size_t lane;
  if (!well(t, ga_cu.cuCtxPushCurrent_v2(t->c->cu))) return;
  while (ga_pool_next(share, &lane)) (t->out ? drain_lane : fill_lane)(t, t->slots[lane]);
  (void)ga_cu.cuCtxPopCurrent_v2(&old);
}

/* ---- slots --------------------------------------------------------------- */

static int make_slot(slot *s)
{
  void *mem = NULL;
  if (s->mem != NULL) return 1;
  if (ga_cu.cuMemAllocHost_v2(&mem, PIECE) != CUDA_SUCCESS) return 0;
  if (ga_cu.cuEventCreate(&s->moved, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    (void)ga_cu.cuMemFreeHost(mem);
    return 0;
  }
  s->mem = mem;
  return 1;
}

/* Makes slots for up to `most` lanes, as far as `n` more bytes are worth it; how
 * many there are. The lock is held. */
static size_t make_lanes(ga_cuda *c, size_t most, size_t n)
{
  size_t lanes = 0;
  if (c->stage == NULL) c->stage = calloc(1, sizeof *c->stage);
  if (c->stage == NULL) return 0;
  if (c->stage->asked < SIZE_MAX / 2) c->stage->asked += n;
  if (most > c->stage->asked / (16 * PIECE)) most = c->stage->asked / (16 * PIECE);
  if (most < FEWEST) return 0;
  while (lanes < most && make_slot(&c->stage->slots[lanes][0]) &&
         make_slot(&c->stage->slots[lanes][1]))
    lanes++;
  return lanes;
}

void ga_cuda_stage_close(ga_cuda *c)
{
  if (c->stage == NULL) return;
  for (size_t i = 0; i < LANES; i++)
    for (size_t k = 0; k < 2 && ga_cuda_usable(c); k++) {
      slot *s = &c->stage->slots[i][k];
      if (s->mem == NULL) continue;
      (void)ga_cu.cuEventDestroy_v2(s->moved);
      (void)ga_cu.cuMemFreeHost(s->mem);
    }
  free(c->stage);
  c->stage = NULL;
}

/* ---- transfers ------------------------------------------------------------- */

/* Each lane is to have two pieces at least. */
static size_t lanes_for(size_t n)
{
  size_t lanes = ga_pool_threads(), pairs = n / (2 * PIECE);
  if (lanes > LANES) lanes = LANES;
  return lanes < pairs ? lanes : pairs;
}

int ga_cuda_stage_move(int *moved, ga_cuda *c, const char *op, CUdeviceptr dev, void *host,
                       size_t n, int out)
{
  transfer t = {.c = c, .dev = dev, .host = host, .n = n, .out = out};
  size_t lanes = lanes_for(n);
  int err = GA_NO_ERROR;
  *moved = 0;
  if (lanes < FEWEST) return GA_NO_ERROR;
  ga_lock_take(&c->stage_lock);
  lanes = make_lanes(c, lanes, n);
  if (lanes >= FEWEST) {
    t.slots = c->stage->slots;
    ga_pool_run(lanes, run_lanes, &t);
    *moved = 1;
    CUresult r = atomic_load(&t.result);
    if (r != CUDA_SUCCESS) {
      (void)ga_cu.cuStreamSynchronize(c->stream); /* no copy uses a slot any more */
      err = ga_cuda_error(c, op, r);
    }
  }
  ga_lock_give(&c->stage_lock);
  return err;
}
