import pino from 'pino'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { activeContext } from './tracing.ts'

/** Properties in which database errors carry the refused row, including sealed secrets. */
const ROWS = ['err.detail', 'err.where', 'err.meta.driverAdapterError.cause.detail']

/** Returns the process's logger. Never log a key, a token, or a URL that contains one. */
export const log = () => services().log

declare module '../container.ts' {
  interface Services {
    log: pino.Logger
  }
}

export const makeLog = () =>
  pino({
    level: env().LOG_LEVEL,
    base: null,
    redact: { paths: ROWS, remove: true },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const { traceId, spanId } = activeContext() ?? {}
      return traceId ? { traceId, spanId } : {}
    },
  })
