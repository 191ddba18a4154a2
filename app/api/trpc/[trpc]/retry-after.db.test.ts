import { expect, it } from 'vitest'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount, makeVideo } from '#server/testing/make'
import { cookieFor } from '#server/testing/sign-in'
import { POST } from './route'

await testDatabase()

it('a temporary refusal has a Retry-After header', async () => {
  const baseUrl = await dashboardHost({ '/api/trpc': POST })
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const headers = { Cookie: await cookieFor(ctx), Origin: baseUrl, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ json: { videoId, image: Buffer.from('this is no picture').toString('base64'), expected: null } })
  const upload = () => fetch(`${baseUrl}/api/trpc/video.uploadPoster`, { method: 'POST', headers, body })
  const answers = await Promise.all(Array.from({ length: 20 }, upload))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 400).length + refused.length).toBe(20)
  expect(refused.length).toBeGreaterThan(0)
  for (const response of refused) {
    const { error } = (await response.json()) as { error: { json: { message: string; data: { retryAfter: number } } } }
    expect(response.headers.get('retry-after')).toBe(String(error.json.data.retryAfter))
    expect(error.json.message).toMatch(/^This account has exceeded its rate limit for poster uploads\. Try again in \d+ seconds?\.$/)
  }
})
