import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { childEnvironment } from './config.ts'

/**
 * Nanoseconds that a thread of an encode, or of a process that serves requests, runs before another one of its class does. With Linux's own
 * 1.4 to 3 ms the timer tick ends a slice later than planned, so waiting threads of an encode become overdue and are chosen before a process
 * that serves a request, and such a process loses its core to them when its slice ends (docs/decisions/0088).
 */
const SLICE_NS = '10000000'

/** Numbers of the system call `sched_setattr` of Linux, by architecture. */
const SCHED_SETATTR: Partial<Record<string, string>> = { x64: '314', arm64: '274' }
/** `struct sched_attr`: its size, the policy, no flags, nice value or priority, and the slice. */
const SET_SLICE = 'syscall(0 + shift, 0 + shift, pack("L L Q l L Q Q Q", 48, 0 + shift, 0, 0, 0, 0 + shift, 0, 0), 0) == 0 or exit 126'
const SCHED_OTHER = '0'
const SCHED_BATCH = '3'

const call = process.platform === 'linux' && SCHED_SETATTR[process.arch]

const IDLE = ['chrt', '--idle', '0']

/**
 * Commands that run another one in the class of processes that every other process interrupts (SCHED_IDLE), the best first. A slice is set
 * in another class, as Linux keeps it but does not accept it in this one; Linux before 6.12 has none and ignores it.
 */
export const IDLE_CLASS: string[][] = [
  // From util-linux 2.41 on.
  ['chrt', '--batch', '--sched-runtime', SLICE_NS, '0', ...IDLE],
  ...(call ? [['perl', '-e', `${SET_SLICE}; exec {$ARGV[0]} @ARGV; exit 127`, call, '0', SCHED_BATCH, SLICE_NS, ...IDLE]] : []),
  IDLE,
]

/**
 * Gives this process's main thread, and processes that it starts from then on, a slice as long as that of encodes. Does nothing where the
 * system cannot set one, and where an operator has chosen another class or nice value, which the call would reset.
 */
export function lengthenTimeSlice(): void {
  if (process.platform !== 'linux' || getPriority() !== 0 || policy() !== SCHED_OTHER) return
  const pid = String(process.pid)
  const options = { env: childEnvironment() }
  const { status } = spawnSync('chrt', ['--other', '--sched-runtime', SLICE_NS, '--pid', '0', pid], options)
  if (status !== 0 && call) spawnSync('perl', ['-e', SET_SLICE, call, pid, SCHED_OTHER, SLICE_NS], options)
}

/** The scheduling policy of the main thread: field 41 of its status, whose second one may contain spaces. */
const policy = () => readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[38]
