#include "rp2040.h"

#include <string.h>

#include "../pitwatch/apa102.h"

// The linker's.
extern "C" {
extern uint32_t __zeroed[], __zeroed_end[], __stack[];
extern void (*__constructors[])(), (*__constructors_end[])();
}

namespace pitwatch {

namespace {

using Register = volatile uint32_t;

// Registers by the sections of the RP2040 datasheet, as the editions number them whose section 2.5 is DMA.
inline Register& at(uint32_t address) { return *reinterpret_cast<Register*>(address); }

const uint32_t kSio = 0xd0000000;  // 2.3.1.7
const uint32_t kGpioIn = kSio + 0x04, kGpioSet = kSio + 0x14, kGpioClear = kSio + 0x18, kGpioOut = kSio + 0x24;
const uint32_t kIrqEnable = 0xe000e100;           // 2.4.8, NVIC_ISER
const uint32_t kResetClear = 0x4000c000 + 0x3000, kResetDone = 0x4000c008;  // 2.14.3; 0x3000 clears bits (2.1.2)
const uint32_t kChipReset = 0x40064008;           // 2.12.8
const uint32_t kWatchdogDomains = 0x40010008;     // 2.13.5, WDSEL of the power-on state machine
const uint32_t kReferenceClock = 0x40008030, kReferenceSelected = 0x40008038;  // 2.15.7
const uint32_t kPeripheralClock = 0x40008048;
const uint32_t kCrystal = 0x40024000;             // 2.16.7
const uint32_t kRandomBit = 0x4006001c;           // 2.17.8
const uint32_t kPins = 0x40014000;                // 2.19.6.1, IO_BANK0
const uint32_t kPads = 0x4001c000;                // 2.19.6.3, PADS_BANK0
const uint32_t kFlashSelect = 0x4001800c;         // 2.19.6.2, GPIO_QSPI_SS_CTRL
const uint32_t kUart = 0x40034000;                // 4.2.8
const uint32_t kSpi = 0x4003c000;                 // 4.4.4
const uint32_t kTimer = 0x40054000;               // 4.6.5
const uint32_t kAlarm = kTimer + 0x10, kNow = kTimer + 0x28, kTimerIrq = kTimer + 0x34, kTimerIrqOn = kTimer + 0x38;
const uint32_t kWatchdog = 0x40058000;            // 4.7.6
const uint32_t kSsi = 0x18000000;                 // 4.10.13

const uint8_t kFirstCell = 2, kFirstButton = 27;
const uint8_t kStripClock = 18, kStripData = 19, kClock = 22, kLamp = 25, kRate = 26;
const uint32_t kHalfSecond = 1000000;  // of the watchdog, which counts twice each microsecond (erratum E1)

volatile uint32_t ticks_, tick_began_;
const uint16_t kIn = 512, kOut = 1024;
volatile uint8_t in_[kIn], out_[kOut];
volatile uint16_t in_head, in_tail, out_head, out_tail;

// The starts so far, for as long as the chip has power.
struct {
  uint32_t starts, inverted;
} kept __attribute__((section(".noinit")));

enum Function : uint8_t { kSpiPin = 1, kUartPin = 2, kSoftware = 5 };

void use(uint8_t pin, Function function) { at(kPins + 8u * pin + 4) = function; }

void listen(uint8_t pin) {
  at(kPads + 4u * pin + 4) = 1 << 6 | 1 << 3 | 1 << 1;  // input, pulled up, Schmitt trigger
  use(pin, kSoftware);
}

void drive(uint8_t pin) {
  at(kGpioClear) = 1u << pin;
  at(kGpioOut) = 1u << pin;
  use(pin, kSoftware);
}

void wait(uint32_t micros) {
  const uint32_t from = at(kNow);
  while (at(kNow) - from <= micros) {
  }
}

// Half a microsecond: six clocks and the jump.
inline void moment() { __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop"); }

inline void lines(uint8_t* to) {
  const uint32_t in = at(kGpioIn) >> kFirstCell;
  to[0] = static_cast<uint8_t>(in);
  to[1] = static_cast<uint8_t>(in >> 8);
  to[2] = static_cast<uint8_t>(in >> 16);
}

void strip(uint8_t byte) {
  while (!(at(kSpi + 0x0c) & 1 << 1)) {  // SSPSR: room to send
  }
  at(kSpi + 0x08) = byte;
}

// What the flash answers to 4Bh, read unique id: 8 bytes, after 4 that say nothing. The firmware runs from memory,
// so that nobody else wants the flash.
void flash_id(uint8_t* id) {
  at(kSsi + 0x08) = 0;
  at(kSsi + 0x14) = 4;
  at(kSsi + 0x00) = 7 << 16;  // 8 bits at a time, each way
  at(kSsi + 0x08) = 1;
  at(kFlashSelect) = 3 << 8;  // high, whatever the SSI makes of it; then low
  at(kFlashSelect) = 2 << 8;
  for (uint8_t i = 0; i < 13; i++) {
    at(kSsi + 0x60) = i ? 0 : 0x4b;
    while (!(at(kSsi + 0x28) & 1 << 3)) {  // SR: something was received
    }
    const uint8_t byte = static_cast<uint8_t>(at(kSsi + 0x60));
    if (i >= 5) id[i - 5] = byte;
  }
  at(kFlashSelect) = 3 << 8;
}

}  // namespace

Rp2040::Quiet::Quiet() { __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(before_)::"memory"); }

Rp2040::Quiet::~Quiet() { __asm__ volatile("msr primask, %0" ::"r"(before_) : "memory"); }

void Rp2040::begin() {
  at(kCrystal + 0x0c) = 47;                // STARTUP: 1 ms, in 256 clocks
  at(kCrystal) = 0xfab << 12 | 0xaa0;      // enabled, 1 to 15 MHz
  while (!(at(kCrystal + 0x04) & 1u << 31)) {  // STATUS: stable
  }
  // All runs on the crystal: the serial line's rate is exact, and 12 MHz is more than the other board has.
  at(kReferenceClock) = 2;
  while (!(at(kReferenceSelected) & 1 << 2)) {
  }
  at(kPeripheralClock) = 1 << 11;
  at(kWatchdog + 0x2c) = 1 << 9 | 12;  // TICK: each 12 clocks, for timer and watchdog
  const uint32_t used = 1u << 5 | 1u << 8 | 1u << 16 | 1u << 21 | 1u << 22;  // pins, pads, SPI0, timer, UART0
  at(kResetClear) = used;
  while ((at(kResetDone) & used) != used) {
  }

  for (uint8_t pin = kFirstCell; pin < kFirstCell + kMaxCells; pin++) listen(pin);
  for (uint8_t i = 0; i < kNumButtons; i++) listen(static_cast<uint8_t>(kFirstButton + i));
  drive(kClock);
  drive(kRate);
  drive(kLamp);
  if (kMaxLights) {
    at(kSpi + 0x10) = 4;  // SSPCPSR: 3 MHz
    at(kSpi + 0x00) = 7;  // SSPCR0: 8 bits
    at(kSpi + 0x04) = 2;  // SSPCR1: on
    use(kStripClock, kSpiPin);
    use(kStripData, kSpiPin);
  }
  at(kUart + 0x24) = 3;  // UARTIBRD: 12 MHz / 16 / 3 = 250,000
  at(kUart + 0x28) = 0;
  at(kUart + 0x2c) = 3 << 5 | 1 << 4;           // UARTLCR_H: 8 bits, queues
  at(kUart + 0x30) = 1 << 9 | 1 << 8 | 1 << 0;  // UARTCR: both ways, on
  use(0, kUartPin);
  use(1, kUartPin);

  tick_began_ = at(kNow);
  at(kTimerIrqOn) = 1;
  at(kAlarm) = tick_began_ + kTickMicros;
  at(kIrqEnable) = 1;
  at(kWatchdogDomains) = 0x1fffc;  // all but the two oscillators
  at(kWatchdog + 0x04) = kHalfSecond;
  at(kWatchdog) = 1u << 30;
}

void Rp2040::rest() {
  at(kWatchdog + 0x04) = kHalfSecond;
  __asm__ volatile("wfi");
}

// At 250,000 baud there are 7 bytes a tick each way, and the chip's own queues hold 32.
uint16_t Rp2040::next_tick() {
  at(kTimerIrq) = 1;
  uint32_t began = at(kAlarm);
  // An alarm that is set too late would ring in 71 minutes.
  while (began + kTickMicros - at(kNow) - 5u >= kTickMicros) {
    began += kTickMicros;
    ticks_ = ticks_ + 1;
  }
  at(kAlarm) = began + kTickMicros;
  tick_began_ = began;
  ticks_ = ticks_ + 1;

  while (!(at(kUart + 0x18) & 1 << 4)) {  // UARTFR: something was received
    const uint8_t byte = static_cast<uint8_t>(at(kUart));
    const uint16_t next = (in_head + 1) & (kIn - 1);
    if (next == in_tail) continue;
    in_[in_head] = byte;
    in_head = next;
  }
  for (uint8_t i = 0; i < 8 && out_tail != out_head && !(at(kUart + 0x18) & 1 << 5); i++) {  // room to send
    at(kUart) = out_[out_tail];
    out_tail = (out_tail + 1) & (kOut - 1);
  }
  return static_cast<uint16_t>(ticks_);
}

uint16_t Rp2040::ticks() { return static_cast<uint16_t>(ticks_); }

uint8_t Rp2040::tick_micros() {
  const uint32_t since = at(kNow) - tick_began_;
  return since > 255 ? 255 : static_cast<uint8_t>(since);
}

uint32_t Rp2040::micros() { return at(kNow); }

Identity Rp2040::identity() {
  Identity own;
  flash_id(own.id);
  own.cells = kMaxCells;
  return own;
}

// A chip that was without power begins anywhere.
uint32_t Rp2040::count_start() {
  if (kept.starts != ~kept.inverted) {
    for (uint8_t i = 0; i < 32; i++) {
      kept.starts = kept.starts << 1 | (at(kRandomBit) & 1);
      wait(1);
    }
  }
  kept.starts++;
  kept.inverted = ~kept.starts;
  return kept.starts;
}

// As HELLO has it. Power and brown-out are one to this chip.
uint8_t Rp2040::cause() {
  if (at(kWatchdog + 0x08)) return 4;
  const uint32_t chip = at(kChipReset);
  if (chip & 1u << 16) return 2;
  return chip & 1u << 8 ? 1 : 0;
}

void Rp2040::look(uint8_t* to) { lines(to); }

// High for more than 50 us, the clock would put the chips to sleep: no interrupt may come then. It is high for 2 us.
void Rp2040::train(uint8_t (*rows)[kPorts], uint8_t* after) {
  for (uint8_t pulse = 0; pulse < 25; pulse++) {
    {
      Quiet quiet;
      at(kGpioSet) = 1u << kClock;
      moment();
      lines(pulse < 24 ? rows[pulse] : after);
      at(kGpioClear) = 1u << kClock;
    }
    moment();
  }
  lines(after);
}

void Rp2040::restart(uint8_t rate) {
  Quiet quiet;
  at(kGpioSet) = 1u << kClock;
  at(rate == 80 ? kGpioSet : kGpioClear) = 1u << kRate;
  wait(80);  // over 60 us: all chips power down, and start together
  at(kGpioClear) = 1u << kClock;
}

int16_t Rp2040::receive() {
  if (in_tail == in_head) return -1;
  const uint8_t byte = in_[in_tail];
  in_tail = (in_tail + 1) & (kIn - 1);
  return byte;
}

uint16_t Rp2040::room() {
  Quiet quiet;
  return static_cast<uint16_t>(kOut - 1 - ((out_head - out_tail) & (kOut - 1)));
}

void Rp2040::send(uint8_t byte) {
  if (room() == 0) return;
  out_[out_head] = byte;
  out_head = (out_head + 1) & (kOut - 1);
}

void Rp2040::lamp(bool on) { at(on ? kGpioSet : kGpioClear) = 1u << kLamp; }

uint8_t Rp2040::buttons() { return static_cast<uint8_t>(~at(kGpioIn) >> kFirstButton & 3); }

void Rp2040::lights(const uint8_t* rgb, uint8_t count) { apa102(strip, rgb, count); }

static Rp2040 board;
static Core<Rp2040> core(board);

}  // namespace pitwatch

extern "C" {

static void start() {
  using namespace pitwatch;
  for (uint32_t* word = __zeroed; word < __zeroed_end; word++) *word = 0;
  for (void (**one)() = __constructors; one < __constructors_end; one++) (*one)();
  board.begin();
  core.begin();
  for (;;) {
    core.poll();
    board.rest();
  }
}

static void tick() { pitwatch::core.bank.tick(pitwatch::board.next_tick()); }

// What must not happen: the watchdog ends it.
static void stuck() {
  for (;;) {
  }
}
}

// Of a Cortex-M0+: the end of the stack, 15 exceptions, then the one interrupt that is used.
__attribute__((section(".vectors"), used)) static void* const vectors[17] = {
    __stack,
    reinterpret_cast<void*>(start),
    reinterpret_cast<void*>(stuck),
    reinterpret_cast<void*>(stuck),
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
    reinterpret_cast<void*>(stuck),
    nullptr, nullptr,
    reinterpret_cast<void*>(stuck),
    reinterpret_cast<void*>(stuck),
    reinterpret_cast<void*>(tick),
};
