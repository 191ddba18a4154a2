import pino from 'pino'
import { services } from '../platform/container.ts'
import { provide } from './settings.ts'

/** Returns the lines of this process's log from now on, parsed. */
export function logLines(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  const formatters = { level: (label: string) => ({ level: label }) }
  const logger = pino({ level: 'info', base: null, formatters }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  provide({})
  services().log = logger
  return lines
}
