import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { demoFiles, storeAccount } from './demo-account.ts'

const before = process.cwd()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelgate-demo-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

// Nothing listens there, so no account can sign in.
const [one, other] = ['http://127.0.0.1:1', 'http://127.0.0.1:2']
const accountAt = (baseUrl: string) => ({
  baseUrl,
  email: 'a@example.com',
  password: 'x',
  apiKey: 'live',
  testKey: 'test',
  videoId: 'vid_1',
})

it('keeps the files of another service in the same folder', async () => {
  expect(await demoFiles(one, '/data/one')).toEqual({ name: 'demo' })
  await storeAccount(accountAt(one), { name: 'demo', dataDir: '/data/one' })
  expect(readFileSync('demo.env', 'utf8')).toContain(`REELGATE_URL=${one}\n`)
  expect(await demoFiles(other, '/data/one')).toEqual({ name: 'demo-2' })
  expect(await demoFiles(one, '/data/other')).toEqual({ name: 'demo-2' })
  await storeAccount(accountAt(other), { name: 'demo-2', dataDir: '/data/other' })
  expect(readFileSync('demo.env', 'utf8')).toContain(`REELGATE_URL=${one}\n`)
  expect(await demoFiles(other, '/data/other')).toEqual({ name: 'demo-2' })
  expect(await demoFiles('http://127.0.0.1:3', '/data/third')).toEqual({ name: 'demo-3' })
})

it('replaces those of the same service, whose account is gone', async () => {
  await storeAccount(accountAt(one), { name: 'demo', dataDir: '/data/one' })
  expect(await demoFiles(one, '/data/one')).toEqual({ name: 'demo' })
  expect(existsSync('demo-2.json')).toBe(false)
})
