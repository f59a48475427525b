/* SPDX-License-Identifier: MIT */
/* Large transfers through pinned memory, over a stub driver that does copies only
 * when they are waited for: whoever reuses or reads memory too early is found out. */
#include "lib/util/pool.h"
#include "tests/stub.h"

#include <pthread.h>

#define B   (&ga_cuda_backend)
#define MIB ((size_t)1 << 20)

/* Words that tell where they belong; the last bytes are the first's. */
static void number(unsigned char *p, size_t n, unsigned int seed)
{
  uint64_t *w = (uint64_t *)p;
  for (size_t i = 0; i < n / 8; i++) w[i] = (i + 1) * 0x9e3779b97f4a7c15u + seed;
  memcpy(p + n / 8 * 8, p, n % 8);
}

typedef struct place {
  stub_state *s;
  gpucontext *ctx;
  gpudata *b;
  unsigned char *in, *out;
  size_t n;
} place;

static place open_place(size_t n, unsigned int threads)
{
  place p = {.s = stub_use("libstubcuda"), .n = n};
  ga_pool_limit(threads);
  p.s->lazy = 1;
  p.ctx = stub_context();
  OK(B->alloc(&p.b, p.ctx, n, 0));
  p.in = malloc(n);
  p.out = malloc(n);
  ck_assert(p.in != NULL && p.out != NULL);
  number(p.in, n, 1);
  memset(p.out, 0, n);
  return p;
}

static void close_place(place *p)
{
  B->free(p->b);
  B->context_close(p->ctx);
  ck_assert_int_eq(p->s->host_blocks, 0);
  ck_assert_int_eq(p->s->events, 0);
  ck_assert_int_eq(p->s->blocks, 0);
  ck_assert_int_eq(p->s->pushes, p->s->pops);
  ck_assert_int_eq(p->s->wrong_context, 0);
  ck_assert_int_eq(p->s->overlaps, 0);
  free(p->in);
  free(p->out);
}

/* There and back; the source is overwritten as soon as it may be. */
static void round_trip(place *p, unsigned int seed)
{
  number(p->in, p->n, seed);
  OK(B->write(p->b, 0, p->in, p->n));
  memset(p->in, 0, p->n);
  OK(B->read(p->out, p->b, 0, p->n));
  number(p->in, p->n, seed);
  ck_assert(memcmp(p->in, p->out, p->n) == 0);
}

static const size_t sizes[] = {8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 10000019, 33 * MIB + 17};

START_TEST(bytes_arrive_and_come_back)
{
  place p = open_place(sizes[_i], 4);
  for (unsigned int seed = 1; seed < 8; seed++) round_trip(&p, seed);
  ck_assert_int_eq(p.s->host_blocks, sizes[_i] >= 8 * MIB ? 8 : 0);
  close_place(&p);
}
END_TEST

/* An eighth of what was moved is pinned: from 32 MiB on, as two lanes take four. */
START_TEST(pinned_memory_grows_with_its_use)
{
  place p = open_place(8 * MIB, 16);
  for (int i = 1; i < 16; i++) {
    OK(B->write(p.b, 0, p.in, p.n));
    ck_assert_int_eq(p.s->host_blocks, i < 4 ? 0 : i < 8 ? i / 2 * 2 : 8);
  }
  close_place(&p);
}
END_TEST

START_TEST(transfers_end_where_they_should)
{
  place p = open_place(40 * MIB, 4);
  size_t off = 4 * MIB + 3, n = 33 * MIB + 5;
  OK(B->set(p.b, 0, 7, p.n));
  OK(B->write(p.b, off, p.in, n));
  OK(B->read(p.out, p.b, 0, p.n));
  memmove(p.in + off, p.in, n);
  memset(p.in, 7, off);
  memset(p.in + off + n, 7, p.n - off - n);
  ck_assert(memcmp(p.out, p.in, p.n) == 0);
  memset(p.out, 9, p.n);
  OK(B->read(p.out + 1, p.b, off, n));
  ck_assert(p.out[0] == 9 && p.out[n + 1] == 9 && memcmp(p.out + 1, p.in + off, n) == 0);
  close_place(&p);
}
END_TEST

START_TEST(pinned_memory_is_bounded)
{
  place p = open_place(64 * MIB, 64);
  for (unsigned int seed = 1; seed < 4; seed++) round_trip(&p, seed);
  ck_assert_int_eq(p.s->host_blocks, 32);
  close_place(&p);
}
END_TEST

START_TEST(one_thread_leaves_it_to_the_driver)
{
  place p = open_place(64 * MIB, 1);
  round_trip(&p, 1);
  ck_assert_int_eq(p.s->host_blocks, 0);
  ck_assert_int_eq(p.s->copies, 2);
  close_place(&p);
}
END_TEST

START_TEST(pinned_host_memory_goes_directly)
{
  place p = open_place(64 * MIB, 4);
  p.s->pinned = 1;
  round_trip(&p, 1);
  ck_assert_int_eq(p.s->host_blocks, 0);
  ck_assert_int_eq(p.s->copies, 2);
  close_place(&p);
}
END_TEST

/* Up to three blocks are one lane: too few. From four on some lanes work. */
START_TEST(missing_pinned_memory_is_done_without)
{
  place p = open_place(64 * MIB, 4);
  p.s->host_most = _i;
  round_trip(&p, 1);
  ck_assert_int_le(p.s->host_blocks, _i);
  ck_assert_int_eq(p.s->copies == 2, _i < 4);
  p.s->host_most = -1; /* there is some again */
  round_trip(&p, 2);
  ck_assert_int_eq(p.s->host_blocks, 8);
  close_place(&p);
}
END_TEST

START_TEST(failed_copy_is_reported_and_got_over)
{
  place p = open_place(32 * MIB, 4);
  for (int at = 1; at <= 32; at += 10) {
    p.s->copy_fails = p.s->copies + at;
    FAILS(GA_VALUE_ERROR, "write: CUDA_ERROR_INVALID_VALUE", B->write(p.b, 0, p.in, p.n));
    round_trip(&p, 1);
    p.s->copy_fails = p.s->copies + at;
    FAILS(GA_VALUE_ERROR, "read: CUDA_ERROR_INVALID_VALUE", B->read(p.out, p.b, 0, p.n));
    round_trip(&p, 2);
  }
  close_place(&p);
}
END_TEST

START_TEST(fault_of_a_kernel_is_seen)
{
  place p = open_place(64 * MIB, 4);
  round_trip(&p, 1);
  p.s->fault = 700;
  FAILS(GA_IMPL_ERROR, "ILLEGAL_ADDRESS", B->read(p.out, p.b, 0, p.n));
  FAILS(GA_IMPL_ERROR, "unusable", B->write(p.b, 0, p.in, p.n));
  B->free(p.b);
  B->context_close(p.ctx); /* what the driver holds is left to it */
  free(p.in);
  free(p.out);
}
END_TEST

static void *go_round(void *arg)
{
  place p = *(place *)arg;
  OK(B->alloc(&p.b, p.ctx, p.n, 0));
  p.in = malloc(p.n);
  p.out = malloc(p.n);
  ck_assert(p.in != NULL && p.out != NULL);
  for (unsigned int seed = 1; seed < 6; seed++) round_trip(&p, seed);
  B->free(p.b);
  free(p.in);
  free(p.out);
  return NULL;
}

START_TEST(threads_transfer_at_once)
{
  place p = open_place(16 * MIB, 4);
  pthread_t t[4];
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, go_round, &p), 0);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_join(t[i], NULL), 0);
  close_place(&p);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(bytes_arrive_and_come_back, 5),
                                  CASE(transfers_end_where_they_should),
                                  CASE(pinned_memory_grows_with_its_use),
                                  CASE(pinned_memory_is_bounded),
                                  CASE(one_thread_leaves_it_to_the_driver),
                                  CASE(pinned_host_memory_goes_directly),
                                  CASE_LOOP(missing_pinned_memory_is_done_without, 8),
                                  CASE(failed_copy_is_reported_and_got_over),
                                  CASE(fault_of_a_kernel_is_seen),
                                  CASE(threads_transfer_at_once),
                                  CASE_END};

int main(void) { return test_main("staging", cases); }
