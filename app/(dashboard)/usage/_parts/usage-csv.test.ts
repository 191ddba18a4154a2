import { expect, it } from 'vitest'
import { csvText } from '../../../../server/platform/text/csv.ts'
import { usageRows } from './usage-csv.ts'

const report = {
  from: '2026-11-20',
  to: '2026-11-21',
  totals: { requests: 7, failed: 2, issued: 1, refused: 0, plays: 3 },
  unplaced: 0,
  unfinished: true,
  previous: null,
  points: [
    { at: '2026-11-20', requests: 0, failed: 0, issued: 0, refused: 0 },
    { at: '2026-11-21', requests: 7, failed: 2, issued: 1, refused: 0 },
  ],
  plays: [
    { at: '2026-11-20', plays: 0 },
    { at: '2026-11-21', plays: 3 },
  ],
  series: [{ name: 'key_1', label: '=HYPERLINK("x"),1', requests: 7, failed: 2, values: [0, 7] }],
}

it('writes the days with a column per part, texts as texts', () => {
  expect(csvText(usageRows({ unit: 'day', ...report }))).toBe(
    'day_utc,requests,failed_requests,tokens_issued,tokens_refused,plays,"requests: =HYPERLINK(""x""),1"\r\n' +
      '2026-11-20,0,0,0,0,0,0\r\n2026-11-21,7,2,1,0,3,7\r\n',
  )
})

it('omits plays by the hour: they are counted by the day', () => {
  const [head, first] = usageRows({ unit: 'hour', ...report })
  expect(head?.slice(0, 6)).toEqual([
    'hour_utc',
    'requests',
    'failed_requests',
    'tokens_issued',
    'tokens_refused',
    'requests: =HYPERLINK("x"),1',
  ])
  expect(first).toHaveLength(6)
})

it('escapes what a spreadsheet would execute', () => {
  for (const formula of ['=1+1', '+1', '-1+1', '@SUM(A1)', '\tx', '  =1', '\u00a0=1', '\0=1', '＝1', '＠x', '－1+1', '＋1'])
    expect(csvText([[formula]])).toMatch(/^"?'/)
  expect(csvText([[-1, 'a-b', '-1']])).toBe('-1,a-b,-1\r\n')
})
