import { expect, test, vi } from 'vitest'

test('the process uses UTC, whatever the zone of the machine', async () => {
  process.env.TZ = 'Asia/Kolkata'
  expect(new Date(2026, 0, 1).toISOString()).toBe('2025-12-31T18:30:00.000Z')
  vi.resetModules()
  await import('./config.ts')
  expect(new Date(2026, 0, 1).toISOString()).toBe('2026-01-01T00:00:00.000Z')
})
