/* none.c -- no fault: what all others differ from by one. */
#include "tests/faults/fault.h"
FAULTY("none", .run = plain_run)
