import { beforeAll, expect, test } from 'vitest'
import { SECRET_SETTINGS } from '../server/modules/backoffice/operator/settings-in-force.ts'
import { settings } from '../server/platform/config/settings.ts'
import { db } from '../server/platform/database/database.ts'
import { testDatabase } from '../server/testing/database.ts'
import { makeAccount } from '../server/testing/make.ts'
import { appRouter } from '../server/trpc/root.ts'
import { COMMANDS } from './operator/commands.ts'
import { operator } from './operator/run-in-test.ts'
import { statusText } from './operator/status-text.ts'

await testDatabase()

let email: string
beforeAll(async () => {
  email = ((await makeAccount()).actor as { email: string }).email
})

test('the console does and shows nothing that the command does not', () => {
  const procedures = Object.keys(appRouter._def.procedures).filter((name) => name.startsWith('operator.'))
  expect(procedures.length).toBeGreaterThan(10)
  const asCommand = (name: string) => name.slice('operator.'.length).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const commands = COMMANDS.map(({ name }) => name)
  expect(procedures.map(asCommand).filter((name) => !commands.includes(name))).toEqual([])
})

test('announcements, roles and the log, by the command', async () => {
  expect(await operator('announce', 'Maintenance on Sunday', '--level', 'loud')).toMatchObject({
    code: 1,
    err: 'Choose info, warning or critical.\n',
  })
  expect(await operator('announce', 'Maintenance on Sunday', '--until', 'Sunday')).toMatchObject({ code: 1 })
  const { out } = await operator('announce', 'Maintenance on Sunday', '--level', 'warning', '--until', '2999-01-01T00:00Z')
  const [id = ''] = out.split(' ')
  expect((await operator('list-announcements')).out).toMatch(
    new RegExp(`^${id}  shown  warning  from .*Z until 2999-01-01T00:00Z  Maintenance`),
  )
  expect((await operator('end-announcement', id)).code).toBe(0)
  expect(await operator('end-announcement', id)).toMatchObject({ code: 1, err: 'This announcement has already ended.\n' })
  expect((await operator('grant-operator', email, '--unverified')).out).toBe(
    `${email} is now an operator. The operator console is at /operator.\n`,
  )
  expect((await operator('list-support')).out).toMatch(new RegExp(`^${email}  operator  since `))
  expect((await operator('revoke-support', email)).err).toBe(`${email} is not support staff.\n`)
  expect((await operator('revoke-operator', email)).code).toBe(0)
  const log = (await operator('operator-log')).out
  for (const words of ['added an announcement', 'ended an announcement', 'granted a role to a user', 'revoked a role from a user'])
    expect(log).toContain(`command ${words}`)
})

test('status prints the state and what to do, and exits with 1 when something serious needs the operator', async () => {
  // No process is registered here, so that no worker runs.
  const { code, out } = await operator('status')
  expect([code, out]).toEqual([1, expect.stringContaining('SERIOUS  No worker is running.')])
  expect(out).toMatch(/database {2}PostgreSQL \d+/)
  const { warnings, database } = JSON.parse((await operator('status', '--json')).out)
  expect(warnings[0]).toMatchObject({ id: 'no-worker', level: 'bad', steps: expect.any(Array) })
  expect(database.migrations.missing).toEqual([])
})

test('trends prints a line for each of the last 30 days', async () => {
  const lines = (await operator('trends')).out.trimEnd().split('\n')
  expect(lines).toHaveLength(31)
  expect(lines[0]).toMatch(/^day \(UTC\) +requests +4xx +5xx +failed +wait +wait p95 +stored$/)
  expect(lines.at(-1)).toMatch(new RegExp(`^${new Date().toISOString().slice(0, 10)}( +0){4}( +-){3}$`))
  expect(JSON.parse((await operator('trends', '--json')).out)).toHaveLength(30)
})

test('renditions prints a table of what is stored and was delivered', async () => {
  expect((await operator('renditions')).out).toBe('No renditions yet.\n')
  const { accountId } = await makeAccount()
  const delivered = { accountId, day: new Date(), stream: '720p' }
  await db().accountDeliveredDay.create({ data: { ...delivered, codec: 'h264', bytes: 2_500_000_000n } })
  await db().accountDeliveredDay.create({ data: { ...delivered, codec: 'av1', bytes: 500_000_000n, saved: 400_000_000n } })
  const lines = (await operator('renditions')).out.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(lines).toEqual([
    ['rendition', 'codec', 'stored', '30 days', 'saved'],
    ['720p', 'H.264', '0.0 MB', '2.5 GB', '-'],
    ['720p', 'AV1', '0.0 MB', '500.0 MB', '400.0 MB'],
    [''],
  ])
  expect(JSON.parse((await operator('renditions', '--json')).out)).toMatchObject({
    days: 30,
    renditions: [{ codec: 'h264' }, { codec: 'av1' }],
  })
})

/** A status in which each value differs from the others, and every part has something. */
const STATUS: Parameters<typeof statusText>[0] = {
  version: '9.8.7',
  processes: [
    {
      ...{ id: 'prc_1', host: 'worker-one', pid: 4_711, roles: ['web', 'worker'], version: '9.8.6', isSilent: true },
      ...{ startedAt: new Date('2026-01-02T03:04Z'), heartbeatAt: new Date('2026-01-03T05:06Z'), fault: 'The disk is full.' },
    },
  ],
  queue: {
    videos: { due: 101, delayed: 102, running: 103, oldest: 104 },
    webhooks: { pending: 105, oldest: 106 },
    jobs: [{ name: 'mail.send', waiting: 107, oldest: 0, failed: 108, lastError: 'connect ECONNREFUSED 192.0.2.1:25' }],
    speech: { engine: 'pocketsphinx' },
    transcripts: { due: 139, delayed: 140, running: 141, oldest: 142, fault: 'The engine did not respond.' },
  },
  storage: {
    media: { kind: 'bucket', name: 's3://videos/live' },
    free: [{ volume: 'uploads', bytes: 109e9 }],
    ...{ reserve: 110e9, stored: { videos: 111, originals: 112e9, renditions: 113e9, unfinished: 114e9 } },
    ...{ faults: 115, removals: 116, move: 'copying' },
  },
  encodings: {
    av1: { afterHours: 127, stored: 128, due: 129, encoding: 130 },
    slower: { preset: 'medium', afterHours: 131, due: 132 },
  },
  delivered: { days: 133, h264: 134e9, av1: 135e9, audio: 136e9, saved: 137e9, storedAv1: 138e9 },
  database: {
    ...{ isEmbedded: true, version: '18.4', size: 117e9, sizeWarned: null, connections: 118, maxConnections: 119, oldestTransaction: 120 },
    standbys: [{ name: 'standby-two', state: 'streaming', lag: 121 }],
    ...{ replicaBehind: 122, migrations: { applied: 123, missing: ['20990101000000_next'] } },
  },
  backups: {
    ...{ isScheduled: true, isOverdue: true, lastProven: new Date('2026-01-04T07:08Z') },
    last: { id: 'bak_1', startedAt: new Date('2026-01-05T09:10Z'), state: 'failed', failure: 'The folder is gone.' },
  },
  signUp: { mode: 'domains', domains: ['example.com'] },
  limits: [
    { setting: 'TOTAL_STORAGE_BYTES', title: 'Storage', unit: 'count', value: 124, used: 125 },
    { setting: 'MAX_KEYS', title: 'Keys, each account', unit: 'count', value: 126, used: null },
  ],
  warnings: [
    {
      ...{ id: 'no-worker', level: 'bad', title: 'No worker is running', detail: 'Nothing is transcoded', steps: ['Start one'] },
      ...{ guide: 'runbooks#reelgatenoworker', page: null },
    },
  ],
}

test('status prints every value that the page of the console shows', () => {
  const text = statusText(STATUS).join('\n')
  const numbers = Array.from({ length: 42 }, (_, at) => String(101 + at))
  const texts = [
    ...['engine pocketsphinx', 'The engine did not respond.'],
    'preset medium',
    '9.8.7',
    '9.8.6',
    'worker-one:4711',
    'web,worker',
    '01-02 03:04',
    'NO HEARTBEAT',
    '01-03 05:06',
    'The disk is full.',
  ]
  const others = [
    'mail.send',
    'ECONNREFUSED 192.0.2.1:25',
    's3://videos/live',
    'copying',
    '18.4, embedded',
    'standby-two',
    'streaming',
    '20990101000000_next',
    'bak_1',
  ]
  const backups = [
    'scheduled',
    '01-05 09:10',
    'The folder is gone.',
    '01-04 07:08',
    'domains example.com',
    'MAX_KEYS: 126 for each account',
  ]
  const warnings = ['SERIOUS  No worker is running. Nothing is transcoded', '- Start one', 'docs/runbooks.md#reelgatenoworker']
  expect([...numbers, ...texts, ...others, ...backups, ...warnings].filter((part) => !text.includes(part))).toEqual([])
})

test('settings are listed with their source, and no secret is printed', async () => {
  process.env.SMTP_URL = 'smtps://mailer:hunter2@mail.example.com'
  process.env.CDN_URL = 'https://user:hunter3@media.example.com/?token=hunter4'
  const { out } = await operator('settings')
  delete process.env.SMTP_URL
  delete process.env.CDN_URL
  expect(out).toContain('SMTP_URL=(set)  # environment\n')
  expect(out).toContain('STRIPE_SECRET_KEY=(unset)  # default\n')
  expect(out).toContain('SIGN_UP=open  # default\n')
  expect(out).not.toContain('hunter')
  expect(out.split('\n').filter(Boolean)).toHaveLength(Object.keys(settings).length)
})

test('every setting whose name suggests a secret is treated as one, unless it is listed here', () => {
  const PUBLIC = /^(?:BASE|SDK|CDN|GITHUB|SPEECH|STORAGE)_URL$|TOKENS$|BACKUP_KEEP/
  const suspicious = Object.keys(settings).filter((name) => /SECRET|KEY|TOKEN|PASSWORD|URL|HEADERS|CREDENTIAL/.test(name))
  expect(suspicious.filter((name) => !SECRET_SETTINGS.has(name) && !PUBLIC.test(name))).toEqual([])
})
