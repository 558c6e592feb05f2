// When to read a bank of HX711 that share one clock line, and what became of each cell.
//
// Each chip converts in its own time. What it has ready is announced by its data line falling; what is not read is
// replaced when the next conversion ends, and a conversion that ends while the bits are clocked out would tear the
// value. So an interrupt notes when each line falls, the period of each chip is learned from that, and the bank is
// read when every cell is fresh and no conversion is about to end. A cell that has not answered for two periods is not
// waited for. What had to be read beside the end of a conversion is not called fresh.
//
// Cell i is bit i % 8 of port i / 8. Time is in ticks of kTickMicros.
#pragma once
#include <stdint.h>
#include <string.h>

namespace pitwatch {

static const uint16_t kTickMicros = 250;

enum CellFlag : uint8_t { kFresh = 1, kSaturated = 2, kDesync = 4, kMissing = 8 };

// Board is to give (see atmega2560.h):
//   kMaxCells, kPorts
//   void look(uint8_t* ports)      the data lines by port, a bit each, 1 for high; the interrupt calls it
//   void train(uint8_t (*rows)[kPorts], uint8_t* after)      25 clock pulses: the lines in each of 24, and at the end
//   void restart(uint8_t rate)     the clock high for so long that all chips start anew, at 10 or 80 a second
//   uint32_t micros(), uint16_t ticks(), uint8_t tick_micros()      the last: since the tick began
//   Quiet                          while one lives, no interrupt comes
template <class Board>
class Bank {
 public:
  static const uint8_t kPorts = Board::kPorts;

  explicit Bank(Board& board) : board_(board) {}

  // Begin anew with so many cells. Until the chips have settled there is no snapshot.
  void start(uint8_t cells, uint8_t rate) {
    watching_ = false;
    cells_ = cells;
    rate_ = rate;
    nominal_ = static_cast<uint16_t>(1000000UL / kTickMicros / rate);
    board_.restart(rate);
    typename Board::Quiet quiet;
    for (uint8_t i = 0; i < cells_; i++) {
      period_[i] = static_cast<uint16_t>(nominal_ * 128u);
      sixteenths_[i] = static_cast<uint16_t>(nominal_ * 16u);
      falls_[i] = 0;
      flags_[i] = 0;
    }
    memset(missing_, 0, sizeof missing_);
    read_ = board_.ticks();
    armed_ = false;
    settling_ = true;
    wait_for_all();
    watching_ = true;
  }

  uint8_t cells() const { return cells_; }
  uint8_t rate() const { return rate_; }

  // Called by the interrupt, each tick: note which lines have fallen.
  void tick(uint16_t now) {
    if (!watching_) return;
    uint8_t lines[kPorts];
    board_.look(lines);
    for (uint8_t p = 0; p < kPorts; p++) {
      uint8_t fell = static_cast<uint8_t>(waiting_[p] & ~lines[p]);
      if (!fell) continue;
      waiting_[p] = static_cast<uint8_t>(waiting_[p] & ~fell);
      for (volatile uint16_t* fall = fall_ + 8 * p; fell; fell = static_cast<uint8_t>(fell >> 1), fall++) {
        if (fell & 1) *fall = now;
      }
    }
  }

  // Called at least once a tick. True when there is a snapshot to be sent.
  bool poll() {
    const uint16_t now = board_.ticks();
    if (now == polled_) return false;  // later in the tick it would be too late
    polled_ = now;
    const uint16_t since = static_cast<uint16_t>(now - read_);
    uint8_t open = 0, present = 0;
    for (uint8_t p = 0; p < kPorts; p++) {
      const uint8_t there = static_cast<uint8_t>(mask(p) & ~missing_[p]);
      open = static_cast<uint8_t>(open | (waiting_[p] & there));
      present = static_cast<uint8_t>(present | there);
    }
    // A chip that starts gives its first value after four conversions.
    const uint16_t patience = static_cast<uint16_t>(nominal_ * (settling_ ? 6u : 2u));
    const uint16_t next = static_cast<uint16_t>(now + 1);
    bool begin = armed_ && armed_for_ == now && board_.tick_micros() < kLatest;
    begin = begin && board_.ticks() == now;  // or it was the next tick that has just begun
    armed_ = false;
    uint8_t risky[kPorts] = {};
    if (!begin) {
      if (open && since >= patience) {
        for (uint8_t p = 0; p < kPorts; p++) missing_[p] = static_cast<uint8_t>(missing_[p] | waiting_[p]);
      }
      if (since < patience + nominal_) {
        // To look at all cells takes most of a tick: what is found holds for the next one, which is begun with it.
        armed_ = !open && (present || since >= nominal_) && safe(next, nullptr);
        armed_for_ = next;
        return false;
      }
      safe(now, risky);
    }
    read(risky);
    settling_ = false;
    read_ = now;
    return true;
  }

  // Of the snapshot: when it was read; and of a cell the three bytes of its count, lowest first, and its flags.
  uint32_t micros() const { return micros_; }
  const uint8_t* count(uint8_t cell) const { return counts_[cell]; }
  uint8_t flags(uint8_t cell) const { return flags_[cell]; }

 private:
  // In 16ths of a tick, from when to when around the expected end of a conversion no reading is begun. Before it: the
  // tick by which the last fall may have been noted late, one for the reading, and what the learned period is off by.
  static const int16_t kBefore = 40, kAfter = 8;
  static const uint8_t kLatest = 100;  // microseconds into a tick at which a reading may begin

  uint8_t mask(uint8_t p) const {
    const uint8_t first = static_cast<uint8_t>(8 * p);
    if (cells_ >= first + 8) return 0xFF;
    return cells_ <= first ? 0 : static_cast<uint8_t>((1 << (cells_ - first)) - 1);
  }

  void wait_for_all() {
    for (uint8_t p = 0; p < kPorts; p++) waiting_[p] = mask(p);
  }

  // Whether no conversion is about to end. If `risky` is given, the cells in which one is are put there, by port.
  bool safe(uint16_t now, uint8_t* risky) const {
    bool all = true;
    if (risky) memset(risky, 0, kPorts);
    for (uint8_t i = 0, p = 0; i < cells_; p++) {
      const uint8_t out = static_cast<uint8_t>(missing_[p] | waiting_[p]);
      for (uint8_t bit = 1; bit && i < cells_; bit = static_cast<uint8_t>(bit << 1), i++) {
        if (out & bit) continue;
        const int16_t period = static_cast<int16_t>(sixteenths_[i]);
        const uint16_t since = static_cast<uint16_t>(now - fall_[i]);
        int16_t late = static_cast<int16_t>(static_cast<uint16_t>(since << 4) - sixteenths_[i]);
        while (late > kAfter) late = static_cast<int16_t>(late - period);
        if (late < -kBefore) continue;
        if (!risky) return false;
        risky[p] = static_cast<uint8_t>(risky[p] | bit);
        all = false;
      }
    }
    return all;
  }

  void read(const uint8_t* risky) {
    uint8_t waited[kPorts], after[kPorts];
    {
      typename Board::Quiet quiet;
      watching_ = false;
      for (uint8_t p = 0; p < kPorts; p++) waited[p] = waiting_[p];
    }
    micros_ = board_.micros();
    board_.train(rows_, after);
    uint16_t falls[Board::kMaxCells];
    {
      // From here on the interrupt notes the next falls: what is made of the bits takes longer than a tick.
      typename Board::Quiet quiet;
      for (uint8_t i = 0; i < cells_; i++) falls[i] = fall_[i];
      wait_for_all();
      watching_ = true;
    }
    for (uint8_t i = 0, p = 0; i < cells_; p++) {
      missing_[p] = waited[p];
      for (uint8_t bit = 1; bit && i < cells_; bit = static_cast<uint8_t>(bit << 1), i++) {
        if (waited[p] & bit) {
          flags_[i] = kMissing;
          falls_[i] = 0;
          continue;
        }
        learn(i, falls[i]);
        flags_[i] = after[p] & bit ? 0 : kDesync;
        if (!(risky[p] & bit)) take(i, p, bit);
      }
    }
  }

  void take(uint8_t i, uint8_t p, uint8_t bit) {
    uint8_t* count = counts_[i];
    for (uint8_t byte = 0; byte < 3; byte++) {
      uint8_t value = 0;
      for (uint8_t row = 0; row < 8; row++) {
        value = static_cast<uint8_t>(value << 1);
        if (rows_[8 * byte + row][p] & bit) value |= 1;
      }
      count[2 - byte] = value;
    }
    flags_[i] = static_cast<uint8_t>(flags_[i] | kFresh);
    const bool most = count[2] == 0x7F && count[1] == 0xFF && count[0] == 0xFF;
    const bool least = count[2] == 0x80 && count[1] == 0 && count[0] == 0;
    if (most || least) flags_[i] = static_cast<uint8_t>(flags_[i] | kSaturated);
  }

  // The period from two falls, between which lie one conversion or two.
  void learn(uint8_t i, uint16_t fall) {
    const uint16_t between = static_cast<uint16_t>(fall - before_[i]);
    const uint8_t falls = falls_[i];
    before_[i] = fall;
    if (falls < 12) falls_[i]++;
    if (!falls || between > 2 * nominal_ + nominal_ / 2) return;
    uint16_t period = static_cast<uint16_t>(between * 64u);
    if (between <= nominal_ + nominal_ / 2) period = static_cast<uint16_t>(period * 2u);
    const bool shorter = period < period_[i];
    const uint16_t off = static_cast<uint16_t>(shorter ? period_[i] - period : period - period_[i]);
    if (off > 32 * nominal_) return;
    // A fall is known to a tick, so that the first ones count much and the later ones are averaged.
    const uint16_t step = static_cast<uint16_t>(off >> (falls < 4 ? 1 : falls < 12 ? 2 : 3));
    period_[i] = static_cast<uint16_t>(shorter ? period_[i] - step : period_[i] + step);
    sixteenths_[i] = period_[i] / 8;
  }

  Board& board_;
  uint8_t cells_ = 0, rate_ = 0;
  uint16_t nominal_ = 0;  // ticks of one conversion, by the data sheet
  uint16_t polled_ = 0, read_ = 0, armed_for_ = 0;
  bool settling_ = false, armed_ = false;
  uint32_t micros_ = 0;
  uint8_t rows_[24][kPorts];
  uint8_t counts_[Board::kMaxCells][3] = {};
  uint8_t flags_[Board::kMaxCells] = {};
  uint8_t missing_[kPorts] = {};
  uint16_t period_[Board::kMaxCells] = {};  // 128ths of a tick
  uint16_t sixteenths_[Board::kMaxCells] = {};  // the same in 16ths
  uint16_t before_[Board::kMaxCells] = {};  // the fall before the last
  uint8_t falls_[Board::kMaxCells] = {};    // that period_ was learned from, up to 12
  // Shared with the interrupt.
  volatile bool watching_ = false;
  volatile uint8_t waiting_[kPorts] = {};
  volatile uint16_t fall_[8 * kPorts] = {};
};

}  // namespace pitwatch
