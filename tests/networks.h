/* networks.h -- scripts of whole networks without their weights: the layers and shapes that models have. */
#ifndef TESTS_NETWORKS_H
#define TESTS_NETWORKS_H
#include <stdbool.h>
#include <stdio.h>

/* Writes the script of "mobilenetv2", "resnet18", "resnet50" (an image of 224x224), "bert" (base, 128 tokens), "gpt2"
 * (small, 128 tokens) or "gpt2_step" (one token after 128, whose keys and values are inputs), or "squeezenet",
 * "densenet121", "efficientnet_b0" or "inception_v3" (299x299), which are for routines alone, all of one batch; false:
 * there is no network of that name.  type: "float32", or "float16", to which every operator then rounds. */
bool network_write(const char *name, const char *type, FILE *out);
/* The names, NULL after the last one, but for those that are for routines alone. */
extern const char *const network_names[];
#endif
