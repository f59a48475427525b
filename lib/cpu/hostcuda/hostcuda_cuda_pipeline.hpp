// SPDX-License-Identifier: MIT
// <cuda/pipeline> for kernels compiled for the CPU. Copies are done at once by the thread
// that asks for them, so a stage is there when all producers have committed it, and free
// when all consumers have released it. The k-th stage of all is number k % stages:
//
//   filled[k % stages] >= (k / stages + 1) * producers     it is there
//   freed[k % stages]  >= (k / stages) * consumers         it may be written
#ifndef GA_HC_CUDA_PIPELINE
#define GA_HC_CUDA_PIPELINE
#include <cuda/barrier>

namespace cuda
{

enum class pipeline_role { producer, consumer };

template <thread_scope scope, unsigned char stages> struct pipeline_shared_state {
  int producers, consumers, filled[stages], freed[stages];
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state &) = delete;
};

template <thread_scope scope> class pipeline
{
  int producers, consumers, *filled, *freed, stages, head, tail;

  GA_HC_FN void add(int &v)
  {
    ga_hc_atomic_on<int>::change(&v, __ATOMIC_ACQ_REL, [](int old) { return old + 1; });
  }
  GA_HC_FN void reach(const int &v, int least, const char *file, unsigned line)
  {
    while (ga_hc_atomic_on<int>::load(&v, __ATOMIC_ACQUIRE) < least) ::__ga_wait_at(file, line);
    ::ga_hc_lib->met();
  }

public:
  pipeline() : stages(0), head(0), tail(0) {}
  template <class State>
  pipeline(State &s, int stages)
      : producers(s.producers), consumers(s.consumers), filled(s.filled), freed(s.freed),
        stages(stages), head(0), tail(0)
  {
  }
  pipeline(pipeline &&) = default;
  pipeline(const pipeline &) = delete;
  GA_HC_ATOMIC_METHOD void producer_acquire(const char *file = __builtin_FILE(),
                                            unsigned line = __builtin_LINE())
  {
    if (stages > 0) reach(freed[head % stages], head / stages * consumers, file, line);
  }
  GA_HC_ATOMIC_METHOD void producer_commit()
  {
    if (stages > 0) add(filled[head % stages]);
    head++;
  }
  GA_HC_ATOMIC_METHOD void consumer_wait(const char *file = __builtin_FILE(),
                                         unsigned line = __builtin_LINE())
  {
    if (stages > 0) reach(filled[tail % stages], (tail / stages + 1) * producers, file, line);
  }
  template <class D> bool consumer_wait_for(const D &)
  {
    consumer_wait();
    return true;
  }
  GA_HC_ATOMIC_METHOD void consumer_release()
  {
    if (stages > 0) add(freed[tail % stages]);
    tail++;
  }
  bool quit() { return true; }
};

inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

template <class Group, thread_scope scope, unsigned char stages>
pipeline<scope> make_pipeline(const Group &g, pipeline_shared_state<scope, stages> *s,
                              size_t producers)
{
  if (g.thread_rank() == 0) {
    const int n = (int)g.size(), some = (int)producers;
    s->producers = some < n ? some : n;
    s->consumers = some < n ? n - some : n;
    for (int i = 0; i < stages; i++) s->filled[i] = s->freed[i] = 0;
  }
  g.sync();
  return pipeline<scope>(*s, stages);
}
template <class Group, thread_scope scope, unsigned char stages>
pipeline<scope> make_pipeline(const Group &g, pipeline_shared_state<scope, stages> *s)
{
  return make_pipeline(g, s, (size_t)g.size());
}
template <class Group, thread_scope scope, unsigned char stages>
pipeline<scope> make_pipeline(const Group &g, pipeline_shared_state<scope, stages> *s,
                              pipeline_role role)
{
  if (g.thread_rank() == 0) s->producers = 0;
  g.sync();
  if (role == pipeline_role::producer) atomicAdd(&s->producers, 1);
  g.sync();
  const int n = s->producers;
  g.sync();
  return make_pipeline(g, s, (size_t)n);
}

template <unsigned char N, thread_scope scope> void pipeline_consumer_wait_prior(pipeline<scope> &p)
{
  p.consumer_wait();
}

} // namespace cuda

#endif
