import { expect, it, vi } from 'vitest'
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatDay,
  formatElapsed,
  formatMinute,
  formatMs,
  formatSeconds,
  formatShare,
  formatTime,
  formatWait,
} from './format'

it('sizes keep their sign', () => expect([0, 999, 12_400_000, -1_000].map(formatBytes)).toEqual(['0 B', '999 B', '12.4 MB', '−1.0 kB']))

it('a number that rounds up to the next unit is written in that unit', () => {
  expect([99_949, 99_960, 999_600].map(formatBytes)).toEqual(['99.9 kB', '100 kB', '1.0 MB'])
  expect([59.4, 59.7].map(formatWait)).toEqual(['59 s', '1 min'])
  expect([9.94, 9.96, 59.7].map(formatSeconds)).toEqual(['9.9 s', '10 s', '1 min'])
  expect([0.04, 0.1, 999.4, 999.6].map(formatMs)).toEqual(['< 0.1 ms', '0.1 ms', '999 ms', '1.0 s'])
})

it('a share is 0% only when it is nothing', () => {
  expect([0, 0.000_4, 0.000_5, 0.004, 0.12, 1, null].map(formatShare)).toEqual(['0%', '< 0.1%', '0.1%', '0.4%', '12%', '100%', '–'])
})

const NOW = Date.parse('2026-11-21T09:10:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1_000)
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

it('formatAgo rounds what is ahead, so that a week that has just begun is 7 days', () => {
  const ahead = [7 * DAY - 2, 7 * DAY, 6 * DAY + 11 * HOUR, 24 * HOUR - 2, HOUR - 2, 90, 20, 30 * DAY, 45 * DAY, 60 * DAY - 2, 400 * DAY]
  expect(ahead.map((seconds) => formatAgo(at(seconds), NOW))).toEqual([
    ...['in 7 days', 'in 7 days', 'in 6 days', 'tomorrow', 'in 1 hour', 'in 2 minutes', 'just now'],
    ...['in 30 days', 'in 45 days', 'in 2 months', 'in 13 months'],
  ])
})

it('formatAgo counts complete units of what is past', () => {
  const past = [20, 119, HOUR - 1, 7 * DAY - 1]
  expect(past.map((seconds) => formatAgo(at(-seconds), NOW))).toEqual(['just now', '1 minute ago', '59 minutes ago', '6 days ago'])
})

it('formatWait leaves out minutes that are none', () => {
  expect([0, 40, 3_570, 3_600, 4_800].map(formatWait)).toEqual(['1 s', '40 s', '1 h', '1 h', '1 h 20 min'])
})

it('formatElapsed is a duration', () => {
  const past = [-5, 20, MINUTE, 31 * MINUTE, 2 * DAY + HOUR]
  expect(past.map((seconds) => formatElapsed(at(-seconds), NOW))).toEqual([
    ...['less than a minute', 'less than a minute', '1 minute', '31 minutes', '2 days'],
  ])
})

it('times differ by the second, in the zone of the reader or in UTC, which says so', () => {
  const date = new Date('2026-11-21T23:03:22.007Z')
  expect([formatClock(date, 'UTC'), formatClock(date, 'Europe/Berlin')]).toEqual(['23:03 UTC', '00:03'])
  expect(formatMinute(date, 'Europe/Berlin')).toBe('Nov 22, 00:03')
  expect([formatDay(date, 'UTC'), formatDay(date, 'Europe/Berlin')]).toEqual(['Sat, November 21, 2026 UTC', 'Sun, November 22, 2026'])
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  expect(formatTime(now, 'UTC')).toBe(`${now.toISOString().slice(11, 19)} UTC`)
  expect(formatTime(new Date('2020-02-03T04:05:06Z'), 'Asia/Kolkata')).toBe('Feb 3, 2020, 09:35:06')
  expect(formatTime(new Date('2020-01-01T00:00:00.012Z'), 'UTC', { milliseconds: true })).toBe('Jan 1, 2020, 00:00:00.012 UTC')
})

it('formatTime shows the year that it is for the reader', () => {
  vi.setSystemTime('2027-01-01T10:00:00Z')
  expect(formatTime(new Date('2027-01-01T03:00:00Z'), 'America/New_York')).toBe('Dec 31, 2026, 22:00:00')
  vi.useRealTimers()
})
