/* SPDX-License-Identifier: MIT */
/* Part of an array by the text of a NumPy index. The text is read twice: once to
 * count the axes that its items take, so that "..." knows how many are left for
 * it, and once to make the view. */
#include <limits.h>
#include <string.h>

#include "lib/array.h"

static const char op[] = "GpuArray_slice";

/* One item of the text. */
typedef struct item {
  enum { ITEM_INDEX, ITEM_SLICE, ITEM_NEW, ITEM_ELLIPSIS } kind;
  const char *at; /* where it starts, for messages */
  int has[3];     /* slice: start, stop, step were given */
  ssize_t num[3]; /* those; or the index, in [0] */
} item;

typedef struct reader {
  const char *text, *p;
} reader;

static void skip(reader *r)
{
  while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r') r->p++;
}

/* The text with a caret under `at`; long texts show what is around it. */
static int complain(const reader *r, const char *at, const char *what)
{
  int before = (int)(at - r->text < 60 ? at - r->text : 60);
  const char *from = at - before;
  int shown = (int)strcspn(from, "\n\r");

  if (shown > 100) shown = 100;
  if (shown < before) before = shown;
  return ga_error(GA_VALUE_ERROR, "%s: %s\n    %.*s\n    %*s^", op, what, shown, from, before, "");
}

static int word(reader *r, const char *w)
{
  size_t n = strlen(w);
  char next;

  if (strncmp(r->p, w, n) != 0) return 0;
  next = r->p[n];
  if (next == '_' || (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') ||
      (next >= 'A' && next <= 'Z'))
    return 0;
  r->p += n;
  return 1;
}

/* An integer, if there is one. Beyond ssize_t it stops at its end: every axis is
 * shorter. */
static int number(reader *r, ssize_t *num)
{
  const char *start = r->p;
  int neg = 0, digits = 0;
  ssize_t v = 0;

  for (; *r->p == '-' || *r->p == '+'; skip(r)) neg ^= *r->p++ == '-';
  for (; *r->p >= '0' && *r->p <= '9'; r->p++, digits++) {
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *r->p - '0', &v))
      v = SSIZE_MAX;
  }
  if (digits == 0) {
    r->p = start;
    return 0;
  }
  *num = neg ? -v : v;
  return 1;
}

/* start, stop or step of a slice: a number, None, or nothing. */
static void bound(reader *r, item *it, int i)
{
  skip(r);
  it->has[i] = !word(r, "None") && number(r, &it->num[i]);
  skip(r);
}

static int read_slice(reader *r, item *it)
{
  it->kind = ITEM_SLICE;
  r->p++; /* the colon */
  bound(r, it, 1);
  if (*r->p == ':') {
    r->p++;
    bound(r, it, 2);
  }
  if (it->has[2] && it->num[2] == 0) return complain(r, it->at, "a slice's step is 0");
  return GA_NO_ERROR;
}

static int read_item(reader *r, item *it)
{
  int none;

  *it = (item){.kind = ITEM_INDEX, .at = r->p};
  if (strncmp(r->p, "...", 3) == 0) {
    r->p += 3;
    it->kind = ITEM_ELLIPSIS;
    return GA_NO_ERROR;
  }
  if (word(r, "Ellipsis")) {
    it->kind = ITEM_ELLIPSIS;
    return GA_NO_ERROR;
  }
  none = word(r, "None");
  if (none || word(r, "newaxis") || word(r, "np.newaxis")) {
    it->kind = ITEM_NEW;
    skip(r);
    return none && *r->p == ':' ? read_slice(r, it) : GA_NO_ERROR;
  }
  it->has[0] = number(r, &it->num[0]);
  skip(r);
  if (*r->p == ':') return read_slice(r, it);
  if (!it->has[0]) return complain(r, r->p, "expected an integer, a slice, None or ...");
  return GA_NO_ERROR;
}

/* The next item; *more 0 at the end of the text. */
static int next_item(reader *r, item *it, int *more)
{
  skip(r);
  *more = *r->p != '\0';
  if (!*more) return GA_NO_ERROR;
  GA_TRY(read_item(r, it));
  skip(r);
  if (*r->p == ',')
    r->p++;
  else if (*r->p != '\0')
    return complain(r, r->p, "expected a comma or the end");
  return GA_NO_ERROR;
}

/* The axes that items take, and that the result has; checks the text. */
static int count_axes(const char *spec, const GpuArray *a, unsigned int *taken,
                      unsigned int *result)
{
  reader r = {spec, spec};
  int more, ellipsis = 0;
  item it;

  *taken = *result = 0;
  for (;;) {
    GA_TRY(next_item(&r, &it, &more));
    if (!more) break;
    if (it.kind == ITEM_ELLIPSIS && ellipsis++) return complain(&r, it.at, "a second ...");
    if (it.kind == ITEM_INDEX || it.kind == ITEM_SLICE) (*taken)++;
    if (it.kind == ITEM_NEW || it.kind == ITEM_SLICE) (*result)++;
    if (*taken > a->nd)
      return ga_error(GA_VALUE_ERROR,
                      "%s: \"%.100s\" indexes more axes than the %u of argument "
                      "2",
                      op, spec, a->nd);
    if (*result > GA_MAXND) break;
  }
  *result += a->nd - *taken; /* whole axes, at "..." or at the end */
  if (*result > GA_MAXND) return ga_error(GA_VALUE_ERROR, "%s: more than %d axes", op, GA_MAXND);
  return GA_NO_ERROR;
}

/* A slice bound as Python clips it: to [low, high], from the end if negative. */
static ssize_t clip(ssize_t v, ssize_t n, ssize_t low, ssize_t high)
{
  if (v < 0) v += n;
  return v < low ? low : v > high ? high : v;
}

static void add_axis(GpuArray *v, size_t dim, ssize_t stride)
{
  v->dimensions[v->nd] = dim;
  v->strides[v->nd++] = stride;
}

/* Python's slice.indices(). */
static void apply_slice(GpuArray *v, const item *it, size_t extent, ssize_t stride)
{
  ssize_t n = (ssize_t)extent, step = it->has[2] ? it->num[2] : 1;
  ssize_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  ssize_t start = it->has[0] ? clip(it->num[0], n, low, high) : step < 0 ? high : low;
  ssize_t stop = it->has[1] ? clip(it->num[1], n, low, high) : step < 0 ? low : high;
  size_t len = 0;

  if (step > 0 && start < stop) len = ((size_t)(stop - start) - 1) / (size_t)step + 1;
  if (step < 0 && start > stop) len = ((size_t)(start - stop) - 1) / -(size_t)step + 1;
  if (len != 0) v->offset += (size_t)(start * stride);
  if (__builtin_mul_overflow(stride, step, &step)) step = stride; /* one element or none */
  add_axis(v, len, step);
}

static int apply_item(GpuArray *v, const reader *r, const item *it, const GpuArray *a,
                      unsigned int *axis, unsigned int whole)
{
  ssize_t i, n;
  char what[128];

  switch (it->kind) {
  case ITEM_NEW: add_axis(v, 1, 0); break;
  case ITEM_ELLIPSIS:
    for (; whole > 0; whole--, (*axis)++) add_axis(v, a->dimensions[*axis], a->strides[*axis]);
    break;
  case ITEM_SLICE:
    apply_slice(v, it, a->dimensions[*axis], a->strides[*axis]);
    (*axis)++;
    break;
  case ITEM_INDEX:
    n = (ssize_t)a->dimensions[*axis];
    i = it->num[0] < 0 ? it->num[0] + n : it->num[0];
    if (i < 0 || i >= n) {
      snprintf(what, sizeof what, "index %zd is out of range for axis %u of extent %zd", it->num[0],
               *axis, n);
      return complain(r, it->at, what);
    }
    v->offset += (size_t)(i * a->strides[(*axis)++]);
  }
  return GA_NO_ERROR;
}

int GpuArray_slice(GpuArray *r, const GpuArray *a, const char *spec)
{
  reader in = {spec, spec};
  unsigned int taken, result, axis = 0, whole;
  int more, err;
  item it;

  GA_TRY(ga_array_begin(op, r, 2, a));
  GA_NOT_NULL(op, 3, spec);
  GA_TRY(count_axes(spec, a, &taken, &result));
  GA_TRY(ga_array_view_nd(op, r, a, result));
  r->nd = 0;
  whole = a->nd - taken;
  for (;;) {
    err = next_item(&in, &it, &more);
    if (err == GA_NO_ERROR && !more) break;
    if (err == GA_NO_ERROR) err = apply_item(r, &in, &it, a, &axis, whole);
    if (err != GA_NO_ERROR) {
      GpuArray_clear(r);
      return err;
    }
  }
  while (axis < a->nd) { /* what no item took */
    add_axis(r, a->dimensions[axis], a->strides[axis]);
    axis++;
  }
  if (ga_array_size(r) == 0) r->offset = a->offset; /* sure to be in the buffer */
  GpuArray_fix_flags(r);
  return GA_NO_ERROR;
}
