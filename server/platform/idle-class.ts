/**
 * Nanoseconds that a thread of the idle class runs before another of that class does. With Linux's own 1.4 to 3 ms, the timer tick ends
 * such a turn later than planned, so waiting threads become overdue and are chosen before a process that serves a request.
 */
const SLICE_NS = '10000000'

/** Numbers of the system call `sched_setattr` of Linux, by architecture. */
const SCHED_SETATTR: Partial<Record<string, string>> = { x64: '314', arm64: '274' }
/** `struct sched_attr`: its size, SCHED_BATCH, no flags, nice value or priority, and the slice. */
const SET_SLICE = 'syscall(0 + shift, 0, pack("L L Q l L Q Q Q", 48, 3, 0, 0, 0, 0 + shift, 0, 0), 0) == 0 or exit 126'

const IDLE = ['chrt', '--idle', '0']
/** From util-linux 2.41 on. */
const BY_CHRT = ['chrt', '--batch', '--sched-runtime', SLICE_NS, '0', ...IDLE]
const byPerl = (call: string) => ['perl', '-e', `${SET_SLICE}; exec {$ARGV[0]} @ARGV; exit 127`, call, SLICE_NS, ...IDLE]

const call = process.platform === 'linux' && SCHED_SETATTR[process.arch]

/**
 * Commands that run another one in the class of processes that every other process interrupts (SCHED_IDLE), the best first. A slice is set
 * in another class, as Linux keeps it but does not accept it in this one; Linux before 6.12 has none and ignores it.
 */
export const IDLE_CLASS: string[][] = [BY_CHRT, ...(call ? [byPerl(call)] : []), IDLE]
