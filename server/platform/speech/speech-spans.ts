import { SAMPLE_RATE } from './pcm.ts'
import type { Span } from './words.ts'

/** Samples in a frame: 20 ms. */
const FRAME = SAMPLE_RATE / 50
const FRAME_SEC = FRAME / SAMPLE_RATE

/** Decibels relative to full scale below which nothing is speech, and of digital silence. */
const INAUDIBLE = -65
const SILENT = -100
/** How far speech rises above the noise around it, in decibels. */
const RISE = 8
/** Frames in a block; the noise around a frame is measured over its block and the two beside it. */
const BLOCK = 500
/** Speech pauses for less than this within a span, in seconds. */
const BREATH_SEC = 0.3
/** A shorter noise is a click. */
const CLICK_SEC = 0.06
/** A span that stays within these decibels for this long is a tone or a noise: syllables rise and fall by more. */
const STEADY = { decibels: 5, sec: 0.5 }
/** What is added before and after a span, whose first and last sounds are quiet. */
const MARGIN_SEC = 0.2

/** Measures the level of audio that comes in pieces. */
export class LevelMeter {
  private levels = new Float32Array(1_024)
  private frames = 0
  private sum = 0
  private samples = 0
  /** Of two high-pass filters: their last inputs and outputs. */
  private filters = [
    { input: 0, output: 0 },
    { input: 0, output: 0 },
  ]

  add(pcm: Float32Array): void {
    for (const sample of pcm) {
      let value = sample
      for (const filter of this.filters) {
        // Removes an offset, hum and rumble, which are below the voice.
        filter.output = 0.94 * (filter.output + value - filter.input)
        filter.input = value
        value = filter.output
      }
      this.sum += value * value
      this.samples += 1
      if (this.samples === FRAME) this.endFrame()
    }
  }

  private endFrame(): void {
    if (this.frames === this.levels.length) {
      const longer = new Float32Array(this.levels.length * 2)
      longer.set(this.levels)
      this.levels = longer
    }
    this.levels[this.frames] = Math.max(SILENT, 10 * Math.log10(this.sum / this.samples + 1e-12))
    this.frames += 1
    this.sum = 0
    this.samples = 0
  }

  /** Returns the level of each frame of 20 ms in decibels relative to full scale, at least -100. */
  result(): Float32Array {
    if (this.samples > 0) this.endFrame()
    return this.levels.slice(0, this.frames)
  }
}

/**
 * Returns where somebody may be speaking, in order and apart from each other, from the levels of a whole track (`LevelMeter`). Silence, a
 * steady noise and a tone contain no such span; music does, because it rises and falls as speech does.
 */
export function speechSpans(levels: Float32Array): Span[] {
  const floors = noiseFloors(levels)
  const threshold = (frame: number) => Math.max(INAUDIBLE, (floors[Math.floor(frame / BLOCK)] ?? SILENT) + RISE)
  const durationSec = levels.length * FRAME_SEC
  const spans: Span[] = []
  for (const { from, to } of loudRuns(levels, threshold)) {
    if ((to - from) * FRAME_SEC < CLICK_SEC || isSteady(levels.subarray(from, to))) continue
    const span = { fromSec: Math.max(0, from * FRAME_SEC - MARGIN_SEC), toSec: Math.min(durationSec, to * FRAME_SEC + MARGIN_SEC) }
    const last = spans.at(-1)
    if (last && span.fromSec <= last.toSec) last.toSec = span.toSec
    else spans.push(span)
  }
  return spans
}

/** Returns runs of frames above the threshold, with their short breaks. `to` is excluded. */
function* loudRuns(levels: Float32Array, threshold: (frame: number) => number): Generator<{ from: number; to: number }> {
  let run: { from: number; to: number } | undefined
  for (const [frame, level] of levels.entries()) {
    if (level <= threshold(frame)) continue
    if (run && (frame - run.to) * FRAME_SEC <= BREATH_SEC) run.to = frame + 1
    else {
      if (run) yield run
      run = { from: frame, to: frame + 1 }
    }
  }
  if (run) yield run
}

/** Returns the level of the noise in each block: what all but a tenth of its frames exceed. */
function noiseFloors(levels: Float32Array): number[] {
  return Array.from({ length: Math.ceil(levels.length / BLOCK) }, (_, block) => {
    const around = levels.slice(Math.max(0, block - 1) * BLOCK, (block + 2) * BLOCK).sort()
    return around[Math.floor(around.length / 10)] ?? SILENT
  })
}

function isSteady(levels: Float32Array): boolean {
  if (levels.length * FRAME_SEC < STEADY.sec) return false
  const sorted = levels.slice().sort()
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? SILENT
  return at(0.9) - at(0.1) < STEADY.decibels
}
