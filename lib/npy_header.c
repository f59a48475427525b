/* SPDX-License-Identifier: MIT */
/* The header of a .npy file is a prefix (magic, version, length) and a Python
 * literal, a dict with exactly three keys:
 *
 *   \x93NUMPY 1 0 <length, 2 bytes; 4 from version 2 on>
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (4000, 4000), }
 *
 * Nothing of it is trusted. The format is described in NumPy's documentation,
 * numpy.lib.format. */
#include "lib/npy_header.h"

#include <stdint.h>
#include <string.h>

#include "lib/util/error.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE '>'
#else
#define NATIVE '<'
#endif

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6 };

int ga_npy_prefix(size_t *prefix, size_t *text, const char *file, const unsigned char *bytes,
                  size_t n)
{
  if (n < MAGIC || memcmp(bytes, magic, MAGIC) != 0)
    return ga_error(GA_VALUE_ERROR,
                    "load: %s: not a .npy file: it does not begin with "
                    "\"\\x93NUMPY\"",
                    file);
  if (n < MAGIC + 2) return ga_error(GA_VALUE_ERROR, "load: %s: truncated in its header", file);
  unsigned int major = bytes[MAGIC], minor = bytes[MAGIC + 1];
  if (major < 1 || major > 3 || minor != 0)
    return ga_error(GA_UNSUPPORTED_ERROR, "load: %s: .npy version %u.%u; 1.0, 2.0 and 3.0 are read",
                    file, major, minor);
  *prefix = major == 1 ? 10 : 12;
  if (n < *prefix) return ga_error(GA_VALUE_ERROR, "load: %s: truncated in its header", file);
  *text = 0;
  for (size_t i = *prefix; i-- > MAGIC + 2;) *text = *text << 8 | bytes[i];
  if (*text > GA_NPY_HEADER_MAX)
    return ga_error(GA_XLARGE_ERROR, "load: %s: a header of %zu bytes; at most %d are read", file,
                    *text, GA_NPY_HEADER_MAX);
  return GA_NO_ERROR;
}

/* ---- the literal --------------------------------------------------------- */

typedef struct cursor {
  const char *file;
  const char *p, *end;
} cursor;

static int malformed(const cursor *c, const char *what)
{
  return ga_error(GA_VALUE_ERROR, "load: %s: broken header: expected %s at byte %zu before its end",
                  c->file, what, (size_t)(c->end - c->p));
}

static void skip_space(cursor *c)
{
  while (c->p < c->end && (*c->p == ' ' || (*c->p >= '\t' && *c->p <= '\r'))) c->p++;
}

/* Takes the character if it is next. */
static int take(cursor *c, char ch)
{
  skip_space(c);
  if (c->p == c->end || *c->p != ch) return 0;
  c->p++;
  return 1;
}

/* Takes the word if it is next; a longer word is another one. */
static int take_word(cursor *c, const char *word)
{
  size_t n = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return 0;
  c->p += n;
  return 1;
}

/* A string literal, perhaps u'...', as Python 2 wrote them; escapes have no place in a header. */
static int get_string(cursor *c, const char **s, size_t *n)
{
  skip_space(c);
  if (c->end - c->p > 1 && (*c->p == 'u' || *c->p == 'r') && (c->p[1] == '\'' || c->p[1] == '"'))
    c->p++;
  if (c->p == c->end || (*c->p != '\'' && *c->p != '"')) return malformed(c, "a string");
  char quote = *c->p++;
  *s = c->p;
  while (c->p < c->end && *c->p != quote && *c->p != '\\' && *c->p != '\n') c->p++;
  if (c->p == c->end || *c->p != quote) return malformed(c, "the end of a string");
  *n = (size_t)(c->p++ - *s);
  return GA_NO_ERROR;
}

static int get_extent(cursor *c, size_t *extent)
{
  skip_space(c);
  if (c->p == c->end || *c->p < '0' || *c->p > '9') return malformed(c, "an extent");
  size_t n = 0;
  for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
    size_t digit = (size_t)(*c->p - '0');
    if (n > ((size_t)PTRDIFF_MAX - digit) / 10)
      return ga_error(GA_XLARGE_ERROR, "load: %s: an extent beyond 2^63", c->file);
    n = 10 * n + digit;
  }
  if (c->p < c->end && *c->p == 'L') c->p++; /* Python 2 wrote longs so */
  *extent = n;
  return GA_NO_ERROR;
}

static int get_shape(cursor *c, ga_npy *h)
{
  if (!take(c, '(')) return malformed(c, "a tuple");
  while (!take(c, ')')) {
    if (h->nd == GA_MAXND)
      return ga_error(GA_XLARGE_ERROR, "load: %s: more than %d axes", c->file, GA_MAXND);
    GA_TRY(get_extent(c, &h->dims[h->nd]));
    h->nd++;
    if (take(c, ',')) continue;
    if (h->nd == 1) return malformed(c, "a comma: (3,) is a tuple");
    if (!take(c, ')')) return malformed(c, "a comma or a parenthesis");
    break;
  }
  return GA_NO_ERROR;
}

/* The text of a descr as a message may show it. */
static const char *printable(char buf[32], const char *s, size_t n)
{
  size_t m = n < 31 ? n : 31;
  for (size_t i = 0; i < m; i++) buf[i] = s[i] >= ' ' && s[i] <= '~' ? s[i] : '?';
  buf[m] = '\0';
  return buf;
}

/* '<f4': byte order, kind, size; or 'float32'. */
static int get_descr(cursor *c, ga_npy *h)
{
  const char *s;
  size_t n;
  char buf[32];
  skip_space(c);
  if (c->p < c->end && (*c->p == '[' || *c->p == '('))
    return ga_error(GA_UNSUPPORTED_ERROR, "load: %s: a structured dtype; arrays here have none",
                    c->file);
  GA_TRY(get_string(c, &s, &n));
  const char *whole = s;
  size_t wholen = n;
  char order = '=';
  h->dtype = ga_dtype_named(s, n);
  if (h->dtype != GA_DT_NONE && h->dtype != GA_DT_BFLOAT16) return GA_NO_ERROR;
  if (n && strchr("<>=|", *s)) order = *s++, n--;
  unsigned int size = 0;
  for (size_t i = 1; i < n; i++) {
    if (s[i] < '0' || s[i] > '9' || size > 99) {
      size = 0;
      break;
    }
    size = 10 * size + (unsigned int)(s[i] - '0');
  }
  for (int t = 0; n > 1 && t < GA_NDTYPE; t++) {
    if (t == GA_DT_BFLOAT16 || ga_dtypes[t].kind != s[0] || ga_dtypes[t].size != size) continue;
    h->dtype = (enum ga_dtype)t;
    h->swapped = size > 1 && order != NATIVE && (order == '<' || order == '>');
    return GA_NO_ERROR;
  }
  return ga_error(GA_UNSUPPORTED_ERROR,
                  "load: %s: dtype '%s'; arrays here have bool, int8 to "
                  "int64, uint8 to uint64, float16 to float64, complex64, complex128",
                  c->file, printable(buf, whole, wholen));
}

/* The bytes of the data; bounds every product that later code forms. */
static int measure(ga_npy *h, const char *file)
{
  size_t size = ga_dtypes[h->dtype].size;
  int none = 0;
  for (unsigned int i = 0; i < h->nd; i++) {
    if (h->dims[i] == 0) {
      none = 1;
    } else if (h->dims[i] > (size_t)PTRDIFF_MAX / size) {
      return ga_error(GA_XLARGE_ERROR, "load: %s: its shape needs more than 2^63 bytes", file);
    } else {
      size *= h->dims[i];
    }
  }
  h->size = none ? 0 : size;
  return GA_NO_ERROR;
}

static int get_entry(cursor *c, ga_npy *h, unsigned int *seen)
{
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  const char *s;
  size_t n;
  char buf[32];
  GA_TRY(get_string(c, &s, &n));
  unsigned int key = 0;
  while (key < 3 && (n != strlen(keys[key]) || memcmp(s, keys[key], n) != 0)) key++;
  if (key == 3 || *seen & 1u << key)
    return ga_error(GA_VALUE_ERROR, "load: %s: broken header: %s key '%s'", c->file,
                    key == 3 ? "unknown" : "second", printable(buf, s, n));
  *seen |= 1u << key;
  if (!take(c, ':')) return malformed(c, "a colon");
  if (key == 0) return get_descr(c, h);
  if (key == 2) return get_shape(c, h);
  h->fortran = take_word(c, "True");
  if (!h->fortran && !take_word(c, "False")) return malformed(c, "True or False");
  return GA_NO_ERROR;
}

int ga_npy_parse(ga_npy *h, const char *file, const char *text, size_t n)
{
  cursor c = {file, text, text + n};
  unsigned int seen = 0;
  memset(h, 0, sizeof *h);
  if (!take(&c, '{')) return malformed(&c, "a dict");
  while (!take(&c, '}')) {
    GA_TRY(get_entry(&c, h, &seen));
    if (take(&c, ',')) continue;
    if (!take(&c, '}')) return malformed(&c, "a comma or a brace");
    break;
  }
  skip_space(&c);
  if (c.p != c.end) return malformed(&c, "nothing more");
  if (seen != 7)
    return ga_error(GA_VALUE_ERROR,
                    "load: %s: broken header: descr, fortran_order or shape is "
                    "missing",
                    file);
  return measure(h, file);
}

/* ---- writing --------------------------------------------------------------- */

static void pad(ga_str *s, size_t n)
{
  while (n-- > 0) ga_str_add(s, " ");
}

/* NumPy leaves room for the slowest axis to grow to 21 digits in place. */
static void pad_growth(ga_str *s, const ga_npy *h)
{
  size_t digits = 1;
  if (h->nd == 0) return;
  for (size_t d = h->dims[h->fortran ? h->nd - 1 : 0]; d >= 10; d /= 10) digits++;
  pad(s, 21 - digits);
}

void ga_npy_print(ga_str *s, const ga_npy *h)
{
  const ga_dtype_info *t = &ga_dtypes[h->dtype];
  ga_str text = {0};
  ga_str_addf(&text, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (",
              t->size == 1 ? '|' : NATIVE, t->kind, (int)t->size, h->fortran ? "True" : "False");
  for (unsigned int i = 0; i < h->nd; i++) ga_str_addf(&text, i ? ", %zu" : "%zu", h->dims[i]);
  ga_str_add(&text, h->nd == 1 ? ",), }" : "), }");
  pad_growth(&text, h);
  pad(&text, 64 - (10 + text.len + 1) % 64);
  ga_str_add(&text, "\n");
  unsigned char prefix[10] = {0x93,
                              'N',
                              'U',
                              'M',
                              'P',
                              'Y',
                              1,
                              0,
                              (unsigned char)(text.len & 255),
                              (unsigned char)(text.len >> 8)};
  ga_str_addn(s, (const char *)prefix, sizeof prefix);
  ga_str_addn(s, ga_str_text(&text), text.len);
  if (text.failed) s->failed = 1;
  ga_str_clear(&text);
}
