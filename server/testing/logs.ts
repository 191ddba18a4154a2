import type { Readable } from 'node:stream'
import pino from 'pino'
import { services } from '../platform/container.ts'

/** One line of the service's log, parsed. */
export type LogLine = Record<string, unknown>

interface Capture {
  /** Lines since the last call of `takeLines()`. */
  fresh: LogLine[]
  /** Arrays that also receive each line. */
  readers: LogLine[][]
  /** Errors that the file's tests cause on purpose. */
  expected: RegExp[]
}

let capture: Capture = { fresh: [], readers: [], expected: [] }

function take(line: LogLine): void {
  const { fresh, readers } = capture
  for (const lines of [fresh, ...readers]) lines.push(line)
}

/** Captures the log of this file's container from now on, instead of printing it, and forgets other files' lines. */
export function captureLogs(): void {
  capture = { fresh: [], readers: [], expected: [] }
  const formatters = { level: (label: string) => ({ level: label }) }
  services().log = pino({ level: 'info', base: null, formatters }, { write: (line: string) => take(JSON.parse(line)) })
}

/** Captures the output of a child process: lines of its log, and other lines as errors of its own. */
export function captureOutput(...streams: (Readable | null)[]): void {
  for (const stream of streams) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() as string
      for (const line of lines) if (line) take(parsed(line))
    })
  }
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line)
  } catch {
    return { level: 'error', msg: line }
  }
}

/** Returns the log's lines from now on, of this process and of those whose output is captured. */
export function logLines(): LogLine[] {
  const lines: LogLine[] = []
  capture.readers.push(lines)
  return lines
}

/** Declares errors that this file's tests cause. Matching lines are not reported. Call it at the top of the file. */
export const expectLoggedErrors = (...patterns: RegExp[]): void => void capture.expected.push(...patterns)

/** Returns the lines since the previous call. */
export const takeLines = (): LogLine[] => capture.fresh.splice(0)

const LEVELS = ['error', 'fatal']

/** Returns whether a line is an error that the file does not expect. */
export const isUnexpected = (line: LogLine): boolean =>
  LEVELS.includes(String(line.level)) && !capture.expected.some((pattern) => pattern.test(JSON.stringify(line)))
