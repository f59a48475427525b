/* SPDX-License-Identifier: MIT */
/* Values of the command line: numbers as Python writes them, and descriptions of
 * arrays (float32[4000,4000]) for `explain`. */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tool_split_name(char **name, const char **rest, const char *word)
{
  size_t n = 0;
  while (isalnum((unsigned char)word[n]) || word[n] == '_') n++;
  if (n == 0 || isdigit((unsigned char)word[0]) || word[n] != '=') return 0;
  *name = malloc(n + 1);
  if (*name == NULL) return -1;
  memcpy(*name, word, n);
  (*name)[n] = '\0';
  *rest = word + n + 1;
  return 1;
}

static int is_digit(char c, int hex)
{
  return hex ? isxdigit((unsigned char)c) : isdigit((unsigned char)c);
}

/* Python's underscores between digits, and between 0x and the first one, out; 0 where
 * they stand elsewhere or the text is long for a number. */
static int plain_digits(char buf[128], const char *text)
{
  const char *digits = text + (*text == '-' || *text == '+');
  int based = digits[0] == '0' && digits[1] != '\0' && strchr("xXoObB", digits[1]) != NULL;
  int hex = based && (digits[1] == 'x' || digits[1] == 'X');
  size_t n = 0;
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '_') {
      int first = based && p == digits + 2;
      if (p == text || !(first || is_digit(p[-1], hex)) || !is_digit(p[1], hex)) return 0;
      continue;
    }
    if (n == 127) return 0;
    buf[n++] = *p;
  }
  buf[n] = '\0';
  return n > 0;
}

static int take_int(tool_value *v, const char *s)
{
  const char *digits = s + (*s == '-' || *s == '+');
  int base = 10;
  char *end;
  if (digits[0] == '0' && digits[1] != '\0' && strchr("xX", digits[1])) base = 16;
  if (digits[0] == '0' && digits[1] != '\0' && strchr("oO", digits[1])) base = 8;
  if (digits[0] == '0' && digits[1] != '\0' && strchr("bB", digits[1])) base = 2;
  if (base != 10) digits += 2;
  if (!isxdigit((unsigned char)*digits)) return 0;
  errno = 0;
  unsigned long long u = strtoull(digits, &end, base);
  if (*end != '\0') return 0;
  if (errno == ERANGE || u > (unsigned long long)INT64_MAX + (*s == '-')) return -1;
  v->arg = ga_int(v->name, *s == '-' ? -(int64_t)(u - 1) - 1 : (int64_t)u);
  if (u == 0) v->arg = ga_int(v->name, 0);
  return 1;
}

static int take_float(tool_value *v, const char *s)
{
  const char *digits = s + (*s == '-' || *s == '+');
  char *end;
  if (strcmp(digits, "inf") != 0 && strcmp(digits, "nan") != 0 &&
      (strspn(digits, "0123456789.eE+-") != strlen(digits) || strcspn(digits, "0123456789") > 1 ||
       *digits == 'e' || *digits == 'E'))
    return 0;
  double f = strtod(s, &end);
  if (end == s || *end != '\0') return 0;
  v->arg = ga_float(v->name, f);
  return 1;
}

static int is_complex(const char *s)
{
  size_t n = strspn(s, "0123456789.eE+-");
  return (s[n] == 'j' || s[n] == 'J') && s[n + 1] == '\0' && strpbrk(s, "0123456789") != NULL;
}

int tool_take_number(tool_value *v, const char *text)
{
  char buf[128];
  if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
    v->scalar[0] = *text == 'T';
    v->arg = ga_scalar(v->name, GA_BOOL, v->scalar);
    return 1;
  }
  if (!plain_digits(buf, text)) return 0;
  if (is_complex(buf)) return -2;
  int taken = take_int(v, buf);
  return taken ? taken : take_float(v, buf);
}

/* The extents of "[2,3]" (or "[]"); -1 where they are none. */
static int take_extents(tool_value *v, const char *p)
{
  unsigned int nd = 0;
  size_t most = strlen(p);
  v->dims = calloc(most + 1, sizeof *v->dims);
  v->strides = calloc(most + 1, sizeof *v->strides);
  if (v->dims == NULL || v->strides == NULL) return -1;
  for (p++; *p != ']'; nd++) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*p)) return -1;
    v->dims[nd] = strtoull(p, &end, 10);
    if (errno == ERANGE || (*end != ',' && *end != ']')) return -1;
    p = *end == ',' ? end + 1 : end;
  }
  if (p[1] != '\0') return -1;
  v->array.nd = nd;
  v->array.dimensions = v->dims;
  v->array.strides = v->strides;
  return 1;
}

int tool_take_description(tool_value *v, const char *text)
{
  char name[32];
  size_t n = strcspn(text, "[");
  if (n >= sizeof name) return 0;
  memcpy(name, text, n);
  name[n] = '\0';
  int typecode = gpuarray_typecode(name);
  if (typecode < 0) return 0;
  if (text[n] == '\0') {
    v->arg = ga_scalar(v->name, typecode, v->scalar);
    return 1;
  }
  if (take_extents(v, text + n) < 0) {
    memset(&v->array, 0, sizeof v->array);
    return -1;
  }
  size_t step = gpuarray_get_elsize(typecode);
  for (unsigned int i = v->array.nd; i-- > 0;) {
    v->strides[i] = (ssize_t)step;
    if (v->dims[i] > 1) step *= v->dims[i];
  }
  v->array.typecode = typecode;
  v->array.flags = GA_BEHAVED;
  GpuArray_fix_flags(&v->array);
  v->arg = ga_array(v->name, &v->array);
  return 1;
}

void tool_value_clear(tool_value *v)
{
  if (v->dims == NULL && v->strides == NULL) GpuArray_clear(&v->array);
  free(v->dims);
  free(v->strides);
  free(v->name);
  memset(v, 0, sizeof *v);
}
