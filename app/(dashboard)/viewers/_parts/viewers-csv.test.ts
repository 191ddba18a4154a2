import { expect, test } from 'vitest'
import type { Viewers } from '#server/modules/analytics/viewing/viewers-report'
import { viewersRows } from './viewers-csv'

test('the file has every number of the page, with the period before', () => {
  const [now, before] = [
    { plays: 3, minutes: 1.23456 },
    { plays: 1, minutes: 0.5 },
  ]
  const by = { country: [{ value: 'DE', ...now, before }], referrer: [], device: [], browser: [], os: [], quality: [] }
  const report: Viewers = {
    ...{ from: '2026-11-21', to: '2026-11-21' },
    ...{ days: [{ day: '2026-11-21', ...now }], unfinished: true, totals: now, by },
    previous: { days: [{ day: '2026-11-20', ...before }], totals: before },
    reached: [{ share: 25, viewings: 2 }],
    quality: { startupP50: 400, startupP95: null, rebufferRatio: 0.0123, errorCount: 2, errors: [{ kind: 'offline', count: 2 }] },
    videos: [{ videoId: 'vid_a', title: 'A', isDeleted: false, ...now, before }],
  }
  expect(viewersRows(report)).toEqual([
    ['kind', 'value', 'plays', 'minutes', 'plays_in_period_before', 'minutes_in_period_before'],
    ['day_utc', '2026-11-21', 3, 1.23, 1, 0.5],
    ['country', 'DE', 3, 1.23, 1, 0.5],
    ['reached_percent', '25', 2, '', '', ''],
    ['error', 'offline', 2, '', '', ''],
    ['video', 'vid_a', 3, 1.23, 1, 0.5],
  ])
})
