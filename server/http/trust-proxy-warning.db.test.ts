import { expect, it, vi } from 'vitest'
import { log } from '../platform/observe/log.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { provide } from '../testing/settings.ts'

await testDatabase()

it('warns once of a proxy that the settings do not declare', async () => {
  const said = vi.spyOn(log(), 'warn')
  const base = await startHttpServer()
  const ask = (headers: Record<string, string> = {}) => fetch(`${base}/healthz`, { headers })
  await ask()
  expect(said).not.toHaveBeenCalled()
  for (let i = 0; i < 3; i++) await ask({ 'x-forwarded-for': '203.0.113.9' })
  expect(said.mock.calls).toEqual([[expect.stringContaining('set TRUST_PROXY=true')]])
  expect(said.mock.calls.join()).not.toContain('203.0.113.9')
})

it('logs nothing where the settings declare it', async () => {
  provide({ TRUST_PROXY: 'true' })
  const base = await startHttpServer()
  const said = vi.spyOn(log(), 'warn').mockClear()
  await fetch(`${base}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect(said).not.toHaveBeenCalled()
})
