import { qualityOf } from '../../identity/accounts/quality-schema.ts'
import { type DamagedPart, damageOf, describeDamage } from '../encode/damage.ts'
import { isServiceFault } from '../faults.ts'
import type { LeftOutTrack } from '../plan/audio-tracks.ts'
import type { QualitySearch } from '../quality/rate-factor.ts'
import { type Advice, CAUSES, type Cause, causeOf } from './causes.ts'
import type { ProcessingState, Stage, TaskState } from './processing-schema.ts'
import type { Span } from './store.ts'

/** The parts of a stored plan that are shown (`transcode_queue.plan`). */
export interface PlannedWork {
  facts: { durationSec: number; frameRate: { value: number }; audio: { language: string | null; name: string }[]; leftOut?: LeftOutTrack[] }
  renditions: { quality: string; width: number; height: number }[]
  chunks: { position: number; startFrame: number; expectedFrames: number }[]
  /** Absent if the first rendition is not copied from the source. */
  copy?: { kept: boolean; dropped?: true }
  search?: Search
}

type Search = Pick<QualitySearch, 'target' | 'found' | 'asBefore'>

export interface TaskRow {
  kind: 'copy' | 'quality' | 'video' | 'audio' | 'finish'
  position: number
  dueAt: Date
  leasedUntil: Date | null
  failures: number
  losses: number
  worker: string | null
  /** When it last started. Null if it never did. */
  startedAt: Date | null
  progress: number
  /** When the progress was last written. */
  progressAt: Date | null
  cause: string | null
  doneAt: Date | null
  /** What its source does not contain in readable form. Null while nothing is known. */
  damage: Span[] | null
}

/** What comes before a video's next task. Videos are its own account's, turns are other accounts'. */
export interface Ahead {
  position: number
  ownVideos: number
  otherTurns: number
}

/** What a video's processing status follows from. Times are the database's. */
export interface ProcessingRows {
  now: Date
  video: {
    id: string
    status: ProcessingState['status']
    failureReason: string | null
    playableAt: Date | null
    completedAt: Date | null
    /** Seconds left at the pace so far. Null before the first frames are encoded. */
    secondsLeft: number | null
    damage: DamagedPart[] | null
    /** For a complete video. */
    rateFactors?: Search | null
  }
  /** Null once it has ended. */
  queue: { dueAt: Date; leasedUntil: Date | null; returns: number; storageFaults: number; plan: PlannedWork | null } | null
  tasks: TaskRow[]
  /** Null while it has no place in the order. */
  ahead: Ahead | null
  /** How many workers take videos. */
  workers: number
}

/** Returns a video's processing status for its owner. Numbers its workers and names no other account. */
export function buildProcessing(rows: ProcessingRows): ProcessingState {
  const { video, queue, tasks, now } = rows
  const label = workerLabels(tasks)
  const shown = (task: TaskRow | undefined) => ({
    state: task ? stateOf(task, now) : ('waiting' as const),
    progress: task?.doneAt ? 1 : thousandths(Math.max(0, task?.progress ?? 0)),
    worker: label.get(task?.worker ?? '') ?? null,
    startedAt: task?.startedAt?.toISOString() ?? null,
    doneAt: task?.doneAt?.toISOString() ?? null,
  })
  const find = taskFinder(tasks)
  const plan = queue?.plan ?? null
  const stage = stageOf(rows)
  const chunks = plan ? spans(plan).map((span) => ({ ...span, ...shown(find('video', span.position)) })) : []
  const lengths = chunks.map(({ startSec, endSec }) => endSec - startSec)
  const all = sum(lengths)
  const times = tasks.flatMap(({ startedAt, progressAt, doneAt }) => [startedAt, progressAt, doneAt]).filter((time) => time !== null)
  const tries = triesOf(rows)
  const waiting = queue ? waitOf(rows) : null
  return {
    videoId: video.id,
    status: video.status,
    stage,
    failureReason: video.failureReason,
    queue: waiting,
    secondsLeft: plan ? video.secondsLeft : null,
    progress:
      stage === 'completed' ? 1 : all > 0 ? thousandths(sum(chunks.map(({ progress }, at) => progress * (lengths[at] ?? 0))) / all) : 0,
    chunksDone: chunks.filter(({ state }) => state === 'done').length,
    chunks,
    audio: (plan?.facts.audio ?? []).map(({ language, name }, position) => ({
      position,
      name,
      language,
      ...shown(find('audio', position)),
    })),
    copy:
      plan?.copy && !plan.copy.dropped
        ? { quality: plan.renditions[0]?.quality ?? '', kept: plan.copy.kept, ...shown(find('copy', 0)) }
        : null,
    lastProgressAt: times.length > 0 ? new Date(Math.max(...times.map(Number))).toISOString() : null,
    tries: tries.map(({ cause, ...one }) => ({ ...one, reason: CAUSES[cause].reason })),
    action: actionOf(rows, stage, waiting !== null && rows.workers === 0, tries),
    pictureQuality: pictureQualityOf(plan?.search ?? video.rateFactors ?? undefined),
    warnings: warningsOf(rows),
    playableSince: (video.playableAt ?? video.completedAt)?.toISOString() ?? null,
  }
}

/** Rounds a share for display, because a program prints it as it is. */
const thousandths = (share: number) => Math.min(1, Math.round(share * 1_000) / 1_000)

function pictureQualityOf(search: Search | undefined): ProcessingState['pictureQuality'] {
  // A search that found nothing leaves the usual rate factor. A search for that one's quality has no target.
  if (!search || search.found?.length === 0 || search.asBefore?.length === 0) return null
  const tenths = (score: number | undefined) => (score === undefined ? null : Math.round(score * 10) / 10)
  const renditions = (search.found ?? []).map(({ quality, rateFactor, measured }) => ({
    ...{ quality, rateFactor, vmafMean: tenths(measured?.mean), vmafP5: tenths(measured?.p5) },
  }))
  return { target: qualityOf(search.target), isFound: search.found !== undefined, renditions }
}

/** Returns what could not be decoded: for a complete video as stored, otherwise from the finished parts. */
function warningsOf({ video, queue, tasks }: ProcessingRows): ProcessingState['warnings'] {
  const of = (kind: TaskRow['kind']) => {
    const own = tasks.filter((task) => task.kind === kind).toSorted((a, b) => a.position - b.position)
    return own.map(({ damage }) => (damage ? { damage } : {}))
  }
  const damage = queue?.plan ? damageOf(queue.plan, of('video'), of('audio')) : (video.damage ?? [])
  return damage.map(({ reason, ...part }) => ({ ...part, text: describeDamage({ ...part, ...(reason && { reason }) }) }))
}

/** Returns the labels of a video's workers, in the order in which they started: `worker 1` and so on. */
export function workerLabels(tasks: readonly TaskRow[]): Map<string, string> {
  const begun = tasks
    .filter(({ worker }) => worker !== null)
    .sort((a, b) => Number(a.startedAt) - Number(b.startedAt) || a.position - b.position)
  return new Map([...new Set(begun.map(({ worker }) => worker as string))].map((worker, at) => [worker, `worker ${at + 1}`]))
}

/** Returns a function that finds a task, because a long video has thousands. */
function taskFinder(tasks: readonly TaskRow[]): (kind: TaskRow['kind'], position: number) => TaskRow | undefined {
  const found = new Map(tasks.map((task) => [`${task.kind} ${task.position}`, task]))
  return (kind, position) => found.get(`${kind} ${position}`)
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const isRunning = ({ doneAt, leasedUntil }: TaskRow, now: Date) => doneAt === null && leasedUntil !== null && leasedUntil > now
/** Whether its worker was lost and no other has it yet. */
const isLost = ({ doneAt, leasedUntil }: TaskRow, now: Date) => doneAt === null && leasedUntil !== null && leasedUntil <= now

function stateOf(task: TaskRow, now: Date): TaskState {
  if (task.doneAt) return 'done'
  if (isRunning(task, now)) return 'running'
  return task.startedAt ? 'retrying' : 'waiting'
}

function stageOf({ video, queue, tasks, now }: ProcessingRows): Stage {
  if (video.status === 'COMPLETED') return 'completed'
  if (video.status === 'FAILED') return 'failed'
  if (!queue?.plan) return queue?.leasedUntil && queue.leasedUntil > now ? 'analyzing' : 'queued'
  const parts = tasks.filter(({ kind }) => kind !== 'finish')
  if (parts.every(({ doneAt }) => doneAt !== null)) return 'finishing'
  return parts.some(({ startedAt }) => startedAt !== null) ? 'encoding' : 'queued'
}

/** Returns where each chunk starts and ends, in seconds. */
function spans({ chunks, facts }: PlannedWork): { position: number; startSec: number; endSec: number }[] {
  const seconds = (frames: number) => Math.round((frames / facts.frameRate.value) * 1_000) / 1_000
  return chunks.map(({ position, startFrame, expectedFrames }) => ({
    position,
    startSec: seconds(startFrame),
    endSec: seconds(startFrame + expectedFrames),
  }))
}

/** Returns why nothing of a video is running. Null while something is. */
function waitOf({ queue, tasks, ahead, workers, now }: ProcessingRows): ProcessingState['queue'] {
  if (!queue || tasks.some((task) => isRunning(task, now))) return null
  if (!queue.plan && queue.leasedUntil && queue.leasedUntil > now) return null
  const open = tasks.filter(({ doneAt, kind }) => doneAt === null && kind !== 'finish')
  const due = open.length > 0 ? new Date(Math.min(...open.map(({ dueAt }) => Number(dueAt)))) : queue.dueAt
  const nextTryAt = due > now ? due : null
  const { position = null, ownVideos = 0, otherTurns = 0 } = ahead ?? {}
  const lost = open.some((task) => isLost(task, now)) || (queue.leasedUntil !== null && queue.leasedUntil <= now)
  const reason = () => {
    if (workers === 0) return 'No worker is available.'
    if (nextTryAt) return 'Waiting to retry after a failure.'
    if (lost) return 'The worker stopped responding. The next free worker will continue.'
    if (ownVideos === 0 && otherTurns === 0) return 'Next in the queue, waiting for a free worker.'
    return `${before(ownVideos, otherTurns)} ahead of it. Accounts take turns.`
  }
  return {
    position: nextTryAt ? null : position,
    ownVideosBefore: ownVideos,
    otherTurnsBefore: otherTurns,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    reason: reason(),
  }
}

function before(ownVideos: number, otherTurns: number): string {
  const own = `${ownVideos} ${ownVideos === 1 ? 'video' : 'videos'} of this account`
  const others = `${otherTurns} ${otherTurns === 1 ? 'turn' : 'turns'} of other accounts`
  const parts = [...(ownVideos > 0 ? [own] : []), ...(otherTurns > 0 ? [others] : [])]
  return `${parts.join(' and ')} ${ownVideos + otherTurns === 1 ? 'comes' : 'come'}`
}

type Try = Omit<ProcessingState['tries'][number], 'reason'> & { cause: Cause }

// A search is part of the analysis.
const PARTS = { copy: 'copy', quality: 'video', video: 'chunk', audio: 'audio', finish: 'finish' } as const

/** Returns what failed earlier, in video order. */
function triesOf({ queue, tasks, now }: ProcessingRows): Try[] {
  const tries: Try[] = []
  const analysis = (failures: number, cause: Cause) => ({ part: 'video' as const, position: null, failures, losses: 0, cause })
  if (queue && queue.returns > 0) tries.push(analysis(queue.returns, 'disk'))
  if (queue && queue.storageFaults > 0) tries.push(analysis(queue.storageFaults, 'storage'))
  for (const task of tasks) {
    const losses = task.losses + (isLost(task, now) ? 1 : 0)
    if (task.failures + losses === 0) continue
    const cause = isLost(task, now) || task.failures === 0 ? 'lost' : causeOf(task.cause)
    tries.push({
      part: PARTS[task.kind],
      position: task.kind === 'finish' || task.kind === 'copy' || task.kind === 'quality' ? null : task.position,
      failures: task.failures,
      losses,
      cause,
    })
  }
  return tries
}

function actionOf({ video, tasks }: ProcessingRows, stage: Stage, noWorker: boolean, tries: Try[]): ProcessingState['action'] {
  if (stage === 'completed') return { code: 'none', text: 'Nothing to do. The video is complete.' }
  if (stage === 'failed') {
    if (isServiceFault(video.failureReason ?? ''))
      return { code: 'retry', text: 'Retry the video. If it fails again, send its ID to the operator.' }
    return { code: 'upload', text: 'Fix the file as the reason describes, then upload it again.' }
  }
  if (noWorker)
    return {
      code: 'operator',
      text: 'Processing continues when a worker is available. If this lasts, ask the operator to start or check the workers.',
    }
  const isDone = (one: Try) => tasks.some((task) => PARTS[task.kind] === one.part && task.position === (one.position ?? 0) && task.doneAt)
  const advice: Advice[] = tries.filter((one) => !isDone(one)).map(({ cause }) => CAUSES[cause].advice)
  return advice.find(({ code }) => code === 'upload') ?? advice.find(({ code }) => code === 'operator') ?? CAUSES.failed.advice
}
