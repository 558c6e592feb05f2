// The firmware's whole core under a host, converters, buttons and a clock that do anything: what they do is read from
// an input, by libFuzzer (`make fuzz`) or from stdin. What must hold whatever they do is checked as it runs; a fault
// ends the program.
//
//   - what the board says is whole frames, or lines of text, and never more than there is room for
//   - a frame is answered if, and only if, it is one by a second decoder, written without a look at the first
//   - the same command again has the same answer
//   - the numbers of SAMPLEs go up; a fresh count is what the lines showed in the last reading, and others stay
//   - no press is made up; lamps show what the host has said
#include <stdio.h>
#include <stdlib.h>

#include <deque>
#include <vector>

#include "../../hardware/firmware/pitwatch/core.h"

using namespace pitwatch;
typedef std::vector<uint8_t> Bytes;

static void must(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

// -- the second decoder: docs/link.md, by the book

static uint16_t crc_of(const Bytes& data, size_t size) {
  uint32_t crc = 0;
  for (size_t bit = 0; bit < 8 * (size + 2); bit++) {
    const size_t byte = bit / 8;
    crc = crc << 1 | (byte < size ? data[byte] >> (7 - bit % 8) & 1 : 0);
    if (crc & 0x10000) crc ^= 0x11021;
  }
  return static_cast<uint16_t>(crc);
}

// Type and fields of what stands between two zeros; nothing if it is no frame.
static Bytes payload_of(const std::deque<uint8_t>& between) {
  Bytes out;
  if (between.empty() || between.size() > 280) return Bytes();
  size_t left = 0;
  bool zero = false;  // is owed when the next block begins
  for (size_t i = 0; i < between.size(); i++) {
    if (left == 0) {
      if (zero) out.push_back(0);
      left = between[i] - 1u;
      zero = between[i] != 0xFF;
    } else {
      out.push_back(between[i]);
      left--;
    }
  }
  if (left || out.size() < 3) return Bytes();
  const uint16_t crc = crc_of(out, out.size() - 2);
  if (out[out.size() - 2] != (crc & 0xFF) || out.back() != crc >> 8) return Bytes();
  out.resize(out.size() - 2);
  return out;
}

static Bytes wire_of(Bytes payload) {
  const uint16_t crc = crc_of(payload, payload.size());
  payload.push_back(static_cast<uint8_t>(crc));
  payload.push_back(static_cast<uint8_t>(crc >> 8));
  Bytes out(1, 0), block;
  payload.push_back(0);  // ends the last block
  for (size_t i = 0; i < payload.size(); i++) {
    if (payload[i]) block.push_back(payload[i]);
    if (payload[i] && block.size() < 254) continue;
    out.push_back(static_cast<uint8_t>(block.size() + 1));
    out.insert(out.end(), block.begin(), block.end());
    block.clear();
  }
  out.push_back(0);
  return out;
}

// -- what is around the core

static const uint8_t kCells = 34, kPortsOfIt = 5;

struct World {
  static const uint8_t kMaxCells = kCells, kPorts = kPortsOfIt, kMaxLights = 72, kNumButtons = 6;
  struct Quiet {
    Quiet() {}
    ~Quiet() {}
  };

  uint8_t cells = kCells;
  uint32_t now = 0;
  uint8_t late = 0;  // microseconds into the tick
  int16_t next = -1;
  uint16_t free = 511, drain = 6;  // bytes there is room for, and that go out each tick

  uint32_t count[kCells] = {};  // what each cell shows, 24 bits
  uint8_t ends[kPortsOfIt];     // the lines after a reading
  uint8_t stuck_low[kPortsOfIt] = {}, stuck_high[kPortsOfIt] = {}, low[kPortsOfIt] = {};
  uint16_t period[kCells];  // ticks of a conversion
  uint32_t ready_at[kCells];

  // Since the last reading, and what it found.
  bool was_low[kCells] = {}, low_before[kCells] = {};
  uint32_t found[kCells] = {};
  std::vector<uint32_t> since[kCells];  // counts of the readings since the last SAMPLE
  uint32_t readings = 0;

  uint8_t down = 0;
  uint32_t rises[6] = {};
  uint8_t wanted[3 * 72] = {};
  bool unsure = false;  // a command that would have changed it was not answered

  std::deque<uint8_t> said;  // since the last zero
  std::vector<Bytes> answers, samples;

  World() {
    memset(ends, 0xFF, sizeof ends);
    for (uint8_t i = 0; i < kCells; i++) {
      period[i] = static_cast<uint16_t>(50 + i % 3);
      ready_at[i] = 0;
    }
  }

  uint8_t level(uint8_t port) const {
    return static_cast<uint8_t>((~low[port] & ~stuck_low[port]) | stuck_high[port]);
  }

  void convert() {
    for (uint8_t i = 0; i < kCells; i++) {
      if (ticks32() < ready_at[i]) continue;
      low[i / 8] = static_cast<uint8_t>(low[i / 8] | 1 << i % 8);
      ready_at[i] = ticks32() + period[i];
    }
  }

  void look(uint8_t* lines) {
    for (uint8_t p = 0; p < kPorts; p++) lines[p] = level(p);
    for (uint8_t i = 0; i < kCells; i++) was_low[i] = was_low[i] || !(lines[i / 8] & 1 << i % 8);
  }
  void train(uint8_t (*rows)[kPorts], uint8_t* after) {
    memset(rows, 0, 24 * kPorts);
    for (uint8_t i = 0; i < kCells; i++) {
      for (uint8_t row = 0; row < 24; row++) {
        if (count[i] >> (23 - row) & 1) rows[row][i / 8] = static_cast<uint8_t>(rows[row][i / 8] | 1 << i % 8);
      }
      found[i] = count[i];
      since[i].push_back(count[i]);
      low_before[i] = was_low[i];
      was_low[i] = false;
    }
    memcpy(after, ends, kPorts);
    memset(low, 0, sizeof low);
    readings++;
  }
  void restart(uint8_t) { memset(low, 0, sizeof low); }

  uint32_t ticks32() const { return now / kTickMicros; }
  uint32_t micros() { return now + late; }
  uint16_t ticks() { return static_cast<uint16_t>(ticks32()); }
  uint8_t tick_micros() { return late; }
  Identity identity() { return Identity{{1, 0, 3, 0, 0, 6, 7, 8}, cells}; }
  uint32_t count_start() { return 0x01000200; }
  uint8_t cause() { return 1; }
  int16_t receive() {
    const int16_t byte = next;
    next = -1;
    return byte;
  }
  uint16_t room() { return free; }
  void send(uint8_t byte) {
    must(free > 0, "no more is sent than there is room for");
    free--;
    if (byte) {
      said.push_back(byte);
      return;
    }
    if (said.empty()) return;
    const Bytes payload = payload_of(said);
    if (payload.empty()) {
      check_text();
    } else {
      must(payload[0] < 0x80, "the board says what a board says");
      (payload[0] == kSample ? samples : answers).push_back(payload);
    }
    said.clear();
  }
  void check_text() const {
    Bytes line;
    for (size_t i = 0; i < said.size(); i++) {
      must(said[i] < 0x80, "what is no frame is text");  // which repeats what it was told
      if (said[i] != '\n') {
        line.push_back(said[i]);
        continue;
      }
      if (!line.empty() && line[0] == '$') {
        must(line.size() > 6 && line.back() == '\r' && line[line.size() - 6] == '*', "a line ends with its CRC");
        char crc[5];
        const Bytes inner(line.begin() + 1, line.end() - 6);
        snprintf(crc, sizeof crc, "%04x", crc_of(inner, inner.size()));
        must(memcmp(crc, &line[line.size() - 5], 4) == 0, "the CRC of a line is right");
      }
      line.clear();
    }
  }
  void lamp(bool) {}
  uint8_t buttons() { return down; }
  void lights(const uint8_t* rgb, uint8_t lamps) {
    must(lamps == 72, "all lamps are lit at once");
    must(unsure || memcmp(rgb, wanted, sizeof wanted) == 0, "the lamps show what the host has said");
    memcpy(wanted, rgb, sizeof wanted);
    unsure = false;
  }
};

// -- a life of it, from an input

// How many bytes the decoder was given, told at the end.
static struct Given {
  unsigned long long bytes = 0;
  ~Given() { fprintf(stderr, "%llu bytes\n", bytes); }
} given;

class Life {
 public:
  Life(const uint8_t* data, size_t size) : at_(data), end_(data + size), core_(world_) {}

  void live() {
    world_.cells = static_cast<uint8_t>(1 + byte() % kCells);
    core_.begin();
    must(world_.answers.size() == 1 && world_.answers[0][0] == kHello, "a start is told by HELLO");
    world_.answers.clear();
    while (at_ < end_) act();
  }

 private:
  uint8_t byte() { return at_ < end_ ? *at_++ : 0; }

  void act() {
    const uint8_t what = byte();
    switch (what % 8) {
      case 0:
        hear(byte());
        break;
      case 1:
        hear_all(what < 0xC0 ? wire_of(command(what)) : spoilt(wire_of(command(what))));
        break;
      case 2:
        again(wire_of(command(what)));
        break;
      case 3:
        line(what / 8);
        break;
      case 4:
        pass(byte() % 8, what / 8);
        break;
      case 5:
        pass(what & 8 ? byte() : 60, what / 16);
        break;
      case 6:
        cell(what / 8);
        break;
      case 7:
        if (what & 8) {
          world_.free = what & 32 ? byte() : byte() % 8;
          world_.drain = what & 16 ? 6 : 0;
        } else {
          press(byte());
        }
    }
  }

  // One that can be done, one that cannot, or any bytes at all.
  Bytes command(uint8_t what) {
    const uint8_t type = static_cast<uint8_t>(0x80 + what / 8 % 8);
    Bytes out;
    uint8_t left = byte();
    if (type < 0x87) {
      out.push_back(type);
      out.push_back(byte());
      left = left % 4;
    } else if (left < 128) {
      left = left % 8;
    }
    if (type == kSetLights && left) {
      const uint8_t first = byte() % 73, lamps = byte() % 16;
      out.push_back(first);
      out.push_back(lamps);
      left = static_cast<uint8_t>(3 * lamps + left - 2);
    }
    for (uint8_t i = 0; i < left; i++) out.push_back(byte());
    return out;
  }

  Bytes spoilt(Bytes wire) {
    const size_t where = byte() % wire.size();
    const uint8_t how = byte();
    if (how) {
      wire[where] = static_cast<uint8_t>(wire[where] ^ how);
    } else {
      wire.erase(wire.begin() + static_cast<long>(where));
    }
    return wire;
  }

  // A byte of the host comes in; what the board answers is what it must.
  void hear(uint8_t one) {
    given.bytes++;
    Bytes payload;
    if (one) {
      host_.push_back(one);
      if (host_.size() > 300) host_.pop_front();  // it is no frame any more
    } else {
      payload = payload_of(host_);
      host_.clear();
    }
    must((deframer_.feed(one) == Cut::kFrame) == !payload.empty(), "a frame is one to both decoders");
    if (!payload.empty()) {
      must(payload == Bytes(deframer_.payload(), deframer_.payload() + deframer_.length()), "and the same to both");
    }
    const bool command = payload.size() >= 2 && payload[0] >= 0x80;
    const uint16_t free = world_.free;
    if (command && payload[0] == kSetLights && payload.size() >= 4 && fits(payload)) {
      memcpy(world_.wanted + 3 * payload[2], payload.data() + 4, 3u * payload[3]);
    }
    world_.answers.clear();
    world_.next = one;
    poll();
    if (!command) {
      must(world_.answers.empty(), "what is no command has no answer");
      return;
    }
    must(world_.answers.size() <= 1, "a command has one answer");
    if (world_.answers.empty()) {
      must(free < 80, "a command is answered where there is room");
      world_.unsure = true;
      return;
    }
    const Bytes& answer = world_.answers[0];
    if (payload[0] == kHelloRequest) {
      must(answer[0] == kHello && answer[11] == world_.cells, "HELLO is asked for, and given");
      return;
    }
    must(answer[0] == kAck && answer.size() == 3 && answer[1] == payload[1], "a command is acknowledged by its id");
    uint8_t status = kUnknownCommand;
    if (payload[0] == kSetRate) {
      status = payload.size() >= 3 && (payload[2] == 10 || payload[2] == 80) ? kDone : kBadArgument;
    } else if (payload[0] == kIdentify) {
      status = payload.size() >= 3 ? kDone : kBadArgument;
    } else if (payload[0] == kSetLights) {
      status = payload.size() >= 4 && fits(payload) ? kDone : kBadArgument;
    }
    must(answer[2] == status, "a command is done if it can be");
  }

  static bool fits(const Bytes& lights) {
    return lights[2] + lights[3] <= 72 && lights.size() >= 4 + 3u * lights[3];
  }

  void hear_all(const Bytes& bytes) {
    for (size_t i = 0; i < bytes.size(); i++) hear(bytes[i]);
  }

  void again(const Bytes& bytes) {
    world_.free = 511;
    hear_all(bytes);
    const std::vector<Bytes> first = world_.answers;
    world_.free = 511;
    hear_all(bytes);
    must(world_.answers == first, "the same command again has the same answer");
  }

  void line(uint8_t which) {
    static const char* const kLines[] = {"hello\n", "rate 10\r\n", "rate 80\n", "identify\n", "what\n", "\n"};
    if (which & 1) hear(0);
    for (const char* c = kLines[which / 2 % 6]; *c; c++) hear(static_cast<uint8_t>(*c));
  }

  // Time passes, in ticks.
  void pass(uint8_t ticks, uint8_t how) {
    for (int i = 0; i <= ticks; i++) {
      world_.late = 0;
      world_.now += kTickMicros;
      world_.convert();
      if (world_.free < 505) world_.free = static_cast<uint16_t>(world_.free + world_.drain);
      core_.bank.tick(world_.ticks());
      world_.late = static_cast<uint8_t>(how & 1 ? how * 8 : how);
      poll();
    }
  }

  static void put(uint8_t& lines, uint8_t bit, bool high) {
    lines = static_cast<uint8_t>(high ? lines | bit : lines & ~bit);
  }

  void cell(uint8_t how) {
    const uint8_t i = byte() % kCells, port = i / 8, bit = static_cast<uint8_t>(1 << i % 8);
    world_.count[i] = static_cast<uint32_t>(byte() << 16 | byte() << 8 | byte());
    if (how & 1) world_.count[i] = how & 2 ? 0x7FFFFF : 0x800000;
    put(world_.stuck_low[port], bit, how & 4);
    put(world_.stuck_high[port], bit, (how & 12) == 8);
    put(world_.ends[port], bit, (how & 28) != 16);
    if (how & 2) world_.period[i] = static_cast<uint16_t>(1 + 2 * byte());
  }

  void press(uint8_t mask) {
    const uint8_t up = static_cast<uint8_t>(mask & ~world_.down);
    for (uint8_t i = 0; i < 6; i++) world_.rises[i] += up >> i & 1;
    world_.down = mask;
  }

  void poll() {
    world_.samples.clear();
    core_.poll();
    must(world_.samples.size() <= 1, "a reading is one SAMPLE");
    if (!world_.samples.empty()) check(world_.samples[0]);
  }

  void check(const Bytes& sample) {
    const uint8_t cells = world_.cells;
    must(sample.size() == 9u + 4 * cells + 1 + 6 && sample[8] == cells, "a SAMPLE has its size");
    const uint16_t seq = static_cast<uint16_t>(sample[1] | sample[2] << 8);
    must(!told_ || static_cast<uint16_t>(seq - seq_ - 1) < 0x8000, "the numbers go up");
    uint32_t micros;
    memcpy(&micros, &sample[3], 4);
    must(micros == world_.micros(), "the time is that of the reading");
    must(world_.readings > readings_ && sample[7] == 0, "a SAMPLE is of a reading of this start");
    for (uint8_t i = 0; i < cells; i++) {
      const uint8_t* field = &sample[9 + 4 * i];
      const uint32_t count = field[0] | static_cast<uint32_t>(field[1]) << 8 | static_cast<uint32_t>(field[2]) << 16;
      const uint8_t flags = field[3];
      std::vector<uint32_t>& since = world_.since[i];
      if (flags & kFresh) {
        must(count == world_.found[i], "a fresh count is what the lines have shown");
        must(world_.low_before[i], "a fresh count was announced by its line");
        const bool end = count == 0x7FFFFF || count == 0x800000;
        must(!(flags & kSaturated) == !end, "a count at an end of its range is called that");
      } else {
        bool known = count == shown_[i];
        for (size_t k = 0; k < since.size(); k++) known = known || since[k] == count;
        must(known, "a count that is not fresh is an old one");
      }
      if (!(flags & kMissing)) {
        const bool ended = world_.ends[i / 8] & 1 << i % 8;
        must(ended != ((flags & kDesync) != 0), "a cell that does not end its reading is called that");
      }
      must(flags < 16 && !((flags & kMissing) && (flags & kFresh)), "a cell is missing or fresh");
      shown_[i] = count;
      since.clear();
    }
    for (uint8_t i = 0; i < 6; i++) {
      const uint8_t presses = sample[10 + 4 * cells + i];
      presses_[i] += static_cast<uint8_t>(presses - static_cast<uint8_t>(presses_[i]));
      must(presses_[i] <= world_.rises[i], "no press is made up");
    }
    told_ = true;
    seq_ = seq;
    readings_ = world_.readings;
  }

  const uint8_t *at_, *end_;
  World world_;
  Core<World> core_;
  Deframer deframer_;
  std::deque<uint8_t> host_;  // since its last zero
  uint16_t seq_ = 0;
  bool told_ = false;
  uint32_t shown_[kCells] = {}, presses_[6] = {}, readings_ = 0;
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Life(data, size).live();
  return 0;
}

#ifndef FUZZ
int main() {
  static uint8_t data[1 << 20];
  return LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, stdin));
}
#endif
