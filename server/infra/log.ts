import pino from 'pino'
import { env } from './env.ts'
import { processWide } from './process-wide.ts'

/** The process's logger. Never give it a key, a token, or a URL that carries one. */
export const log = () =>
  processWide('log', () =>
    pino({
      level: env().LOG_LEVEL,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    }),
  )
