import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { childEnvironment } from './config.ts'

/**
 * Nanoseconds that a thread of an encode, or of a process that serves requests, runs before another one of its class does. With Linux's own
 * 1.4 to 3 ms the timer tick ends a slice later than planned, so waiting threads of an encode become overdue and are chosen before a process
 * that serves a request, and such a process loses its core to them when its slice ends (docs/decisions/0088).
 */
const SLICE_NS = '10000000'

/** Numbers of the system call `sched_setattr` of Linux, by architecture. */
const SCHED_SETATTR: Partial<Record<string, string>> = { x64: '314', arm64: '274' }
/**
 * `set($thread)` gives a thread the policy and the slice of the command's arguments: `struct sched_attr` has its size, the policy, no flags,
 * the nice value that the thread has, no priority, and the slice.
 */
const SET_SLICE = `my ($call, $policy, $slice) = splice @ARGV, 0, 3;
  sub set { syscall($call + 0, $_[0] + 0, pack("L L Q l L Q Q Q", 48, $policy, 0, getpriority(0, $_[0]), 0, $slice, 0, 0), 0) == 0 }`
const SCHED_OTHER = '0'
const SCHED_BATCH = '3'

const call = process.platform === 'linux' && SCHED_SETATTR[process.arch]

const IDLE = ['chrt', '--idle', '0']

/**
 * Commands that run another one in the class of processes that every other process interrupts (SCHED_IDLE), the best first. A slice is set
 * in another class, as Linux keeps it but does not accept it in this one; Linux before 6.12 has none and ignores it.
 */
export const IDLE_CLASS: string[][] = [
  ...(call
    ? [['perl', '-e', `${SET_SLICE} set(0) or exit 126; exec {$ARGV[0]} @ARGV; exit 127`, call, SCHED_BATCH, SLICE_NS, ...IDLE]]
    : []),
  // From util-linux 2.41 on. It sets the nice value to 0, which the system permits to a process of a higher one only as root.
  ['chrt', '--batch', '--sched-runtime', SLICE_NS, '0', ...IDLE],
  IDLE,
]

/** A nice value with which a worker has a tenth of the weight of a process that serves requests, so that it keeps its leases next to it. */
const WORKER_NICE = 10

/**
 * Gives each thread of this process, and processes that it starts from then on, a slice as long as that of encodes. Linux protects no slice
 * for longer than the shortest one of the threads that wait for a core. Does nothing where the system cannot set one, and where an operator
 * has chosen another class or nice value, which the call would reset.
 */
export function lengthenTimeSlice(): void {
  if (!hasUsualPriority()) return
  const options = { env: childEnvironment() }
  const all = ['--all-tasks', '--other', '--sched-runtime', SLICE_NS, '--pid', '0', String(process.pid)]
  if (spawnSync('chrt', all, options).status === 0 || !call) return
  spawnSync('perl', ['-e', `${SET_SLICE} set($_) for @ARGV`, call, SCHED_OTHER, SLICE_NS, ...threads()], options)
}

/**
 * Makes this process wait for those of this machine that serve requests: its own work, as the encryption of segments, is not urgent. Does
 * nothing where an operator has chosen a class or nice value.
 */
export function yieldToRequests(): void {
  if (!hasUsualPriority()) return
  lengthenTimeSlice()
  for (const thread of threads()) lowerPriority(Number(thread), WORKER_NICE)
}

/** Sets the nice value of a thread, or of the main thread of a process. */
export function lowerPriority(id: number, nice: number): void {
  try {
    setPriority(id, nice)
  } catch {
    // It has ended, or this system forbids the change: it keeps its priority.
  }
}

const hasUsualPriority = () => process.platform === 'linux' && getPriority() === 0 && policy() === SCHED_OTHER

const threads = () => readdirSync('/proc/self/task')

/** The scheduling policy of the main thread: field 41 of its status, whose second one may contain spaces. */
const policy = () => readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[38]
