// What the firmware uses of the C library, which this chip's compiler comes without.
#pragma once
#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
int memcmp(const void* one, const void* other, size_t size);
int strcmp(const char* one, const char* other);
}
