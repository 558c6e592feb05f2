// The firmware's own binary on a simulated ATmega2560 (libsimavr), a bank of HX711 on its pins, its serial port on a
// pty. Time passes only as it is told to, so that what a test sees does not hang on the speed of the machine.
//
//   hxboard ELF CELLS LINK      so many converters; LINK is made a symbolic link to the pty
//
// A command a line on stdin, an answer a line on stdout ("ok", if nothing else is said):
//
//   rows N COUNT ..  what all cells show, N times as many counts: a row a conversion, the last one from then on
//   set I COUNT      what one cell shows instead, whatever the rows say; "set I" ends that
//   absent I 0|1     a converter that is not there
//   slow I FACTOR    one whose conversions take FACTOR times as long
//   buttons MASK     those that are down
//   garble N         spoil the next N bytes to the host
//   reset CAUSE      start anew: bits of the chip's MCUSR, 1 power, 2 reset line, 4 brown-out, 8 watchdog
//   unplug, plug     the cable, and the power with it
//   run MS           let time pass; answers how many bytes the host has been sent since it was plugged in
//   stats            counters as JSON, the faults of timing among them
//
// HX711 datasheet (Avia Semiconductor): DOUT falls when a conversion is there; each rise of PD_SCK brings out the next
// bit, highest first, and the 25th ends the reading; PD_SCK may be high for 50 us, and powers the chip down in 60; the
// first conversion after power-up or another rate takes four periods. A conversion that ends in mid-reading is taken
// to put its own bits in the place of those not yet read.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HZ 16000000.0
#define MOST_CELLS 34
#define MOST_ROWS 128
#define SETTLING 4
#define BUTTONS 6
#define MCUSR 0x54
#define PORTB 0x25

typedef struct {
  avr_irq_t *pin;
  int32_t set;
  int is_set;
  double pace;             // of its oscillator, about 1
  avr_cycle_count_t next;  // end of the conversion under way
  uint32_t bits;
  int ready;   // a conversion is there, not wholly read
  int pulses;  // of the reading under way
  int absent, level;
} cell_t;

static avr_t *avr;
static cell_t cells[MOST_CELLS];
static int cell_count, clock_high, fast;
static avr_cycle_count_t clock_rose;
static int early_now;
static int32_t rows[MOST_ROWS][MOST_CELLS];
static int row_count = 1;
static avr_cycle_count_t rows_from;
static struct { unsigned long reads, early, torn, high, restarts, resets, longest; } stats;

static int master = -1, listened;
static char link_path[256];
static uint8_t out[1 << 16], in[4096];
static size_t out_held, in_held, in_at;
static unsigned long sent;
static int in_open = 1;
static avr_irq_t *uart_in, *button_pins[BUTTONS];
static unsigned garble;
static uint32_t chance = 1;
static uint8_t strip[512];
static size_t strip_held;

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("hxboard: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  exit(2);
}

// -- the converters

static void drive(cell_t *cell, int level) {
  if (cell->absent) level = 1;
  if (level == cell->level) return;
  cell->level = level;
  avr_raise_irq(cell->pin, (uint32_t)level);
}

static avr_cycle_count_t period(double pace) { return (avr_cycle_count_t)(HZ / (fast ? 80 : 10) * pace); }

static void power_up(void) {
  for (int i = 0; i < cell_count; i++) {
    cells[i].ready = cells[i].pulses = 0;
    cells[i].next = avr->cycle + SETTLING * period(cells[i].pace);
    drive(&cells[i], 1);
  }
}

static uint32_t shown(int i, avr_cycle_count_t when) {
  if (cells[i].is_set) return (uint32_t)cells[i].set & 0xffffff;
  const avr_cycle_count_t row = when < rows_from ? 0 : (when - rows_from) / period(1);
  return (uint32_t)rows[row < (avr_cycle_count_t)row_count ? row : (avr_cycle_count_t)row_count - 1][i] & 0xffffff;
}

static avr_cycle_count_t convert(avr_t *which, avr_cycle_count_t when, void *param) {
  (void)which, (void)param;
  avr_cycle_count_t soonest = when + (avr_cycle_count_t)HZ;
  for (int i = 0; i < cell_count; i++) {
    cell_t *cell = &cells[i];
    if (cell->next <= when) {
      cell->next += period(cell->pace);
      if (cell->pulses && !cell->absent) stats.torn++;
      cell->bits = shown(i, when);
      cell->ready = 1;
      if (!cell->pulses) drive(cell, 0);
    }
    if (cell->next < soonest) soonest = cell->next;
  }
  return soonest > when ? soonest : when + 1;
}

static void on_clock(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)param;
  const int high = value & 1;
  if (high == clock_high) return;
  clock_high = high;
  if (!high) {
    const double us = (double)(avr->cycle - clock_rose) / HZ * 1e6;
    if (us > 60) {
      stats.restarts++;
      power_up();
      avr_cycle_timer_cancel(avr, convert, NULL);
      avr_cycle_timer_register(avr, 100, convert, NULL);
      return;
    }
    stats.early += (unsigned long)early_now;
    if (us > 50) stats.high++;
    if ((unsigned long)(us * 1000) > stats.longest) stats.longest = (unsigned long)(us * 1000);
    return;
  }
  clock_rose = avr->cycle;
  early_now = 0;
  for (int i = 0; i < cell_count; i++) {
    cell_t *cell = &cells[i];
    if (cell->absent) continue;
    if (!cell->ready) {
      early_now++;
    } else if (++cell->pulses <= 24) {
      drive(cell, (int)(cell->bits >> (24 - cell->pulses) & 1));
    } else {
      drive(cell, 1);
      cell->ready = cell->pulses = 0;
      stats.reads++;
    }
  }
}

static void on_rate(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)param;
  if ((int)(value & 1) == fast) return;
  fast = value & 1;
  power_up();
}

static void on_strip(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)param;
  if (strip_held < sizeof strip) strip[strip_held++] = (uint8_t)value;
}

// -- the cable

static void on_sent(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)param;
  if (garble) {
    garble--;
    chance = chance * 1664525u + 1013904223u;
    value ^= chance >> 24;
  }
  if (!listened) return;  // nobody has the port open: the byte is lost
  if (out_held == sizeof out) fail("the host has not read for too long: run less at once");
  out[out_held++] = (uint8_t)value;
  sent++;
}

static void feed_in(void) {
  while (in_open && in_at < in_held) avr_raise_irq(uart_in, in[in_at++]);
}

static void on_open(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)value, (void)param;
  in_open = 1;
  feed_in();
}

static void on_shut(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)value, (void)param;
  in_open = 0;
}

static void plug(void) {
  int slave;
  char name[64];
  struct termios raw;
  if (openpty(&master, &slave, name, NULL, NULL)) fail("there is no pty");
  tcgetattr(slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(slave, TCSANOW, &raw);
  close(slave);
  fcntl(master, F_SETFL, O_NONBLOCK);
  unlink(link_path);
  if (symlink(name, link_path)) fail("%s cannot be made", link_path);
  out_held = in_held = in_at = 0;
  sent = 0;
}

static void unplug(void) {
  close(master);
  master = -1;
  unlink(link_path);
}

static void hand_over(void) {
  if (master < 0 || !out_held) return;
  const ssize_t put = write(master, out, out_held);
  if (put <= 0) return;
  memmove(out, out + put, out_held - (size_t)put);
  out_held -= (size_t)put;
}

static void pump(void) {
  struct pollfd wire = {.fd = master, .events = POLLIN};
  poll(&wire, 1, 0);
  listened = !(wire.revents & POLLHUP);
  if (!listened) out_held = 0;
  if (in_at == in_held && (wire.revents & POLLIN)) {
    const ssize_t got = read(master, in, sizeof in);
    in_at = 0;
    in_held = got > 0 ? (size_t)got : 0;
  }
  feed_in();
  hand_over();
}

// -- the chip

static avr_irq_t *pin(char port, int bit) { return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit); }

static void no_sleep(avr_t *which, avr_cycle_count_t cycles) { (void)which, (void)cycles; }

static void run(double ms) {
  static avr_cycle_count_t until;
  if (master < 0) return;  // without power
  if (until + (avr_cycle_count_t)HZ < avr->cycle) until = avr->cycle;
  until += (avr_cycle_count_t)(ms * HZ / 1e3);
  avr_cycle_count_t look = 0;
  while (avr->cycle < until) {
    if (avr->cycle >= look) {
      pump();
      look = avr->cycle + (avr_cycle_count_t)(HZ / 1000);
    }
    const int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) fail("the processor stopped at %x", avr->pc);
  }
  hand_over();
}

static void tell_pins(void) {
  for (int i = 0; i < cell_count; i++) {
    // The chip has forgotten what its pins are at, and libsimavr passes on changes only.
    const int level = cells[i].level;
    avr_raise_irq(cells[i].pin, !level);
    cells[i].level = -1;
    drive(&cells[i], level);
  }
}

static void buttons(int down) {
  for (int i = 0; i < BUTTONS; i++) {
    avr_raise_irq(button_pins[i], down >> i & 1);
    avr_raise_irq(button_pins[i], !(down >> i & 1));
  }
}

static void reset(int cause) {
  stats.resets++;
  avr_reset(avr);
  avr->data[MCUSR] = (uint8_t)cause;
  clock_high = 0;
  in_open = 1;
  avr_cycle_timer_cancel(avr, convert, NULL);
  avr_cycle_timer_register(avr, 100, convert, NULL);
  tell_pins();
  buttons(0);
}

static void tell_stats(void) {
  printf("{\"seconds\":%.6f,\"reads\":%lu,\"early\":%lu,\"torn\":%lu,\"high\":%lu,\"longest_ns\":%lu,"
         "\"restarts\":%lu,\"resets\":%lu,\"lamp\":%d,\"strip\":\"",
         (double)avr->cycle / HZ, stats.reads, stats.early, stats.torn, stats.high, stats.longest, stats.restarts,
         stats.resets, avr->data[PORTB] >> 7 & 1);
  for (size_t at = 0; at < strip_held; at++) printf("%02x", strip[at]);
  puts("\"}");
  strip_held = 0;
}

// -- commands

static int read_rows(char *at) {
  const long count = strtol(at, &at, 10);
  if (count < 1 || count > MOST_ROWS) return 0;
  for (long row = 0; row < count; row++) {
    for (int i = 0; i < cell_count; i++) {
      char *end;
      rows[row][i] = (int32_t)strtol(at, &end, 10);
      if (end == at) return 0;
      at = end;
    }
  }
  row_count = (int)count;
  rows_from = avr->cycle;
  return 1;
}

static int obey(char *line) {
  int i, flag;
  double number;
  const int named = sscanf(line, "%*s %d", &i) == 1 && i >= 0 && i < cell_count;
  if (!strncmp(line, "rows ", 5)) {
    if (!read_rows(line + 5)) return 0;
  } else if (named && sscanf(line, "set %*d %d", &flag) == 1) {
    cells[i].set = flag;
    cells[i].is_set = 1;
  } else if (named && !strncmp(line, "set ", 4)) {
    cells[i].is_set = 0;
  } else if (named && sscanf(line, "absent %*d %d", &flag) == 1) {
    cells[i].absent = flag;
    drive(&cells[i], !cells[i].ready);
  } else if (named && sscanf(line, "slow %*d %lf", &number) == 1) {
    cells[i].pace = number;
  } else if (sscanf(line, "buttons %d", &flag) == 1) {
    buttons(flag);
  } else if (sscanf(line, "garble %d", &flag) == 1) {
    garble = (unsigned)flag;
  } else if (sscanf(line, "reset %d", &flag) == 1) {
    reset(flag);
  } else if (!strcmp(line, "unplug") && master >= 0) {
    unplug();
  } else if (!strcmp(line, "plug") && master < 0) {
    plug();
    reset(1);
    power_up();
  } else if (sscanf(line, "run %lf", &number) == 1) {
    run(number);
    printf("%lu\n", sent);
    return 1;
  } else if (!strcmp(line, "stats")) {
    tell_stats();
    return 1;
  } else {
    return 0;
  }
  puts("ok");
  return 1;
}

// Take commands; meanwhile hand the host what the pty had no room for.
static void serve(void) {
  static char line[1 << 16];
  size_t held = 0;
  for (;;) {
    struct pollfd ends[2] = {{.fd = 0, .events = POLLIN}, {.fd = out_held ? master : -1, .events = POLLOUT}};
    poll(ends, 2, -1);
    if (ends[1].revents & POLLHUP) out_held = 0;
    hand_over();
    if (!ends[0].revents) continue;
    const ssize_t got = read(0, line + held, sizeof line - 1 - held);
    if (got <= 0) return;
    held += (size_t)got;
    line[held] = 0;
    for (char *end; (end = strchr(line, '\n'));) {
      *end = 0;
      if (!obey(line)) puts("error");
      held -= (size_t)(end + 1 - line);
      memmove(line, end + 1, held + 1);
    }
    if (held == sizeof line - 1) fail("a command is too long");
  }
}

int main(int count, char **words) {
  if (count != 4) fail("usage: hxboard ELF CELLS LINK");
  elf_firmware_t firmware;
  memset(&firmware, 0, sizeof firmware);
  setvbuf(stdout, NULL, _IOLBF, 0);
  const int answers = dup(1);  // libsimavr tells stdout what it loads
  dup2(2, 1);
  if (elf_read_firmware(words[1], &firmware)) fail("%s is no firmware", words[1]);
  fflush(stdout);
  dup2(answers, 1);
  cell_count = atoi(words[2]);
  if (cell_count < 1 || cell_count > MOST_CELLS) fail("%s cells: 1 to %d were expected", words[2], MOST_CELLS);
  snprintf(link_path, sizeof link_path, "%s", words[3]);
  avr = avr_make_mcu_by_name("atmega2560");
  if (!avr) fail("this simavr does not know the ATmega2560");
  avr_init(avr);
  firmware.frequency = (uint32_t)HZ;
  avr_load_firmware(avr, &firmware);
  avr->sleep = no_sleep;
  avr->log = LOG_ERROR;
  // The identity that `pitwatch flash` writes.
  uint8_t identity[] = {'P', 'W', 'e', 'm', 'u', 'l', 'a', 't', 'e', 'd', (uint8_t)cell_count};
  avr_eeprom_desc_t kept = {.ee = identity, .offset = 4, .size = sizeof identity};
  avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &kept);

  for (int i = 0; i < cell_count; i++) {
    cells[i].pin = pin("ACLKF"[i / 8], i % 8);
    cells[i].level = -1;
    cells[i].pace = 1 + 0.002 * ((i * 7) % 11 - 5);
  }
  for (int i = 0; i < BUTTONS; i++) button_pins[i] = pin('F', i + 2);
  avr_irq_register_notify(pin('B', 4), on_clock, NULL);
  avr_irq_register_notify(pin('B', 5), on_rate, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), on_strip, NULL);
  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
  flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_sent, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_open, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_shut, NULL);
  plug();
  reset(1);
  stats.resets = 0;
  power_up();
  puts("ok");
  serve();
  if (master >= 0) unplug();
  return 0;
}
