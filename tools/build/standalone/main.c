/* -- .npy files in and out -- */

static int refuse(const char *file, const struct tensor *t, const char *why)
{
	int i;
	fprintf(stderr, "%s: %s: %s; '%s' is %s [", NAME, file, why, t->name, t->type);
	for (i = 0; i < t->rank; i++)
		fprintf(stderr, "%s%s%lld", i ? ", " : "", t->from[i] < 0 ? "" : "1..", (long long)t->shape[i]);
	fprintf(stderr, "]\n");
	return 2;
}

static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);
	if (!at)
		return NULL;
	at += strlen(key);
	while (*at == ' ' || *at == ':' || *at == '\'' || *at == '"')
		at++;
	return at;
}

/* What a header says, in words; what is not plain text there is not shown. */
static const char *found_type(const char *descr)
{
	static const char *const types[][2] = { { "f8", "float64" }, { "f4", "float32" }, { "f2", "float16" }, { "V2",
		"bfloat16" }, { "i8", "int64" }, { "i4", "int32" }, { "i2", "int16" }, { "i1", "int8" }, { "u1", "uint8" },
		{ "u8", "uint64" }, { "u4", "uint32" }, { "u2", "uint16" },
		{ "b1", "bool" } };
	static char why[80];
	size_t i;
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (strchr("<>|=", *descr) && strncmp(descr + 1, types[i][0], 2) == 0 && strchr("'\"", descr[3])) {
			sprintf(why, "its elements are %s%s", types[i][1], *descr == '>' ? " with the high byte first" : "");
			return why;
		}
	i = strspn(descr, "<>|=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	if (i == 0 || i > 20 || !strchr("'\"", descr[i]))
		return "its elements are of another type";
	sprintf(why, "its elements are of NumPy's type %.*s", (int)i, descr);
	return why;
}

static const char *found_shape(const char *shape)
{
	static char why[200];
	size_t n = *shape == '(' ? strspn(shape + 1, "0123456789, L") : 0;
	if (*shape != '(' || shape[n + 1] != ')' || n > sizeof why - 40)
		return "its header is damaged";
	while (n && (shape[n] == ',' || shape[n] == ' '))
		n--;
	sprintf(why, "its shape is [%.*s]", (int)n, shape + 1);
	return why;
}

/* With the system's reason, if there is one. */
static int fail(const char *file, const char *what, int error, int code)
{
	fprintf(stderr, "%s: %s %s%s%s\n", NAME, file, what, error ? ": " : "", error ? strerror(error) : "");
	return code;
}

/* bfloat16, which NumPy does not have, may also be given as 16-bit integers. */
static int is_type(const struct tensor *t, const char *descr)
{
	const size_t n = strlen(t->descr);
	const char order = descr[0];
	if (order != '<' && order != '|' && order != '=')
		return 0;
	if (strcmp(t->descr, "V2") == 0 && (strncmp(descr + 1, "u2", 2) == 0 || strncmp(descr + 1, "i2", 2) == 0))
		return 1;
	return strncmp(descr + 1, t->descr, n) == 0 && (descr[1 + n] == '\'' || descr[1 + n] == '"');
}

/* The extents of the file: the shape, or less where a scalar says how much. */
static int read_shape(const char *at, const struct tensor *t)
{
	int i = 0;
	if (*at++ != '(')
		return 0;
	for (;;) {
		char *end;
		long long extent;
		while (*at == ' ' || *at == ',')
			at++;
		if (*at == ')')
			return i == t->rank;
		extent = strtoll(at, &end, 10);
		if (end == at || i == t->rank)
			return 0;
		if (extent < 0 || extent > t->shape[i] || (t->from[i] < 0 && extent != t->shape[i]))
			return 0;
		t->extent[i] = extent;
		at = *end == 'L' ? end + 1 : end;
		i++;
	}
}

/* Rows lie at the largest extents; the file has those of this run. */
static size_t move(void *at, size_t bytes, size_t n, FILE *f, int writes)
{
	return bytes == 0 ? n : writes ? fwrite(at, bytes, n, f) : fread(at, bytes, n, f);
}

static int move_rows(FILE *f, const struct tensor *t, int axis, char *at, int writes)
{
	size_t stride = t->bytes;
	int64_t i;
	int k, whole = 1;
	for (k = axis + 1; k < t->rank; k++) {
		stride *= (size_t)t->shape[k];
		whole = whole && t->extent[k] == t->shape[k];
	}
	if (axis >= t->rank)
		return move(at, t->bytes, 1, f, writes) == 1;
	if (whole)
		return move(at, stride, (size_t)t->extent[axis], f, writes) == (size_t)t->extent[axis];
	for (i = 0; i < t->extent[axis]; i++)
		if (!move_rows(f, t, axis + 1, at + (size_t)i * stride, writes))
			return 0;
	return 1;
}

/* The scalars that are extents of a tensor, unless they are given. */
static int has_value[N_TENSOR + 1];

static int imply(const char *file, const struct tensor *t)
{
	int i;
	for (i = 0; i < t->rank; i++) {
		const struct tensor *s = t->from[i] < 0 ? NULL : &tensors[t->from[i]];
		int64_t value;
		if (!s)
			continue;
		memcpy(&value, s->at, sizeof value);
		if (has_value[t->from[i]] && t->extent[i] != t->shape[i] && value != t->extent[i]) {
			fprintf(stderr, "%s: %s: it has %lld along axis %d, but %s is %lld\n", NAME, file, (long long)t->extent[i], i,
				s->name, (long long)value);
			return 2;
		}
		if (!has_value[t->from[i]])
			memcpy(s->at, &t->extent[i], sizeof value);
		has_value[t->from[i]] = 1;
	}
	return 0;
}

static char header[65536];

/* Exit codes: 0, or 2 with a sentence. */
static int read_tensor(const char *file, const struct tensor *t)
{
	unsigned char begin[12];
	size_t n = 0;
	const char *descr, *order, *shape;
	const uint16_t one = 1;
	FILE *f;
	int code = 2;
	errno = 0;
	f = fopen(file, "rb");
	if (!f) {
		code = errno;
		sprintf(header, "cannot be opened as the %s '%.999s'", t->kind == STATE ? "state" : "input", t->name);
		return fail(file, header, code, 2);
	}
	if (fread(begin, 1, 10, f) == 10 && memcmp(begin, "\x93NUMPY", 6) == 0) {
		n = begin[8] | (size_t)begin[9] << 8;
		if (begin[6] > 1)
			n = fread(begin + 10, 1, 2, f) == 2 ? n | (size_t)begin[10] << 16 | (size_t)begin[11] << 24 : 0;
	}
	if (n == 0 || n >= sizeof header || fread(header, 1, n, f) != n) {
		code = refuse(file, t, "is no .npy file, or a damaged one");
		goto out;
	}
	header[n] = '\0';
	descr = value_of(header, "descr'");
	order = value_of(header, "fortran_order'");
	shape = value_of(header, "shape'");
	if (!descr || !order || !shape)
		refuse(file, t, "its header is damaged");
	else if (!*(const unsigned char *)&one)
		refuse(file, t, "this machine stores the high byte first, which this program does not read");
	else if (!is_type(t, descr))
		refuse(file, t, found_type(descr));
	else if (!read_shape(shape, t))
		refuse(file, t, found_shape(shape));
	else if (strncmp(order, "False", 5) != 0)
		refuse(file, t, "it is in Fortran's order (save numpy.ascontiguousarray of it)");
	else if (!move_rows(f, t, 0, t->at, 0) || fgetc(f) != EOF)
		refuse(file, t, "it has more or fewer bytes than its shape says");
	else
		code = imply(file, t);
out:
	fclose(f);
	return code;
}

static int write_tensor(const char *file, const struct tensor *t)
{
	size_t n = 10, end;
	int i, good, error;
	FILE *f;
	errno = 0;
	f = fopen(file, "wb");
	error = errno;
	n += (size_t)sprintf(header + n, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", t->bytes == 1 ? "|" : "<",
		t->descr);
	for (i = 0; i < t->rank; i++)
		n += (size_t)sprintf(header + n, "%s%lld", i ? ", " : "", (long long)t->extent[i]);
	n += (size_t)sprintf(header + n, "%s), }", t->rank == 1 ? "," : "");
	for (end = (n + 64) / 64 * 64; n < end - 1; n++)
		header[n] = ' ';
	header[n++] = '\n';
	memcpy(header, "\x93NUMPY\1\0", 8);
	header[8] = (char)((n - 10) & 255);
	header[9] = (char)((n - 10) >> 8);
	if (!f)
		return fail(file, "cannot be written", error, 1);
	errno = 0;
	good = fwrite(header, 1, n, f) == n && move_rows(f, t, 0, t->at, 1) && fflush(f) == 0;
	error = errno;
	if (fclose(f) != 0 && good) {
		good = 0;
		error = errno;
	}
	return good ? 0 : fail(file, "cannot be written", error, 1);
}

/* Given by their place on the command line; the others by name. */
static int has_place(const struct tensor *t) { return t->kind != STATE && !t->implied; }

static int help(FILE *to)
{
	static const char *const kinds[] = { "reads", "writes", "state" };
	int i, k;
	fprintf(to, "usage: %s [--runs N]%s", NAME, THREADS > 1 ? " [--threads N]" : "");
	for (i = 0; i < N_TENSOR; i++)
		if (has_place(&tensors[i]))
			fprintf(to, tensors[i].scalar ? " %s" : " %s.npy", tensors[i].name);
	for (i = 0; i < N_TENSOR; i++)
		if (!has_place(&tensors[i]))
			fprintf(to, tensors[i].scalar ? " [%s=N]" : " [%s=FILE.npy]", tensors[i].name);
	fprintf(to, "\n");
	for (i = 0; i < N_TENSOR; i++) {
		const struct tensor *t = &tensors[i];
		fprintf(to, "  %-7s %s, %s [", kinds[t->kind], t->name, t->type);
		for (k = 0; k < t->rank; k++)
			fprintf(to, "%s%s%s%lld", k ? ", " : "", t->from[k] < 0 ? "" : tensors[t->from[k]].name, t->from[k] == -1 ? ""
				: t->from[k] < 0 ? "at most " : ": at most ", (long long)t->shape[k]);
		fprintf(to, "]%s\n", t->kind == STATE ? ": read from the file if it is there, and written to it"
			: t->implied ? ": what the file of an input says, unless it is given" : t->scalar ? ": a number, or a file" : "");
	}
	fprintf(to, "NAME=FILE.npy gives one by its name.  --runs N calls the function N times.\n"
		"Exit code: 0; 1: it failed, or a file cannot be written; 2: a mistake in a file or the command line.\n");
	return to == stdout ? 0 : 2;
}

static const char *file_of[N_TENSOR + 1];

/* NAME=FILE, where NAME has no folder or ending in it: FILE may have a = of its own. */
static int no_name(const char *word)
{
	const int n = (int)strcspn(word, "=");
	int i;
	fprintf(stderr, "%s: '%s': there is no '%.*s'; there is:", NAME, word, n, word);
	for (i = 0; i < N_TENSOR; i++)
		fprintf(stderr, "%s %s", i ? "," : "", tensors[i].name);
	fprintf(stderr, "; a file of this name is ./%s\n", word);
	return 2;
}

/* Files in the order of the tensors; 0, or an exit code. */
static int take_file(char *word)
{
	int i;
	for (i = 0; i < N_TENSOR; i++) {
		const size_t n = strlen(tensors[i].name);
		if (strncmp(word, tensors[i].name, n) != 0 || word[n] != '=')
			continue;
		if (file_of[i]) {
			fprintf(stderr, "%s: '%s' is given twice: %s and %s\n", NAME, tensors[i].name, file_of[i], word + n + 1);
			return 2;
		}
		file_of[i] = word + n + 1;
		return 0;
	}
	if (word[strcspn(word, "=./")] == '=')
		return no_name(word);
	for (i = 0; i < N_TENSOR; i++)
		if (has_place(&tensors[i]) && !file_of[i]) {
			file_of[i] = word;
			return 0;
		}
	fprintf(stderr, "%s: '%s' is one file too many\n", NAME, word);
	return help(stderr);
}

static int take_number(const char *word, long most, long *out)
{
	char *end = NULL;
	*out = word ? strtol(word, &end, 10) : 0;
	if (word && end != word && !*end && *out >= 1 && *out <= most)
		return 0;
	fprintf(stderr, "%s: '%s' is not a number from 1 to %ld\n", NAME, word ? word : "", most);
	return 2;
}

static int take_words(int n, char **word, long *runs, long *threads)
{
	int i, code = 0;
	for (i = 1; i < n && !code; i++)
		if (strcmp(word[i], "--runs") == 0)
			code = take_number(word[++i], 1000000000, runs);
		else if (THREADS > 1 && strcmp(word[i], "--threads") == 0)
			code = take_number(word[++i], THREADS, threads);
		else if (word[i][0] == '-' && word[i][1] && !strchr("0123456789", word[i][1])) {
			fprintf(stderr, "%s: there is no option '%s'; a file of this name is ./%s\n", NAME, word[i], word[i]);
			code = help(stderr);
		} else
			code = take_file(word[i]);
	for (i = 0; i < N_TENSOR && !code; i++)
		if (has_place(&tensors[i]) && !file_of[i]) {
			fprintf(stderr, "%s: a file for '%s' is missing\n", NAME, tensors[i].name);
			code = help(stderr);
		}
	return code;
}

static int exists(const char *file)
{
	FILE *f = fopen(file, "rb");
	if (f)
		fclose(f);
	return f != NULL;
}

/* By its place in the file system, where there are means to ask for that; a file that is not there yet, by its name. */
static int same_file(const char *one, const char *two)
{
#ifdef WITH_STAT
	struct stat a, b;
	if (stat(one, &a) == 0 && stat(two, &b) == 0)
		return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
#endif
	return strcmp(one, two) == 0;
}

/* A number may be given in place of its file. */
static int read_number(const char *word, const struct tensor *t)
{
	char *end;
	const int64_t value = strtoll(word, &end, 10);
	if (!t->scalar || end == word || *end)
		return 0;
	memcpy(t->at, &value, sizeof value);
	return 1;
}

/* What is written may be no other file. */
static int check_files(void)
{
	int i, k;
	for (i = 0; i < N_TENSOR; i++)
		for (k = 0; k < N_TENSOR; k++) {
			if (tensors[i].kind == INPUT || !file_of[i] || !file_of[k] || (tensors[k].kind != INPUT && k >= i))
				continue;
			if (!read_number(file_of[k], &tensors[k]) && same_file(file_of[i], file_of[k])) {
				fprintf(stderr, "%s: '%s' and '%s' are the same file, %s: nothing was done; give '%s' another one\n", NAME,
					tensors[k].name, tensors[i].name, file_of[i], tensors[i].name);
				return 2;
			}
		}
	return 0;
}

/* Scalars first: they may decide what else is right. */
static int read_all(int scalars)
{
	int i, code = 0;
	for (i = 0; i < N_TENSOR && !code; i++) {
		const struct tensor *t = &tensors[i];
		if (t->scalar != scalars || t->kind == RESULT || !file_of[i])
			continue;
		if (t->kind == INPUT && !read_number(file_of[i], t))
			code = read_tensor(file_of[i], t);
		if (t->kind == STATE && exists(file_of[i]))
			code = read_tensor(file_of[i], t);
		has_value[i] = 1;
	}
	return code;
}

int main(int argc, char **argv)
{
	static args a;
	long runs = 1, threads = THREADS;
	int i, code;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return help(stdout);
	for (i = 0; i < N_TENSOR; i++)
		memcpy(tensors[i].extent, tensors[i].shape, (size_t)tensors[i].rank * sizeof *tensors[i].extent);
	code = take_words(argc, argv, &runs, &threads);
	if (!code)
		code = check_files();
	if (!code)
		code = read_all(1);
	if (!code)
		code = read_all(0);
#ifdef WITH_THREADS
	if (!code && threads > 1)
		start_threads(&a, (uint32_t)threads);
#endif
	while (!code && runs-- > 0)
		if (call(&a)) {
			fprintf(stderr, "%s: %s (%lld)\n", NAME, a.message, (long long)a.value);
			code = 1;
		}
	for (i = 0; i < N_TENSOR && !code; i++)
		if (tensors[i].kind != INPUT && file_of[i])
			code = write_tensor(file_of[i], &tensors[i]);
	return code;
}
