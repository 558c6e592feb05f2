// Frames of docs/link.md: CRC-16/XMODEM, byte stuffing (Cheshire and Baker, 1999), and the cutting of a stream of
// bytes into frames. Portable C++11 without heap or library; the same rules as firmware_bridge/frames.py.
#pragma once
#include <stdint.h>
#ifdef __AVR__
#include <util/crc16.h>
#endif

namespace pitwatch {

inline uint16_t crc16(uint16_t crc, uint8_t byte) {
#ifdef __AVR__
  return _crc_xmodem_update(crc, byte);
#else
  crc = static_cast<uint16_t>(crc ^ (byte << 8));
  for (uint8_t bit = 0; bit < 8; bit++) {
    crc = static_cast<uint16_t>((crc & 0x8000) ? (crc << 1) ^ 0x1021 : crc << 1);
  }
  return crc;
#endif
}

// A frame's payload while it is made: little-endian fields, then the CRC. N bytes at most, CRC included: what does
// not fit is dropped, so N is to be what the largest frame takes.
template <uint16_t N>
class Payload {
 public:
  // Bytes on the wire, at most.
  static const uint16_t kOnWire = N + N / 254 + 2;

  explicit Payload(uint8_t type) { u8(type); }

  void u8(uint8_t byte) {
    if (size_ < N) bytes_[size_++] = byte;
  }
  void u16(uint16_t value) {
    u8(static_cast<uint8_t>(value));
    u8(static_cast<uint8_t>(value >> 8));
  }
  void u32(uint32_t value) {
    u16(static_cast<uint16_t>(value));
    u16(static_cast<uint16_t>(value >> 16));
  }

  // Close the frame and give its bytes on the wire to `wire.send`, one by one.
  template <class Wire>
  void send(Wire& wire) {
    uint16_t crc = 0;
    for (uint16_t i = 0; i < size_; i++) crc = crc16(crc, bytes_[i]);
    u16(crc);
    uint16_t at = 0;
    for (;;) {
      uint16_t end = at;
      while (end < size_ && bytes_[end] != 0 && end - at < 254) end++;
      wire.send(static_cast<uint8_t>(end - at + 1));
      const bool full = end - at == 254;
      for (; at < end; at++) wire.send(bytes_[at]);
      if (at == size_) break;
      if (!full) at++;  // the zero that the code stands for
    }
    wire.send(0);
  }

 private:
  uint8_t bytes_[N];
  uint16_t size_ = 0;
};

enum class Cut : uint8_t {
  kNothing,   // no frame has ended with this byte, or an empty one
  kFrame,     // a frame whose checksum is right
  kStuffing,  // broken byte stuffing
  kShort,     // shorter than any frame
  kChecksum,  // the checksum does not match
  kTooLong    // no end of a frame within kMaxFrame bytes; said once
};

// Cuts a stream of bytes into frames. The first piece may be the tail of a frame: if it is broken it is dropped
// without a word.
class Deframer {
 public:
  static const uint16_t kMaxFrame = 280;  // bytes between two delimiters, as in docs/link.md

  Cut feed(uint8_t byte) {
    if (byte == 0) return end();
    if (size_ < kMaxFrame) {
      bytes_[size_++] = byte;
      return Cut::kNothing;
    }
    const bool first = !overlong_;
    overlong_ = true;
    return first && !joining_ ? Cut::kTooLong : Cut::kNothing;
  }

  // After kFrame, until the next byte is fed: type and fields, without the CRC.
  const uint8_t* payload() const { return bytes_; }
  uint16_t length() const { return length_; }

 private:
  Cut end() {
    const Cut cut = (size_ == 0 || overlong_) ? Cut::kNothing : decode();
    const bool silent = joining_ && cut != Cut::kFrame;
    joining_ = overlong_ = false;
    size_ = 0;
    return silent ? Cut::kNothing : cut;
  }

  // What is decoded is never longer than what it is made from, so it is put in its place.
  Cut decode() {
    uint16_t in = 0, out = 0;
    while (in < size_) {
      const uint8_t code = bytes_[in++];
      if (in + code - 1u > size_) return Cut::kStuffing;
      for (uint8_t left = code; left > 1; left--) bytes_[out++] = bytes_[in++];
      if (code < 255 && in < size_) bytes_[out++] = 0;
    }
    if (out < 3) return Cut::kShort;
    length_ = static_cast<uint16_t>(out - 2);
    uint16_t crc = 0;
    for (uint16_t i = 0; i < length_; i++) crc = crc16(crc, bytes_[i]);
    const bool right = bytes_[length_] == (crc & 0xFF) && bytes_[length_ + 1] == crc >> 8;
    return right ? Cut::kFrame : Cut::kChecksum;
  }

  uint8_t bytes_[kMaxFrame];
  uint16_t size_ = 0, length_ = 0;
  bool joining_ = true, overlong_ = false;
};

// Finds the lines that a person types. No frame of a command passes for one: its type, above 0x7f, comes before any
// line feed, and spoils all until the next zero.
class Lines {
 public:
  static const uint8_t kMaxLine = 40;

  // True when `byte` ends a line that is not empty.
  bool feed(uint8_t byte) {
    if (byte == 0 || byte > 0x7F) {
      spoilt_ = byte != 0;
      size_ = 0;
      return false;
    }
    if (spoilt_) return false;
    if (byte == '\n' || byte == '\r') {
      text_[size_] = 0;
      const bool some = size_ > 0;
      size_ = 0;
      return some;
    }
    if (size_ < kMaxLine) text_[size_++] = static_cast<char>(byte);
    return false;
  }

  // Until the next byte is fed; cut off after kMaxLine characters.
  const char* line() const { return text_; }

 private:
  char text_[kMaxLine + 1];
  uint8_t size_ = 0;
  bool spoilt_ = false;
};

}  // namespace pitwatch
