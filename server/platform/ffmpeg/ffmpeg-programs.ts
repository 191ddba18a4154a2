import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment, env } from '../config/config.ts'
import { services } from '../container.ts'

const ffmpegPackage = () => `@ffmpeg-binary/${platform()}`
const ffprobePackage = () => `@ffprobe-installer/${platform()}`

/** What is known about the programs. Each is looked up once. */
interface FoundPrograms {
  ffmpeg?: string
  ffprobe?: string
  /** The ffmpeg that measures quality, if there is one. */
  scorer?: { program: string | undefined }
  /** The ffmpeg that encodes AV1, if there is one. */
  av1?: { program: string | undefined }
  /** Why the system's ffmpeg is not used although it exists. */
  passedOver?: string
  /** Names of ffmpeg's filters. */
  filters?: ReadonlySet<string>
  /** Names of the codecs that ffmpeg decodes. */
  decoded?: ReadonlySet<string>
  /** What the programs printed about their version. */
  readonly versions: Map<string, VersionRun>
}

type VersionRun = Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'error'>

declare module '../container.ts' {
  interface Services {
    ffmpegPrograms: FoundPrograms
  }
}

export const makeFoundPrograms = (): FoundPrograms => ({ versions: new Map() })

export function ffmpegProgram(): string {
  const found = services().ffmpegPrograms
  found.ffmpeg ??= env().FFMPEG_PATH ?? find('ffmpeg', ffmpegPackage(), '--enable-libx264')
  return found.ffmpeg
}
export function ffprobeProgram(): string {
  const found = services().ffmpegPrograms
  found.ffprobe ??= ffprobeOf(env().FFMPEG_PATH) ?? find('ffprobe', ffprobePackage(), 'ffprobe')
  return found.ffprobe
}

/** Returns the ffprobe in the configured ffmpeg's folder, or undefined. npm installs them in two folders. */
function ffprobeOf(ffmpeg: string | undefined): string | undefined {
  if (ffmpeg === undefined) return undefined
  if (ffmpeg === npmProgram(ffmpegPackage(), 'ffmpeg')) return npmProgram(ffprobePackage(), 'ffprobe')
  const neighbor = join(dirname(ffmpeg), 'ffprobe')
  return existsSync(/* turbopackIgnore: true */ neighbor) ? neighbor : undefined
}

/** Returns an ffmpeg with libvmaf: the one in use, else the one from npm, else undefined. It is given only decoded frames. */
export function scorerProgram(): string | undefined {
  const found = services().ffmpegPrograms
  found.scorer ??= { program: findScorer() }
  return found.scorer.program
}

/** Returns an ffmpeg with SVT-AV1: the one in use, else the one from npm, else undefined. */
export function av1Program(): string | undefined {
  const found = services().ffmpegPrograms
  found.av1 ??= { program: firstWith((program) => encodersOf(program).has('libsvtav1')) }
  return found.av1.program
}

const findScorer = () => firstWith((program) => (program === ffmpegProgram() ? hasFilter('libvmaf') : filtersOf(program).has('libvmaf')))

/** Returns the ffmpeg in use, or else the one from npm, if `has` accepts it. */
function firstWith(has: (program: string) => boolean): string | undefined {
  if (has(ffmpegProgram())) return ffmpegProgram()
  const program = npmProgram(ffmpegPackage(), 'ffmpeg')
  return program && has(program) ? program : undefined
}

/** Returns the setting for the ffmpeg that npm installed, if another is in use; tests then run with both. */
export function programsNotInUse(): { FFMPEG_PATH: string } | undefined {
  const FFMPEG_PATH = npmProgram(ffmpegPackage(), 'ffmpeg')
  return FFMPEG_PATH && FFMPEG_PATH !== ffmpegProgram() ? { FFMPEG_PATH } : undefined
}

const platform = () => `${process.platform}-${process.arch}`

/** The oldest ffmpeg with the options used here (`-fps_mode`). Builds from its repository report no number and are assumed to be new. */
const OLDEST = { major: 5, minor: 1 }

/** Runs `program -version` once: a program with many shared libraries takes a tenth of a second to start. */
function runVersion(program: string): VersionRun {
  const { versions } = services().ffmpegPrograms
  const known = versions.get(program)
  if (known) return known
  const ended = spawnSync(program, ['-version'], { encoding: 'utf8', env: environment() })
  versions.set(program, ended)
  return ended
}

const versionOf = (said: string) => /version n?([^\s-]+)/.exec(said)?.[1] ?? ''

function tooOld(version: string): boolean {
  const [, major, minor] = /^(\d{1,2})\.(\d+)/.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined) return false
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)
}

/** Makes the programs that npm installed executable. Leaves out those that a platform lacks. */
export function completePrograms(): void {
  for (const [packageName, name] of [
    [ffmpegPackage(), 'ffmpeg'],
    [ffprobePackage(), 'ffprobe'],
  ] as const)
    try {
      installed(packageName, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    }
}

/** Returns the path of a program that npm installed, or undefined. */
function npmProgram(packageName: string, name: string): string | undefined {
  try {
    return installed(packageName, name)
  } catch {
    return undefined
  }
}

/** Returns the path of a program that npm installed. Throws if there is none: some platforms have none. */
function installed(packageName: string, name: string): string {
  const program = join(dirname(fileURLToPath(import.meta.resolve(`${packageName}/package.json`))), name)
  try {
    accessSync(program, constants.X_OK)
  } catch {
    // npm does not keep this file's mode, and install scripts are blocked.
    chmodSync(program, 0o755)
  }
  return program
}

/** Returns the system's program if it runs, is new enough and has the needed features, otherwise the one from npm. */
function find(name: string, packageName: string, needs: string): string {
  const system = runVersion(name)
  if (system.status === 0 && system.stdout.includes(needs)) {
    const version = versionOf(system.stdout)
    if (name !== 'ffmpeg' || !tooOld(version)) return name
    services().ffmpegPrograms.passedOver = `the system's version ${version} is older than ${OLDEST.major}.${OLDEST.minor} and is not used`
  }
  try {
    return installed(packageName, name)
  } catch (cause) {
    throw new Error(
      `No usable ${name} was found for ${platform()}. Install ffmpeg ${OLDEST.major}.${OLDEST.minor} or newer with libx264, or set FFMPEG_PATH.`,
      { cause },
    )
  }
}

/**
 * Finds ffmpeg and ffprobe and runs them once. Returns ffmpeg's version and path, and why the system's is not used if it is too old. Throws
 * in words for the operator if one is unusable.
 */
export function checkPrograms(): string {
  const [first = ''] = [ffmpegProgram(), ffprobeProgram()].map((program) => {
    const { status, stdout, error } = runVersion(program)
    if (status !== 0) throw new Error(`${program} cannot be run (${error?.message ?? `it ended with ${status}`}).`)
    const version = versionOf(stdout)
    if (program === env().FFMPEG_PATH && tooOld(version))
      throw new Error(`FFMPEG_PATH refers to ffmpeg ${version}; ${OLDEST.major}.${OLDEST.minor} or newer is required.`)
    return `${version} (${program})`
  })
  const { passedOver } = services().ffmpegPrograms
  return passedOver ? `${first}; ${passedOver}` : first
}

/** Returns whether ffmpeg has a filter. Distributions build it with different libraries. */
export function hasFilter(name: string): boolean {
  const found = services().ffmpegPrograms
  found.filters ??= filtersOf(ffmpegProgram())
  return found.filters.has(name)
}

/**
 * Returns whether ffmpeg can decode a codec, by ffprobe's name: ffprobe also names codecs that ffmpeg cannot decode. Throws when ffmpeg
 * lists none, for example because it did not start; otherwise every file would be refused for good.
 */
export function hasDecoder(codec: string): boolean {
  const found = services().ffmpegPrograms
  found.decoded ??= decodersOf(ffmpegProgram())
  return found.decoded.has(codec)
}

function decodersOf(program: string): ReadonlySet<string> {
  const names = [...listed(program, '-codecs').matchAll(/^ D\S{5} (\w+)/gm)].map(([, name = '']) => name)
  if (names.length === 0) throw new Error(`${program} lists no decoders`)
  return new Set(names)
}

const filtersOf = (program: string) => listOf(program, '-filters')
const encodersOf = (program: string) => listOf(program, '-encoders')

/** Returns the names of the filters or encoders that ffmpeg lists. */
function listOf(program: string, option: '-filters' | '-encoders'): ReadonlySet<string> {
  return new Set([...listed(program, option).matchAll(/^ [A-Z.|]+ +(\w+) /gm)].map(([, found = '']) => found))
}

const listed = (program: string, option: string): string =>
  spawnSync(program, ['-hide_banner', option], { encoding: 'utf8', env: environment() }).stdout ?? ''

/**
 * Returns ffmpeg's environment. The static ffprobe from npm crashes on MPEG-TS when it loads the system's character tables, so GCONV_PATH
 * points nowhere. By default, the allocator would reserve 64 MB of address space for nearly every thread, used or not.
 */
export const environment = () => ({ ...childEnvironment(), LC_ALL: 'C', GCONV_PATH: '/nonexistent', MALLOC_ARENA_MAX: '8', SVT_LOG: '1' })
