import { expect, test } from 'vitest'
import { METRICS } from '../../metrics.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors } from '../../testing/logs.ts'
import { services } from '../container.ts'
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

test('a value of the database is read once for all that ask, and again when it is due or could not be read', async () => {
  let reads = 0
  const [videos] = gaugeFromDatabase('test_videos', 'Videos.', async () => {
    if (++reads === 2) throw new Error('the statement was cancelled')
    return reads
  })
  const values = async () => (await videos?.read())?.map(({ value }) => value)
  expect(await Promise.all([values(), values(), values()])).toEqual([[1], [1], [1]])
  expect(await values()).toEqual([1])
  services().metricRuns.byKey.clear()
  await expect(values()).rejects.toThrow('cancelled')
  expect(await values()).toEqual([3])
})
