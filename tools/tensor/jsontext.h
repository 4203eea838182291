/* jsontext.h -- strings that come from outside, as JSON, which holds UTF-8 only. */
#ifndef LT_TOOLS_TENSOR_JSONTEXT_H
#define LT_TOOLS_TENSOR_JSONTEXT_H
#include <jansson.h>
#include "tools/common/say.h"

/* What a terminal may be shown: everything beyond ASCII is escaped. */
#define LT_JSON_PLAIN JSON_ENSURE_ASCII

/* The text, or, where it is not UTF-8, as it is shown (tools/common/say.h); null for NULL. */
static inline json_t *lt__json_text(const char *text)
{
	json_t *s = text ? json_string(text) : json_null();

	return s ? s : json_string(lt__shown(text).text);
}
#endif
