import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Piscina } from 'piscina'
import { services } from '../container.ts'
import { currentSubject } from './caller.ts'
import { Turns } from './turns.ts'

/** Threads for work whose size a caller chooses, and the turns in which callers use them. */
interface Processor {
  threads: Piscina
  turns: Turns
}

declare module '../container.ts' {
  interface Services {
    processor: Processor
  }
}

/** The folder `server`. Next's bundle knows where this file was, but not `import.meta.dirname`. */
const server = () => join(dirname(fileURLToPath(import.meta.url)), '../..')

/** One more than the cores that requests leave, so that one caller's long job does not keep everyone's jobs waiting. */
const THREADS = Math.max(2, Math.min(4, availableParallelism() - 1))

export const makeProcessor = (): Processor => ({
  threads: makeThreads({ maxThreads: THREADS, maxOldGenerationSizeMb: 160 }),
  turns: new Turns({ name: 'processor', places: THREADS, share: 1, alone: THREADS - 1, queue: 20, waiting: 200, retryAfter: 5 }),
})

/**
 * Creates a pool of threads. A thread that has been idle for ten seconds ends, because until then it holds its garbage. Threads get neither
 * this process's settings, some of which are secrets, nor its flags. Callers take turns, so nothing waits in the pool.
 */
export const makeThreads = ({ maxThreads, maxOldGenerationSizeMb }: { maxThreads: number; maxOldGenerationSizeMb: number }): Piscina =>
  new Piscina({
    minThreads: 0,
    maxThreads,
    idleTimeout: 10_000,
    env: {},
    // Not the pool's own option for it, whose native package is not part of images.
    execArgv: ['--import', pathToFileURL(join(server(), 'platform/turns/yield-thread.ts')).href],
    resourceLimits: { maxOldGenerationSizeMb },
    recordTiming: false,
  })

/** Returns how many of a group's jobs are waiting for the processor. */
export const waitingForProcessor = (group: string): number => services().processor.turns.load(group).waiting

// biome-ignore lint/suspicious/noExplicitAny: the parameter of any function.
type Work = (input: any) => unknown
type Job<Run extends Work> = (input: Parameters<Run>[0]) => Promise<Awaited<ReturnType<Run>>>

/** Returns a function that runs an export of a file below `server/` on `threads`. Input and result are structured clones. */
export const onThreads =
  <Run extends Work>(threads: () => Piscina, file: string, name: string): Job<Run> =>
  (input) =>
    threads().run(input, { filename: join(/* turbopackIgnore: true */ server(), file), name })

/** Returns the same as a job in the caller's turn at the processor. The job's errors: `TurnRefused`, and what the function throws. */
export function processorJob<Run extends Work>(file: string, name: string): Job<Run> {
  const run = onThreads<Run>(() => services().processor.threads, file, name)
  return (input) => services().processor.turns.run(currentSubject(), () => run(input))
}
