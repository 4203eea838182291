// tests/abi/plugin.cc -- a backend in C++: it takes every kernel and computes nothing.
#include <new>
#include "lt/backend.h"

struct lt_session { int runs; };
struct lt_object { lt_session *session; };

namespace {

int32_t score(const char *, lt_diag *) { return 1; }
lt_status open_(const lt_host *, const char *, lt_session **out, lt_diag *)
{
	*out = new (std::nothrow) lt_session();
	return *out ? LT_OK : LT_ENOMEM;
}
void close_(lt_session *s) { delete s; }
const lt_caps *caps(const lt_session *)
{
	static const lt_target target = [] { lt_target t = {}; t.size = sizeof t; t.name = "cxx"; t.cores = 1; return t; }();
	static const lt_caps known = [] {
		lt_caps c = {};
		c.size = sizeof c;
		c.dtypes = c.loops = c.understands = ~UINT64_C(0);
		c.target = &target;
		return c;
	}();
	return &known;
}
lt_status accepts(lt_session *, const lt_tree *, lt_diag *) { return LT_OK; }
lt_status compile(lt_session *s, const lt_tree *const *, uint32_t n, lt_object **object, lt_diag *)
{
	for (uint32_t i = 0; i < n; i++)
		object[i] = new lt_object{ s };
	return LT_OK;
}
lt_status run(lt_object *o, const lt_args *, lt_diag *) { return o->session->runs++, LT_OK; }
lt_status sync_(lt_session *, void *, lt_diag *) { return LT_OK; }
void destroy(lt_object *o) { delete o; }

const lt_backend cxx = { sizeof cxx, LT_ABI, LT_BUILD, "cxx", "written in C++", "1", score, open_, close_, caps,
	accepts, compile, run, sync_, destroy, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
	nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
	nullptr, nullptr, nullptr, nullptr, nullptr };

}
LT_BACKEND(cxx)
