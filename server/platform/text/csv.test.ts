import { expect, it } from 'vitest'
import { csvFile, csvHeaders, csvText } from './csv.ts'

it('writes records according to RFC 4180', () => {
  const when = new Date('2026-01-02T03:04:05.678Z')
  expect(csvText([['a', 1, -2.5, 3n, true, when, null, undefined, '']])).toBe('a,1,-2.5,3,true,2026-01-02T03:04:05.678Z,,,\r\n')
  expect(csvText([['a,b', 'say "yes"', 'two\nlines', '{"a":1}']])).toBe('"a,b","say ""yes""","two\nlines","{""a"":1}"\r\n')
  expect(csvText([['a', 1], [null], ['b']])).toBe('a,1\r\n\r\nb\r\n')
  expect(csvText([])).toBe('')
})

it('begins a file with the mark of UTF-8, which Excel needs', () => {
  expect(Buffer.from(csvFile([['Übung']]))).toEqual(Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('Übung\r\n')]))
})

it.each(['=1+1', '+1', '-1+cmd|calc', '-1.', '--1', '-1\n=2', '@SUM(A1)', '\t=1', '\r=1', '  =1', '\u00a0=1', '＝1', '＠x'])(
  'neutralises %j',
  (text) => {
    const cell = csvText([[text]]).replace(/^"/, '')
    expect(cell.startsWith("'")).toBe(true)
  },
)

it.each(['-0.000001', '-12', '12.5', 'a=b', '2026-01-01', 'x-y', 'acc_1', '{"a":-1}'])('leaves %j unchanged', (text) => {
  expect(csvText([[text]])).not.toContain("'")
})

it('removes characters from file names that could break a header', () => {
  expect(csvHeaders('audit "log"\r\nX: y.csv')['Content-Disposition']).toBe('attachment; filename="audit-log-X-y.csv"')
})
