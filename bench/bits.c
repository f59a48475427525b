/* SPDX-License-Identifier: MIT */
/* Whether two devices give the same bits.
 *
 *   bits [-d DEVICE] [-e DEVICE] [PROBLEM]...
 *
 * Each problem (problem.h, %N is 2^20; those of standard input, a line each, where none is given)
 * runs on both, "cuda" and "cpu" unless others are named, and what differs is printed: how many
 * elements, and the first of them. Functions such as exp may differ in their last bits, and NaNs in
 * theirs; nothing else may. Exits with 1 when a problem differed or failed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem.h"

typedef struct answer {
  char *data;
  size_t bytes, size; /* of all, of one element */
} answer;

/* The elements of `a` in C order. */
static int take(answer *r, const GpuArray *a)
{
  GpuArray c = {0};
  int err = GpuArray_copy(&c, a, GA_C_ORDER);
  if (err == GA_NO_ERROR) {
    r->size = r->bytes = gpuarray_get_elsize(c.typecode);
    for (unsigned int i = 0; i < c.nd; i++) r->bytes *= c.dimensions[i];
    r->data = malloc(r->bytes + 1);
    if (r->data == NULL) err = GA_MEMORY_ERROR;
  }
  if (err == GA_NO_ERROR) err = GpuArray_read(r->data, r->bytes, &c);
  GpuArray_clear(&c);
  return err;
}

static int answer_of(answer *r, gpucontext *ctx, const char *spec)
{
  problem p;
  GpuExpr *e = NULL;
  GpuArray out = {0};
  int err = problem_init(&p, ctx, spec);
  if (err == GA_NO_ERROR) err = GpuExpr_new(&e, ctx, p.text, p.n, p.args);
  if (err == GA_NO_ERROR)
    err = p.into >= 0 ? GpuExpr_call_into(e, &p.arrays[p.into], p.n, p.args)
                      : GpuExpr_call(e, &out, p.n, p.args);
  if (err == GA_NO_ERROR) err = take(r, p.into >= 0 ? &p.arrays[p.into] : &out);
  if (err != GA_NO_ERROR)
    fprintf(stderr, "bits: %s: %s: %s\n", gpucontext_name(ctx), spec, gpuarray_error_message());
  GpuArray_clear(&out);
  GpuExpr_free(e);
  problem_clear(&p);
  return err;
}

/* Elements that differ; *first is the first of them. */
static size_t differences(size_t *first, const answer *a, const answer *b)
{
  size_t n = 0;
  if (memcmp(a->data, b->data, a->bytes) == 0) return 0;
  for (size_t i = 0; i < a->bytes; i += a->size)
    if (memcmp(a->data + i, b->data + i, a->size) != 0 && n++ == 0) *first = i / a->size;
  return n;
}

/* 0: the same bits. 1: others, or no answer. */
static int compare(gpucontext *one, gpucontext *other, const char *given)
{
  char spec[1024];
  answer a = {0}, b = {0};
  size_t n = 0, first = 0;
  int bad = 1;
  problem_expand(spec, sizeof spec, given, 20);
  if (answer_of(&a, one, spec) == GA_NO_ERROR && answer_of(&b, other, spec) == GA_NO_ERROR) {
    n = differences(&first, &a, &b);
    bad = n != 0;
    if (bad)
      printf("differs: %zu of %zu elements, first %zu: %s\n", n, a.bytes / a.size, first, spec);
  }
  free(a.data);
  free(b.data);
  return bad;
}

int main(int argc, char **argv)
{
  const char *devices[2] = {"cuda", "cpu"};
  gpucontext *one, *other;
  char *line = NULL;
  size_t room = 0;
  int opt, n = 0, bad = 0;

  while ((opt = getopt(argc, argv, "d:e:h")) != -1) {
    if (opt == 'd' || opt == 'e') {
      devices[opt == 'e'] = optarg;
    } else {
      fprintf(opt == 'h' ? stdout : stderr, "usage: bits [-d DEVICE] [-e DEVICE] [PROBLEM]...\n");
      return opt == 'h' ? 0 : 2;
    }
  }
  GA_OR_DIE(gpucontext_init(&one, devices[0], NULL));
  GA_OR_DIE(gpucontext_init(&other, devices[1], NULL));
  for (int i = optind; i < argc; i++, n++) bad += compare(one, other, argv[i]);
  while (optind == argc && getline(&line, &room, stdin) > 0) {
    line[strcspn(line, "\n")] = 0;
    bad += compare(one, other, line);
    n++;
  }
  printf("%d problems, %d differ or failed\n", n, bad);
  free(line);
  gpucontext_deref(one);
  gpucontext_deref(other);
  return bad != 0;
}
