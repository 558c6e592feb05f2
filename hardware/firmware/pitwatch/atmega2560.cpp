#include "atmega2560.h"

#if !defined(__AVR_ATmega2560__) || F_CPU != 16000000
#error "Choose the board Arduino Mega 2560: the pins and timings of this file are those of an ATmega2560 at 16 MHz."
#endif

#include <avr/boot.h>
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <string.h>

#include "apa102.h"

extern uint8_t __heap_start;  // the linker's: the end of all variables

namespace pitwatch {

namespace {

// Of port B. Its pin 0 must be an output for the strip's SPI.
const uint8_t kSpi = _BV(0) | _BV(1) | _BV(2), kClock = _BV(4), kRate = _BV(5), kLamp = _BV(7);
const uint8_t kCellsOfF = 0x03;
const uint8_t kBaud250000 = 7;  // 16 MHz / 8 / (7 + 1), without error
const uint16_t kCyclesPerTick = 16 * kTickMicros;

// In EEPROM: where `pitwatch flash` writes them. Erased, all is ones.
struct Kept {
  uint32_t starts;
  uint8_t mark[2];
  Identity own;
};
Kept* const kKept = nullptr;
const uint8_t kMark[2] = {'P', 'W'};

volatile uint32_t ticks_;
const uint16_t kIn = 256, kOut = 512;
volatile uint8_t in_[kIn], in_head, in_tail;
volatile uint8_t out_[kOut];
volatile uint16_t out_head, out_tail;

uint8_t mcusr __attribute__((section(".noinit")));

// Before anything else: after a reset by the watchdog, it goes on running, and fast.
__attribute__((naked, used, section(".init3"))) void early() {
  mcusr = MCUSR;
  MCUSR = 0;
  wdt_disable();
}

// An id for a chip that was given none: from its signature row, which holds its serial number on most, and from what
// its memory came up with, which differs from chip to chip.
void make_up(Identity& own) {
  uint32_t hash[2] = {2166136261u, 16777619u};
  uint16_t at = 0;
  const auto mix = [&hash, &at](uint8_t byte) {
    uint32_t& one = hash[at++ & 1];
    one = (one ^ byte) * 16777619u;
  };
  for (uint8_t i = 0; i < 32; i++) mix(boot_signature_byte_get(i));
  for (const uint8_t* p = &__heap_start; p + 64 < reinterpret_cast<uint8_t*>(SP); p++) mix(*p);
  memcpy(own.id, hash, sizeof own.id);
  own.cells = Atmega2560::kMaxCells;
}

inline void lines(uint8_t* to) {
  to[0] = PINA;
  to[1] = PINC;
  to[2] = PINL;
  to[3] = PINK;
  to[4] = PINF;
}

void strip(uint8_t byte) {
  SPDR = byte;
  loop_until_bit_is_set(SPSR, SPIF);
}

}  // namespace

Atmega2560::Quiet::Quiet() : before_(SREG) { cli(); }

Atmega2560::Quiet::~Quiet() { SREG = before_; }

void Atmega2560::begin() {
  PORTA = PORTC = PORTL = PORTK = PORTF = 0xFF;  // pulled up: a cell that is not there is never ready
  DDRB = kSpi | kClock | kRate | kLamp;
  SPCR = _BV(SPE) | _BV(MSTR);
  OCR1A = kCyclesPerTick / 8 - 1;
  TCCR1A = 0;
  TCCR1B = _BV(WGM12) | _BV(CS11);
  TIMSK1 = _BV(OCIE1A);
  UCSR0A = _BV(U2X0);
  UBRR0 = kBaud250000;
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
  set_sleep_mode(SLEEP_MODE_IDLE);
  wdt_enable(WDTO_500MS);
  sei();
}

void Atmega2560::rest() {
  wdt_reset();
  sleep_mode();
}

uint16_t Atmega2560::next_tick() {
  const uint32_t next = ticks_ + 1;
  ticks_ = next;
  return static_cast<uint16_t>(next);
}

uint16_t Atmega2560::ticks() {
  Quiet quiet;
  return static_cast<uint16_t>(ticks_);
}

uint8_t Atmega2560::tick_micros() {
  Quiet quiet;
  return static_cast<uint8_t>(TCNT1 / 2);
}

uint32_t Atmega2560::micros() {
  Quiet quiet;
  const uint16_t part = TCNT1;
  const bool late = (TIFR1 & _BV(OCF1A)) && part < kCyclesPerTick / 16;
  return (ticks_ + late) * kTickMicros + part / 2;
}

Identity Atmega2560::identity() {
  Kept kept;
  eeprom_read_block(&kept, kKept, sizeof kept);
  const bool known = memcmp(kept.mark, kMark, sizeof kMark) == 0;
  if (!known || kept.own.cells == 0 || kept.own.cells > kMaxCells) {
    memcpy(kept.mark, kMark, sizeof kMark);
    make_up(kept.own);
    eeprom_update_block(&kept, kKept, sizeof kept);
  }
  return kept.own;
}

uint32_t Atmega2560::count_start() {
  const uint32_t starts = eeprom_read_dword(&kKept->starts) + 1;
  eeprom_update_dword(&kKept->starts, starts);
  return starts;
}

// As HELLO has it. A boot loader may have cleared the register: then nobody knows.
uint8_t Atmega2560::cause() {
  if (mcusr & _BV(WDRF)) return 4;
  if (mcusr & _BV(BORF)) return 3;
  if (mcusr & _BV(EXTRF)) return 2;
  return mcusr & _BV(PORF) ? 1 : 0;
}

void Atmega2560::look(uint8_t* to) { lines(to); }

// High for more than 50 us, the clock would put the chips to sleep: no interrupt may come then. It is high for 2 us.
void Atmega2560::train(uint8_t (*rows)[kPorts], uint8_t* after) {
  for (uint8_t pulse = 0; pulse < 25; pulse++) {
    uint8_t* row = pulse < 24 ? rows[pulse] : after;
    {
      Quiet quiet;
      PORTB |= kClock;
      __builtin_avr_delay_cycles(4);
      lines(row);
      PORTB &= static_cast<uint8_t>(~kClock);
    }
    __builtin_avr_delay_cycles(4);
  }
  lines(after);
}

void Atmega2560::restart(uint8_t rate) {
  Quiet quiet;
  PORTB |= kClock;
  if (rate == 80) {
    PORTB |= kRate;
  } else {
    PORTB &= static_cast<uint8_t>(~kRate);
  }
  __builtin_avr_delay_cycles(80UL * 16);  // over 60 us: all chips power down, and start together
  PORTB &= static_cast<uint8_t>(~kClock);
}

int16_t Atmega2560::receive() {
  if (in_tail == in_head) return -1;
  const uint8_t byte = in_[in_tail];
  in_tail = static_cast<uint8_t>(in_tail + 1);
  return byte;
}

uint16_t Atmega2560::room() {
  Quiet quiet;
  return static_cast<uint16_t>(kOut - 1 - ((out_head - out_tail) & (kOut - 1)));
}

void Atmega2560::send(uint8_t byte) {
  if (room() == 0) return;
  out_[out_head] = byte;
  Quiet quiet;
  out_head = (out_head + 1) & (kOut - 1);
  UCSR0B |= _BV(UDRIE0);
}

void Atmega2560::lamp(bool on) {
  Quiet quiet;
  if (on) {
    PORTB |= kLamp;
  } else {
    PORTB &= static_cast<uint8_t>(~kLamp);
  }
}

uint8_t Atmega2560::buttons() { return static_cast<uint8_t>(~PINF) >> 2; }

void Atmega2560::lights(const uint8_t* rgb, uint8_t count) { apa102(strip, rgb, count); }

}  // namespace pitwatch

ISR(USART0_RX_vect) {
  using namespace pitwatch;
  const uint8_t byte = UDR0, next = static_cast<uint8_t>(in_head + 1);
  if (next == in_tail) return;
  in_[in_head] = byte;
  in_head = next;
}

ISR(USART0_UDRE_vect) {
  using namespace pitwatch;
  if (out_tail == out_head) {
    UCSR0B &= static_cast<uint8_t>(~_BV(UDRIE0));
    return;
  }
  UDR0 = out_[out_tail];
  out_tail = (out_tail + 1) & (kOut - 1);
}
