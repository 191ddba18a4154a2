import { createRequire } from 'node:module'

interface Segment {
  text: string
  /** Milliseconds. */
  t0: number
  t1: number
}

export interface WhisperOutput {
  /** All text. */
  result: string
  /** One for each token, whose text is broken where a character consists of several tokens. */
  segments: Segment[]
  language?: string
}

interface Addon {
  WhisperContext: new (options: {
    filePath: string
  }) => {
    transcribeData(pcm: ArrayBuffer, options: Record<string, unknown>): { promise: Promise<WhisperOutput> }
  }
}

/**
 * Transcribes one chunk in a process of its own: whisper.cpp cannot be interrupted, and a crash in it ends the process that it runs in.
 * Arguments: the native module, the model, the language or `auto`, and the number of threads. Reads samples from standard input as signed
 * 16-bit integers, and prints what it heard as JSON (`WhisperOutput`).
 */
const [addon = '', model = '', language = 'auto', threads = '1'] = process.argv.slice(2)
const { WhisperContext } = createRequire(import.meta.url)(addon) as Addon
const pieces: Buffer[] = []
for await (const piece of process.stdin) pieces.push(piece as Buffer)
const pcm = new Uint8Array(Buffer.concat(pieces)).buffer
let context: InstanceType<typeof WhisperContext> | undefined
try {
  context = new WhisperContext({ filePath: model })
} catch (error) {
  console.error((error as Error).message)
  // MODEL_UNREADABLE of whisper-engine.ts. This file imports none, because the process reaches no other.
  process.exitCode = 64
}
if (context) {
  // A segment for each token: the only way in which the binding gives their times.
  const options = { language, maxThreads: Number(threads), maxLen: 1, tokenTimestamps: true }
  const { result, segments, language: spoken } = await context.transcribeData(pcm, options).promise
  process.stdout.write(JSON.stringify({ result, segments, language: spoken } satisfies WhisperOutput))
}
