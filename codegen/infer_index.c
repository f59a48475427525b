/* SPDX-License-Identifier: MIT */
/* NumPy's basic indexing: integers, slices, None, Ellipsis; and .T. Everything
 * ends as a view (view.c). */
#include <string.h>

#include "infer.h"

/* Python's integers are clamped to this before slices are worked out. */
#define FAR ((ga_int128)1 << 62)

/* An integer item's or slice part's number; NULL with a message when it is none. */
static const ga_number *index_number(ga_infer *in, int item)
{
  const ga_number *n = ga_val_const(in, &in->vals[item]);
  if (n != NULL && n->kind == GA_NUM_INT) return n;
  size_t at = ga_ast_at(in, item)->at;
  if (in->vals[item].kind == GA_VAL_NODE)
    ga_infer_fail(in, at,
                  "an index is a literal integer, a slice, None or ...; to choose by an "
                  "array write where(condition, x, y)");
  else
    ga_infer_fail(in, at, "an index is a literal integer, a slice, None or ...");
  return NULL;
}

static int slice_part(ga_infer *in, int part, int64_t *value, int *given)
{
  *given = part >= 0 && ga_ast_at(in, part)->kind != GA_AST_NONE;
  if (!*given) return GA_NO_ERROR;
  const ga_number *n = index_number(in, part);
  if (n == NULL) return GA_VALUE_ERROR;
  *value = (int64_t)(n->i > FAR ? FAR : n->i < -FAR ? -FAR : n->i);
  return GA_NO_ERROR;
}

static int64_t clamp(int64_t i, int64_t n, int64_t low, int64_t high)
{
  if (i < 0) i += n;
  return i < low ? low : i > high ? high : i;
}

/* start:stop:step over an axis of extent n, as Python's slice.indices(). */
static int slice(ga_infer *in, int item, size_t extent, size_t *start, size_t *count, ssize_t *step)
{
  int64_t part[3] = {0, 0, 1}, n = (int64_t)extent, from, to;
  int given[3];
  for (unsigned int i = 0; i < 3; i++)
    GA_TRY(slice_part(in, ga_ast_kid(in, item, i), &part[i], &given[i]));
  int64_t by = given[2] ? part[2] : 1;
  if (by == 0) return ga_infer_fail(in, ga_ast_at(in, item)->at, "the step of a slice is not 0");
  if (by > 0) {
    from = given[0] ? clamp(part[0], n, 0, n) : 0;
    to = given[1] ? clamp(part[1], n, 0, n) : n;
    *count = from < to ? (size_t)((to - from - 1) / by) + 1 : 0;
  } else {
    from = given[0] ? clamp(part[0], n, -1, n - 1) : n - 1;
    to = given[1] ? clamp(part[1], n, -1, n - 1) : -1;
    *count = from > to ? (size_t)((from - to - 1) / -by) + 1 : 0;
  }
  *start = *count > 0 ? (size_t)from : 0;
  *step = *count > 1 ? (ssize_t)by : 1;
  return GA_NO_ERROR;
}

static int integer(ga_infer *in, int item, unsigned int axis, size_t extent, size_t *start)
{
  const ga_number *n = index_number(in, item);
  if (n == NULL) return GA_VALUE_ERROR;
  ga_int128 i = n->i < 0 ? n->i + (ga_int128)extent : n->i;
  if (i < 0 || i >= (ga_int128)extent) {
    char text[48];
    ga_int128_text(text, n->i);
    return ga_infer_fail(in, ga_ast_at(in, item)->at,
                         "index %s is out of bounds for axis %u of extent %zu", text, axis, extent);
  }
  *start = (size_t)i;
  return GA_NO_ERROR;
}

static int is_none(const ga_infer *in, int item)
{
  const ga_ast_node *n = ga_ast_at(in, item);
  if (n->kind == GA_AST_NONE) return 1;
  return n->kind == GA_AST_NAME && strcmp(n->name, "newaxis") == 0 &&
         in->vals[item].kind == GA_VAL_OTHER;
}

static int too_deep(ga_infer *in, size_t at)
{
  return ga_infer_fail(in, at, "a view of more than %d axes", GA_MAXND);
}

/* Items that name an axis, and the Ellipsis, counted. */
static int count_items(ga_infer *in, int node, unsigned int nd, unsigned int *used)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  int ellipsis = 0;
  *used = 0;
  for (unsigned int i = 1; i < n->nkid; i++) {
    int item = ga_ast_kid(in, node, i);
    if (ga_ast_at(in, item)->kind == GA_AST_ELLIPSIS) {
      if (ellipsis++)
        return ga_infer_fail(in, ga_ast_at(in, item)->at, "an index has one '...' at most");
    } else if (!is_none(in, item)) {
      ++*used;
    }
  }
  if (*used > nd)
    return ga_infer_fail(in, n->at, "too many indices: %u for an array of %u ax%s", *used, nd,
                         nd == 1 ? "is" : "es");
  return GA_NO_ERROR;
}

static int add_item(ga_infer *in, int item, ga_view *v, const ga_shape *shape, unsigned int *axis,
                    unsigned int unnamed)
{
  const ga_ast_node *n = ga_ast_at(in, item);
  unsigned int more = n->kind == GA_AST_SLICE || is_none(in, item); /* an integer adds none */
  if (n->kind == GA_AST_ELLIPSIS) more = unnamed;
  if (v->nd + more > GA_MAXND) return too_deep(in, n->at);
  if (n->kind == GA_AST_ELLIPSIS) {
    for (unsigned int k = 0; k < unnamed; k++, ++*axis) ga_view_walk(v, *axis, shape->dims[*axis]);
  } else if (is_none(in, item)) {
    ga_view_new_axis(v);
  } else if (n->kind == GA_AST_SLICE) {
    v->axis[v->nd] = (int)*axis;
    GA_TRY(
        slice(in, item, shape->dims[*axis], &v->start[*axis], &v->count[v->nd], &v->step[v->nd]));
    v->nd++;
    ++*axis;
  } else {
    GA_TRY(integer(in, item, *axis, shape->dims[*axis], &v->start[*axis]));
    ++*axis;
  }
  return GA_NO_ERROR;
}

int ga_infer_index(ga_infer *in, int node, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  ga_view v = {0};
  ga_shape shape;
  const ga_val *base = &in->vals[ga_ast_kid(in, node, 0)];
  unsigned int used, axis = 0;
  if (base->kind != GA_VAL_NODE) return ga_infer_fail(in, n->at, "only arrays have axes");
  ga_dag_shape(&in->dag, base->index, &shape);
  GA_TRY(count_items(in, node, shape.nd, &used));
  for (unsigned int i = 1; i < n->nkid; i++)
    GA_TRY(add_item(in, ga_ast_kid(in, node, i), &v, &shape, &axis, shape.nd - used));
  for (; axis < shape.nd; axis++) {
    if (v.nd == GA_MAXND) return too_deep(in, n->at);
    ga_view_walk(&v, axis, shape.dims[axis]);
  }
  out->kind = GA_VAL_NODE;
  return ga_dag_view(&in->dag, &out->index, base->index, &v);
}
