import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { env } from '../config/config.ts'
import { ProgramFailed, run } from '../ffmpeg/ffmpeg.ts'
import { plausibleWords } from './chunks.ts'
import { type Heard, type SpeechEngine, SpeechError } from './engine.ts'
import { SAMPLE_RATE, toPcm16 } from './pcm.ts'
import type { WhisperOutput } from './whisper-child.ts'
import { wordsOfTokens } from './whisper-tokens.ts'

/** Address space of the process: Node reserves 4 GB that it does not use. whisper.cpp copies the model, and computes beside it. */
const BASE_MB = 12_000
const MODEL_SHARE = 2

/**
 * Runs whisper.cpp with the model of WHISPER_MODEL, through the prebuilt module of @fugood/whisper.node, confined and at low priority.
 * Not smart-whisper: it has no prebuilt modules and compiles a whisper.cpp of 2024 when it is installed, which blocked install scripts
 * prevent. Only the package with the module itself is a dependency; its parent would add modules for graphics cards, 20 times the size.
 */
export const whisperEngine = (): SpeechEngine => ({ name: 'whisper', chunkSec: 300, languages: LANGUAGES, transcribe })

/** Those of whisper.cpp, which calls Javanese jw. */
const LANGUAGES = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr ' +
  'az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl ' +
  'mg as tt haw ln ha ba jv su yue'
).split(' ')
const toWhisper = (language: string) => (language === 'jv' ? 'jw' : language)
const fromWhisper = (language: string) => (language === 'jw' ? 'jv' : language)

async function transcribe(pcm: Float32Array, { language, signal }: { language?: string | undefined; signal: AbortSignal }): Promise<Heard> {
  const model = env().WHISPER_MODEL ?? ''
  const { isMultilingual, megabytes } = await readModel(model)
  const addon = whisperAddon()
  const child = join(/* turbopackIgnore: true */ dirname(fileURLToPath(import.meta.url)), 'whisper-child.ts')
  const known = isMultilingual ? LANGUAGES : ['en']
  if (language && !known.includes(language))
    throw new SpeechError('refused', `The model of WHISPER_MODEL does not know the language ${language}.`)
  const spoken = isMultilingual ? toWhisper(language ?? 'auto') : 'en'
  let json = ''
  let said = ''
  try {
    said = await run(process.execPath, 'whisper', [child, addon, model, spoken, String(env().TRANSCODE_THREADS)], {
      signal,
      input: Readable.from(piecesOf(toPcm16(pcm))),
      onOutput: (bytes) => {
        json += bytes.toString('latin1')
      },
      background: 'last',
      only: {
        reads: [child, join(/* turbopackIgnore: true */ dirname(child), '../../../package.json'), model],
        writes: [],
        code: [dirname(addon)],
      },
      megabytes: BASE_MB + MODEL_SHARE * megabytes,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ProgramFailed ? failure(error, model) : error
  }
  if (said.includes(EMPTY_MODEL)) throw new SpeechError('misconfigured', notAModel(model))
  const heard = JSON.parse(Buffer.from(json, 'latin1').toString('utf8')) as WhisperOutput
  return {
    language: heard.language ? fromWhisper(heard.language) : null,
    words: plausibleWords(wordsOfTokens(heard.segments, heard.result), pcm.length / SAMPLE_RATE),
  }
}

/** Exit code of whisper-child.ts for a model that cannot be read. */
const MODEL_UNREADABLE = 64
/** What whisper.cpp prints about a file that ends before its weights. */
const EMPTY_MODEL = 'assuming empty model for testing'
/** What it prints once it has read a model. */
const MODEL_READ = 'whisper_init_state:'
/** Node's exit code for a promise that is never settled, as the binding's is after an exception in whisper.cpp. */
const UNSETTLED = 13

/** What ggml files begin with, as a little-endian number. */
const MAGIC = 0x67676d6c
/** Models of one language have a token less than those of many. */
const MULTILINGUAL_TOKENS = 51_865

async function readModel(path: string): Promise<{ isMultilingual: boolean; megabytes: number }> {
  try {
    const file = await open(/* turbopackIgnore: true */ path)
    try {
      const head = Buffer.alloc(8)
      const { bytesRead } = await file.read(head, 0, 8, 0)
      if (bytesRead < 8 || head.readUInt32LE(0) !== MAGIC) throw new SpeechError('misconfigured', notAModel(path))
      return { isMultilingual: head.readInt32LE(4) >= MULTILINGUAL_TOKENS, megabytes: Math.ceil((await file.stat()).size / 1e6) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof SpeechError) throw error
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : `it cannot be read (${code})`
    throw new SpeechError('misconfigured', `WHISPER_MODEL names ${path}, but ${reason}.`, { cause: error })
  }
}

const notAModel = (path: string) => `WHISPER_MODEL names ${path}, which is damaged or not a Whisper model in ggml format.`

/** Returns the path of the native module for this platform. */
function whisperAddon(): string {
  const name = `@fugood/node-whisper-${process.platform}-${process.arch}`
  try {
    return join(/* turbopackIgnore: true */ dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))), 'index.node')
  } catch (cause) {
    throw new SpeechError('misconfigured', `The engine whisper needs the npm package ${name}, which is not installed.`, { cause })
  }
}

function failure(error: ProgramFailed, model: string): SpeechError {
  if (error.code === 'SIGILL')
    return new SpeechError('misconfigured', 'The engine whisper cannot run on this processor. Use a server with SPEECH_URL.', {
      cause: error,
    })
  if (error.output.includes('ERR_DLOPEN_FAILED')) {
    const reason = error.output.split('\n').find((line) => line.startsWith('Error: ')) ?? ''
    return new SpeechError('misconfigured', `The engine whisper cannot be loaded. ${reason}`, { cause: error })
  }
  if (error.code === MODEL_UNREADABLE || (error.crashed && !error.output.includes(MODEL_READ)))
    return new SpeechError('misconfigured', notAModel(model), { cause: error })
  if (error.outOfMemory)
    return new SpeechError('misconfigured', `Whisper ran out of memory. Use a smaller model than ${model}.`, { cause: error })
  if (error.code === UNSETTLED)
    return new SpeechError('unavailable', 'Whisper gave up on a chunk without a reason; it may lack memory.', { cause: error })
  const what = error.crashed ? 'crashed' : 'failed'
  return new SpeechError('unavailable', `Whisper ${what}: ${error.output.trim().split('\n').at(-1) ?? ''}`, { cause: error })
}

/** Yields bytes in pieces that a pipe takes without waiting for long. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
