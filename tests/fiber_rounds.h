/* SPDX-License-Identifier: MIT */
/* Fibers that take turns, for every way there is to switch: fiber i counts its
 * rounds in a number of its own on its own stack, keeps values of both kinds over
 * each switch, and hands on to i + 1, the last to the first. Included where GA_FIBER_
 * macros have chosen the way; it needs nothing but the C library, so that it also runs
 * where Check does not (tests/check-fiber.sh). */
#ifndef TESTS_FIBER_ROUNDS_H
#define TESTS_FIBER_ROUNDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpu/hostcuda_fiber.h"

enum { FIBERS = 37, ROUNDS = 1000, STACK_SIZE = 128 * 1024 };

static ga_fiber fiber_home, fibers[FIBERS];
static int fiber_now, fiber_done, fiber_wrong;

static __attribute__((noinline)) double fiber_work(int i, double x) { return x * 0.5 + i; }

static void fiber_body(void)
{
  const int me = fiber_now;
  volatile char deep[4096];
  double x = me, y = 1, want = me;
  uint64_t a = (uint64_t)me * 0x9e3779b97f4a7c15u, b = ~a;
  memset((void *)deep, me, sizeof deep);
  for (int r = 0; r < ROUNDS; r++) {
    x = fiber_work(me, x);
    want = want * 0.5 + me;
    a += b ^ (uint64_t)r;
    b = a * 3;
    y += 1;
    fiber_now = (me + 1) % FIBERS;
    ga_fiber_switch(&fibers[me], &fibers[fiber_now]);
    fiber_wrong += fiber_now != me || x != want || b != a * 3 || y != r + 2.0;
    fiber_wrong += deep[0] != (char)me || deep[4095] != (char)me;
  }
  fiber_done++;
  fiber_now = (me + 1) % FIBERS;
  ga_fiber_switch(&fibers[me], fiber_done == FIBERS ? &fiber_home : &fibers[fiber_now]);
  abort();
}

/* How many things went wrong; -1: no memory. */
static int fiber_rounds(void)
{
  char *stacks = aligned_alloc(16, (size_t)FIBERS * STACK_SIZE);
  if (stacks == NULL) return -1;
  for (int i = 0; i < FIBERS; i++)
    ga_fiber_init(&fibers[i], stacks + (size_t)(i + 1) * STACK_SIZE, fiber_body);
  fiber_now = fiber_done = fiber_wrong = 0;
  ga_fiber_switch(&fiber_home, &fibers[0]);
  free(stacks);
  return fiber_wrong + (fiber_done != FIBERS);
}

#endif
