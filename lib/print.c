/* SPDX-License-Identifier: MIT */
/* GpuArray_print: the layout of NumPy's array2string() with its default options:
 * lines of 75 characters, and beyond 1000 elements the first and last three of
 * every longer axis, which are then all that is fetched. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/print_format.h"

enum { LINE = 75, THRESHOLD = 1000, EDGE = 3 };

/* What is printed: the elements, packed, and which axes are shortened. */
typedef struct page {
  unsigned int nd;
  size_t dims[GA_MAXND]; /* of the elements at hand: at most 2 * EDGE if shortened */
  unsigned char shortened[GA_MAXND];
  size_t size, n; /* bytes of an element; number at hand */
  char *data;
  ga_element_format format;
  ga_str out;
} page;

static void spaces(ga_str *s, int n) { ga_str_addf(s, "%*s", n, ""); }

/* Appends a word to a line that starts at `*line`, or begins another one. */
static void add_word(ga_str *s, size_t *line, const char *word, int width, int indent)
{
  int len = (int)(s->len - *line);

  if (len + (int)strlen(word) > width && len > indent && !s->failed) {
    while (s->len > *line && s->s[s->len - 1] == ' ') s->len--;
    ga_str_add(s, "\n");
    *line = s->len;
    spaces(s, indent);
  }
  ga_str_add(s, word);
}

/* The last axis. The opening bracket has been written in place of the last of
 * `indent` spaces. */
static void add_row(page *p, const char *data, int indent, int width)
{
  ga_str *s = &p->out, word = {0};
  size_t n = p->dims[p->nd - 1], line = s->len - (size_t)indent;

  for (size_t i = 0; i < n; i++) {
    if (i == EDGE && p->shortened[p->nd - 1]) {
      add_word(s, &line, "...", width - 1, indent);
      ga_str_add(s, " ");
    }
    word.len = 0;
    ga_element_format_add(&word, &p->format, data + i * p->size);
    add_word(s, &line, ga_str_text(&word), width - 1, indent);
    if (i + 1 < n) ga_str_add(s, " ");
  }
  s->failed |= word.failed;
  ga_str_clear(&word);
}

static void newlines(page *p, unsigned int axis, int indent)
{
  for (unsigned int k = axis + 1; k < p->nd; k++) ga_str_add(&p->out, "\n");
  spaces(&p->out, indent);
}

/* Axis `axis` and those below it; `indent` spaces, the bracket's place with
 * them, are before every line but the first. */
static void add_axis(page *p, unsigned int axis, const char *data, int indent, int width)
{
  size_t step = p->size;

  for (unsigned int k = axis + 1; k < p->nd; k++) step *= p->dims[k];
  ga_str_add(&p->out, "[");
  if (axis + 1 == p->nd) {
    add_row(p, data, indent, width);
  } else {
    for (size_t i = 0; i < p->dims[axis]; i++) {
      if (i != 0) newlines(p, axis, indent);
      if (i == EDGE && p->shortened[axis]) {
        ga_str_add(&p->out, "...");
        newlines(p, axis, indent);
      }
      add_axis(p, axis + 1, data + i * step, indent + 1, width - 1);
    }
  }
  ga_str_add(&p->out, "]");
}

/* A view of the elements to print. A shortened axis of n becomes two, of 2 and
 * EDGE: steps from the first elements to the last, and between them. Axes of
 * extent 1 are left out, so that there is room. */
static int choose(const char *op, page *p, GpuArray *view, const GpuArray *a)
{
  int shorten = ga_array_size(a) > THRESHOLD;
  unsigned int nd = 0;

  p->nd = a->nd;
  p->n = 1;
  GA_TRY(ga_array_view_nd(op, view, a, 2 * a->nd));
  for (unsigned int k = 0; k < a->nd; k++) {
    size_t n = a->dimensions[k];

    p->shortened[k] = shorten && n > 2 * EDGE;
    p->dims[k] = p->shortened[k] ? 2 * EDGE : n;
    p->n *= p->dims[k];
    if (n == 1) continue;
    if (p->shortened[k]) {
      view->dimensions[nd] = 2;
      view->strides[nd++] = (ssize_t)(n - EDGE) * a->strides[k];
      n = EDGE;
    }
    view->dimensions[nd] = n;
    view->strides[nd++] = a->strides[k];
  }
  view->nd = nd;
  GpuArray_fix_flags(view);
  return GA_NO_ERROR;
}

static int fetch(const char *op, page *p, const GpuArray *a)
{
  GpuArray view = {0};
  int err;

  err = choose(op, p, &view, a);
  if (err != GA_NO_ERROR) return err;
  p->size = gpuarray_get_elsize(a->typecode);
  p->data = malloc(p->n * p->size + 1);
  if (p->data == NULL)
    err = ga_error_memory(op, p->n * p->size);
  else
    err = GpuArray_tohost(p->data, p->n * p->size, a->typecode, &view);
  GpuArray_clear(&view);
  return err;
}

static void write_out(page *p, enum ga_dtype t)
{
  if (p->n == 0) {
    ga_str_add(&p->out, "[]");
  } else if (p->nd == 0) {
    ga_format_scalar(&p->out, t, p->data);
  } else {
    ga_element_format_init(&p->format, t, p->data, p->n, &p->out);
    p->out.len = 0;
    add_axis(p, 0, p->data, 1, LINE);
  }
  ga_str_add(&p->out, "\n");
}

int GpuArray_print(FILE *fd, const GpuArray *a)
{
  static const char op[] = "GpuArray_print";
  enum ga_dtype t;
  page p = {0};
  int err;

  GA_NOT_NULL(op, 1, fd);
  GA_TRY(ga_array_check(op, 2, a));
  t = ga_dtype_of(a->typecode);
  if (t == GA_DT_NONE)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "%s: argument 2 has typecode %d, expected a type of "
                    "numbers",
                    op, a->typecode);
  err = fetch(op, &p, a);
  if (err == GA_NO_ERROR) {
    write_out(&p, t);
    if (p.out.failed)
      err = ga_error_memory(op, p.out.cap * 2);
    else if (fwrite(p.out.s, 1, p.out.len, fd) != p.out.len)
      err = ga_error_sys(op, "cannot write");
  }
  free(p.data);
  ga_str_clear(&p.out);
  return err;
}
