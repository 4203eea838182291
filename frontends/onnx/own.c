/* own.c -- nodes of a domain that has operations of the user's own: functions of the script, whose parameters are the
 * node's inputs, in order, and the attributes of their names.  An input that is left out has its parameter's default.
 */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/script/script.h"

static const char *own_name(const struct lt_onnx_call *c, const char *domain)
{
	return lt__arena_format(c->m->arena, "%s/%s", domain, c->proto->op_type ? c->proto->op_type : "");
}

bool lt__onnx_is_own(const struct lt_onnx_call *c, const char *domain)
{
	const char *name = own_name(c, domain);
	return *domain && lt__ownfolder_find(&c->m->folder, name, strlen(name)) >= 0;
}

/* Numbers and lists of whole numbers. */
static struct lt_own_named own_attribute(struct lt_onnx_call *c, const Onnx__AttributeProto *a)
{
	struct lt_own_named x = { .name = a->name ? a->name : "" };
	const enum lt_onnx_kind kind = lt__onnx_attribute_kind(a);
	if (kind == LT_ONNX_FLOAT) {
		x.number = lt__onnx_float(c, x.name, 0);
	} else if (kind == LT_ONNX_INT) {
		x.whole = true;
		x.i = lt__onnx_any_int(c, x.name, 0);
		x.number = (double)x.i;
	} else if (kind == LT_ONNX_INTS) {
		x.list = lt__onnx_any_ints(c, x.name, &x.n);
		x.list = x.list ? x.list : LT_NEW(c->m->arena, int64_t, 1);
	} else {
		lt__onnx_refuse(c->m, "attribute '%s' is neither a number nor a list of whole numbers, which parameters may be; a "
			"tensor is an input", x.name);
	}
	return x;
}

void lt__onnx_build_own(struct lt_onnx_call *c, const char *domain)
{
	struct lt_onnx *m = c->m;
	const int32_t n_named = (int32_t)c->proto->n_attribute;
	struct lt_own_named *named = LT_NEW(m->arena, struct lt_own_named, n_named + 1);
	lt_node *operand = LT_NEW(m->arena, lt_node, c->n_in + 1), *result = NULL;
	int32_t n_operand = 0, n_result = 0;
	for (int32_t i = 0; i < c->n_in; i++) {
		operand[i] = lt__onnx_has(c, i) ? lt__onnx_in(c, i) : -1;
		n_operand = operand[i] >= 0 ? i + 1 : n_operand;
	}
	for (int32_t i = 0; i < n_named; i++) {
		named[i] = own_attribute(c, c->proto->attribute[i]);
		c->used[i] = false;
	}
	if (lt__onnx_failed(m))
		return;
	const struct lt_own_given given = { n_operand, operand, n_named, named, c->used };
	if (lt__script_own(lt__script_language(m->arena), m->graph, &m->folder, own_name(c, domain), &given, &n_result,
			&result))
		return;
	for (int32_t i = 0; i < n_named; i++)
		if (!c->used[i])
			lt__onnx_refuse(m, "%s has no parameter '%s', which is an attribute here", own_name(c, domain), named[i].name);
	if (n_result < c->n_out)
		lt__onnx_refuse(m, "%s gives %d value%s, and the node has %d outputs", own_name(c, domain), n_result,
			n_result == 1 ? "" : "s", c->n_out);
	for (int32_t i = 0; i < c->n_out && i < n_result; i++)
		lt__onnx_give(c, i, result[i]);
}
