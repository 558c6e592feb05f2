// The second stage of an RP2040's boot. The boot ROM takes the first 256 bytes of the flash, the last four of which
// are their checksum (image.py puts it there), to the end of the memory and calls them (RP2040 datasheet, bootrom).
// They make the flash readable by its slowest command, 03h, which every flash knows, copy the firmware from there
// into memory, and start it. From then on nothing is read from the flash: no miss of its cache comes in while the
// converters' clock is high, and it can be asked for its serial number.
  .syntax unified
  .cpu cortex-m0plus
  .thumb
  .section .boot2, "ax"
  ldr r0, =0x18000000   // SSI, datasheet, list of registers
  movs r1, #0
  str r1, [r0, #0x08]   // SSIENR: off while it is set up
  str r1, [r0, #0x04]   // CTRLR1: one frame a read
  movs r1, #2
  str r1, [r0, #0x14]   // BAUDR: half the system's clock
  movs r1, #1
  str r1, [r0, #0x10]   // SER: the one flash there is
  ldr r1, =0x001f0300   // frames of 32 bits; send the command, then receive
  str r1, [r0, #0x00]   // CTRLR0
  ldr r1, =0x03000218   // command 03h of 8 bits, address of 24
  ldr r2, =0x180000f4   // SPI_CTRLR0
  str r1, [r2]
  movs r1, #1
  str r1, [r0, #0x08]

  ldr r0, =__stored
  ldr r1, =__loaded
  ldr r2, =__loaded_end
copy:
  ldmia r0!, {r3}
  stmia r1!, {r3}
  cmp r1, r2
  blo copy

  ldr r0, =__loaded     // begins with the table of vectors: where the stack ends, where to start
  ldr r1, =0xe000ed08   // VTOR
  str r0, [r1]
  ldmia r0!, {r1, r2}
  msr msp, r1
  bx r2
  .ltorg
