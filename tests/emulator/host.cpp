// The firmware's portable core on this computer, for the sanitizers: bytes of a host on stdin. Each frame that the
// decoder finds, or fault, is told in a line on stdout; the whole core is given the same bytes.
#include <stdio.h>
#include <stdlib.h>

#include "../../hardware/firmware/pitwatch/core.h"

using namespace pitwatch;

// Converters that are always ready, and a host whose answers are read by a second decoder.
struct HostBoard {
  static const uint8_t kMaxCells = 34, kPorts = 5, kMaxLights = 72, kNumButtons = 6;
  struct Quiet {
    Quiet() {}
    ~Quiet() {}
  };
  uint32_t now = 0;
  int16_t next = -1;
  Deframer answers;

  void look(uint8_t* lines) { memset(lines, 0, kPorts); }
  void train(uint8_t (*rows)[kPorts], uint8_t* after) {
    memset(rows, 0x5A, 24 * kPorts);
    memset(after, 0xFF, kPorts);
  }
  void restart(uint8_t) {}
  uint32_t micros() { return now; }
  uint16_t ticks() { return static_cast<uint16_t>(now / kTickMicros); }
  uint8_t tick_micros() { return 0; }
  Identity identity() { return Identity{{1, 2, 3, 4, 5, 6, 7, 8}, 34}; }
  uint32_t count_start() { return 1; }
  uint8_t cause() { return 1; }
  int16_t receive() {
    const int16_t byte = next;
    next = -1;
    return byte;
  }
  uint16_t room() { return 511; }
  void send(uint8_t byte) {
    // Frames are whole, whatever the host has sent; text is none, and ends with a zero before the next frame.
    const Cut cut = answers.feed(byte);
    if (cut == Cut::kFrame && answers.payload()[0] >= 0x80) abort();
  }
  void lamp(bool) {}
  uint8_t buttons() { return static_cast<uint8_t>(now >> 16); }
  void lights(const uint8_t*, uint8_t) {}
};

static void tell(Cut cut, const Deframer& deframer) {
  static const char* const kFaults[] = {"", "", "stuffing", "short", "checksum", "long"};
  if (cut == Cut::kNothing) return;
  if (cut != Cut::kFrame) {
    puts(kFaults[static_cast<uint8_t>(cut)]);
    return;
  }
  printf("frame ");
  for (uint16_t k = 0; k < deframer.length(); k++) printf("%02x", deframer.payload()[k]);
  puts("");
}

int main() {
  static uint8_t data[1 << 20];
  const size_t size = fread(data, 1, sizeof data, stdin);
  Deframer deframer;
  HostBoard board;
  Core<HostBoard> core(board);
  core.begin();
  for (size_t i = 0; i < size; i++) {
    tell(deframer.feed(data[i]), deframer);
    board.now += 50;
    board.next = data[i];
    core.bank.tick(board.ticks());
    core.poll();
  }
  return 0;
}
