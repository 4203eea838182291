/* hello.c -- runs a script from C: cc hello.c $(pkg-config --cflags --libs looptree) && ./a.out */
#include <stdio.h>
#include <string.h>
#include <lt/lt.h>

int main(void)
{
	const char *text = "$1 = InputTensor(x, float32, [3]); $2 = ReLUNode($1); $3 = SumNode($2, $2); result = $3;";
	const float x[3] = { -1, 2, 3 };
	float y[3];
	struct lt_context *ctx = NULL;
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	struct lt_instance *run = NULL;

	if (lt_context_new(&ctx) || lt_parse(ctx, text, strlen(text), "hello", NULL, &g) || lt_compile(ctx, g, NULL, &p)
	    || lt_instance_new(p, &run) || lt_instance_run(run, (const void *[]){ x }, (void *[]){ y }))
		return fprintf(stderr, "%s\n", p ? lt_instance_message(run) : lt_context_message(ctx)), 1;
	printf("%s of %s: %g %g %g\n", lt_program_name(p, LT_BINDING_RESULT, 0), lt_program_name(p, LT_BINDING_INPUT, 0),
		(double)y[0], (double)y[1], (double)y[2]);
	lt_instance_free(run);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return 0;
}
