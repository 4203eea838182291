/* driver.h -- the CUDA driver and NVRTC, opened when a session is: nothing is linked with them.
 *
 * Rows of the maps: the member, the function whose type it has, the symbol, which stays the same when a newer toolkit
 * gives the function's name another version.
 */
#ifndef LT_CUDA_DRIVER_H
#define LT_CUDA_DRIVER_H
#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include "lt/backend.h"

#define LT_CUDA_DRIVER_MAP(X) \
	X(init, cuInit, "cuInit") \
	X(driver_version, cuDriverGetVersion, "cuDriverGetVersion") \
	X(error_name, cuGetErrorName, "cuGetErrorName") \
	X(error_text, cuGetErrorString, "cuGetErrorString") \
	X(device_count, cuDeviceGetCount, "cuDeviceGetCount") \
	X(device_get, cuDeviceGet, "cuDeviceGet") \
	X(device_name, cuDeviceGetName, "cuDeviceGetName") \
	X(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2") \
	X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute") \
	X(context_retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") \
	X(context_release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") \
	X(context_push, cuCtxPushCurrent, "cuCtxPushCurrent_v2") \
	X(context_pop, cuCtxPopCurrent, "cuCtxPopCurrent_v2") \
	X(memory_info, cuMemGetInfo, "cuMemGetInfo_v2") \
	X(memory_new, cuMemAlloc, "cuMemAlloc_v2") \
	X(memory_free, cuMemFree, "cuMemFree_v2") \
	X(pinned_new, cuMemHostAlloc, "cuMemHostAlloc") \
	X(pinned_free, cuMemFreeHost, "cuMemFreeHost") \
	X(pointer_attribute, cuPointerGetAttribute, "cuPointerGetAttribute") \
	X(copy_to_device, cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2") \
	X(copy_to_host, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2") \
	X(copy_within, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2") \
	X(copy_peer, cuMemcpyPeerAsync, "cuMemcpyPeerAsync") \
	X(fill, cuMemsetD8Async, "cuMemsetD8Async") \
	X(stream_new, cuStreamCreate, "cuStreamCreate") \
	X(stream_free, cuStreamDestroy, "cuStreamDestroy_v2") \
	X(stream_wait, cuStreamSynchronize, "cuStreamSynchronize") \
	X(stream_wait_event, cuStreamWaitEvent, "cuStreamWaitEvent") \
	X(event_new, cuEventCreate, "cuEventCreate") \
	X(event_free, cuEventDestroy, "cuEventDestroy_v2") \
	X(event_record, cuEventRecord, "cuEventRecord") \
	X(event_wait, cuEventSynchronize, "cuEventSynchronize") \
	X(event_query, cuEventQuery, "cuEventQuery") \
	X(event_elapsed, cuEventElapsedTime, "cuEventElapsedTime") \
	X(module_load, cuModuleLoadData, "cuModuleLoadData") \
	X(module_free, cuModuleUnload, "cuModuleUnload") \
	X(module_function, cuModuleGetFunction, "cuModuleGetFunction") \
	X(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute") \
	X(function_set, cuFuncSetAttribute, "cuFuncSetAttribute") \
	X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor") \
	X(launch, cuLaunchKernelEx, "cuLaunchKernelEx") \
	X(capture_begin, cuStreamBeginCapture, "cuStreamBeginCapture_v2") \
	X(capture_end, cuStreamEndCapture, "cuStreamEndCapture") \
	X(graph_make, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") \
	X(graph_free, cuGraphDestroy, "cuGraphDestroy") \
	X(graph_launch, cuGraphLaunch, "cuGraphLaunch") \
	X(graph_made_free, cuGraphExecDestroy, "cuGraphExecDestroy")

#define LT_CUDA_NVRTC_MAP(X) \
	X(version, nvrtcVersion, "nvrtcVersion") \
	X(error_text, nvrtcGetErrorString, "nvrtcGetErrorString") \
	X(arch_count, nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs") \
	X(archs, nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs") \
	X(program_new, nvrtcCreateProgram, "nvrtcCreateProgram") \
	X(program_free, nvrtcDestroyProgram, "nvrtcDestroyProgram") \
	X(compile, nvrtcCompileProgram, "nvrtcCompileProgram") \
	X(cubin_bytes, nvrtcGetCUBINSize, "nvrtcGetCUBINSize") \
	X(cubin, nvrtcGetCUBIN, "nvrtcGetCUBIN") \
	X(ptx_bytes, nvrtcGetPTXSize, "nvrtcGetPTXSize") \
	X(ptx, nvrtcGetPTX, "nvrtcGetPTX") \
	X(log_bytes, nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize") \
	X(log, nvrtcGetProgramLog, "nvrtcGetProgramLog")

#define LT_CUDA_MEMBER(member, function, symbol) __typeof__(function) *member;
struct lt_cuda_driver {
	LT_CUDA_DRIVER_MAP(LT_CUDA_MEMBER)
	int version;                    /* 13000 is 13.0 */
};
struct lt_cuda_nvrtc {
	LT_CUDA_NVRTC_MAP(LT_CUDA_MEMBER)
	/* NULL before CUDA 12.8: compiling cannot be cancelled then */
	nvrtcResult (*flow_callback)(nvrtcProgram, int (*)(void *, void *), void *);
	int major, minor;
	char path[512];                 /* its file, as the loader has it */
};
#undef LT_CUDA_MEMBER

/* LT_ELOAD: there is no driver.  Starts nothing. */
lt_status lt__cuda_driver_there(struct lt_diag *);
/* LT_ELOAD: the library or a function of it is not there; LT_EDEVICE: the driver does not start, or has no device. */
lt_status lt__cuda_driver_load(struct lt_cuda_driver *, struct lt_diag *);
/* LT_ELOAD; the NVRTC of the driver's major version is preferred: a cubin of a newer one may not be loaded by it. */
lt_status lt__cuda_nvrtc_load(struct lt_cuda_nvrtc *, int driver_version, struct lt_diag *);
/* "CUDA_ERROR_OUT_OF_MEMORY, out of memory" into text; it works without a device, too. */
void lt__cuda_error(const struct lt_cuda_driver *, CUresult, char *text, size_t bytes);
#endif
