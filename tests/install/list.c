/* list.c -- prints the name of each backend and frontend of the library that it is linked with. */
#include <stdio.h>
#include <lt/lt.h>

int main(void)
{
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		printf("backends/%s\n", lt_backend_at(i)->name);
	for (uint32_t i = 0; i < lt_frontend_count(); i++)
		printf("frontends/%s\n", lt_frontend_at(i)->name);
	return 0;
}
