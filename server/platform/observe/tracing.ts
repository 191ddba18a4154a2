import type { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, Span } from '@opentelemetry/api'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { parseTraceparent, type TraceContext } from './traceparent.ts'

/** A span's role in its operation (OpenTelemetry's span kind). */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

export interface SpanStart {
  kind?: SpanKind
  attributes?: Attributes
  /** Undefined: the active span, and no span if there is none. Null: starts a new trace. */
  parent?: Span | TraceContext | null | undefined
  links?: TraceContext[]
}

/** A span that code runs in the context of. */
export interface Scope {
  span: Span
  /** How many more statements can become spans of their own. */
  statements: number
}

/** What records spans in this process. */
export interface Tracing {
  start(name: string, options: SpanStart, parent: Span | TraceContext | undefined): Span
  scopes: AsyncLocalStorage<Scope | undefined>
  /** Exports what was recorded, and ends. */
  stop(): Promise<void>
}

declare module '../container.ts' {
  interface Services {
    tracing: Tracing | undefined
  }
}

/** Returns what records spans (server/platform/observe/trace-export.ts), or undefined. */
export const tracing = (): Tracing | undefined => services().tracing

/** Maximum number of statements that become spans in one request or job: an event stream stays open for hours. */
const MAX_STATEMENTS = 500

/** Returns whether the settings ask for traces. */
export const wantsTraces = (): boolean => env().OTEL_EXPORTER_OTLP_ENDPOINT !== undefined

/** Returns the scope whose span is being recorded, or undefined. */
export function activeScope(): Scope | undefined {
  const scope = tracing()?.scopes.getStore()
  // Code that a request left behind, such as a timer, keeps its scope.
  return scope?.span.isRecording() ? scope : undefined
}

/** Returns the active span's position, for what continues its trace elsewhere. Undefined if it is not recorded. */
export function activeContext(): TraceContext | undefined {
  return activeScope()?.span.spanContext()
}

/** Starts a span that the caller ends. Undefined if this process records nothing, or the span would have no parent. */
export function startSpan(name: string, options: SpanStart = {}): Span | undefined {
  const parent = options.parent === undefined ? activeScope()?.span : options.parent
  return parent === undefined ? undefined : tracing()?.start(name, options, parent ?? undefined)
}

/** Runs `work` in the context of a span. */
export const inScope = <Result>(span: Span, work: () => Result): Result => {
  const { scopes } = tracing() as Tracing
  return scopes.run({ span, statements: MAX_STATEMENTS }, work)
}

/** Runs `work` as a span. A failure sets the span's status; its text is only in the log, because it may quote rows. */
export async function inSpan<Result>(name: string, options: SpanStart, work: () => Promise<Result>): Promise<Result> {
  const span = startSpan(name, options)
  if (!span) return work()
  try {
    return await inScope(span, work)
  } catch (error) {
    failSpan(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** OpenTelemetry's status code of an error. */
const ERROR = 2

/** Marks a span as failed, with the kind of error. */
export function failSpan(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', String(code ?? name ?? typeof error).slice(0, 100))
  span.setStatus({ code: ERROR })
}

/** Runs `work` outside any trace, for what repeats as long as the operation runs. */
export function untraced<Result>(work: () => Result): Result {
  const running = tracing()
  return running ? running.scopes.run(undefined, work) : work()
}

/** Returns the position in a stored traceparent. Null without one, so that a new trace starts. */
export const storedParent = (text: string | null | undefined): TraceContext | null => parseTraceparent(text) ?? null
