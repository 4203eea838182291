/* replay.c -- runs a fuzz target without libFuzzer on the files, or the files of the folders, that it is
 * given.
 *
 * Prints how many it ran.  What a target finds, it says by crashing.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, got;

	if (!f)
		return 0;
	do {
		uint8_t *more = realloc(data, n + 65536);
		if (!more)
			abort();
		data = more;
		n += got = fread(data + n, 1, 65536, f);
	} while (got);
	fclose(f);
	/* A block of exactly that size, so that a sanitizer sees a read after it. */
	uint8_t *exact = realloc(data, n ? n : 1);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 1;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *entry;

		if (!dir) {
			count += replay(argv[i]);
			continue;
		}
		while ((entry = readdir(dir))) {
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			if (entry->d_name[0] != '.')
				count += replay(path);
		}
		closedir(dir);
	}
	printf("%d\n", count);
	return 0;
}
