import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { getConstructionPlans } from 'pg-boss'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from './testing/database.ts'
import { atFileEnd } from './testing/media/file-end.ts'
import { differences } from './testing/statements/compare.ts'
import { describeStatement } from './testing/statements/describe.ts'
import { readCatalog } from './testing/statements/nullability.ts'
import { readStatements, type Statement } from './testing/statements/read.ts'

/** Differences that are none, with the reason. */
const KNOWN: Record<string, string> = {
  'server/modules/access/keys/active.ts declares works, which may be null, without null': 'it compares a time only where there is one',
  'server/modules/delivery/playlists/thumbnails.ts declares name, which may be null, without null': 'every segment is stored with its name',
  'server/modules/webhooks/delivery/list-deliveries.ts declares retrySchedule, which may be null, without null':
    'deliveries go with their endpoint',
  'server/modules/webhooks/delivery/lease.ts passes string as $1, which is bigint[]': 'the text of an array, which is cheaper to make',
}

/** How many statements of a file have a text that only exists at run time, so that nothing here checks them. */
const MADE_AT_RUN_TIME = {
  'server/modules/identity/accounts/purge-account.ts': 1,
  'server/modules/analytics/delivered/delivered-report.ts': 1,
  'server/modules/analytics/requests/export-requests.ts': 1,
  'server/modules/analytics/requests/list-requests.ts': 1,
  'server/modules/analytics/prune.ts': 1,
  'server/modules/billing/export-ledger.ts': 1,
  'server/modules/dashboard/search.ts': 1,
  'server/modules/dashboard/list-videos.ts': 2,
  'server/modules/dashboard/library/export-videos.ts': 1,
  'server/modules/dashboard/library/start-bulk.ts': 1,
  'server/modules/backoffice/support/find.ts': 1,
  'server/modules/backoffice/support/owner-view.ts': 1,
  'server/modules/backoffice/support/refresh-account-activity.ts': 1,
  'server/modules/transcoding/tasks/read-processing.ts': 1,
  'server/modules/videos/list/filter-list.ts': 1,
  'server/modules/webhooks/delivery/list-deliveries.ts': 1,
  'server/modules/webhooks/delivery/purge.ts': 1,
  'server/modules/webhooks/delivery/routine-call.ts': 1,
  'server/platform/backup/dump.ts': 2,
  'server/platform/backup/restore-database.ts': 6,
  'server/platform/database/database-grants.ts': 1,
  'server/platform/database/database.ts': 3,
  'server/platform/database/delete-slices.ts': 1,
  'server/platform/job-queue.ts': 1,
  'server/platform/leases.ts': 4,
  'server/platform/database/migrate.ts': 2,
  'server/platform/database/notifications.ts': 1,
  'server/platform/postgres/embedded.ts': 1,
  'server/platform/postgres/roles.ts': 1,
  'server/platform/database/reseal.ts': 3,
  'server/platform/database/routines.ts': 3,
  'server/platform/database/text-indexes.ts': 1,
}

/** Several commands at once, which take no parameters and return no rows. */
const COMMANDS = /^\s*(BEGIN|SET)\b.*;/s

const { url } = await testDatabase()
const client = new pg.Client({ connectionString: url })
const root = resolve(import.meta.dirname, '..')
const planted = 'server/testing/statements/planted.ts'
const isPlanted = ({ at }: { at: string }) => at.startsWith(planted)
const isOurs = (one: { at: string }) => !isPlanted(one)
const fileOf = (at: string) => at.slice(0, at.lastIndexOf(':'))

const files = globSync('server/**/*.ts', { cwd: root, exclude: ['server/**/*.test.ts', 'server/testing/**', 'server/platform/prisma/**'] })
const { statements, unread } = readStatements(
  root,
  [...files, planted].map((file) => join(root, file)),
)

beforeAll(async () => {
  await client.connect()
  atFileEnd(() => client.end())
  // What the job queue and a restore make themselves.
  await client.query(getConstructionPlans('pgboss'))
  await client.query('CREATE TABLE unfinished_restore (backup_id text NOT NULL, has_rows boolean NOT NULL DEFAULT false)')
})

async function differencesOf(of: readonly Statement[]): Promise<string[][]> {
  const catalog = await readCatalog(client)
  const all: string[][] = []
  for (const statement of of) {
    const found = new Set<string>()
    for (const text of statement.texts.filter((one) => !COMMANDS.test(one))) {
      const described = await describeStatement(client, catalog, text).catch((error: pg.DatabaseError) => error)
      if (described instanceof Error) found.add(described.message)
      else for (const one of differences(statement, described, catalog)) found.add(one)
    }
    all.push([...found])
  }
  return all
}

test('statements declare the rows and parameters that PostgreSQL describes', async () => {
  const ours = statements.filter(isOurs)
  expect(ours.length).toBeGreaterThan(500)
  const found = (await differencesOf(ours)).flatMap((texts, index) => texts.map((text) => `${ours[index]?.at} ${text}`))
  const withoutLine = (one: string) => one.replace(/:\d+ /, ' ')
  expect(found.filter((one) => !KNOWN[withoutLine(one)])).toEqual([])
  expect(Object.keys(KNOWN).filter((known) => !found.some((one) => withoutLine(one) === known))).toEqual([])
})

test('only named files make statements at run time', () => {
  const byFile = Map.groupBy(unread.filter(isOurs), ({ at }) => fileOf(at))
  expect(Object.fromEntries([...byFile].map(([file, { length }]) => [file, length]))).toEqual(MADE_AT_RUN_TIME)
})

test('a difference of each kind is found', async () => {
  expect(await differencesOf(statements.filter(isPlanted))).toEqual([
    [],
    ['declares nmae, which is no column'],
    ['declares balance as number, but it is bigint, string in JavaScript'],
    ['declares balance as string, but it is bigint, bigint in JavaScript'],
    ['declares tier as FREE, but it is "Tier", which has PAID'],
    ['declares at, which may be null, without null'],
    ['declares key, which may be null, without null'],
    ['declares last, which may be null, without null'],
    ['passes acc_1 as $1, which is integer'],
    ['passes 1 values for 0 parameters'],
    ['column "gone" does not exist'],
    ['declares id, which is no column'],
  ])
  expect(unread.filter(isPlanted).map(({ why }) => why)).toEqual(['text'])
})
