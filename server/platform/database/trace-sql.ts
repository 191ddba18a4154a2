import { AsyncResource } from 'node:async_hooks'
import type { Attributes, Span } from '@opentelemetry/api'
import type pg from 'pg'
import { formatTraceparent } from '../observe/traceparent.ts'
import { activeScope, failSpan, type Scope, startSpan } from '../observe/tracing.ts'

/** A pg method with its overloads: a text or a configuration, values, a callback. */
type Query = (...given: unknown[]) => unknown
type Callback = (error: Error | undefined, ...rest: unknown[]) => void

/**
 * Makes a pool record its statements as spans of the request or job that runs them, and no others. A transaction carries the trace in the
 * setting `reelgate.traceparent`, which columns of queues and events default to, so that what they start elsewhere continues the trace.
 */
export function traceQueries(pool: pg.Pool, url: string): void {
  const place = placeOf(url)
  const connect = pool.connect.bind(pool) as (callback?: Callback) => unknown
  // The pool calls back in the context of the caller that returned the connection.
  pool.connect = ((callback?: Callback) => connect(callback && AsyncResource.bind(callback))) as typeof pool.connect
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    client.query = tracedQuery(query, place) as typeof client.query
  })
}

const tracedQuery =
  (query: Query, place: Attributes): Query =>
  (...given) => {
    const scope = activeScope()
    const text = textOf(given[0])
    if (!scope || text === undefined) return query(...given)
    if (scope.statements <= 0) return query(...given)
    scope.statements--
    const span = startSpan(summaryOf(text), { kind: 'client', attributes: { ...place, ...attributesOf(text) } })
    if (!span) return query(...given)
    const last = given.at(-1)
    if (typeof last === 'function') {
      given[given.length - 1] = (error: Error | undefined, ...rest: unknown[]) => {
        endStatement(span, error)
        ;(last as Callback)(error, ...rest)
      }
      return query(...given)
    }
    const running = query(...given) as Promise<unknown>
    // Sent before the transaction's first statement, which does not wait for BEGIN.
    return finished(text.startsWith('BEGIN') ? Promise.all([running, carry(query, scope)]).then(([result]) => result) : running, span)
  }

async function finished(running: Promise<unknown>, span: Span): Promise<unknown> {
  try {
    const result = await running
    endStatement(span)
    return result
  } catch (error) {
    endStatement(span, error)
    throw error
  }
}

/** Makes the new transaction carry the trace. The text has only hexadecimal digits. */
const carry = (query: Query, { span }: Scope) =>
  query(`SET LOCAL reelgate.traceparent = '${formatTraceparent(span.spanContext())}'`) as Promise<unknown>

function endStatement(span: Span, error?: unknown): void {
  if (!span.isRecording()) return
  if (error) failSpan(span, error)
  span.end()
}

/** Returns the text of a statement. Undefined for a cursor or a stream, which reads its rows later. */
function textOf(first: unknown): string | undefined {
  if (typeof first === 'string') return first
  const { text, submit } = (first ?? {}) as { text?: string; submit?: unknown }
  return submit ? undefined : text
}

const attributesOf = (text: string): Attributes => ({
  'db.query.summary': summaryOf(text),
  'db.operation.name': operationOf(text),
  // Values are parameters. Statements without parameters, such as a transaction's settings, contain literals.
  'db.query.text': text.replaceAll(/'(?:[^']|'')*'/g, '?').trim(),
})

const operationOf = (text: string) => /^[\s(]*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'SQL'

/** Returns the operation and its first table: low cardinality, as a span's name should have. */
function summaryOf(text: string): string {
  const operation = operationOf(text)
  const [, table] = /\b(?:from|into|update|join)\s+(?:only\s+)?((?:"?\w+"?\.)?"?\w+"?)/i.exec(text) ?? []
  return table ? `${operation} ${table.replace(/^"?public"?\./, '').replaceAll('"', '')}` : operation
}

function placeOf(url: string): Attributes {
  const common = { 'db.system.name': 'postgresql' }
  if (!URL.canParse(url)) return common
  const { hostname, port, pathname } = new URL(url)
  return { ...common, 'server.address': hostname, 'server.port': Number(port || 5432), 'db.namespace': pathname.slice(1) }
}
