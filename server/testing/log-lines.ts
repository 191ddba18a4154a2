import pino from 'pino'
import { processWide } from '../platform/process-wide.ts'

/** Returns the lines of this process's log from now on, parsed. Call it before anything is logged: the logger is created once. */
export function logLines(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  const formatters = { level: (label: string) => ({ level: label }) }
  const logger = pino({ level: 'info', base: null, formatters }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  if (processWide('log', () => logger) !== logger) throw new Error('something was logged before')
  return lines
}
