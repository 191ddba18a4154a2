import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { frameAncestors } from '../../delivery/sessions/frame-ancestors.ts'
import { accountSettings, setEmbedDomains } from './change-account.ts'
import { embedDomainsInput } from './schema.ts'

await testDatabase()

let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

describe('embedDomain', () => {
  it.each([
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['https://www.example.com/watch', 'www.example.com'],
    ['*.example.com', '*.example.com'],
    ['localhost:3000', 'localhost:3000'],
    ['http://10.0.0.7:8080/', '10.0.0.7:8080'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('accepts %s as %s', (text, host) => expect(embedDomainsInput.parse({ domains: [text], expected: [] }).domains).toEqual([host]))

  it.each([
    '',
    '*',
    "'none'",
    'example.com; script-src *',
    'example.com *',
    'exa mple.com',
    'a,b.com',
    '*.*.com',
    'user@example.com',
    'javascript:alert(1)',
    'https://',
    'example.com\r\nX-Bad: 1',
  ])('rejects %j', (text) => expect(embedDomainsInput.safeParse({ domains: [text], expected: [] }).success).toBe(false))

  it('removes duplicates', () =>
    expect(embedDomainsInput.parse({ domains: ['a.com', 'A.com/x'], expected: [] }).domains).toEqual(['a.com']))
})

it('allows any host to embed the player until an owner sets domains', async () => {
  const videoId = await makeVideo(ctx)
  expect(await frameAncestors(videoId)).toBe('*')
  expect(await accountSettings(ctx)).toMatchObject({
    ...{ embedDomains: [], playsEarly: true, downloads: false, pictureQuality: 'standard', mayChange: true },
    ...{ viewerRetentionDays: 400, completedPercent: 90 },
  })
  await setEmbedDomains(ctx, { domains: ['example.com', '*.example.org'] })
  await expect.poll(() => frameAncestors(videoId)).toBe("'self' http://localhost example.com *.example.org")
  // Videos of other accounts and unknown ids are unchanged.
  expect(await frameAncestors(await makeVideo(await makeAccount()))).toBe('*')
  expect(await frameAncestors('vid_test_completed')).toBe('*')
  expect(await frameAncestors("vid_x' OR 1=1")).toBe('*')

  const audit = await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })
  expect(audit).toMatchObject([
    { action: 'account.embedDomains', before: { embedDomains: [] }, after: { embedDomains: ['example.com', '*.example.org'] } },
  ])
  await setEmbedDomains(ctx, { domains: ['example.com', '*.example.org'] })
  expect(await db().auditEntry.count({ where: { accountId: ctx.accountId } })).toBe(1)
  await setEmbedDomains(ctx, { domains: [] })
  await expect.poll(() => frameAncestors(videoId)).toBe('*')
})

it.each(['DEVELOPER', 'VIEWER'] as const)('refuses a %s', async (role) => {
  const member = await makeAccount(role)
  expect(await accountSettings(member)).toMatchObject({ mayChange: false })
  await expect(setEmbedDomains(member, { domains: ['example.com'] })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
