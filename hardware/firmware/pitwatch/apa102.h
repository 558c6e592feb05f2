// What a strip of APA102 or SK9822 lamps is told: four zeros; for each lamp its brightness, blue, green and red;
// half a clock for each lamp, at the end.
#pragma once
#include <stdint.h>

namespace pitwatch {

template <typename Send>
void apa102(Send send, const uint8_t* rgb, uint8_t count) {
  for (uint8_t i = 0; i < 4; i++) send(0);
  for (uint8_t i = 0; i < count; i++, rgb += 3) {
    send(0xFF);
    send(rgb[2]);
    send(rgb[1]);
    send(rgb[0]);
  }
  for (uint8_t i = 0; i <= count / 16; i++) send(0xFF);
}

}  // namespace pitwatch
