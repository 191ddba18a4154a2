import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { GET as ask, POST as tell } from '../app/api/trpc/[trpc]/route.ts'
import { sourceKey } from '../server/modules/videos/media-keys.ts'
import { childEnvironment, env } from '../server/platform/config/config.ts'
import { db } from '../server/platform/database/database.ts'
import { claimStorage } from '../server/platform/storage/claim-storage.ts'
import { storage } from '../server/platform/storage/storage.ts'
import { Browser } from '../server/testing/browser-jar.ts'
import { dashboardHost } from '../server/testing/dashboard-host.ts'
import { testDatabase } from '../server/testing/database.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makePlayable } from '../server/testing/media/playable.ts'
import { dataFolder, startService } from '../server/testing/services/whole-service.ts'
import { provide } from '../server/testing/settings.ts'
import { makeCli } from './operator/cli.ts'
import { COMMANDS } from './operator/commands.ts'
import { type Ended, operator } from './operator/run-in-test.ts'

await testDatabase()

let email: string
beforeAll(async () => {
  email = ((await makeAccount()).actor as { email: string }).email
})

/** Runs the command as `npm run operator --` does, outside the project's folder, whose .env is not for tests. */
function spawned(args: string[], settings: Record<string, string> = { DATABASE_URL: env().DATABASE_URL as string }): Promise<Ended> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'operator.ts'), ...args], {
    cwd: tmpdir(),
    env: { ...childEnvironment(), NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = { out: '', err: '' }
  child.stdout.on('data', (text) => (ended.out += text))
  child.stderr.on('data', (text) => (ended.err += text))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, ...ended })))
}

const cli = makeCli(COMMANDS, async () => {})
const usageOf = (name: string) =>
  name
    .split(' ')
    .reduce((parent: typeof cli | undefined, word) => parent?.commands.find((one) => one.name() === word), cli)
    ?.helpInformation() ?? ''

describe('arguments', () => {
  test('without any, lists every command and reports that none was given', async () => {
    const { code, out } = await spawned([])
    expect(code).toBe(2)
    for (const { name, description } of COMMANDS)
      expect(out).toMatch(new RegExp(`^  ${name} .*${description.replace(/[.*+?()/]/g, '\\$&')}$`, 'm'))
  })

  test('with --help, lists them as well', async () => {
    expect(await operator('--help')).toEqual({ code: 0, out: cli.helpInformation(), err: '' })
    expect(await operator('grant-support', '-h')).toEqual({ code: 0, out: usageOf('grant-support'), err: '' })
    expect(await operator('help', 'grant-support')).toEqual({ code: 0, out: usageOf('grant-support'), err: '' })
  })

  test.each(COMMANDS.map((command) => [command.name, command] as const))('%s prints its usage', (name, { takes = [], options = {} }) => {
    expect(usageOf(name)).toMatch(
      new RegExp(`^Usage: npm run operator -- ${[name, '\\[options\\]', ...takes.map((one) => `<${one}>`)].join(' ')}`),
    )
    for (const [option, { description }] of Object.entries(options))
      expect(usageOf(name)).toMatch(new RegExp(`--${option}.* ${description.slice(0, 5)}`))
  })

  test.each([
    [['no-such-command'], "error: unknown command 'no-such-command'\n\n", cli.helpInformation()],
    [['grant-support'], "error: missing required argument 'email'\n\n", usageOf('grant-support')],
    [['grant-support', 'a@example.com', 'b@example.com'], 'error: too many arguments', usageOf('grant-support')],
    [['list-support', '--all-users'], "error: unknown option '--all-users'\n\n", usageOf('list-support')],
    [['credit', 'acc_1', '1'], "error: required option '--reason <reason>' not specified\n\n", usageOf('credit')],
    [['credit', 'acc_1', '1', '--reason', ''], "error: option '--reason <reason>' argument '' is invalid.", usageOf('credit')],
    [['media', 'move', '--to', 'disk', '--finish'], "error: option '--to <to>' cannot be used with", usageOf('media move')],
    [['verify-ledger', '--from', 'a', '--export', 'b'], "error: option '--from <from>' cannot be used with", usageOf('verify-ledger')],
  ])('%j prints the error and the usage, and exits with 2', async (args, problem, usage) => {
    const { code, out, err } = await operator(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err.startsWith(problem)).toBe(true)
    expect(err.endsWith(usage)).toBe(true)
  })

  test.each([
    [['grant-support', 'unknown@example.com'], 'No user has the email address unknown@example.com. They must sign up at /sign-up first.\n'],
    [
      ['revoke-support', 'unknown@example.com'],
      'No user has the email address unknown@example.com. They must sign up at /sign-up first.\n',
    ],
    [['grant-support', 'no address'], 'Enter a complete email address, such as ada@example.com.\n'],
  ])('%j fails, exits with 1, and prints the reason', async (args, problem) => {
    expect(await operator(...args)).toEqual({ code: 1, out: '', err: problem })
  })
})

test('a process exits with the code of its command, and opens no database where none is needed', async () => {
  expect(await spawned(['list-support', '--all-users'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('unknown option') })
  expect(await spawned(['revoke-support', 'unknown@example.com'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('No user'),
  })
  expect(await spawned(['list-support'])).toEqual({ code: 0, out: 'There are no support staff.\n', err: '' })
  const file = join(dataFolder(), 'other.jsonl')
  writeFileSync(file, '{}\n')
  const settings = { DATA_DIR: join(dataFolder(), 'none') }
  expect(await spawned(['verify-ledger', '--from', file], settings)).toMatchObject({
    code: 1,
    err: expect.stringContaining('not a ledger export'),
  })
})

test('support is granted once, listed, revoked, and recorded', async () => {
  expect(await operator('list-support')).toMatchObject({ code: 0, out: 'There are no support staff.\n' })
  expect(await operator('grant-support', email)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('add --unverified') })
  expect(await operator('grant-support', email.toUpperCase(), '--unverified')).toMatchObject({ code: 0, err: '' })
  expect(await db().auditEntry.findMany({ where: { action: 'support.grant' } })).toMatchObject([
    { actor: 'operator', after: { email, emailVerified: false } },
  ])
  // With the e-mail verified in the meantime, no confirmation is required.
  await db().user.update({ where: { email }, data: { emailVerifiedAt: new Date() } })
  const again = await Promise.all([operator('grant-support', email), operator('grant-support', email)])
  for (const { code, out } of again) expect([code, out]).toEqual([0, `${email} is already support staff.\n`])
  expect((await operator('list-support')).out).toMatch(new RegExp(`^${email}  since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\n$`))
  expect(await operator('revoke-support', email)).toMatchObject({ code: 0, err: '' })
  expect(await operator('revoke-support', email)).toEqual({ code: 1, out: '', err: `${email} is not support staff.\n` })
  expect((await operator('list-support')).out).toBe('There are no support staff.\n')
  expect((await operator('list-support', '--all')).out).toContain('  until ')
  expect(await db().staffGrant.count()).toBe(1)
})

test('reset-password prints a link that sets a new password once, over HTTP', async () => {
  const base = await dashboardHost({ '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)) })
  provide({ BASE_URL: base })
  const { code, out, err } = await operator('reset-password', email)
  expect([code, err]).toEqual([0, ''])
  const [, token] = new RegExp(`^${base}/reset-password#([0-9A-Za-z]{32})\n.*Send it only to ${email}`).exec(out) ?? []
  const browser = new Browser(base)
  const given = { token, password: 'a battery of another horse' }
  expect((await browser.mutate('user.resetPassword', given)).status).toBe(200)
  expect((await browser.mutate('user.resetPassword', given)).status).toBe(404)
  expect(await operator('reset-password', 'none@example.com')).toMatchObject({ code: 1, out: '' })
})

describe('the database', () => {
  test('a missing one and one of another version are reported in a sentence', async () => {
    const unreachable = await spawned(['list-support'], { DATABASE_URL: 'postgresql://unknown:secret@127.0.0.1:9/none' })
    expect(unreachable).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Check that DATABASE_URL is correct') })
    expect(unreachable.err).not.toContain('secret')
    const [last] = await db().$queryRaw<{ id: string; migration_name: string }[]>`
      SELECT id, migration_name FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 1`
    const rename = (name = '') => db().$executeRaw`UPDATE _prisma_migrations SET migration_name = ${name} WHERE id = ${last?.id}`
    await rename('20991231000000_of_another_version')
    expect(await spawned(['list-support'])).toMatchObject({ code: 1, err: expect.stringContaining('does not match this version') })
    await rename(last?.migration_name)
  })

  test('its schema is brought up to date apart from a start', async () => {
    expect(await operator('migrate')).toEqual({ code: 0, out: 'The schema is up to date.\n', err: '' })
    await db().$executeRaw`UPDATE routine_checksum SET checksum = '' WHERE name = 'audit_hash'`
    expect(await operator('migrate')).toMatchObject({ code: 0, out: expect.stringMatching(/^applied \d+ routine/) })
  })

  test('the embedded one is used with the server running and without, and never created', async () => {
    const data = dataFolder()
    const settings = { DATA_DIR: data, LOG_LEVEL: 'error' }
    expect(await spawned(['list-support'], settings)).toMatchObject({ code: 1, err: expect.stringContaining('contains no Reelgate data') })
    const service = startService(data, { ROLES: 'worker' })
    await service.says(/Reelgate is ready/)
    expect(await spawned(['list-support'], settings)).toEqual({ code: 0, out: 'There are no support staff.\n', err: '' })
    service.signal('SIGTERM')
    // The server keeps running next to the command and ends as usual.
    expect(await service.ended).toBe(0)
    expect(await spawned(['list-support'], settings)).toEqual({ code: 0, out: 'There are no support staff.\n', err: '' })
    // What the command started has stopped with it.
    const after = startService(data, { ROLES: 'worker' })
    await after.says(/Reelgate is ready/)
    expect(after.said()).not.toContain('attached to')
    after.signal('SIGTERM')
    expect(await after.ended).toBe(0)
  })
})

test('the signing key of receipts is rotated, and receipts of a deleted account are listed and saved', async () => {
  const owner = await makeAccount()
  await db().deletion.create({
    data: {
      ...{ id: 'rcp_operator', accountId: owner.accountId, kind: 'video.deletion', subject: 'vid_operator', rows: { video: 1 } },
      ...{ deletedAt: new Date(), verifiedAt: new Date(), stored: [{ kind: 'source', objects: 1, bytes: 5 }] },
    },
  })
  expect((await operator('rotate-receipt-keys', '--now')).out).toMatch(/^Key [\w-]{43} is published and signs receipts from \d{4}-/)
  const { kid } = await db().receiptKey.findFirstOrThrow()
  const folder = join(dataFolder(), 'receipts')
  expect(await operator('deletion-receipts', owner.accountId, '--save', folder)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Z {2}Video deleted {2}vid_operator {2}rcp_operator\n$/),
  })
  const { jws, receipt } = JSON.parse(readFileSync(join(folder, 'reelgate-receipt-vid_operator.json'), 'utf8'))
  expect(receipt).toMatchObject({ sub: 'vid_operator', storage: { objects: 1, bytes: 5 } })
  expect(decodeProtectedHeader(jws)).toMatchObject({ alg: 'EdDSA', kid })
  expect(await operator('deletion-receipts', 'acc_none')).toEqual({
    code: 1,
    out: '',
    err: 'No permanent deletions recorded for acc_none.\n',
  })
})

test('stored media is scrubbed and compared with the database', async () => {
  const media = (...args: string[]) => operator('media', ...args)
  await claimStorage()
  const { id, segment } = await makePlayable(await makeAccount())
  await storage().put(sourceKey(id), Buffer.alloc(1_000))
  await db().media.update({ where: { id }, data: { sourceBytes: 1_000n } })
  expect(await media('scrub', '--rate', '10')).toMatchObject({ code: 0, out: expect.stringContaining('1 encodings, 3 objects') })
  expect(await media('scrub', '--rate', 'fast')).toMatchObject({ code: 1, err: '--rate must be a number above 0.\n' })
  expect(await media('orphans', '--older-than', '0.5')).toMatchObject({ code: 1, err: expect.stringContaining('at least 1') })
  expect(await media('usage')).toMatchObject({ code: 0, out: expect.stringMatching(/^sources {2,}1 {2,}0\.0 MB/m) })
  const key = segment.replace('/cdn/', '')
  await storage().put(key, Buffer.from('another content'))
  const { code, out } = await media('scrub', '--video', id, '--repair')
  expect([code, out]).toEqual([1, expect.stringContaining(`${id}: 1 of 3 objects are damaged\n  ${key} has changed since it was stored`)])
  expect(await db().mediaFault.findMany()).toMatchObject([{ key, dueAt: expect.any(Date) }])
})
