/* SPDX-License-Identifier: MIT */
/* Names of kernels: those in an image (the symbol table of a cubin, or the
 * .entry lines of PTX), and which of them a user's name means. A kernel that is
 * not extern "C" has a mangled symbol, `_Z5scalePff` for scale(float *, float);
 * a name finds it when no other kernel begins the same way. */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"

#define STO_CUDA_ENTRY 0x10 /* in st_other: the symbol is a kernel */

static uint32_t add_entry(ga_str *s, const char *name, size_t n)
{
  ga_str_addn(s, name, n);
  ga_str_addn(s, "", 1);
  return 1;
}

/* The section [off, off+size) lies inside the image. */
static int inside(uint64_t off, uint64_t size, size_t image)
{
  return off <= image && size <= image - off;
}

static uint32_t table_entries(ga_str *out, const char *image, size_t size, const Elf64_Shdr *sym,
                              const Elf64_Shdr *str)
{
  uint32_t n = 0;
  if (!inside(sym->sh_offset, sym->sh_size, size) || !inside(str->sh_offset, str->sh_size, size))
    return 0;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= sym->sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    memcpy(&s, image + sym->sh_offset + at, sizeof s);
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || !(s.st_other & STO_CUDA_ENTRY) ||
        s.st_name >= str->sh_size)
      continue;
    const char *name = image + str->sh_offset + s.st_name;
    size_t len = strnlen(name, (size_t)(str->sh_size - s.st_name));
    n += add_entry(out, name, len);
  }
  return n;
}

static uint32_t elf_entries(ga_str *out, const char *image, size_t size)
{
  Elf64_Ehdr eh;
  uint32_t n = 0;
  memcpy(&eh, image, sizeof eh);
  if (eh.e_shentsize != sizeof(Elf64_Shdr) ||
      !inside(eh.e_shoff, (uint64_t)eh.e_shnum * sizeof(Elf64_Shdr), size))
    return 0;
  for (unsigned int i = 0; i < eh.e_shnum; i++) {
    Elf64_Shdr sym, str;
    memcpy(&sym, image + eh.e_shoff + i * sizeof sym, sizeof sym);
    if (sym.sh_type != SHT_SYMTAB || sym.sh_link >= eh.e_shnum) continue;
    memcpy(&str, image + eh.e_shoff + sym.sh_link * sizeof str, sizeof str);
    n += table_entries(out, image, size, &sym, &str);
  }
  return n;
}

static uint32_t ptx_entries(ga_str *out, const char *text, size_t size)
{
  static const char word[] = ".entry ";
  uint32_t n = 0;
  const char *end = text + strnlen(text, size);
  for (const char *p = text; p < end; p++) {
    if (*p != '.' || (size_t)(end - p) < sizeof word || memcmp(p, word, sizeof word - 1) != 0)
      continue;
    p += sizeof word - 1;
    const char *q = p;
    while (q < end && (isalnum((unsigned char)*q) || *q == '_' || *q == '$')) q++;
    n += add_entry(out, p, (size_t)(q - p));
  }
  return n;
}

uint32_t ga_cubin_entries(ga_str *s, const void *image, size_t size)
{
  if (size >= sizeof(Elf64_Ehdr) && memcmp(image, ELFMAG, SELFMAG) == 0)
    return elf_entries(s, image, size);
  return ptx_entries(s, image, size);
}

/* The start of the mangled symbol of `name`, an identifier or a::b::c; empty
 * when it is neither. */
static void mangle(ga_str *s, const char *name)
{
  if (strncmp(name, "::", 2) == 0) name += 2;
  int nested = strstr(name, "::") != NULL;
  ga_str_add(s, nested ? "_ZN" : "_Z");
  while (*name != 0) {
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_' || name[n] == '$') n++;
    const char *rest = name + n;
    if (n == 0 || (*rest != 0 && strncmp(rest, "::", 2) != 0)) {
      ga_str_clear(s);
      return;
    }
    ga_str_addf(s, "%zu", n);
    ga_str_addn(s, name, n);
    name = *rest != 0 ? rest + 2 : rest;
  }
  if (nested) ga_str_add(s, "E");
}

/* `_Z5scale` begins `_Z5scalePff`; what follows `I` are a template's arguments. */
static int is_mangled(const char *symbol, const char *prefix)
{
  size_t n = strlen(prefix);
  return n > 0 && strncmp(symbol, prefix, n) == 0 && symbol[n] != 0 && symbol[n] != 'I';
}

const char *ga_cubin_symbol(const ga_module *m, const char *name)
{
  const char *s = m->strings, *entries, *found = NULL;
  unsigned int nfound = 0;
  ga_str prefix = {0};
  for (uint32_t i = 0; i < m->nname; i++) {
    const char *lowered = s + strlen(s) + 1;
    if (strcmp(s, name) == 0) return lowered;
    s = lowered + strlen(lowered) + 1;
  }
  entries = s;
  for (uint32_t i = 0; i < m->nentry; i++, s += strlen(s) + 1)
    if (strcmp(s, name) == 0) return s;
  mangle(&prefix, name);
  s = entries;
  for (uint32_t i = 0; i < m->nentry; i++, s += strlen(s) + 1)
    if (is_mangled(s, ga_str_text(&prefix))) {
      found = s;
      nfound++;
    }
  ga_str_clear(&prefix);
  return nfound == 1 ? found : NULL;
}
