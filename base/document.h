/* document.h -- the name of a document in a sentence: of the installed file where it is there, else of that in the
 * sources.  A file that uses it is built with LT_DOC_DIR (DOCUMENTED in the Makefile). */
#ifndef LT_BASE_DOCUMENT_H
#define LT_BASE_DOCUMENT_H
#include <unistd.h>

#ifndef LT_DOC_DIR
#define LT_DOC_DIR "/usr/local/share/doc/looptree"
#endif
/* name: "schedule.md", as it stands in docs/. */
#define LT_DOCUMENT(name) (access(LT_DOC_DIR "/docs/" name, F_OK) ? "docs/" name : LT_DOC_DIR "/docs/" name)
#endif
