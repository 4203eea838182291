/* driver.h -- the loader of OpenCL's drivers, opened when a session is: nothing is linked with it.
 *
 * Only what OpenCL 1.2 has is asked for, so that any loader serves.
 */
#ifndef LT_OPENCL_DRIVER_H
#define LT_OPENCL_DRIVER_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include "lt/backend.h"

#define LT_OPENCL_MAP(X) \
	X(platforms, clGetPlatformIDs) \
	X(platform_fact, clGetPlatformInfo) \
	X(devices, clGetDeviceIDs) \
	X(device_fact, clGetDeviceInfo) \
	X(context_new, clCreateContext) \
	X(context_free, clReleaseContext) \
	X(queue_new, clCreateCommandQueue) \
	X(queue_free, clReleaseCommandQueue) \
	X(queue_keep, clRetainCommandQueue) \
	X(queue_flush, clFlush) \
	X(memory_new, clCreateBuffer) \
	X(memory_free, clReleaseMemObject) \
	X(write, clEnqueueWriteBuffer) \
	X(read, clEnqueueReadBuffer) \
	X(copy, clEnqueueCopyBuffer) \
	X(fill, clEnqueueFillBuffer) \
	X(program_new, clCreateProgramWithSource) \
	X(program_load, clCreateProgramWithBinary) \
	X(program_build, clBuildProgram) \
	X(program_fact, clGetProgramInfo) \
	X(program_said, clGetProgramBuildInfo) \
	X(program_keep, clRetainProgram) \
	X(program_free, clReleaseProgram) \
	X(kernel_new, clCreateKernel) \
	X(kernel_fact, clGetKernelWorkGroupInfo) \
	X(kernel_argument, clSetKernelArg) \
	X(kernel_free, clReleaseKernel) \
	X(launch, clEnqueueNDRangeKernel) \
	X(marker, clEnqueueMarkerWithWaitList) \
	X(event_wait, clWaitForEvents) \
	X(event_time, clGetEventProfilingInfo) \
	X(event_free, clReleaseEvent)

#define LT_OPENCL_MEMBER(member, function) __typeof__(function) *member;
struct lt_opencl_driver { LT_OPENCL_MAP(LT_OPENCL_MEMBER) };
#undef LT_OPENCL_MEMBER

/* LT_ELOAD: the library or a function of it is not there. */
lt_status lt__opencl_driver_load(struct lt_opencl_driver *, struct lt_diag *);
/* error.c: the name of an error, "CL_OUT_OF_RESOURCES"; of one that it does not know, its number, in text. */
const char *lt__opencl_error(cl_int, char *text, size_t bytes);
#endif
