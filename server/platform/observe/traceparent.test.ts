import { expect, test } from 'vitest'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('reads and writes a position in a trace', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1 })
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-02-later`)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 0 })
  for (const text of [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`])
    expect(formatTraceparent(parseTraceparent(text) as { traceId: string; spanId: string; traceFlags: number })).toBe(text)
})

test.each([
  undefined,
  null,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
  `00-${TRACE}-${SPAN}-01'; DROP TABLE video`,
])('ignores %j', (text) => expect(parseTraceparent(text)).toBeUndefined())
