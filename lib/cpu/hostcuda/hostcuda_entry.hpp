// SPDX-License-Identifier: MIT
// Behind a kernel's text: what calls its kernels. A kernel's parameters lie packed
// as CUDA packs them, each on a multiple of its alignment; which they are is read
// off the function's type.
#pragma once

template <class T> struct ga_hc_plain {
  typedef T type;
};
template <class T> struct ga_hc_plain<T &> {
  typedef T type;
};
template <class T> struct ga_hc_plain<const T> {
  typedef T type;
};
template <class T> struct ga_hc_plain<const T &> {
  typedef T type;
};

template <class... A> struct ga_hc_layout {
  static constexpr unsigned n = sizeof...(A);
  size_t size[n + 1], offset[n + 1], total;
  constexpr ga_hc_layout() : size{}, offset{}, total(0)
  {
    const size_t s[n + 1] = {sizeof(typename ga_hc_plain<A>::type)..., 1};
    const size_t a[n + 1] = {alignof(typename ga_hc_plain<A>::type)..., 1};
    for (unsigned i = 0; i < n; i++) {
      offset[i] = (total + a[i] - 1) / a[i] * a[i];
      size[i] = s[i];
      total = offset[i] + s[i];
    }
  }
};

template <size_t... i> struct ga_hc_numbers {
};
template <size_t n, size_t... i> struct ga_hc_count : ga_hc_count<n - 1, n - 1, i...> {
};
template <size_t... i> struct ga_hc_count<0, i...> {
  typedef ga_hc_numbers<i...> type;
};

template <class T> struct ga_hc_argument {
  static T get(const char *p)
  {
    T v;
    __builtin_memcpy((void *)&v, p, sizeof v);
    return v;
  }
};
template <class T> struct ga_hc_argument<const T> : ga_hc_argument<T> {
};
template <class T> struct ga_hc_argument<const T &> {
  static const T &get(const char *p) { return *(const T *)(const void *)p; }
};
template <class T> struct ga_hc_argument<T &> {
  static T &get(const char *p) { return *(T *)(void *)p; }
};

template <class K, K k> struct ga_hc_entry_of;
template <class... A, void (*k)(uint3, uint3, dim3, dim3, A...)>
struct ga_hc_entry_of<void (*)(uint3, uint3, dim3, dim3, A...), k> {
  static constexpr ga_hc_layout<A...> layout{};
  typedef typename ga_hc_count<sizeof...(A)>::type numbers;

  template <size_t... i>
  GA_HC_FN void one(const ga_hc_thread *t, const char *args, ga_hc_numbers<i...>)
  {
    const ga_hc_block *b = t->block;
    k(ga_hc_index(t->tid), ga_hc_index(b->bid), dim3(ga_hc_index(b->bdim)),
      dim3(ga_hc_index(b->gdim)), ga_hc_argument<A>::get(args + layout.offset[i])...);
  }
  static void thread(ga_hc_thread *t, const void *args) { one(t, (const char *)args, numbers()); }

  // The threads of a block one after the other: a loop that can be vectorised.
  GA_HC_FN void all(ga_hc_thread *t, A... a)
  {
    const ga_hc_block *b = t->block;
    const uint3 bid = ga_hc_index(b->bid);
    const dim3 bdim(ga_hc_index(b->bdim)), gdim(ga_hc_index(b->gdim));
    for (unsigned z = 0; z < bdim.z; z++)
      for (unsigned y = 0; y < bdim.y; y++)
        for (unsigned x = 0; x < bdim.x; x++) {
#if GA_HC_TID || GA_HC_DEEP
          t->tid = ga_hc_dim{x, y, z};
          *(volatile unsigned *)&t->index = x + bdim.x * (y + bdim.y * z); // a trap reads it
#endif
          k(uint3{x, y, z}, bid, bdim, gdim, a...);
        }
  }
  template <size_t... i> GA_HC_FN void every(ga_hc_thread *t, const char *args, ga_hc_numbers<i...>)
  {
    all(t, ga_hc_argument<A>::get(args + layout.offset[i])...);
  }
  static void block(ga_hc_thread *t, const void *args) { every(t, (const char *)args, numbers()); }
};
template <auto k> struct ga_hc_entry : ga_hc_entry_of<decltype(k), k> {
};

// Only the one of `thread` and `block` that is asked for is made.
template <bool fibers, class E> struct ga_hc_functions {
  static constexpr void (*thread)(ga_hc_thread *, const void *) = &E::thread;
  static constexpr void (*block)(ga_hc_thread *, const void *) = nullptr;
};
template <class E> struct ga_hc_functions<false, E> {
  static constexpr void (*thread)(ga_hc_thread *, const void *) = nullptr;
  static constexpr void (*block)(ga_hc_thread *, const void *) = &E::block;
};

static thread_local char ga_hc_shared_anchor;
static void *ga_hc_shared_address() { return &ga_hc_shared_anchor; }

constexpr unsigned ga_hc_bounds(unsigned n) { return n < 1024 ? n : 1024; }

#define GA_HC_ROW(fibers, name, k, bounds)                                                         \
  {                                                                                                \
    name, ga_hc_functions<fibers, ga_hc_entry<&k>>::thread,                                        \
        ga_hc_functions<fibers, ga_hc_entry<&k>>::block, ga_hc_entry<&k>::layout.n,                \
        ga_hc_bounds(bounds), ga_hc_entry<&k>::layout.size, ga_hc_entry<&k>::layout.offset,        \
        ga_hc_entry<&k>::layout.total                                                              \
  }

#define GA_HC_TABLE(check)                                                                         \
  extern "C" __attribute__((visibility("default"))) const ga_hc_module ga_hc_module_table;         \
  const ga_hc_module ga_hc_module_table = {GA_HC_VERSION, check,         GA_HC_STACK,              \
                                           &ga_hc_lib,    ga_hc_kernels, ga_hc_globals,            \
                                           ga_hc_files,   ga_hc_places,  ga_hc_pads,               \
                                           &ga_hc_shared_address};
