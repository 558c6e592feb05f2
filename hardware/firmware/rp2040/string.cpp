#include "string.h"

#include <stdint.h>

void* memcpy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; i++) static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[i];
  return to;
}

void* memset(void* to, int value, size_t size) {
  for (size_t i = 0; i < size; i++) static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(value);
  return to;
}

int memcmp(const void* one, const void* other, size_t size) {
  const uint8_t *a = static_cast<const uint8_t*>(one), *b = static_cast<const uint8_t*>(other);
  for (; size; size--, a++, b++) {
    if (*a != *b) return *a - *b;
  }
  return 0;
}

int strcmp(const char* one, const char* other) {
  for (; *one && *one == *other; one++) other++;
  return static_cast<uint8_t>(*one) - static_cast<uint8_t>(*other);
}
