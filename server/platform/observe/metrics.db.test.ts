import { expect, test } from 'vitest'
import { METRICS } from '../../metrics.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors } from '../../testing/logs.ts'
import { query } from '../database/database.ts'
import { gaugeFromDatabase } from './metric-readings.ts'
import { counter, gauge, histogram } from './metrics.ts'
import { combine, readFamilies, render } from './metrics-text.ts'

await testDatabase()
expectLoggedErrors(/could not be read/)

const rendered = async (...metrics: Parameters<typeof readFamilies>[0]) => (await render([await readFamilies(metrics)])).text

test('names follow the conventions of Prometheus, and each metric is declared once', () => {
  const names = METRICS.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  for (const { name, type, help } of METRICS) {
    expect(name).toMatch(/^reelgate_[a-z0-9]+(_[a-z0-9]+)*$/)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    expect(help).toMatch(/^[A-Z].*\.$/)
  }
})

test('a counter and a histogram print every series that they may have, from the start', async () => {
  const calls = counter('test_calls_total', 'Calls.', { result: ['good', 'bad'] })
  const sizes = histogram('test_size_bytes', 'Sizes.', [1, 10])
  calls.add({ result: 'bad' }, 2)
  for (const size of [0.5, 1, 5, 50]) sizes.observe({}, size)
  const text = await rendered(calls, sizes)
  expect(text).toContain('# TYPE test_calls_total counter\n')
  expect(text).toContain('test_calls_total{result="good"} 0\n')
  expect(text).toContain('test_calls_total{result="bad"} 2\n')
  expect(text).toContain(
    [
      '# TYPE test_size_bytes histogram',
      'test_size_bytes_bucket{le="1"} 2',
      'test_size_bytes_bucket{le="10"} 3',
      'test_size_bytes_bucket{le="+Inf"} 4',
      'test_size_bytes_sum 56.5',
      'test_size_bytes_count 4',
    ].join('\n'),
  )
})

test('what several processes read is combined: counters by their sum, gauges as each declares', async () => {
  const process = (live: number, made: number) => [
    { name: 'test_live', help: 'Live.', type: 'gauge', aggregator: 'min', values: [{ value: live, labels: {} }] },
    { name: 'test_made_total', help: 'Made.', type: 'counter', aggregator: 'sum', values: [{ value: made, labels: {} }] },
  ]
  const both = await combine([process(1, 3), process(0, 4)])
  expect(both.map(({ name, values }) => [name, values[0]?.value])).toEqual([
    ['test_live', 0],
    ['test_made_total', 7],
  ])
})

test('a value that cannot be read is left out and counted; the others are printed', async () => {
  const broken = gauge('test_broken', 'Broken.', () => {
    throw new Error('no such disk')
  })
  const absent = gauge('test_absent', 'Absent.', () => undefined)
  const fine = gauge('test_fine', 'Fine.', () => 1)
  const text = await rendered(broken, absent, fine)
  expect(text).toContain('test_fine 1')
  expect(text).not.toMatch(/^test_(broken|absent) /m)
  const [errors] = METRICS.filter(({ name }) => name === 'reelgate_metrics_read_errors_total')
  expect(await errors?.read()).toMatchObject([{ value: 1 }])
})

test('a value of the database is read by one process at a time, and reported to others until it is due again', async () => {
  let reads = 0
  const [videos] = gaugeFromDatabase('test_videos', 'Videos.', async () => ++reads)
  const values = async () => (await videos?.read())?.map(({ value }) => value)
  expect(await Promise.all([values(), values(), values()])).toEqual([[1], [1], [1]])
  expect(await values()).toEqual([1])
  await query('let-readings-age', `UPDATE metric_reading SET claimed_at = claimed_at - interval '11 s' WHERE name = 'test_videos'`, [])
  expect(await values()).toEqual([2])
})

test('a value of the database that could not be read for a minute is no longer reported', async () => {
  let fails = false
  const [videos] = gaugeFromDatabase('test_aged', 'Videos.', async () => {
    if (fails) throw new Error('the statement was cancelled')
    return 5
  })
  expect(await videos?.read()).toMatchObject([{ value: 5 }])
  fails = true
  const age = (seconds: number) =>
    query(
      'age-readings',
      `UPDATE metric_reading SET claimed_at = claimed_at - $1 * interval '1 s', read_at = read_at - $1 * interval '1 s'`,
      [seconds],
    )
  await age(11)
  await expect(videos?.read()).rejects.toThrow('cancelled')
  expect(await videos?.read()).toMatchObject([{ value: 5 }])
  await age(60)
  await expect(videos?.read()).rejects.toThrow('cancelled')
  expect(await videos?.read()).toEqual([])
})
