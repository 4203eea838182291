/* names.c -- names that a function of C may not have: words of the languages, names of their library and of the program
 * around the function. */
#include <ctype.h>
#include <string.h>
#include "tools/build/build.h"

/* Words of C and of C++, in which the header may be included; each with a blank behind it. */
static const char keywords[] =
	" alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
	"co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
	"default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
	"int linux long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
	"register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
	"struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union "
	"unix unsigned using virtual void volatile wchar_t while xor xor_eq ";

/* What C libraries define, ISO C's and POSIX's: another function of the name would take their place, or does not
 * compile beside their headers.  Those of <math.h> also end in f and l, others in _l, _r or _unlocked. */
static const char library_to_l[] = " "
	"EOF FILE I a64l abort abs accept access acos acosh alarm aligned_alloc alloca arc4random arc4random_buf "
	"arc4random_uniform asctime asin asinh assert at_quick_exit atan atan2 atanh atexit atof atoi atol atoll "
	"basename bcmp bcopy bind brk bsearch btowc bzero cabs cacos cacosh calloc carg casin casinh catan catanh cbrt "
	"ccos ccosh ceil cexp chdir chmod chown chroot cimag clearenv clearerr clock clock_getcpuclockid clock_getres "
	"clock_gettime clock_nanosleep clock_settime clock_t clog close complex confstr conj connect copysign cos cosh "
	"cpow cproj creal creat crypt csin csinh csqrt ctan ctanh ctermid ctime daddr_t dev_t difftime div div_t "
	"dprintf drand48 drem dup dup2 duplocale dysize ecvt environ erand48 erf erfc errno execl execle execlp execv "
	"execve execvp exit exp exp2 explicit_bzero expm1 fabs faccessat fchdir fchmod fchmodat fchown fchownat fclose "
	"fcntl fcvt fd_set fdatasync fdim fdopen feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof "
	"feraiseexcept ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv fexecve fflush ffs ffsl "
	"ffsll fgetc fgetpos fgets fgetwc fgetws fileno finite flockfile floor fma fmax fmemopen fmin fmod fopen fork "
	"fpathconf fpclassify fpos_t fprintf fputc fputs fputwc fputws fread free freelocale freopen frexp fscanf "
	"fseek fseeko fsetpos fstat fstatat fsync ftell ftello ftruncate ftrylockfile funlockfile futimens fwprintf "
	"fwrite fwscanf gamma gcvt getc getchar getcwd getdate getdelim getdtablesize getegid getentropy getenv "
	"geteuid getgid getgroups gethostid gethostname getline getloadavg getlogin getopt getpagesize getpass "
	"getpeername getpgid getpgrp getpid getppid gets getsockname getsockopt getsubopt getuid getw getwc getwchar "
	"getwd gid_t gmtime grantpt hypot id_t ilogb imaginary imaxabs imaxdiv index initstate ino_t int16_t int32_t "
	"int64_t int8_t int_least8_t intmax_t intptr_t isalnum isalpha isascii isatty isblank iscntrl isdigit isfinite "
	"isgraph isgreater isinf isless islower isnan isnormal isprint ispunct isspace isunordered isupper iswalnum "
	"iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit "
	"isxdigit j0 j1 jmp_buf jn jrand48 key_t kill l64a labs lchown lcong48 ldexp ldiv ldiv_t lgamma lgammaf "
	"lgammal link linkat listen llabs lldiv lldiv_t llrint llround localeconv localtime lockf log log10 log1p log2 "
	"logb longjmp lrand48 lrint lround lseek lstat ",
	library_from_m[] = " "
	"NULL madvise malloc mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp "
	"memcpy memmove memset mincore mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkstemp mkstemps mktemp "
	"mktime mlock mlockall mmap mode_t modf mprotect mrand48 msync munlock munlockall munmap nan nanosleep "
	"nearbyint newlocale nextafter nexttoward nice nrand48 off_t offsetof on_exit open open_memstream "
	"open_wmemstream openat pathconf pause pclose perror pid_t pipe popen posix_fadvise posix_fallocate "
	"posix_madvise posix_memalign posix_openpt pow pread printf pselect psiginfo psignal ptrdiff_t ptsname putc "
	"putchar putenv puts putw putwc putwchar pwrite qecvt qfcvt qgcvt qsort quad_t quick_exit raise rand random "
	"read readlink readlinkat realloc reallocarray realpath recv recvfrom recvmsg remainder remove remquo rename "
	"renameat rewind rindex rint rmdir round rpmatch sbrk scalb scalbln scalbn scanf sched_get_priority_max "
	"sched_get_priority_min sched_getparam sched_getscheduler sched_rr_get_interval sched_setparam "
	"sched_setscheduler sched_yield seed48 select send sendmsg sendto setbuf setbuffer setegid setenv seteuid "
	"setgid setjmp setlinebuf setlocale setpgid setpgrp setregid setreuid setsid setsockopt setstate setuid "
	"setvbuf shm_open shm_unlink shutdown sigaction sigaddset sigaltstack sigdelset sigemptyset sigfillset "
	"siginterrupt sigismember siglongjmp signal signbit signgam significand sigpending sigprocmask sigqueue "
	"sigset_t sigtimedwait sigwait sigwaitinfo sin sinh size_t sleep snprintf sockatmark socket socketpair sprintf "
	"sqrt srand srand48 srandom sscanf ssize_t stat stderr stdin stdout stpcpy stpncpy strcasecmp strcat strchr "
	"strcmp strcoll strcpy strcspn strdup strerror strftime strlcat strlcpy strlen strncasecmp strncat strncmp "
	"strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtoimax "
	"strtok strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strxfrm swprintf swscanf symlink "
	"symlinkat sync sysconf system tan tanh tcgetpgrp tcsetpgrp tempnam tgamma thrd_create time time_t timegm "
	"timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec_get tmpfile tmpnam "
	"toascii tolower toupper towctrans towlower towupper trunc truncate ttyname tzset ualarm uid_t uint uint16_t "
	"uint32_t uint64_t uint8_t uintmax_t uintptr_t ulong umask ungetc ungetwc unlink unlinkat unlockpt unsetenv "
	"uselocale ushort usleep utimensat va_arg va_copy va_end va_list va_start valloc vdprintf vfork vfprintf "
	"vfscanf vfwprintf vfwscanf void vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf "
	"wchar_t wcpcpy wcpncpy wcrtomb wcscasecmp wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen "
	"wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof "
	"wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb wctrans "
	"wctype wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf write wscanf y0 y1 yn ";

/* Macros of the headers that the texts include, as glibc and others have them; a * stands for any end. */
static const char macros[] = " "
	"ACCESSPERMS ADJ_* AIO_PRIO* ALLPERMS BC_* BIG_ENDIAN BUFSIZ BYTE_ORDER CLOCKS_PER_SEC CLOCK_* CLONE_* CPU_* "
	"CSIGNAL DEFFILEMODE DOMAIN E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EAUTH EBADE "
	"EBADF EBADFD EBADMSG EBADR EBADRPC EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED "
	"ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOOFUS EDOTDOT EDQUOT EEXIST EFAULT EFBIG EFTYPE "
	"EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED "
	"EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG "
	"ELOCKUNMAPPED ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENEEDAUTH ENETDOWN "
	"ENETRESET ENETUNREACH ENFILE ENOANO ENOATTR ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK "
	"ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTACTIVE ENOTBLK ENOTCONN ENOTDIR "
	"ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM "
	"EPFNOSUPPORT EPIPE EPROCLIM EPROCUNAVAIL EPROGMISMATCH EPROGUNAVAIL EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE "
	"EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ERPCMISMATCH ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT "
	"ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL "
	"EXIT_FAILURE EXIT_SUCCESS FD_* FILENAME_MAX FOPEN_MAX FP_* HUGE_VAL* INFINITY INT16_C INT16_MAX INT16_MIN "
	"INT16_WIDTH INT32_C INT32_MAX INT32_MIN INT32_WIDTH INT64_C INT64_MAX INT64_MIN INT64_WIDTH INT8_C INT8_MAX "
	"INT8_MIN INT8_WIDTH INTMAX_C INTMAX_MAX INTMAX_MIN INTMAX_WIDTH INTPTR_MAX INTPTR_MIN INTPTR_WIDTH INT_FAST* "
	"INT_LEAST* IOV_MAX LITTLE_ENDIAN L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MB_CUR_MAX "
	"MOD_* M_* NAME_MAX NAN NFDBITS NGREG OVERFLOW PATH_MAX PDP_ENDIAN PIPE_BUF PLOSS PTHREAD_* PTRDIFF_MAX "
	"PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir RAND_MAX RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT SCHED_* SEEK_CUR "
	"SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SING SIZE_MAX SIZE_WIDTH "
	"SNAN SNANF SNANF128 SNANF32 SNANF32X SNANF64 SNANF64X SNANL STATX_* STA_* S_BLKSIZE S_I* S_TYPEISMQ S_TYPEISSEM "
	"S_TYPEISSHM TIMER_ABSTIME TIME_UTC TLOSS TMP_MAX UINT16_C UINT16_MAX UINT16_WIDTH UINT32_C UINT32_MAX "
	"UINT32_WIDTH UINT64_C UINT64_MAX UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH UINTMAX_C UINTMAX_MAX UINTMAX_WIDTH "
	"UINTPTR_MAX UINTPTR_WIDTH UINT_FAST* UINT_LEAST* UNDERFLOW UTIME_NOW UTIME_OMIT WCHAR_MAX WCHAR_MIN WCHAR_WIDTH "
	"WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WINT_MAX WINT_MIN WINT_WIDTH "
	"WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED XATTR_* X_TLOSS be16toh be32toh be64toh htobe16 htobe32 "
	"htobe64 htole16 htole32 htole64 iscanonical iseqsig isgreaterequal islessequal islessgreater issignaling "
	"issubnormal iszero le16toh le32toh le64toh math_errhandling sched_priority st_atime st_ctime st_mtime strdupa "
	"strndupa ";

/* Macros of POSIX's headers that end as names of ours do: F_OK is one of <unistd.h>'s, and what the header of
 * a function f has, too. */
static const char like_ours[] = " CPU_ALLOC_SIZE EX_OK FALLOC_FL_* FP_XSTATE_* F_OK GROUP_FILTER_SIZE IP_MSFILTER_SIZE "
	"MM_OK PAGE_SIZE R_OK STATX_SIZE W_OK X_OK ";
static const char *const our_ends[] = { "_OK", "_MISSING", "_UNALIGNED", "_RANGE", "_INDEX", "_SIZE", "_H", "_THREADS",
	"_WORKSPACE_BYTES", "_CONSTANT_BYTES" };

/* Headers of C and of POSIX that are in no folder. */
static const char headers[] = " "
	"aio assert complex cpio ctype dirent dlfcn errno fcntl features fenv float fmtmsg fnmatch ftw glob grp iconv "
	"inttypes iso646 langinfo libgen limits locale malloc math memory monetary mqueue ndbm netdb nl_types poll "
	"pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbit stdbool stdckdint "
	"stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar termios tgmath threads time trace uchar "
	"ulimit unistd utime utmpx wchar wctype wordexp ";

/* What the texts around the function call their own (tools/build/standalone/, program/export/table.c, kernels). */
static const char own[] = " "
	"ALIGNED BARE INPUT LOOKS LOOKS_A_TURN LT_* NAME NUMBERS N_TENSOR PIECES RANGE_BITS RESULT SAY_EXTENTS STATE "
	"THREADS WITH_STAT WITH_THREADS args bytes_of call changes check_extents check_files count exists extent_I* "
	"extent_R* extent_S* extent_of fail file_of find_extents find_places found_shape found_type give_file has_place "
	"has_value header help imply is_npy is_type least_I* least_R* least_S* look looking lt_* memory_I* memory_R* "
	"memory_S* model_of no_name open_scalar parallel_for places read_all read_header read_number read_shape "
	"read_tensor refuse replace same_file say say_type serve shape_I* shape_R* shape_S* show start_threads started "
	"sum_I* sum_R* sum_S* sums take_file take_number take_piece take_words team tensors terms try_* unread value_at "
	"value_of work workspace write_header write_rows write_tensor ";

static bool is_word(const char *words, const char *name, size_t n)
{
	char word[64];

	if (n == 0 || n >= sizeof word - 2)
		return false;
	snprintf(word, sizeof word, " %.*s ", (int)n, name);
	return strstr(words, word) != NULL;
}

/* The same of words that may end in *, which stands for any end. */
static bool matches(const char *words, const char *name)
{
	const size_t n = strlen(name);
	char begin[64];

	for (size_t k = 1; k <= n && k < sizeof begin - 1; k++) {
		snprintf(begin, sizeof begin, "%.*s*", (int)k, name);
		if (is_word(words, begin, k + 1))
			return true;
	}
	return is_word(words, name, n);
}

/* k0_softmax is what kernels are called. */
static bool is_kernel(const char *name)
{
	const size_t n = *name == 'k' ? strspn(name + 1, "0123456789") : 0;

	return n > 0 && name[n + 1] == '_';
}

static bool is_library(const char *name)
{
	static const char *const ends[] = { "", "f", "l", "_l", "_r", "_unlocked" };
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const size_t k = strlen(ends[i]);

		if (n > k && !strcmp(name + n - k, ends[i]) && (is_word(library_to_l, name, n - k)
				|| is_word(library_from_m, name, n - k)))
			return true;
	}
	return !strncmp(name, "pthread_", 8) || matches(macros, name);
}

bool build_header_taken(const char *name) { return is_word(headers, name, strlen(name)); }

const char *build_name_taken(const char *name)
{
	const size_t n = strlen(name);

	return is_word(keywords, name, n) ? "is a word of C or C++"
		: matches(own, name) || is_kernel(name) ? "is a name within the program around it"
		: is_library(name) ? "is a name of the C library" : !strcmp(name, "main") ? "is where C programs begin" : NULL;
}

bool build_macro_taken(const char *name)
{
	char word[300];

	for (size_t i = 0; i < sizeof our_ends / sizeof *our_ends; i++) {
		size_t n = (size_t)snprintf(word, sizeof word, "%s", name);

		if (n + strlen(our_ends[i]) >= sizeof word)
			return false;
		for (size_t k = 0; k < n; k++)
			word[k] = (char)toupper((unsigned char)word[k]);
		strcpy(word + n, our_ends[i]);
		if (matches(like_ours, word))
			return true;
	}
	return false;
}
