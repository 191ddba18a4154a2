import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guardedInput } from '../ffmpeg/ffmpeg.ts'
import type { Heard, SpeechEngine } from './engine.ts'
import { readPcm, SAMPLE_RATE } from './pcm.ts'

/** 11 seconds of John F. Kennedy's inaugural address of 1961, which is in the public domain. */
const SAMPLE = fileURLToPath(new URL('sample.ogg', import.meta.url))
/** At most this much of another file, in seconds. */
const MOST_SEC = 60

export interface SpeechCheck extends Heard {
  audioSec: number
  tookSec: number
  /** Most memory of the engine's processes, in megabytes. Undefined where it runs elsewhere, or the system does not tell. */
  peakMb: number | undefined
}

/** Runs an engine on a sample of speech, or on the beginning of a file's audio. Rejects with SpeechError or ProgramFailed. */
export async function checkSpeech(engine: SpeechEngine, file = SAMPLE): Promise<SpeechCheck> {
  const path = resolve(file)
  const pcm = await readPcm({ args: [...guardedInput(path), '-map', '0:a:0', '-t', String(MOST_SEC)], only: { reads: [path], writes: [] } })
  const start = performance.now()
  const peak = watchMemory()
  try {
    const heard = await engine.transcribe(pcm, { signal: new AbortController().signal })
    return { ...heard, audioSec: pcm.length / SAMPLE_RATE, tookSec: (performance.now() - start) / 1_000, peakMb: peak.read() }
  } finally {
    peak.stop()
  }
}

const WATCH_MS = 50

/** Measures the memory of this process's children until stopped. */
function watchMemory() {
  let most = 0
  const measure = () => {
    most = Math.max(
      most,
      childrenOf(process.pid).reduce((sum, pid) => sum + residentKb(pid), 0),
    )
  }
  const timer = setInterval(measure, WATCH_MS)
  return { read: () => (most > 0 ? Math.round(most / 1_024) : undefined), stop: () => clearInterval(timer) }
}

function childrenOf(pid: number): number[] {
  const children = proc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [...children, ...children.flatMap(childrenOf)]
}

const residentKb = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(proc(`${pid}/status`))?.[1] ?? 0)

function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
