/* OpenCL C has no matrix instruction of that description; kernel matrix, region 1, 'fragment' */
