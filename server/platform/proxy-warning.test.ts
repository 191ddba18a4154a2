import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { proxyWarning } from './config/config.ts'

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])
beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it.each(['HTTPS_PROXY', 'https_proxy', 'http_proxy', 'ALL_PROXY'])('warns that %s is ignored, without its value', (name) => {
  vi.stubEnv(name, 'http://user:secret@proxy.example.com:3128')
  expect(proxyWarning()).toMatch(new RegExp(`^${name} is ignored`))
  expect(proxyWarning()).not.toContain('secret')
})

it('says nothing without a proxy, for an empty one, and for exceptions alone', () => {
  expect(proxyWarning()).toBeUndefined()
  vi.stubEnv('HTTPS_PROXY', '')
  vi.stubEnv('NO_PROXY', 'localhost')
  expect(proxyWarning()).toBeUndefined()
})
