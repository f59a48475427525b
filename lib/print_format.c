/* SPDX-License-Identifier: MIT */
/* The format of an array's elements, chosen as NumPy's FloatingFormat,
 * ComplexFloatingFormat, IntegerFormat and BoolFormat choose it (NumPy 2.3 and
 * later, default options: precision 8, floatmode maxprec).
 *
 * bfloat16, which NumPy does not know, is written by the rules of float16. */
#include "lib/print_format.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 8 };

/* Real numbers of one column: `n` of them, `step` bytes apart. */
typedef struct column {
  enum ga_dtype t;
  const char *data;
  size_t n, step;
} column;

static ga_real at(const column *c, size_t i) { return ga_real_load(c->t, c->data + i * c->step); }

/* From which magnitude on an exponent is written, and below which. NumPy compares
 * in the type itself: 0.0001 is rounded to it first. */
static double large(enum ga_dtype t)
{
  return t == GA_DT_FLOAT64 ? 1e8 : t == GA_DT_FLOAT32 ? 1e6 : 1e3;
}

static double small(enum ga_dtype t)
{
  return t == GA_DT_FLOAT64   ? 0.0001
         : t == GA_DT_FLOAT32 ? 0.0001f
                              : 0.00010001659393310547; /* float16's */
}

static int exceeds(enum ga_dtype t, double max, double min)
{
  switch (t) {
  case GA_DT_FLOAT64: return max / min > 1000;
  case GA_DT_FLOAT32: return (float)max / (float)min > 1000;
  default: /* float16 holds every multiple of 0.5 near 1000 */ return (float)(max / min) > 1000.25f;
  }
}

static int needs_exponent(const column *c)
{
  double max = 0, min = INFINITY;

  for (size_t i = 0; i < c->n; i++) {
    ga_real x = at(c, i);
    double abs = fabs(x.value);

    if (x.cls != GA_REAL_FINITE || abs == 0) continue;
    if (abs > max) max = abs;
    if (abs < min) min = abs;
  }
  if (max == 0) return 0;
  return max >= large(c->t) || min < small(c->t) || exceeds(c->t, max, min);
}

/* The widths of all finite numbers, written once. */
typedef struct widths {
  int whole, fraction, exponent; /* characters before the point (with sign), after it,
                                    and of the exponent after its sign */
  size_t nfinite;
  int neginf; /* an infinity that has a sign */
} widths;

static void measure(widths *w, const column *c, const ga_format *f, ga_str *s)
{
  *w = (widths){0};
  w->neginf = f->plus;
  for (size_t i = 0; i < c->n; i++) {
    ga_real x = at(c, i);
    const char *text, *point, *exp;
    int len;

    if (x.cls == GA_REAL_INF && x.neg) w->neginf = 1;
    if (x.cls != GA_REAL_FINITE) continue;
    w->nfinite++;
    s->len = 0;
    ga_format_real(s, &x, f);
    if (s->failed) return;
    text = ga_str_text(s);
    point = strchr(text, '.');
    exp = strchr(text, 'e');
    len = (int)(point - text);
    if (len > w->whole) w->whole = len;
    len = (int)((exp != NULL ? (size_t)(exp - text) : s->len) - (size_t)(point - text)) - 1;
    if (len > w->fraction) w->fraction = len;
    if (exp != NULL && (int)strlen(exp + 2) > w->exponent) w->exponent = (int)strlen(exp + 2);
  }
}

static void real_format_init(ga_real_format *r, const column *c, int plus, ga_str *s)
{
  ga_format *f = &r->f;
  widths w;

  r->t = c->t;
  *f = (ga_format){.precision = PRECISION, .least = -1, .trim = GA_TRIM_ZEROS, .plus = plus};
  f->exponent = needs_exponent(c);
  measure(&w, c, f, s);
  f->pad_left = w.whole;
  f->pad_right = w.fraction;
  if (f->exponent) {
    f->trim = GA_TRIM_KEEP;
    f->precision = f->least = w.fraction;
    f->exp_digits = w.exponent;
    f->pad_right = w.exponent + 2 + w.fraction;
  } else if (w.nfinite != 0) {
    f->least = 0;
  }
  if (w.nfinite != c->n) { /* room for "nan" and "-inf" */
    int offset = f->pad_right + 1;

    if (3 - offset > f->pad_left) f->pad_left = 3 - offset;
    if (3 + w.neginf - offset > f->pad_left) f->pad_left = 3 + w.neginf - offset;
  }
}

static void real_format_add(ga_str *s, const ga_real_format *r, const char *p)
{
  const char *text;
  ga_real x = ga_real_load(r->t, p);

  if (x.cls == GA_REAL_FINITE) {
    ga_format_real(s, &x, &r->f);
    return;
  }
  if (x.cls == GA_REAL_NAN)
    text = r->f.plus ? "+nan" : "nan";
  else
    text = x.neg ? "-inf" : r->f.plus ? "+inf" : "inf";
  ga_str_addf(s, "%*s", r->f.pad_left + r->f.pad_right + 1, text);
}

/* An imaginary part: its 'j' goes before the spaces that pad it. */
static void add_imaginary(ga_str *s, const ga_real_format *r, const char *p)
{
  size_t end, pad = 0;

  real_format_add(s, r, p);
  if (s->failed) return;
  for (end = s->len; end > 0 && s->s[end - 1] == ' '; end--) pad++;
  s->s[end] = '\0';
  s->len = end;
  ga_str_addf(s, "j%*s", (int)pad, "");
}

void ga_element_format_init(ga_element_format *f, enum ga_dtype t, const char *data, size_t n,
                            ga_str *s)
{
  size_t size = ga_dtypes[t].size;
  column c = {t, data, n, size};

  memset(f, 0, sizeof *f);
  f->t = t;
  switch (ga_dtypes[t].kind) {
  case 'f': real_format_init(&f->re, &c, 0, s); break;
  case 'c':
    c.t = t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64;
    real_format_init(&f->re, &c, 0, s);
    c.data += size / 2;
    real_format_init(&f->im, &c, 1, s);
    break;
  case 'b': f->width = 5; break;
  default:
    for (size_t i = 0; i < n; i++) {
      s->len = 0;
      ga_format_scalar(s, t, data + i * size);
      if ((int)s->len > f->width) f->width = (int)s->len;
    }
  }
}

void ga_element_format_add(ga_str *s, const ga_element_format *f, const char *p)
{
  ga_str word = {0};

  switch (ga_dtypes[f->t].kind) {
  case 'f': real_format_add(s, &f->re, p); return;
  case 'c':
    real_format_add(s, &f->re, p);
    add_imaginary(s, &f->im, p + ga_dtypes[f->t].size / 2);
    return;
  }
  ga_format_scalar(&word, f->t, p);
  ga_str_addf(s, "%*s", f->width, ga_str_text(&word));
  s->failed |= word.failed;
  ga_str_clear(&word);
}
