/* SPDX-License-Identifier: MIT */
/* Functions that only show an array's elements elsewhere: views (view.c), never copies; and diff,
 * which is a difference of two of them. Axes are literals. */
#include <stdint.h>
#include <string.h>

#include "infer.h"
#include "promote.h"

/* A view of `node` being made. */
typedef struct showing {
  const ga_call *c;
  int node;
  enum ga_dtype dtype;
  ga_shape shape;
  ga_view v;
} showing;

/* Axes of an array of `nd`, in the order in which they were given. */
typedef struct axis_list {
  unsigned int n, axis[GA_MAXND];
} axis_list;

static int begin(showing *s, const ga_call *c, int kid)
{
  const ga_val *v = &c->in->vals[kid];
  memset(s, 0, sizeof *s);
  s->c = c;
  return ga_call_node(c, v, &s->node, &s->dtype, &s->shape);
}

static void walk(showing *s, unsigned int axis) { ga_view_walk(&s->v, axis, s->shape.dims[axis]); }

static int show(showing *s, ga_val *out)
{
  out->kind = GA_VAL_NODE;
  return ga_dag_view(&s->c->in->dag, &out->index, s->node, &s->v);
}

static int has(const axis_list *l, unsigned int axis)
{
  for (unsigned int i = 0; i < l->n; i++)
    if (l->axis[i] == axis) return 1;
  return 0;
}

/* Axis `kid` of an array of nd, not given before. */
static int add_axis(const ga_call *c, int kid, unsigned int nd, axis_list *l)
{
  unsigned int axis;
  GA_TRY(ga_infer_axis(c->in, kid, nd, &axis));
  if (has(l, axis))
    return ga_infer_fail(c->in, ga_ast_at(c->in, kid)->at, "axis %u is given twice", axis);
  l->axis[l->n++] = axis;
  return GA_NO_ERROR;
}

/* Tree node `kid`, an integer or a tuple of them, as axes of an array of nd. */
static int axes_of(const ga_call *c, int kid, unsigned int nd, axis_list *l)
{
  const ga_ast_node *n = ga_ast_at(c->in, kid);
  l->n = 0;
  if (n->kind != GA_AST_TUPLE) return add_axis(c, kid, nd, l);
  for (unsigned int i = 0; i < n->nkid; i++) GA_TRY(add_axis(c, ga_ast_kid(c->in, kid, i), nd, l));
  return GA_NO_ERROR;
}

static int is_given(const ga_call *c, int kid)
{
  return kid >= 0 && ga_ast_at(c->in, kid)->kind != GA_AST_NONE;
}

/* The same, or all axes where it is not given. */
static int axes_or_all(const ga_call *c, int kid, unsigned int nd, axis_list *l)
{
  l->n = nd;
  for (unsigned int k = 0; k < nd; k++) l->axis[k] = k;
  return is_given(c, kid) ? axes_of(c, kid, nd, l) : GA_NO_ERROR;
}

/* The axes come as a tuple or, in x.transpose(1, 0), one by one. */
static int transpose(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "axes"};
  int kids[2], apart = c->n->op && c->n->nkid > 2;
  showing s;
  axis_list l = {0};
  if (!apart) GA_TRY(ga_call_kids(c, names, 2, 1, kids));
  GA_TRY(begin(&s, c, apart ? ga_ast_kid(c->in, c->node, 0) : kids[0]));
  for (unsigned int i = 1; apart && i < c->n->nkid; i++)
    GA_TRY(add_axis(c, ga_ast_kid(c->in, c->node, i), s.shape.nd, &l));
  if (!apart) GA_TRY(axes_or_all(c, kids[1], s.shape.nd, &l));
  if (l.n != s.shape.nd)
    return ga_infer_fail(c->in, c->at, "%s: %u axes are given for an array of %u", c->n->name, l.n,
                         s.shape.nd);
  int back = !apart && !is_given(c, kids[1]);
  for (unsigned int k = 0; k < l.n; k++) walk(&s, l.axis[back ? l.n - 1 - k : k]);
  return show(&s, out);
}

/* All axes in order, but i and j for each other. */
static int swap(showing *s, unsigned int i, unsigned int j, ga_val *out)
{
  for (unsigned int k = 0; k < s->shape.nd; k++) walk(s, k == i ? j : k == j ? i : k);
  return show(s, out);
}

static int swapaxes(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "axis1", "axis2"};
  int kids[3];
  unsigned int i, j;
  showing s;
  GA_TRY(ga_call_kids(c, names, 3, 3, kids));
  GA_TRY(begin(&s, c, kids[0]));
  GA_TRY(ga_infer_axis(c->in, kids[1], s.shape.nd, &i));
  GA_TRY(ga_infer_axis(c->in, kids[2], s.shape.nd, &j));
  return swap(&s, i, j, out);
}

static int matrix_transpose(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"x"};
  int kid;
  showing s;
  GA_TRY(ga_call_kids(c, names, 1, 1, &kid));
  GA_TRY(begin(&s, c, kid));
  if (s.shape.nd < 2)
    return ga_infer_fail(c->in, c->at, "%s takes an array of two axes at least", c->n->name);
  return swap(&s, s.shape.nd - 2, s.shape.nd - 1, out);
}

/* Those that stay keep their order; each other one goes to its destination. */
static int moveaxis(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "source", "destination"};
  int kids[3];
  showing s;
  axis_list from, to;
  unsigned int next = 0;
  GA_TRY(ga_call_kids(c, names, 3, 3, kids));
  GA_TRY(begin(&s, c, kids[0]));
  GA_TRY(axes_of(c, kids[1], s.shape.nd, &from));
  GA_TRY(axes_of(c, kids[2], s.shape.nd, &to));
  if (from.n != to.n)
    return ga_infer_fail(c->in, c->at, "moveaxis: %u axes have %u destinations", from.n, to.n);
  for (unsigned int k = 0; k < s.shape.nd; k++) {
    unsigned int i = 0;
    while (i < to.n && to.axis[i] != k) i++;
    if (i < to.n) {
      walk(&s, from.axis[i]);
      continue;
    }
    while (has(&from, next)) next++;
    walk(&s, next++);
  }
  return show(&s, out);
}

static int expand_dims(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "axis"};
  int kids[2];
  showing s;
  axis_list l;
  unsigned int next = 0;
  GA_TRY(ga_call_kids(c, names, 2, 2, kids));
  GA_TRY(begin(&s, c, kids[0]));
  const ga_ast_node *n = ga_ast_at(c->in, kids[1]);
  unsigned int nd = s.shape.nd + (n->kind == GA_AST_TUPLE ? n->nkid : 1);
  if (nd > GA_MAXND)
    return ga_infer_fail(c->in, c->at, "expand_dims: a view of more than %d axes", GA_MAXND);
  GA_TRY(axes_of(c, kids[1], nd, &l));
  for (unsigned int k = 0; k < nd; k++) {
    if (!has(&l, k)) {
      walk(&s, next++);
      continue;
    }
    ga_view_new_axis(&s.v);
  }
  return show(&s, out);
}

static int squeeze(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "axis"};
  int kids[2];
  showing s;
  axis_list l = {0};
  GA_TRY(ga_call_kids(c, names, 2, 1, kids));
  GA_TRY(begin(&s, c, kids[0]));
  /* a 0-d array is taken for one of one axis here, as NumPy does */
  if (is_given(c, kids[1])) GA_TRY(axes_of(c, kids[1], s.shape.nd ? s.shape.nd : 1, &l));
  for (unsigned int i = 0; i < l.n && s.shape.nd > 0; i++)
    if (s.shape.dims[l.axis[i]] != 1)
      return ga_infer_fail(c->in, c->at, "squeeze: axis %u has extent %zu, not 1", l.axis[i],
                           s.shape.dims[l.axis[i]]);
  for (unsigned int k = 0; k < s.shape.nd; k++)
    if (is_given(c, kids[1]) ? !has(&l, k) : s.shape.dims[k] != 1) walk(&s, k);
  return show(&s, out);
}

/* The axes of `l` from the last element back. */
static int reverse(showing *s, const axis_list *l, ga_val *out)
{
  for (unsigned int k = 0; k < s->shape.nd; k++) {
    walk(s, k);
    if (!has(l, k) || s->shape.dims[k] < 2) continue;
    s->v.start[k] = s->shape.dims[k] - 1;
    s->v.step[k] = -1;
  }
  return show(s, out);
}

static int flip(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"m", "axis"};
  int kids[2];
  showing s;
  axis_list l;
  GA_TRY(ga_call_kids(c, names, 2, 1, kids));
  GA_TRY(begin(&s, c, kids[0]));
  GA_TRY(axes_or_all(c, kids[1], s.shape.nd, &l));
  return reverse(&s, &l, out);
}

static int flip_axis(const ga_call *c, unsigned int axis, ga_val *out)
{
  static const char *const names[] = {"m"};
  const axis_list l = {1, {axis}};
  int kid;
  showing s;
  GA_TRY(ga_call_kids(c, names, 1, 1, &kid));
  GA_TRY(begin(&s, c, kid));
  if (s.shape.nd <= axis)
    return ga_infer_fail(c->in, c->at, "%s takes an array of %u ax%s at least", c->n->name,
                         axis + 1, axis ? "es" : "is");
  return reverse(&s, &l, out);
}

static int flipud(const ga_call *c, ga_val *out) { return flip_axis(c, 0, out); }
static int fliplr(const ga_call *c, ga_val *out) { return flip_axis(c, 1, out); }

/* ---- broadcast_to ------------------------------------------------------ */

static int extent(const ga_call *c, int kid, size_t *dim)
{
  const ga_number *n = ga_val_const(c->in, &c->in->vals[kid]);
  if (n == NULL || n->kind != GA_NUM_INT || n->i < 0 || n->i > PTRDIFF_MAX)
    return ga_infer_fail(c->in, ga_ast_at(c->in, kid)->at,
                         "a shape is a tuple of literal integers, none negative");
  *dim = (size_t)n->i;
  return GA_NO_ERROR;
}

static int broadcast_to(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"array", "shape"};
  char from[512], to[512];
  int kids[2], fits;
  showing s;
  ga_shape shape = {.nd = 1};
  GA_TRY(ga_call_kids(c, names, 2, 2, kids));
  GA_TRY(begin(&s, c, kids[0]));
  const ga_ast_node *n = ga_ast_at(c->in, kids[1]);
  if (n->kind == GA_AST_TUPLE) shape.nd = n->nkid;
  if (shape.nd > GA_MAXND)
    return ga_infer_fail(c->in, c->at, "broadcast_to: a shape of more than %d axes", GA_MAXND);
  for (unsigned int k = 0; k < shape.nd; k++)
    GA_TRY(extent(c, n->kind == GA_AST_TUPLE ? ga_ast_kid(c->in, kids[1], k) : kids[1],
                  &shape.dims[k]));
  fits = s.shape.nd <= shape.nd;
  for (unsigned int k = 0; k < s.shape.nd && fits; k++)
    fits = s.shape.dims[k] == 1 || s.shape.dims[k] == shape.dims[k + shape.nd - s.shape.nd];
  if (!fits) {
    ga_dims_text(from, sizeof from, s.shape.nd, s.shape.dims);
    ga_dims_text(to, sizeof to, shape.nd, shape.dims);
    return ga_infer_fail(c->in, c->at, "the shape %s does not broadcast to %s", from, to);
  }
  size_t all = 1;
  for (unsigned int k = 0; k < shape.nd; k++)
    if (shape.dims[k] > 0 && __builtin_mul_overflow(all, shape.dims[k], &all))
      return ga_infer_fail(c->in, c->at, "broadcast_to: more elements than memory has addresses");
  out->kind = GA_VAL_NODE;
  return ga_dag_broadcast(&c->in->dag, &out->index, s.node, &shape);
}

/* ---- diff -------------------------------------------------------------- */

/* All but `skip` elements at the front of the axis, of which `count` stay. */
static int part(const ga_call *c, int node, unsigned int axis, size_t skip, size_t count,
                ga_val *out)
{
  showing s = {.c = c, .node = node};
  ga_dag_shape(&c->in->dag, node, &s.shape);
  for (unsigned int k = 0; k < s.shape.nd; k++) walk(&s, k);
  s.v.count[axis] = count;
  s.v.start[axis] = count ? skip : 0;
  return show(&s, out);
}

/* a[1:] - a[:-1] along the axis, n times; bools differ or not. */
static int diff(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "n", "axis"};
  int kids[3];
  showing s;
  GA_TRY(ga_call_kids(c, names, 3, 1, kids));
  GA_TRY(begin(&s, c, kids[0]));
  unsigned int axis = s.shape.nd - 1;
  size_t times = 1;
  const ga_number *n = kids[1] < 0 ? NULL : ga_val_const(c->in, &c->in->vals[kids[1]]);
  if (kids[1] >= 0 && (n == NULL || n->kind != GA_NUM_INT || n->i < 0))
    return ga_infer_fail(c->in, c->at, "diff: n is a literal integer, 0 or more");
  *out = ga_val_node(s.node);
  if (n != NULL && n->i == 0) return GA_NO_ERROR;
  if (s.shape.nd == 0)
    return ga_infer_fail(c->in, c->at, "diff takes an array of one axis at least");
  if (kids[2] >= 0) GA_TRY(ga_infer_axis(c->in, kids[2], s.shape.nd, &axis));
  size_t left = s.shape.dims[axis];
  if (n != NULL) times = n->i < (ga_int128)left ? (size_t)n->i : left;
  int op = s.dtype == GA_DT_BOOL ? GA_OP_not_equal : GA_OP_subtract;
  for (; times > 0 && left > 0; times--, left--) {
    ga_val ends[2];
    int node = out->index;
    GA_TRY(part(c, node, axis, 1, left - 1, &ends[0]));
    GA_TRY(part(c, node, axis, 0, left - 1, &ends[1]));
    GA_TRY(ga_call_op(c, op, &ends[0], &ends[1], out));
  }
  return GA_NO_ERROR;
}

const ga_func_row ga_funcs_view[] = {
    {"transpose", transpose},
    {"permute_dims", transpose},
    {"matrix_transpose", matrix_transpose},
    {"swapaxes", swapaxes},
    {"moveaxis", moveaxis},
    {"expand_dims", expand_dims},
    {"squeeze", squeeze},
    {"flip", flip},
    {"flipud", flipud},
    {"fliplr", fliplr},
    {"broadcast_to", broadcast_to},
    {"diff", diff},
    {NULL, NULL},
};
