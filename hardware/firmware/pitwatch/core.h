// The board's end of the link (docs/link.md): says who it is and what the cells show, and does what it is told. It
// judges nothing: counts go out as the converters gave them.
#pragma once
#include <stdint.h>
#include <string.h>

#include "bank.h"
#include "framing.h"

namespace pitwatch {

static const uint8_t kMajor = 1, kMinor = 1;
static const char kFirmware[] = "pitwatch 1.1";

enum Type : uint8_t {
  kHello = 0x01, kSample = 0x02, kAck = 0x03,
  kHelloRequest = 0x81, kSetRate = 0x82, kIdentify = 0x83, kSetLights = 0x84
};
enum Status : uint8_t { kDone = 0, kUnknownCommand = 1, kBadArgument = 2 };
enum Capability : uint8_t { kLights = 1, kButtons = 2, kText = 4 };

// What a board keeps when it has no power, beside the number of its starts.
struct Identity {
  uint8_t id[8];
  uint8_t cells;
};

// Board is to give what Bank asks of it, and:
//   kMaxLights, kNumButtons
//   Identity identity(), uint32_t count_start(), uint8_t cause()
//   int16_t receive()              the next byte from the host, -1 for none
//   uint16_t room(), void send(uint8_t)
//   void lamp(bool), uint8_t buttons(), void lights(const uint8_t* rgb, uint8_t count)
template <class Board>
class Core {
 public:
  explicit Core(Board& board) : bank(board), board_(board) {}

  void begin() {
    own_ = board_.identity();
    start_ = board_.count_start();
    cause_ = board_.cause();
    bank.start(own_.cells, 10);
    board_.send(0);
    hello();
  }

  // Do what is due.
  void poll() {
    int16_t byte;
    while ((byte = board_.receive()) >= 0) {
      if (in_.feed(static_cast<uint8_t>(byte)) == Cut::kFrame) obey(in_.payload(), in_.length());
      if (lines_.feed(static_cast<uint8_t>(byte))) obey_line(lines_.line());
    }
    if (bank.poll()) {
      if (text_) {
        say_line();
      } else {
        sample();
      }
      seq_++;
    }
    const uint32_t now = board_.micros();
    if (now - looked_ >= kButtonMicros) {
      looked_ = now;
      debounce();
    }
    if (blinks_ && now - blinked_ >= kBlinkMicros) {
      blinked_ = now;
      board_.lamp(--blinks_ % 2);
    }
  }

  Bank<Board> bank;

 private:
  static const uint32_t kButtonMicros = 5000, kBlinkMicros = 125000;
  static const uint8_t kSteady = 4;  // looks that make a button's new state
  static const uint16_t kSampleSize = 9 + 4 * Board::kMaxCells + 1 + Board::kNumButtons + 2;
  static const uint16_t kTextSize = 30 + 12 * Board::kMaxCells;

  void hello() {
    Payload<64> out(kHello);
    if (board_.room() < out.kOnWire) return;  // it is asked for again
    out.u8(kMajor);
    out.u8(kMinor);
    for (uint8_t i = 0; i < sizeof own_.id; i++) out.u8(own_.id[i]);
    out.u8(own_.cells);
    out.u8(3);  // rates: 10 and 80
    out.u8(bank.rate());
    out.u16((Board::kMaxLights ? kLights : 0) | kButtons | kText);
    out.u32(start_);
    out.u8(cause_);
    out.u8(sizeof kFirmware - 1);
    for (uint8_t i = 0; i + 1u < sizeof kFirmware; i++) out.u8(static_cast<uint8_t>(kFirmware[i]));
    out.send(board_);
  }

  void sample() {
    Payload<kSampleSize> out(kSample);
    if (board_.room() < out.kOnWire) return;  // the next one is the whole board again
    out.u16(seq_);
    out.u32(bank.micros());
    out.u8(static_cast<uint8_t>(start_));
    out.u8(own_.cells);
    for (uint8_t i = 0; i < own_.cells; i++) {
      const uint8_t* count = bank.count(i);
      out.u8(count[0]);
      out.u8(count[1]);
      out.u8(count[2]);
      out.u8(bank.flags(i));
    }
    out.u8(Board::kNumButtons);
    for (uint8_t i = 0; i < Board::kNumButtons; i++) out.u8(presses_[i]);
    out.send(board_);
  }

  void ack(uint8_t id, Status status) {
    Payload<5> out(kAck);
    if (board_.room() < out.kOnWire) return;
    out.u8(id);
    out.u8(status);
    out.send(board_);
  }

  void obey(const uint8_t* at, uint16_t length) {
    if (length < 2 || at[0] < 0x80) return;  // no command, or one without an id to answer to
    if (text_) {
      if (board_.room() == 0) return;  // its frames would be one with the text: the host says it again
      board_.send(0);
    }
    text_ = false;
    const uint8_t id = at[1];
    switch (at[0]) {
      case kHelloRequest:
        return hello();
      case kSetRate:
        return ack(id, length >= 3 && set_rate(at[2]) ? kDone : kBadArgument);
      case kIdentify:
        if (length < 3) return ack(id, kBadArgument);
        identify(at[2]);
        return ack(id, kDone);
      case kSetLights:
        return ack(id, length >= 4 && set_lights(at[2], at[3], at + 4, length - 4u) ? kDone : kBadArgument);
      default:
        return ack(id, kUnknownCommand);
    }
  }

  bool set_rate(uint8_t rate) {
    if (rate != 10 && rate != 80) return false;
    if (rate != bank.rate()) bank.start(own_.cells, rate);
    return true;
  }

  void identify(uint8_t seconds) {
    blinks_ = static_cast<uint16_t>(8 * seconds);
    blinked_ = board_.micros();
    board_.lamp(blinks_);
  }

  bool set_lights(uint8_t first, uint8_t count, const uint8_t* rgb, uint16_t bytes) {
    if (!Board::kMaxLights || first + count > Board::kMaxLights || bytes < 3u * count) return false;
    memcpy(lights_ + 3 * first, rgb, 3u * count);
    board_.lights(lights_, Board::kMaxLights);
    return true;
  }

  // Buttons are told by how often each was pressed, so that no lost frame loses a press.
  void debounce() {
    const uint8_t is = board_.buttons();
    for (uint8_t i = 0; i < Board::kNumButtons; i++) {
      const uint8_t bit = static_cast<uint8_t>(1 << i);
      if (!((is ^ down_) & bit)) {
        bounce_[i] = 0;
      } else if (++bounce_[i] == kSteady) {
        bounce_[i] = 0;
        down_ = static_cast<uint8_t>(down_ ^ bit);
        if (down_ & bit) presses_[i]++;
      }
    }
  }

  // The same in text, for people with a serial monitor. The board answers in the tongue it was spoken to last.

  void obey_line(const char* line) {
    text_ = true;
    if (board_.room() < kTextSize) return;
    if (strcmp(line, "hello") == 0) return say_hello();
    if (strcmp(line, "rate 10") == 0 || strcmp(line, "rate 80") == 0) {
      set_rate(line[5] == '8' ? 80 : 10);
      say("OK ");
    } else if (strcmp(line, "identify") == 0) {
      identify(5);
      say("OK ");
    } else {
      say("Commands: hello, rate 10, rate 80, identify. Readings: $W,number,microseconds,counts*CRC; with ! "
          "saturated, ? out of step, - no new value, x no answer. ");
    }
    say(line);
    say("\r\n");
  }

  void say_hello() {
    open("$HELLO,");
    number(kMajor);
    say(".");
    number(kMinor);
    say(",");
    for (uint8_t i = 0; i < sizeof own_.id; i++) hex(own_.id[i]);
    field(own_.cells);
    field(bank.rate());
    field(static_cast<int32_t>(start_));
    field(cause_);
    say(",");
    say(kFirmware);
    close();
  }

  // Ten times a second at most: more, nobody can read.
  void say_line() {
    if (bank.rate() > 10 && seq_ % 8) return;
    if (board_.room() < kTextSize) return;
    open("$W,");
    number(seq_);
    field(static_cast<int32_t>(bank.micros() & 0x7FFFFFFF));
    for (uint8_t i = 0; i < own_.cells; i++) {
      const uint8_t* c = bank.count(i);
      const uint32_t raw = c[0] | static_cast<uint32_t>(c[1]) << 8 | static_cast<uint32_t>(c[2]) << 16;
      field(static_cast<int32_t>(raw ^ 0x800000) - 0x800000);
      const uint8_t flags = bank.flags(i);
      if (flags & kMissing) {
        say("x");
      } else if (!(flags & kFresh)) {
        say("-");
      }
      if (flags & kSaturated) say("!");
      if (flags & kDesync) say("?");
    }
    close();
  }

  void open(const char* text) {
    crc_ = 0;
    board_.send('$');
    say(text + 1);
  }

  void close() {
    const uint16_t crc = crc_;
    say("*");
    hex(static_cast<uint8_t>(crc >> 8));
    hex(static_cast<uint8_t>(crc));
    say("\r\n");
  }

  void say(const char* text) {
    for (; *text; text++) {
      crc_ = crc16(crc_, static_cast<uint8_t>(*text));
      board_.send(static_cast<uint8_t>(*text));
    }
  }

  void field(int32_t value) {
    say(",");
    number(value);
  }

  void number(int32_t value) {
    char digits[12];
    char* at = digits + sizeof digits;
    *--at = 0;
    uint32_t left = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    do {
      *--at = static_cast<char>('0' + left % 10);
      left /= 10;
    } while (left);
    if (value < 0) *--at = '-';
    say(at);
  }

  void hex(uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    const char text[] = {digits[byte >> 4], digits[byte & 15], 0};
    say(text);
  }

  Board& board_;
  Deframer in_;
  Lines lines_;
  Identity own_ = {};
  uint32_t start_ = 0;
  uint8_t cause_ = 0;
  uint16_t seq_ = 0, crc_ = 0;
  bool text_ = false;
  uint32_t looked_ = 0, blinked_ = 0;
  uint16_t blinks_ = 0;
  uint8_t down_ = 0, presses_[Board::kNumButtons] = {}, bounce_[Board::kNumButtons] = {};
  uint8_t lights_[3 * Board::kMaxLights] = {};
};

}  // namespace pitwatch
