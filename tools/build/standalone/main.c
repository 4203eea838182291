/* -- what it says: names of a model and of files may have anything in them -- */

/* As Looptree prints names: control characters, those that change the direction of a line, and what is not UTF-8 are
 * \x1b. */
static void show(FILE *to, const char *text)
{
	static const unsigned long acting[][2] = { { 0, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f } };
	static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	while (*at) {
		int n = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0, plain = n > 0, i;
		unsigned long c = n > 1 ? *at & (0x7fu >> n) : *at;
		for (i = 1; i < n && plain; i++) {
			plain = (at[i] & 0xc0) == 0x80;
			c = c << 6 | (at[i] & 0x3f);
		}
		if (!plain || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			plain = 0, n = 1;
		for (i = 0; i < (int)(sizeof acting / sizeof *acting); i++)
			plain = plain && (c < acting[i][0] || c > acting[i][1]);
		for (; n > 0; n--, at++)
			fprintf(to, plain ? "%c" : "\\x%02x", *at);
	}
}

/* %s: a text that is shown; %d: a long long. */
static void say(FILE *to, const char *text, ...)
{
	va_list list;
	va_start(list, text);
	for (; *text; text++)
		if (*text != '%')
			fputc(*text, to);
		else if (*++text == 's')
			show(to, va_arg(list, const char *));
		else
			fprintf(to, "%lld", va_arg(list, long long));
	va_end(list);
}

/* "float32 [batch: at most 8, 3]", with the least and the largest extents. */
static void say_type(FILE *to, const struct tensor *t)
{
	int i;
	say(to, "%s [", t->type);
	for (i = 0; i < t->rank; i++) {
		say(to, i ? ", " : "");
		if (t->sum[i] >= 0)
			say(to, "%s: ", sums[t->sum[i]].words);
		if (t->sum[i] != -1)
			say(to, "%d..", (long long)t->least[i]);
		say(to, "%d", (long long)t->shape[i]);
	}
	say(to, "]");
}

static int refuse(const char *file, const struct tensor *t, const char *why)
{
	say(stderr, NAME ": %s: %s; '%s' is ", file, why, t->name);
	say_type(stderr, t);
	say(stderr, "\n");
	return 2;
}

/* With the system's reason, if there is one. */
static int fail(const char *file, const char *what, int error, int code)
{
	say(stderr, NAME ": %s %s%s%s\n", file, what, error ? ": " : "", error ? strerror(error) : "");
	return code;
}

/* -- .npy files in and out -- */

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

/* The extents of the file: the shape, or what a run may have. */
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
		if (end == at || i == t->rank || extent > t->shape[i] || extent < t->least[i])
			return 0;
		t->extent[i] = extent;
		at = *end == 'L' ? end + 1 : end;
		i++;
	}
}

static char header[65536];

/* What stands before the elements; 0, or 2 with a sentence. */
static int read_header(const char *file, const struct tensor *t, FILE *f)
{
	unsigned char begin[12];
	size_t n = 0;
	const char *descr, *order, *shape;
	if (fread(begin, 1, 10, f) == 10 && memcmp(begin, "\x93NUMPY", 6) == 0) {
		n = begin[8] | (size_t)begin[9] << 8;
		if (begin[6] > 1)
			n = fread(begin + 10, 1, 2, f) == 2 ? n | (size_t)begin[10] << 16 | (size_t)begin[11] << 24 : 0;
	}
	if (n == 0 || n >= sizeof header || fread(header, 1, n, f) != n)
		return refuse(file, t, "is no .npy file, or a damaged one (a file of bare elements has another ending)");
	header[n] = '\0';
	descr = value_of(header, "descr'");
	order = value_of(header, "fortran_order'");
	shape = value_of(header, "shape'");
	if (!descr || !order || !shape)
		return refuse(file, t, "its header is damaged");
	if (!is_type(t, descr))
		return refuse(file, t, found_type(descr));
	if (!read_shape(shape, t))
		return refuse(file, t, found_shape(shape));
	return strncmp(order, "False", 5) == 0 ? 0
		: refuse(file, t, "it is in Fortran's order (save numpy.ascontiguousarray of it)");
}

static void write_header(const struct tensor *t, FILE *f)
{
	size_t n = 10, end;
	int i;
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
	fwrite(header, 1, n, f);
}

/* -- extents that differ from run to run: numbers that are given, or said by files -- */

/* Scalars that have been given or found. */
static int has_value[N_TENSOR + 1];

static int64_t value_at(int scalar)
{
	int64_t value;
	memcpy(&value, tensors[scalar].at, sizeof value);
	return value;
}

/* An extent that is one scalar, which has no value yet: that; else -1. */
static int open_scalar(const struct tensor *t, int axis)
{
	const struct sum *s = t->sum[axis] < 0 ? NULL : &sums[t->sum[axis]];
	if (!s || s->n != 1 || s->constant != 0 || terms[s->first].coef != 1 || has_value[terms[s->first].tensor])
		return -1;
	return terms[s->first].tensor;
}

/* -1: it has no such value, or nobody has said it. */
static int64_t extent_of(const struct tensor *t, int axis)
{
	const struct sum *s;
	uint64_t n;                     /* a number that is out of range may exceed it; it is refused later */
	int i;
	if (t->sum[axis] < 0)
		return t->sum[axis] == -1 ? t->shape[axis] : -1;
	s = &sums[t->sum[axis]];
	n = (uint64_t)s->constant;
	for (i = s->first; i < s->first + s->n; i++) {
		if (!has_value[terms[i].tensor])
			return -1;
		n += (uint64_t)terms[i].coef * (uint64_t)value_at(terms[i].tensor);
	}
	return n > INT64_MAX ? 0 : (int64_t)n;
}

/* What a file says of scalars that nobody has given. */
static void imply(const struct tensor *t)
{
	int i;
	for (i = 0; i < t->rank; i++)
		if (open_scalar(t, i) >= 0) {
			memcpy(tensors[open_scalar(t, i)].at, &t->extent[i], sizeof t->extent[i]);
			has_value[open_scalar(t, i)] = 1;
		}
}

/* Whether a file has the extents of the run. */
static int check_extents(const char *file, const struct tensor *t)
{
	int i;
	for (i = 0; i < t->rank; i++) {
		const int64_t extent = extent_of(t, i);
		if (t->sum[i] < 0 || extent < 0 || extent == t->extent[i])
			continue;
		say(stderr, NAME ": %s: it has %d along axis %d, but %s is %d\n", file, (long long)t->extent[i], (long long)i,
			sums[t->sum[i]].words, (long long)extent);
		return 2;
	}
	return 0;
}

/* Of a file of n bare elements: what is known, and one extent by what is left.  0, or 2 with a sentence. */
static int find_extents(const char *file, const struct tensor *t, size_t n)
{
	static char why[200];
	size_t rest = t->bytes, most;
	int i, open = -1;
	for (i = 0; i < t->rank; i++) {
		const int64_t extent = extent_of(t, i);
		if (extent >= 0 && (extent < t->least[i] || extent > t->shape[i])) {
			say(stderr, NAME ": %s is out of range: a run has %d to %d\n", sums[t->sum[i]].words,
				(long long)t->least[i], (long long)t->shape[i]);
			return 2;
		}
		if (extent < 0 && (open >= 0 || open_scalar(t, i) < 0))
			return refuse(file, t, "a file of bare elements does not say its extents: give the numbers by NAME=N");
		if (extent < 0)
			open = i;
		else {
			t->extent[i] = extent;
			rest *= (size_t)extent;
		}
	}
	if (open < 0) {
		if (n == rest)
			return 0;
		sprintf(why, "it has %s%lu bytes, and %lu are wanted", n > rest ? "more than " : "",
			(unsigned long)(n > rest ? rest : n), (unsigned long)rest);
		return refuse(file, t, why);
	}
	most = rest * (size_t)t->shape[open];
	t->extent[open] = rest ? (int64_t)(n / rest) : t->least[open];
	if (n <= most && (rest ? n % rest : n) == 0 && t->extent[open] >= t->least[open])
		return 0;
	sprintf(why, "it has %s%lu bytes, and %lu are wanted for each of %ld to %ld", n > most ? "more than " : "",
		(unsigned long)(n > most ? most : n), (unsigned long)rest, (long)t->least[open], (long)t->shape[open]);
	return refuse(file, t, why);
}

/* -- files: .npy by their names, bare elements all others -- */

static int is_npy(const char *file)
{
	const size_t n = strlen(file);
	return n >= 4 && strcmp(file + n - 4, ".npy") == 0;
}

/* Exit codes: 0, or 2 with a sentence. */
static int read_tensor(const char *file, const struct tensor *t)
{
	size_t n, largest = t->bytes;
	int i, code;
	FILE *f;
	errno = 0;
	f = fopen(file, "rb");
	code = errno;
	if (!f) {
		sprintf(header, "cannot be opened as the %s", t->kind == STATE ? "state" : "input");
		say(stderr, NAME ": %s %s '%s'%s%s\n", file, header, t->name, code ? ": " : "", code ? strerror(code) : "");
		return 2;
	}
	/* A folder opens, and cannot be read. */
	i = fgetc(f);
	code = i == EOF && ferror(f) ? fail(file, "cannot be read", errno, 2) : 0;
	if (i != EOF)
		ungetc(i, f);
	if (!code && is_npy(file))
		code = read_header(file, t, f);
	for (i = 0; i < t->rank; i++)
		largest *= (size_t)t->shape[i];
	if (!code && is_npy(file)) {
		n = t->kind == INPUT ? bytes_of(t) : largest;
		if (fread(t->at, 1, n, f) != n || fgetc(f) != EOF)
			code = refuse(file, t, "it has more or fewer bytes than its shape says");
	} else if (!code) {
		n = fread(t->at, 1, largest, f);
		n += n == largest && fgetc(f) != EOF;
		if (n >= 6 && memcmp(t->at, "\x93NUMPY", 6) == 0 && bytes_of(t) != n)
			code = refuse(file, t, "it is an .npy file, and its name does not end in .npy");
		else
			code = find_extents(file, t, n);
	}
	if (!code && ferror(f))
		code = fail(file, "cannot be read", errno, 2);
	fclose(f);
	if (!code && t->kind == INPUT)
		imply(t);
	return code;
}

/* Rows lie at the largest extents; the file has those of this run. */
static int write_rows(FILE *f, const struct tensor *t, int axis, const char *at)
{
	size_t stride = t->bytes;
	int64_t i;
	int k, whole = 1;
	for (k = axis + 1; k < t->rank; k++) {
		stride *= (size_t)t->shape[k];
		whole = whole && t->extent[k] == t->shape[k];
	}
	if (axis >= t->rank)
		return fwrite(at, t->bytes, 1, f) == 1;
	if (whole)
		return stride == 0 || fwrite(at, stride, (size_t)t->extent[axis], f) == (size_t)t->extent[axis];
	for (i = 0; i < t->extent[axis]; i++)
		if (!write_rows(f, t, axis + 1, at + (size_t)i * stride))
			return 0;
	return 1;
}

static int write_tensor(const char *file, const struct tensor *t)
{
	int good, error;
	FILE *f;
	errno = 0;
	f = fopen(file, "wb");
	if (!f)
		return fail(file, "cannot be written", errno, 1);
	errno = 0;
	if (is_npy(file))
		write_header(t, f);
	good = write_rows(f, t, 0, t->at) && fflush(f) == 0 && !ferror(f);
	error = errno;
	if (fclose(f) != 0 && good) {
		good = 0;
		error = errno;
	}
	return good ? 0 : fail(file, "cannot be written", error, 1);
}

/* -- the command line -- */

/* Given by their place on the command line; the others by name. */
static int has_place(const struct tensor *t) { return t->kind != STATE && !t->implied; }

static int help(FILE *to)
{
	static const char *const kinds[] = { "reads", "writes", "state" };
	int i;
	say(to, "usage: " NAME " [--runs N]%s", THREADS > 1 ? " [--threads N]" : "");
	for (i = 0; i < N_TENSOR; i++)
		if (has_place(&tensors[i]))
			say(to, tensors[i].scalar ? " %s" : " %s.npy", tensors[i].name);
	for (i = 0; i < N_TENSOR; i++)
		if (!has_place(&tensors[i]))
			say(to, tensors[i].scalar ? " [%s=N]" : " [%s=FILE.npy]", tensors[i].name);
	say(to, "\n");
	for (i = 0; i < N_TENSOR; i++) {
		const struct tensor *t = &tensors[i];
		fprintf(to, "  %-7s ", kinds[t->kind]);
		say(to, "%s, ", t->name);
		say_type(to, t);
		say(to, t->kind == STATE ? ": read from the file if it is there, and written to it"
			: t->implied ? ": what the file of an input says, unless it is given" : t->scalar ? ": a number, or a file" : "");
		say(to, "\n");
	}
	say(to, "NAME=FILE gives one by its name.  A file whose name does not end in .npy has the elements alone, row by\n"
		"row, low byte first, as NumPy's tofile writes them.  --runs N calls the function N times.\n"
		"Exit code: 0; 1: it failed, or a file cannot be written; 2: a mistake in a file or the command line.\n");
	if (to != stdout)
		return 2;
	errno = 0;
	return fflush(to) == 0 && !ferror(to) ? 0 : fail("standard output", "cannot be written", errno, 1);
}

static const char *file_of[N_TENSOR + 1];

/* NAME=FILE, where NAME has no folder or ending in it: FILE may have a = of its own. */
static int no_name(char *word)
{
	const char *const *none = unread;
	int i;
	say(stderr, NAME ": '%s': ", word);
	word[strcspn(word, "=")] = '\0';
	while (*none && strcmp(*none, word) != 0)
		none++;
	if (*none) {
		say(stderr, "nothing reads the input '%s': leave it out\n", word);
		return 2;
	}
	say(stderr, "there is no '");
	say(stderr, "%s'; there is:", word);
	for (i = 0; i < N_TENSOR; i++)
		say(stderr, i ? ", %s" : " %s", tensors[i].name);
	word[strlen(word)] = '=';
	say(stderr, "; a file of this name is ./%s\n", word);
	return 2;
}

static int give_file(int i, const char *file)
{
	if (file_of[i])
		say(stderr, NAME ": '%s' is given twice: %s and %s\n", tensors[i].name, file_of[i], file);
	else if (!*file)
		say(stderr, NAME ": the name of the file for '%s' is empty\n", tensors[i].name);
	if (file_of[i] || !*file)
		return 2;
	file_of[i] = file;
	return 0;
}

/* Files in the order of the tensors; 0, or an exit code. */
static int take_file(char *word)
{
	static int next;                /* those before it have their files */
	int i;
	for (i = 0; i < N_TENSOR; i++) {
		const size_t n = strlen(tensors[i].name);
		if (strncmp(word, tensors[i].name, n) == 0 && word[n] == '=')
			return give_file(i, word + n + 1);
	}
	if (word[strcspn(word, "=./")] == '=')
		return no_name(word);
	while (next < N_TENSOR && (!has_place(&tensors[next]) || file_of[next]))
		next++;
	if (next < N_TENSOR)
		return give_file(next, word);
	say(stderr, NAME ": '%s' is one file too many\n", word);
	return help(stderr);
}

static int take_number(const char *word, long most, long *out)
{
	char *end = NULL;
	*out = word ? strtol(word, &end, 10) : 0;
	if (word && end != word && !*end && *out >= 1 && *out <= most)
		return 0;
	say(stderr, NAME ": '%s' is not a number from 1 to %d\n", word ? word : "", (long long)most);
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
			say(stderr, NAME ": there is no option '%s'; a file of this name is ./%s\n", word[i], word[i]);
			code = help(stderr);
		} else
			code = take_file(word[i]);
	for (i = 0; i < N_TENSOR && !code; i++)
		if (has_place(&tensors[i]) && !file_of[i]) {
			say(stderr, NAME ": a file for '%s' is missing\n", tensors[i].name);
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
#ifdef WITH_STAT
struct place { int known, regular; dev_t device; ino_t number; };
static struct place places[N_TENSOR + 1];
static void find_places(void)
{
	struct stat s;
	int i;
	for (i = 0; i < N_TENSOR; i++)
		if (file_of[i] && stat(file_of[i], &s) == 0) {
			places[i].known = 1;
			places[i].regular = S_ISREG(s.st_mode);
			places[i].device = s.st_dev;
			places[i].number = s.st_ino;
		}
}
#endif

static int same_file(int one, int two)
{
#ifdef WITH_STAT
	const struct place *a = &places[one], *b = &places[two];
	if (a->known && b->known)
		return a->regular && a->device == b->device && a->number == b->number;
#endif
	return strcmp(file_of[one], file_of[two]) == 0;
}

/* A number may be given in place of its file. */
static int read_number(const char *word, const struct tensor *t)
{
	char *end;
	int64_t value;
	errno = 0;
	value = strtoll(word, &end, 10);
	if (!t->scalar || end == word || *end || errno)
		return 0;
	memcpy(t->at, &value, sizeof value);
	return 1;
}

/* What is written may be no other file. */
static int check_files(void)
{
	int i, k;
#ifdef WITH_STAT
	find_places();
#endif
	for (i = 0; i < N_TENSOR; i++)
		for (k = 0; k < N_TENSOR; k++) {
			if (tensors[i].kind == INPUT || !file_of[i] || !file_of[k] || (tensors[k].kind != INPUT && k >= i))
				continue;
			if (same_file(i, k) && !read_number(file_of[k], &tensors[k])) {
				say(stderr, NAME ": '%s' and '%s' are the same file, %s: nothing was done; give '%s' another one\n",
					tensors[k].name, tensors[i].name, file_of[i], tensors[i].name);
				return 2;
			}
		}
	return 0;
}

/* Numbers first, for they may decide what else is right; then files that say their extents, and those that do not. */
enum { NUMBERS, SAY_EXTENTS, BARE };
static int read_all(int which)
{
	int i, code = 0;
	for (i = 0; i < N_TENSOR && !code; i++) {
		const struct tensor *t = &tensors[i];
		if (t->kind == RESULT || !file_of[i] || which != (t->scalar ? NUMBERS : is_npy(file_of[i]) ? SAY_EXTENTS : BARE))
			continue;
		if (t->kind == INPUT ? !read_number(file_of[i], t) : exists(file_of[i]))
			code = read_tensor(file_of[i], t);
		has_value[i] = 1;
	}
	return code;
}

int main(int argc, char **argv)
{
	static args a;
	const uint16_t one = 1;
	long runs = 1, threads = THREADS;
	int i, code;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return help(stdout);
	for (i = 0; i < N_TENSOR; i++)
		memcpy(tensors[i].extent, tensors[i].shape, (size_t)tensors[i].rank * sizeof *tensors[i].extent);
	code = take_words(argc, argv, &runs, &threads);
	if (!code && !*(const unsigned char *)&one)
		code = fail("this machine", "stores the high byte first, and this program does not read such files", 0, 2);
	if (!code)
		code = check_files();
	for (i = NUMBERS; i <= BARE && !code; i++)
		code = read_all(i);
	for (i = 0; i < N_TENSOR && !code; i++)
		if (tensors[i].kind == INPUT && !tensors[i].scalar && file_of[i])
			code = check_extents(file_of[i], &tensors[i]);
#ifdef WITH_THREADS
	if (!code && threads > 1)
		start_threads(&a, (uint32_t)threads);
#endif
	while (!code && runs-- > 0)
		if (call(&a)) {
			say(stderr, NAME ": %s (%d)\n", a.message, (long long)a.value);
			code = 1;
		}
	for (i = 0; i < N_TENSOR && !code; i++)
		if (tensors[i].kind != INPUT && file_of[i])
			code = write_tensor(file_of[i], &tensors[i]);
	return code;
}
