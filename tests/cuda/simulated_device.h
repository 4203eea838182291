/* simulated_device.h -- the driver that is not there (mock.h) runs what NVRTC has compiled: each launch by
 * the simulator, from the parameters, the blocks and the memory that the driver was given.
 *
 * The backend `cuda_sim` is `cuda` on such a device; it remembers the kernel program of each object.
 */
#ifndef TESTS_CUDA_SIMULATED_DEVICE_H
#define TESTS_CUDA_SIMULATED_DEVICE_H
#include "tests/cuda/mock.h"

/* Registers it, once in a process. */
void simulated_device(struct mock_cuda *);
/* What the first launch that went wrong says; "": none did. */
const char *simulated_device_wrong(void);
int simulated_device_launches(void);
#endif
