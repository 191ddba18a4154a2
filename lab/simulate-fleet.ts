/** What one video's tasks cost a single-core worker, in seconds of that core unless stated. */
export interface VideoWork {
  planSec: number
  /** Of each chunk of the picture, in order. */
  chunkSec: readonly number[]
  /** Of each track of sound. */
  soundSec: readonly number[]
  /** Of the search for rate factors, and the first chunk that waits for it; undefined where there is none. */
  search?: { sec: number; from: number } | undefined
  finishSec: number
  /** Bytes of the source, which each worker copies from the bucket before its first task; 0 on a shared disk. */
  sourceBytes: number
}

export interface Fleet {
  workers: number
  /** Bytes per second that one worker can transfer, and the bucket for all workers together. */
  workerBytesPerSec: number
  bucketBytesPerSec: number
  /** Seconds between the end of a worker's task and the start of its next one. */
  leaseSec: number
}

/** Seconds from the lease of the plan. */
export interface Simulated {
  playableSec: number
  completedSec: number
  /** When the last chunk and the last track were done. */
  chunksSec: number
  soundSec: number
  searchSec: number
  /** Longest that a worker copied the source. */
  copySec: number
}

interface Task {
  kind: 'plan' | 'search' | 'chunk' | 'sound' | 'finish'
  position: number
  /** Bytes still to be copied, then seconds of a core. */
  bytes: number
  sec: number
}
type Slot = 'picture' | 'sound'
interface Worker {
  running: Map<Slot, Task>
  hasSource: boolean
}

const isFirst = (task: Task | undefined) => task?.kind === 'chunk' && task.position === 0

/** Work below this is done: sums of floating-point numbers. */
const NOTHING = 1e-9

/**
 * Computes when a video is playable and complete if it has the fleet to itself. Workers have one core and two slots, which share it: one
 * for the plan, the search and chunks, and one for audio; the last step starts when both have nothing to do. Workers take tasks in video
 * order. The search comes after the chunks that do not wait for it, and before them if another worker encodes one. The worker that encodes
 * the first chunk, and one that searches, leave audio for later. Pure.
 */
export function simulateFleet(work: VideoWork, fleet: Fleet): Simulated {
  const { workers: count, workerBytesPerSec, bucketBytesPerSec, leaseSec } = fleet
  const workers = Array.from({ length: count }, (): Worker => ({ running: new Map(), hasSource: work.sourceBytes === 0 }))
  const chunks = work.chunkSec.map((sec, position): Task => ({ kind: 'chunk', position, bytes: 0, sec: sec + leaseSec }))
  const tracks = work.soundSec.map((sec, position): Task => ({ kind: 'sound', position, bytes: 0, sec: sec + leaseSec }))
  const searches = work.search ? [{ kind: 'search', position: 0, bytes: 0, sec: work.search.sec + leaseSec } satisfies Task] : []
  const doneAt = new Map<string, number>()
  let open = chunks.length + tracks.length + searches.length
  let now = 0
  let copiedAt = 0

  const begin = (worker: Worker, slot: Slot, task: Task) => {
    if (!worker.hasSource) task.bytes = work.sourceBytes
    worker.hasSource = true
    worker.running.set(slot, task)
  }
  const runs = (kind: Task['kind']) => workers.some(({ running }) => running.get('picture')?.kind === kind)
  const nextPicture = (): Task | undefined => {
    const [chunk] = chunks
    const waits = chunk && work.search && chunk.position >= work.search.from && !doneAt.has('search 0')
    return (!chunk || waits || runs('chunk') ? searches.shift() : undefined) ?? (waits ? undefined : chunks.shift())
  }
  const offer = () => {
    for (const worker of workers) {
      const next = worker.running.has('picture') ? undefined : nextPicture()
      if (next) begin(worker, 'picture', next)
    }
    // Sound goes to the worker that does least, and to one that searches last.
    const load = ({ running }: Worker) => running.size + (running.get('picture')?.kind === 'search' ? 1 : 0)
    for (const worker of workers.toSorted((a, b) => load(a) - load(b))) {
      const picture = worker.running.get('picture')
      if (isFirst(picture) || (picture?.kind === 'search' && workers.some(({ running }) => isFirst(running.get('picture'))))) continue
      const next = !worker.running.has('sound') && tracks.shift()
      if (next) begin(worker, 'sound', next)
    }
  }
  const [first] = workers
  if (!first) throw new Error('a fleet has at least one worker')
  begin(first, 'picture', { kind: 'plan', position: 0, bytes: 0, sec: work.planSec })

  for (;;) {
    const copying = workers.filter(({ running }) => [...running.values()].some(({ bytes }) => bytes > 0)).length
    const bytesPerSec = Math.min(workerBytesPerSec, bucketBytesPerSec / Math.max(1, copying))
    const rated = workers.flatMap((worker) => {
      const encoding = [...worker.running.values()].filter(({ bytes }) => bytes <= 0).length
      return [...worker.running].map(([slot, task]) => ({ worker, slot, task, share: 1 / Math.max(1, encoding) }))
    })
    const stepSec = Math.min(...rated.map(({ task, share }) => (task.bytes > 0 ? task.bytes / bytesPerSec : task.sec / share)))
    now += stepSec
    let ended: Worker | undefined
    for (const { worker, slot, task, share } of rated) {
      if (task.bytes > 0) {
        task.bytes -= stepSec * bytesPerSec
        if (task.bytes <= NOTHING * bytesPerSec) task.bytes = 0
        copiedAt = Math.max(copiedAt, now)
        continue
      }
      task.sec -= stepSec * share
      if (task.sec > NOTHING) continue
      worker.running.delete(slot)
      doneAt.set(`${task.kind} ${task.position}`, now)
      if (task.kind === 'finish') return summary(work, doneAt, now, copiedAt)
      if (task.kind !== 'plan') open--
      ended = worker
    }
    if (ended && open === 0) begin(ended, 'picture', { kind: 'finish', position: 0, bytes: 0, sec: work.finishSec + leaseSec })
    else if (doneAt.has('plan 0')) offer()
  }
}

function summary({ chunkSec, soundSec }: VideoWork, doneAt: ReadonlyMap<string, number>, completedSec: number, copySec: number): Simulated {
  const last = (kind: string, count: number) => Math.max(0, ...Array.from({ length: count }, (_, at) => doneAt.get(`${kind} ${at}`) ?? 0))
  return {
    playableSec: doneAt.get('chunk 0') ?? completedSec,
    completedSec,
    chunksSec: last('chunk', chunkSec.length),
    soundSec: last('sound', soundSec.length),
    searchSec: last('search', 1),
    copySec,
  }
}

/** Returns what ends last before the last step: where further workers gain nothing. */
export function boundOf(work: VideoWork, fleet: Fleet): string {
  const { chunksSec, soundSec, completedSec } = simulateFleet(work, fleet)
  const without = (changed: Partial<VideoWork>) => simulateFleet({ ...work, ...changed }, fleet).completedSec
  const gains: [string, number][] = [
    ['copies of the source', completedSec - without({ sourceBytes: 0 })],
    ['sound', soundSec > chunksSec ? completedSec - without({ soundSec: [] }) : 0],
    ['plan', work.planSec],
    ['last step', work.finishSec],
    ['chunks', completedSec - without({ chunkSec: [] })],
    ['search for rate factors', completedSec - without({ search: undefined })],
  ]
  return gains.toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ''
}
