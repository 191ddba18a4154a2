import { afterEach, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { rawConnection } from '../../../testing/raw.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { signToken } from '../../delivery/tokens/token.ts'
import { trafficCollector } from './collector.ts'

await testDatabase()
const baseUrl = await startHttpServer()
let deadToken: string
beforeAll(async () => {
  const videoId = await makeVideo(await makeAccount())
  deadToken = signToken(SERVICE, { videoId, jti: 'tok_dead', iat: Math.floor(Date.now() / 1_000) - 3_600 })
})

const { exec } = RegExp.prototype
afterEach(() => {
  RegExp.prototype.exec = exec
})

/** Counts the characters passed to regular expressions of this process during `work`; every match calls `exec`. */
async function charactersMatched(work: () => Promise<unknown>): Promise<number> {
  let characters = 0
  RegExp.prototype.exec = function (text) {
    characters += String(text).length
    return exec.call(this, text)
  }
  await work()
  RegExp.prototype.exec = exec
  return characters
}

const PUMPS: Record<string, string> = { 'User-Agent': 'eyJ-', Referer: 'ak_live_', Accept: 'a/b;', 'X-Forwarded-For': '1.' }

test.each(Object.entries(PUMPS))('an expired token with 30 KB of %s costs no more than one with a short one', async (name, pump) => {
  // Writes raw bytes, because Node's HTTP client matches its headers with regular expressions.
  const flood = (value: string) => async () => {
    const request = `GET /v1/video/playback/manifest/${deadToken} HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\n\r\n`
    const connection = await rawConnection(baseUrl, request.repeat(25))
    const answers = await connection.responses(25)
    connection.socket.destroy()
    await trafficCollector().flush()
    for (const { status, body } of answers) expect([status, JSON.parse(body).error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED'])
  }
  await flood('warm')()
  const short = await charactersMatched(flood(pump.repeat(100)))
  const long = await charactersMatched(flood(pump.repeat(30_000 / pump.length)))
  expect(long).toBeLessThan(2 * short + 25 * 1_000)
})
