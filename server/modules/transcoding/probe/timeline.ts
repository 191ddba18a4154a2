import type { Run, StreamTimes } from './stream-times.ts'

/** What a stream really contains. Seconds from the start of the video. */
export interface StreamSpan {
  startSec: number
  endSec: number
  /** Times of packets that are out of line with all others, as ffmpeg counts. They are neither shown nor heard. */
  strays: number[]
}

/** When a source's chosen video and audio tracks start and end: the one measure of how long a video is. */
export interface Timeline {
  /** Seconds from the start of the file, as ffmpeg counts, to the first video or audio. 0 if they are hardly apart. */
  originSec: number
  picture: StreamSpan
  /** In the order of the tracks. Undefined for one without packets. */
  sounds: (StreamSpan | undefined)[]
  /** Whether the video ends before the end that its last packet or ffmpeg would give it. */
  isBounded: boolean
  /** Where the video's times go back and stay there, as in files that were joined byte by byte. */
  backSec: number | undefined
  /** Where many of a stream's packets start to have the same time, long after the others. */
  atOnceSec: number | undefined
}

/** A run of at most this many packets has a wrong time if another order or distance would be right. */
const MOST_STRAY = 3
/** A packet at either end that is this far from the others has a wrong time, unless another stream is as long. */
const FAR_SEC = 10
/** The same for video without audio, which may be a screen recording in which nothing moves. */
const FAR_ALONE_SEC = 60
/** Ends and starts that differ by less count as equal. */
export const NOTICED_SEC = 0.2

/** Returns what the streams contain. Undefined if the video has no packets. Pure. */
export function timelineOf(picture: StreamTimes, sounds: readonly StreamTimes[]): Timeline | undefined {
  const lines = [picture, ...sounds].map(inLine)
  const cores = lines.map(({ kept }) => coreOf(kept))
  const spans = lines.map(({ kept, strays, backSec }, at) => {
    const others = cores.filter((core, other) => core !== undefined && other !== at) as Core[]
    const isWrong = isWrongEnd(kept, others)
    const right = kept.filter((run) => !isWrong(run))
    return { right, others, backSec, wrong: [...strays, ...kept.filter(isWrong)] }
  })
  const [shown] = spans
  if (!shown || shown.right.length === 0) return undefined
  const firstSec = Math.min(...spans.flatMap(({ right }) => (right[0] ? [right[0].fromSec] : [])))
  const originSec = firstSec > NOTICED_SEC ? firstSec : 0
  const spanOf = ({ right, wrong }: (typeof spans)[number], statedEndSec: number): StreamSpan => ({
    startSec: (right[0]?.fromSec ?? 0) - originSec,
    endSec: statedEndSec - originSec,
    strays: wrong.flatMap(({ fromSec, lastSec }) => (fromSec === lastSec ? [fromSec] : [fromSec, lastSec])),
  })
  const last = shown.right.at(-1) as Run
  const heardSec = Math.max(...shown.others.map(({ toSec }) => toSec), Number.NEGATIVE_INFINITY)
  const isHeldLong = shown.others.length > 0 && last.endSec - last.lastSec > farIn(last) && last.endSec - heardSec > FAR_SEC
  const isBounded = shown.wrong.length > 0 || isHeldLong
  const pictureEndSec = isBounded ? Math.min(last.endSec, last.lastSec + (picture.frameSec ?? NOTICED_SEC)) : last.endSec
  return {
    originSec,
    picture: spanOf(shown, pictureEndSec),
    sounds: spans.slice(1).map((one) => (one.right.length > 0 ? spanOf(one, endOfSound(one.right.at(-1) as Run)) : undefined)),
    isBounded,
    backSec: shown.backSec,
    atOnceSec: [picture, ...sounds].map(atOnceFrom).find((sec) => sec !== undefined),
  }
}

/** Returns how far a time must be from a run to be wrong. The pictures of a slide show are far apart. */
const farIn = ({ fromSec, lastSec, packets }: Run) => Math.max(FAR_SEC, packets > 2 ? (2 * (lastSec - fromSec)) / (packets - 1) : 0)

/** Returns the last time before many packets with the same time: a program moved everything after a wrong time to that time. */
function atOnceFrom({ runs, frameSec }: StreamTimes): number | undefined {
  const isAtOnce = ({ packets, fromSec, lastSec }: Run) => frameSec !== undefined && packets * frameSec > 2 * (lastSec - fromSec) + 1
  const at = runs.findIndex((run, place) => place > 0 && isAtOnce(run) && gap(runs[place - 1], run) > FAR_SEC)
  return runs[at - 1]?.lastSec
}

/** Returns the end of an audio packet. One before a wrong time may claim to last until then. */
const endOfSound = ({ lastSec, endSec }: Run) => (endSec - lastSec > FAR_SEC ? lastSec : endSec)

interface Line {
  /** In order of time. */
  kept: Run[]
  strays: Run[]
  backSec: number | undefined
}

/** Separates a stream's runs whose times follow each other from short ones that are out of order. */
function inLine({ runs }: StreamTimes): Line {
  // Least time of all later runs.
  const laterSec = runs.map(() => Number.POSITIVE_INFINITY)
  for (let at = runs.length - 2; at >= 0; at--) laterSec[at] = Math.min(laterSec[at + 1] as number, (runs[at + 1] as Run).lastSec)
  const line: Line = { kept: [], strays: [], backSec: undefined }
  let reachedSec = Number.NEGATIVE_INFINITY
  let reachedPacket = -1
  for (const [at, run] of runs.entries()) {
    const isInside = reachedPacket > run.last
    const isEarly = run.lastSec < reachedSec
    if (run.packets <= MOST_STRAY && runs.length > 1 && (isInside || isEarly || (laterSec[at] as number) < run.fromSec)) {
      line.strays.push(run)
      continue
    }
    if (run.fromSec < reachedSec) line.backSec ??= reachedSec
    line.kept.push(run)
    reachedSec = Math.max(reachedSec, run.lastSec)
    reachedPacket = Math.max(reachedPacket, run.last)
  }
  return line
}

interface Core {
  fromSec: number
  toSec: number
}

const isShort = (run: Run | undefined) => run !== undefined && run.packets <= MOST_STRAY
const gap = (before: Run | undefined, after: Run | undefined) => (before && after ? after.fromSec - before.lastSec : 0)

/** Returns a stream's span without the few packets far from all others at its ends. Undefined for a stream without packets. */
function coreOf(kept: readonly Run[]): Core | undefined {
  const first = isShort(kept[0]) && gap(kept[0], kept[1]) > FAR_SEC ? kept[1] : kept[0]
  const last = isShort(kept.at(-1)) && gap(kept.at(-2), kept.at(-1)) > FAR_SEC ? kept.at(-2) : kept.at(-1)
  return first && last ? { fromSec: first.fromSec, toSec: endOfSound(last) } : undefined
}

/** Returns a test for runs at an end of a stream whose time is wrong. */
function isWrongEnd(kept: readonly Run[], others: readonly Core[]): (run: Run) => boolean {
  const fromSec = Math.min(...others.map((one) => one.fromSec))
  const toSec = Math.max(...others.map((one) => one.toSec))
  return (run) => {
    if (!isShort(run) || kept.length < 2) return false
    const [isFirst, isLast] = [run === kept[0], run === kept.at(-1)]
    const distance = Math.max(isFirst ? gap(run, kept[1]) : 0, isLast ? gap(kept.at(-2), run) : 0)
    if (others.length === 0) return kept.length === 2 && distance > FAR_ALONE_SEC
    return distance > FAR_SEC && ((isFirst && run.lastSec < fromSec - FAR_SEC) || (isLast && run.fromSec > toSec + FAR_SEC))
  }
}
