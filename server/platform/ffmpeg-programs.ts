import { spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment, env } from './config.ts'
import { processWide } from './process-wide.ts'

const ffmpegPackage = () => `@ffmpeg-binary/${platform()}`
const ffprobePackage = () => `@ffprobe-installer/${platform()}`
export const ffmpegProgram = () =>
  processWide('ffmpeg', () => find('ffmpeg', env().FFMPEG_PATH, ffmpegPackage(), '--enable-libx264', 'FFMPEG_PATH'))
export const ffprobeProgram = () =>
  processWide('ffprobe', () => find('ffprobe', env().FFPROBE_PATH, ffprobePackage(), 'ffprobe', 'FFPROBE_PATH'))

/** The programs that npm installed, as settings, where others are in use instead. What is tested with these is tested with both. */
export function programsNotInUse(): { FFMPEG_PATH: string; FFPROBE_PATH: string } | undefined {
  const used = ffmpegProgram()
  try {
    const programs = { FFMPEG_PATH: installed(ffmpegPackage(), 'ffmpeg'), FFPROBE_PATH: installed(ffprobePackage(), 'ffprobe') }
    return programs.FFMPEG_PATH === used ? undefined : programs
  } catch {
    return undefined
  }
}

const platform = () => `${process.platform}-${process.arch}`

/** The oldest ffmpeg that knows what we ask of it (`-fps_mode`). Builds from its repository give no number and are taken for new. */
const OLDEST = { major: 5, minor: 1 }

const versionOf = (said: string) => /version n?([^\s-]+)/.exec(said)?.[1] ?? ''

function tooOld(version: string): boolean {
  const [, major, minor] = /^(\d{1,2})\.(\d+)/.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined) return false
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)
}

/** Why the system's ffmpeg is not used, when it could have been. */
const passedOver = () => processWide<{ why?: string }>('ffmpeg-passed-over', () => ({}))

/** Where npm put a program. Throws when it did not: there are platforms without. */
function installed(packageName: string, name: string): string {
  const program = join(dirname(fileURLToPath(import.meta.resolve(`${packageName}/package.json`))), name)
  try {
    accessSync(program, constants.X_OK)
  } catch {
    // npm keeps no mode for this file, and install scripts are blocked.
    chmodSync(program, 0o755)
  }
  return program
}

/** The set one, else the system's if it runs, is new enough and has what we need, else the one npm installed. */
function find(name: string, given: string | undefined, packageName: string, needs: string, setting: string): string {
  if (given) return given
  const system = spawnSync(name, ['-version'], { encoding: 'utf8', env: environment() })
  if (system.status === 0 && system.stdout.includes(needs)) {
    const version = versionOf(system.stdout)
    if (name !== 'ffmpeg' || !tooOld(version)) return name
    passedOver().why = `the system's is ${version}, older than ${OLDEST.major}.${OLDEST.minor}, and is not used`
  }
  try {
    return installed(packageName, name)
  } catch (cause) {
    throw new Error(
      `There is no usable ${name} for ${platform()}. Install one (ffmpeg ${OLDEST.major}.${OLDEST.minor} or newer, with libx264), or set ${setting} to one.`,
      { cause },
    )
  }
}

/**
 * Finds ffmpeg and ffprobe and runs them once. Returns ffmpeg's version, where it is, and why the system's is not used if it is too old;
 * throws, in words for the operator, when one is unusable.
 */
export function checkPrograms(): string {
  const [first = ''] = [ffmpegProgram(), ffprobeProgram()].map((program) => {
    const { status, stdout, error } = spawnSync(program, ['-version'], { encoding: 'utf8', env: environment() })
    if (status !== 0) throw new Error(`${program} cannot be run (${error?.message ?? `it ended with ${status}`}).`)
    const version = versionOf(stdout)
    if (program === env().FFMPEG_PATH && tooOld(version))
      throw new Error(`FFMPEG_PATH names ffmpeg ${version}; ${OLDEST.major}.${OLDEST.minor} or newer is needed.`)
    return `${version} (${program})`
  })
  const { why } = passedOver()
  return why ? `${first}; ${why}` : first
}

/** Whether ffmpeg has a filter; distributions build it with different libraries. */
export const hasFilter = (name: string): boolean =>
  processWide('ffmpeg-filters', () => {
    const { stdout } = spawnSync(ffmpegProgram(), ['-hide_banner', '-filters'], { encoding: 'utf8', env: environment() })
    return new Set([...(stdout ?? '').matchAll(/^ [A-Z.|]+ +(\w+) /gm)].map(([, found]) => found))
  }).has(name)

/**
 * The static ffprobe from npm crashes on MPEG-TS when it loads the system's character tables, so it is shown none. The allocator would
 * reserve 64 MB of address space for nearly every thread, used or not.
 */
export const environment = () => ({ ...childEnvironment(), LC_ALL: 'C', GCONV_PATH: '/nonexistent', MALLOC_ARENA_MAX: '8' })
