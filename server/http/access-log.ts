import { hostname } from 'node:os'
import pino from 'pino'
import { env } from '../platform/config/config.ts'
import { version } from '../platform/config/version.ts'
import { services } from '../platform/container.ts'
import { log } from '../platform/observe/log.ts'
import type { Observer } from './observe.ts'
import type { ObservedRequest } from './observed-request.ts'
import { shownAgent } from './shown-agent.ts'

/** Where lines wait to be written together. */
export type LogFile = ReturnType<typeof pino.destination>

declare module '../platform/container.ts' {
  interface Services {
    accessLogFile: LogFile
  }
}

/** Bytes written at once. Up to this size, a write to a pipe is atomic (PIPE_BUF), even among processes that share it. */
const WRITE_BYTES = 4_096
/** Most milliseconds before a line is written. */
const FLUSH_MS = 500
/** Bytes of lines that can wait for a slow reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 ** 2

/** Maximum length of a text in a line. It keeps a line shorter than `WRITE_BYTES`. */
const MAX_TEXT = 64
const MAX_PATH = 512

/** Returns where the access log is written: standard output, or another open file. */
export function makeAccessLogFile(fd = 1): LogFile {
  const file = pino.destination({
    fd,
    sync: false,
    minLength: WRITE_BYTES / 2,
    maxWrite: WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_MS,
  })
  let dropped = 0
  file.on('drop', () => {
    if (dropped++ === 0) log().warn('the access log’s reader is too slow; dropping lines')
  })
  // A closed terminal or pipe accepts no more output. That must not end the process.
  file.on('error', () => {})
  return file
}

const accessLogFile = () => services().accessLogFile

/** Resolves when the lines so far are written: a process that exits loses a pending write. */
export async function flushAccessLog(file?: LogFile): Promise<void> {
  if (!file && env().ACCESS_LOG === 'off') return
  await new Promise<void>((resolve) => (file ?? accessLogFile()).flush(() => resolve()))
}

/** A response with this status or above is a failure of the service. */
const FAILED = 500

/** Returns what writes the access log, or undefined when it is off. */
export function accessLog(): Observer | undefined {
  const { ACCESS_LOG, ROLES } = env()
  if (ACCESS_LOG === 'off') return undefined
  const lines = pino(
    {
      base: { type: 'access', host: hostname(), pid: process.pid, role: ROLES.join(','), version: version() },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    accessLogFile(),
  )
  const onlyFailed = ACCESS_LOG === 'errors'
  return (observed) => {
    if (onlyFailed && observed.status < FAILED) return
    lines.info(accessLine(observed))
  }
}

/** Returns the fields of a line. Texts are cut, and the logger quotes them, so that none can start another line. */
export function accessLine(observed: ObservedRequest) {
  const { span, accountId, keyId, route, aborted } = observed
  const isSampled = span && (span.spanContext().traceFlags & 1) === 1
  return {
    requestId: observed.requestId,
    ...(isSampled && { traceId: span.spanContext().traceId }),
    method: observed.method,
    ...(route !== undefined && { route }),
    path: observed.path.slice(0, MAX_PATH),
    status: observed.status,
    ms: Math.round(observed.ms * 10) / 10,
    bytesOut: observed.bytesWritten,
    bytesIn: observed.bytesRead,
    address: observed.address.slice(0, MAX_TEXT),
    ...(accountId && { account: accountId }),
    ...(keyId && { key: keyId }),
    agent: shownAgent(observed.req.headers['user-agent']),
    ...(observed.refusedBy && { refusedBy: observed.refusedBy }),
    ...(aborted && { aborted }),
  }
}
