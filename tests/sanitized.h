/* sanitized.h -- whether a sanitizer is linked that has memory, threads and locks of its own. */
#ifndef LT_TESTS_SANITIZED_H
#define LT_TESTS_SANITIZED_H
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#elif defined __has_feature
enum { SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif
#endif
