// Pitwatch, the firmware of the weighing board. Open this folder in the Arduino IDE, choose "Arduino Mega or Mega
// 2560", and upload; or run `make firmware` and `pitwatch flash`.
#include <avr/interrupt.h>

#include "atmega2560.h"
#include "core.h"

static pitwatch::Atmega2560 board;
static pitwatch::Core<pitwatch::Atmega2560> core(board);

ISR(TIMER1_COMPA_vect) { core.bank.tick(board.next_tick()); }

// The Arduino library's own main() and timer are left out: nothing else may hold up the interrupt.
int main() {
  board.begin();
  core.begin();
  for (;;) {
    core.poll();
    board.rest();
  }
}
