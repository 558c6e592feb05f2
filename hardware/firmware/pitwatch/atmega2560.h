// The board on an ATmega2560 at 16 MHz, such as an Arduino Mega 2560. Which pin does what: hardware/pins.py.
#pragma once
#include <stdint.h>

#include "core.h"

namespace pitwatch {

class Atmega2560 {
 public:
  static const uint8_t kMaxCells = 34, kPorts = 5;  // A, C, L, K, and two pins of F
  static const uint8_t kMaxLights = 72, kNumButtons = 6;

  // While it lives, no interrupt comes.
  class Quiet {
   public:
    Quiet();
    ~Quiet();

   private:
    uint8_t before_;
  };

  void begin();
  void rest();  // sleep until an interrupt, at most a tick; and tell the watchdog that all is well

  uint16_t next_tick();  // called by the interrupt, each tick
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
