// The board on an RP2040 with a crystal of 12 MHz, such as a Raspberry Pi Pico. Numbers of pins are GPIO numbers:
//
//   0, 1      serial line to the host: sends, receives
//   2 .. 21   the data lines of up to 20 cells
//   18, 19    with 16 cells or fewer: clock and data of a strip of lamps
//   22        the converters' clock
//   25        lamp
//   26        RATE of the converters
//   27, 28    buttons, to ground
#pragma once
#include <stdint.h>

#include "../pitwatch/core.h"

#ifndef CELLS
#define CELLS 20
#endif

namespace pitwatch {

class Rp2040 {
 public:
  static const uint8_t kMaxCells = CELLS, kPorts = 3;
  static const uint8_t kMaxLights = CELLS > 16 ? 0 : 72, kNumButtons = 2;
  static_assert(CELLS >= 1 && CELLS <= 20, "An RP2040 has pins for 1 to 20 cells.");

  // While it lives, no interrupt comes.
  class Quiet {
   public:
    Quiet();
    ~Quiet();

   private:
    uint32_t before_;
  };

  void begin();
  void rest();  // sleep until an interrupt, at most a tick; and tell the watchdog that all is well

  uint16_t next_tick();  // called by the interrupt, each tick; hands bytes to and from the serial line
  uint16_t ticks();
  uint8_t tick_micros();  // since the last tick
  uint32_t micros();  // since the start; wraps

  Identity identity();
  uint32_t count_start();
  uint8_t cause();

  void look(uint8_t* lines);
  void train(uint8_t (*rows)[kPorts], uint8_t* after);
  void restart(uint8_t rate);

  int16_t receive();
  uint16_t room();
  void send(uint8_t byte);  // only where there is room

  void lamp(bool on);
  uint8_t buttons();
  void lights(const uint8_t* rgb, uint8_t count);
};

}  // namespace pitwatch
