#ifndef CLOCK_SHIFT_H
#define CLOCK_SHIFT_H

/* Names how many seconds the clock of the process is ahead of the machine's. */
#define CLOCK_SHIFT_VARIABLE "CLOCK_SHIFT_SECONDS"

#endif
