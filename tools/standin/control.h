/* What a test asks of the stand-in CUDA runtime, beside the CUDA calls: to fail a call, to lose a launch or copy, and what is
 * still there. All of it concerns this process. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program holds. */
typedef struct ts_standin_holdings {
  uint64_t allocations; /* of device memory */
  uint64_t pinned;      /* allocations of pinned host memory */
  uint64_t streams;
  uint64_t events;
  uint64_t pools;
  uint64_t handles; /* of the vendor's library */
} ts_standin_holdings;
ts_standin_holdings ts_standin_held(void);

/* The call `nth` from now on fails with `code` (a cudaError_t), 0: no call. A call that frees or destroys does so all the
 * same. After a code that is sticky, every later call on the device fails with it. */
void ts_standin_fail(uint64_t nth, int32_t code);
/* The call that was failed since ts_standin_fail, null for none. */
const char* ts_standin_failed(void);
/* Calls that could have failed, since the process began. */
uint64_t ts_standin_calls(void);

/* The launch, copy or memset `nth` from now on does nothing and reports success, 0: none. */
void ts_standin_drop(uint64_t nth);
/* The same for every launch, copy or memset of a site, null: of none. */
void ts_standin_drop_site(const char* site);
/* What was dropped since ts_standin_drop, null for nothing. */
const char* ts_standin_dropped(void);
/* Launches, copies and memsets since the process began. */
uint64_t ts_standin_works(void);

/* Every device is as new again after a sticky error; what was in it stays. */
void ts_standin_revive(void);

/* Whose place each launch or copy was made from, with how often: a kernel's task, or a place in a library. */
typedef void (*ts_standin_visitor)(void* context, const char* site, uint64_t times);
void ts_standin_sites(ts_standin_visitor visit, void* context);
/* Every registered kernel, with how often it was launched. */
void ts_standin_kernels(ts_standin_visitor visit, void* context);

/* For the stand-ins of libraries beside the runtime: counts a call of theirs, which fails where this gives a code; and a
 * handle more or less. */
int32_t ts_standin_call(const char* name);
void ts_standin_handle(int32_t change);

#ifdef __cplusplus
}
#endif
