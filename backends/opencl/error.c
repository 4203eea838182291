/* error.c -- what is said when a call of OpenCL fails. */
#include <stdarg.h>
#include <stdio.h>
#include "backends/opencl/session.h"

enum { PLATFORM_NOT_FOUND = -1001 };    /* the loader's; CL_PLATFORM_NOT_FOUND_KHR of CL/cl_ext.h */

static const struct opencl_error { cl_int code; const char *name; } errors[] = {
#define ROW(name) { name, #name },
	ROW(CL_DEVICE_NOT_FOUND) ROW(CL_DEVICE_NOT_AVAILABLE) ROW(CL_COMPILER_NOT_AVAILABLE)
	ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE) ROW(CL_OUT_OF_RESOURCES) ROW(CL_OUT_OF_HOST_MEMORY)
	ROW(CL_PROFILING_INFO_NOT_AVAILABLE) ROW(CL_MEM_COPY_OVERLAP) ROW(CL_BUILD_PROGRAM_FAILURE) ROW(CL_MAP_FAILURE)
	ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET) ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
	ROW(CL_COMPILE_PROGRAM_FAILURE) ROW(CL_LINKER_NOT_AVAILABLE) ROW(CL_LINK_PROGRAM_FAILURE) ROW(CL_INVALID_VALUE)
	ROW(CL_INVALID_DEVICE_TYPE) ROW(CL_INVALID_PLATFORM) ROW(CL_INVALID_DEVICE) ROW(CL_INVALID_CONTEXT)
	ROW(CL_INVALID_QUEUE_PROPERTIES) ROW(CL_INVALID_COMMAND_QUEUE) ROW(CL_INVALID_HOST_PTR) ROW(CL_INVALID_MEM_OBJECT)
	ROW(CL_INVALID_BINARY) ROW(CL_INVALID_BUILD_OPTIONS) ROW(CL_INVALID_PROGRAM) ROW(CL_INVALID_PROGRAM_EXECUTABLE)
	ROW(CL_INVALID_KERNEL_NAME) ROW(CL_INVALID_KERNEL_DEFINITION) ROW(CL_INVALID_KERNEL) ROW(CL_INVALID_ARG_INDEX)
	ROW(CL_INVALID_ARG_VALUE) ROW(CL_INVALID_ARG_SIZE) ROW(CL_INVALID_KERNEL_ARGS) ROW(CL_INVALID_WORK_DIMENSION)
	ROW(CL_INVALID_WORK_GROUP_SIZE) ROW(CL_INVALID_WORK_ITEM_SIZE) ROW(CL_INVALID_GLOBAL_OFFSET)
	ROW(CL_INVALID_EVENT_WAIT_LIST) ROW(CL_INVALID_EVENT) ROW(CL_INVALID_OPERATION) ROW(CL_INVALID_BUFFER_SIZE)
	ROW(CL_INVALID_GLOBAL_WORK_SIZE) ROW(CL_INVALID_PROPERTY) ROW(CL_INVALID_COMPILER_OPTIONS)
	ROW(CL_INVALID_LINKER_OPTIONS)
#undef ROW
	{ PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR" },
};

const char *lt__opencl_error(cl_int code, char *text, size_t bytes)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == code)
			return errors[i].name;
	(void)snprintf(text, bytes, "error %d of OpenCL", (int)code);
	return text;
}

lt_status lt__opencl_check(cl_int code, struct lt_diag *diag, const char *what, ...)
{
	char text[320], number[40];
	va_list args;
	if (code == CL_SUCCESS)
		return LT_OK;
	va_start(args, what);
	(void)vsnprintf(text, sizeof text, what, args);
	va_end(args);
	return lt__report(diag, code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ? LT_ENOMEM
		: LT_EDEVICE, -1, -1, NULL, "%s: %s", text, lt__opencl_error(code, number, sizeof number));
}
