/* SPDX-License-Identifier: MIT */
/* A kernel's preprocessed text, taken apart: tokens, and the declarations among
 * them that matter here. Nothing is understood of C++ beyond where declarations
 * begin and end, which is enough: the C++ compiler reads the text afterwards. */
#ifndef GA_CPU_HOSTCUDA_TEXT_H
#define GA_CPU_HOSTCUDA_TEXT_H

#include "hostcuda.h"
#include "hostcuda_names.h"
#include "lib/util/str.h"

enum ga_hc_token_kind { GA_HC_NAME, GA_HC_NUMBER, GA_HC_STRING, GA_HC_PUNCT, GA_HC_END };

typedef struct ga_hc_token {
  const char *s;
  unsigned int n, line;
  unsigned short file; /* in the text's list */
  unsigned char kind;
} ga_hc_token;

typedef struct ga_hc_file {
  char *name;
  int user; /* the caller's text or one of its headers, not the system's */
} ga_hc_file;

/* A function, a class, a variable of the device's, or what else names something: another
 * variable, a typedef, a using. All numbers are of tokens. */
typedef struct ga_hc_decl {
  enum { GA_HC_FUNCTION, GA_HC_CLASS, GA_HC_VARIABLE, GA_HC_OTHER } kind;
  unsigned int first, end;                 /* end: the one behind its last */
  unsigned int name;                       /* of a function; of a class 0 where it has none */
  unsigned int open, close;                /* a function's parameters, with parentheses */
  unsigned int body;                       /* its opening brace; 0: no body */
  int is_kernel, is_template, is_instance; /* is_instance: an explicit one */
  int syncs;                               /* may wait for other threads */
  unsigned int bounds, bounds_end;         /* of a kernel: __launch_bounds__' first argument */
  char *scope;                             /* "ns::inner::", "" */
} ga_hc_decl;

typedef struct ga_hc_text {
  const char *text;
  const char *const *names; /* name expressions: the instances asked for */
  unsigned int nname;
  ga_hc_token *tok; /* ends with one GA_HC_END */
  unsigned int ntok;
  ga_hc_file *files;
  unsigned int nfile;
  ga_hc_decl *decls;
  unsigned int ndecl;
  ga_hc_names looks;    /* what stands for a look at what other threads change */
  ga_hc_names changing; /* of it, types */
} ga_hc_text;

/* Takes `text` apart, of which `names` are asked for; they must outlive the result. `folder` is
 * the private one: files there are the user's, and named without it. */
int ga_hc_text_init(ga_hc_text *t, const char *text, const char *folder, unsigned int nname,
                    const char *const *names);
void ga_hc_text_clear(ga_hc_text *t);

/* hostcuda_lex.c */
int ga_hc_lex(ga_hc_text *t, const char *folder);
/* hostcuda_decl.c */
int ga_hc_declare(ga_hc_text *t);
/* hostcuda_looks.c: sets `looks` and `changing` */
int ga_hc_find_looks(ga_hc_text *t);
/* hostcuda_sync.c: sets `syncs` */
int ga_hc_find_syncs(ga_hc_text *t);

/* Is the token this word? */
int ga_hc_is(const ga_hc_token *t, const char *word);
/* The token that closes the bracket at i (the end, where none does). */
unsigned int ga_hc_closing(const ga_hc_text *t, unsigned int i);
/* The outermost brace that nothing closes (the end, where each is closed). */
unsigned int ga_hc_unclosed(const ga_hc_text *t);

/* The words that make a thread wait for others. */
typedef struct ga_hc_word {
  const char *name;
  int at; /* takes the place it is called from */
} ga_hc_word;
const ga_hc_word *ga_hc_sync_word(const ga_hc_token *t);

/* Does token i stand for a look at what other threads change? By a word of CUDA's? For its type? */
int ga_hc_looks(const ga_hc_text *t, unsigned int i);
int ga_hc_is_look(const ga_hc_text *t, unsigned int i);
int ga_hc_changes(const ga_hc_text *t, unsigned int i);
/* Adds the names of a class and of its members, not what these call or initialise. */
void ga_hc_add_members(ga_hc_names *s, const ga_hc_text *t, unsigned int first, unsigned int body,
                       unsigned int end);

/* A loop: may it wait for other threads? (hostcuda_loops.c) */
enum ga_hc_loop_kind {
  GA_HC_LOOP_NONE, /* no loop begins here */
  GA_HC_LOOP_PLAIN,
  GA_HC_LOOP_WAIT
};
typedef struct ga_hc_loop {
  unsigned int first, end;     /* its tokens */
  unsigned int open, close;    /* its header's parentheses; of a `do` both are first */
  unsigned int body, body_end; /* of a `do` without what follows its body */
  int how;                     /* of one that may wait: what else it does, of ga_hc_spin */
} ga_hc_loop;
/* The kind of the loop that begins at token i of d, a function with a body. */
int ga_hc_loop_at(ga_hc_loop *l, const ga_hc_text *t, const ga_hc_decl *d, unsigned int i);
/* Is token i of d a `goto` back that may be such a loop's? */
int ga_hc_goes_back(const ga_hc_text *t, const ga_hc_decl *d, unsigned int i);
/* Is d a function that ends with a call of itself, and so may be such a loop? */
int ga_hc_calls_itself(const ga_hc_text *t, const ga_hc_decl *d);
/* Has the function a loop that may wait for other threads? */
int ga_hc_spins(const ga_hc_text *t, const ga_hc_decl *d);

/* What the rewriter is told. */
typedef struct ga_hc_options {
  int hidden; /* threadIdx and its like are hidden parameters of kernels */
  int check;
} ga_hc_options;

/* hostcuda_refuse.c: GA_UNSUPPORTED_ERROR, naming item and line, where token i names
 * what has no meaning here; GA_IMPL_ERROR for what CUDA has not. It lies in d, or NULL. */
int ga_hc_refuse(const ga_hc_text *t, const ga_hc_decl *d, unsigned int i);

/* C++ for the host's compiler. GA_UNSUPPORTED_ERROR, naming item and line, for
 * what has no meaning here. */
int ga_hc_rewrite(ga_str *out, const ga_hc_text *t, const ga_hc_options *o);
/* hostcuda_table.c: what follows the text; `places` and `pads` are rows of their lists */
void ga_hc_table(ga_str *out, const ga_hc_text *t, const ga_hc_options *o, const char *places,
                 const char *pads);

#endif
