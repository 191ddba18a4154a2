import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import pg from 'pg'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { openContentKey, sealContentKey } from '../server/modules/transcoding/encode/content-key.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { newId } from '../server/platform/secrets/crypto.ts'
import { PASSWORD } from './person.ts'
import { type Source, sourceFile } from './source-file.ts'

/** What a prepared video is encoded from, and its highest rendition; 480p by default. */
export type Recipe = Source & { targetQuality?: '240p' | '480p' }

const root = join(import.meta.dirname, '..')
const cache = join(root, '.cache/e2e/videos')
/** Folders of the media store that hold a video's objects. */
const PARTS = ['segments', 'pictures', 'sources'] as const

/** The rows of a video and of its media, and its content key, without the id that they were read from. */
interface Rows {
  video: Record<string, unknown>
  media: Record<string, unknown>
  renditions: Record<string, unknown>[]
  log: { step: string; message: string }[]
  contentKey: string | undefined
}

/** Whether the tests may write into the data of the server under test, with its secret. */
const canPrepare = () => Boolean(process.env.REELGATE_E2E_DATA && process.env.REELGATE_SECRET) && !process.env.E2E_BASE_URL

/**
 * Adds a transcoded video to an account and returns its id. The first use of a recipe encodes it on the server under test; later uses, also
 * in later runs, copy its objects and rows; `columns` replaces values of its media's row. On a server whose data is elsewhere it is uploaded.
 */
export async function giveVideo(
  owner: Dashboard,
  title: string,
  recipe: Recipe,
  {
    base,
    dataDir = process.env.REELGATE_E2E_DATA as string,
    columns = {},
  }: { base: string; dataDir?: string; columns?: Record<string, unknown> },
): Promise<string> {
  if (!canPrepare()) return uploaded(owner, title, recipe)
  const folder = await encoded(recipe, base)
  const rows = JSON.parse(await readFile(join(folder, 'rows.json'), 'utf8')) as Rows
  const { account } = await owner.query<{ account: { id: string } }>('account.me')
  const id = newId('vid')
  for (const part of PARTS) {
    if (existsSync(join(folder, part))) await cp(join(folder, part), join(dataDir, 'media', part, id), { recursive: true })
  }
  await withDatabase(dataDir, (client) =>
    insert(client, { id, accountId: account.id, title }, { ...rows, media: { ...rows.media, ...columns } }),
  )
  return id
}

/** Returns the folder of an encoded recipe, which it encodes if there is none. */
async function encoded(recipe: Recipe, base: string): Promise<string> {
  const folder = join(cache, createHash('sha256').update(encoderHash()).update(JSON.stringify(recipe)).digest('hex').slice(0, 32))
  if (existsSync(folder)) return folder
  const dataDir = process.env.REELGATE_E2E_DATA as string
  const name = `prepared-${randomBytes(5).toString('hex')}`
  const owner = await Dashboard.signUp(base, `${name}@example.com`, PASSWORD)
  const id = await uploaded(owner, 'Prepared', recipe)
  const unfinished = `${folder}.${randomBytes(4).toString('hex')}`
  await mkdir(unfinished, { recursive: true })
  for (const part of PARTS) {
    const stored = join(dataDir, 'media', part, id)
    if (existsSync(stored)) await cp(stored, join(unfinished, part), { recursive: true })
  }
  await writeFile(join(unfinished, 'rows.json'), JSON.stringify(await withDatabase(dataDir, (client) => read(client, id))))
  await owner.mutate('account.delete', { name, password: PASSWORD })
  // Another worker may have encoded it meanwhile.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }))
  return folder
}

let hashed: string | undefined

/** Returns a hash of everything on which the result of encoding depends. */
function encoderHash(): string {
  if (hashed) return hashed
  const hash = createHash('sha256')
  const sources = globSync(['server/modules/transcoding/*.ts', 'prisma/schema.prisma', 'e2e/source-file.ts'], { cwd: root })
  for (const file of sources.sort()) if (!file.endsWith('.test.ts')) hash.update(readFileSync(join(root, file)))
  hashed = hash.digest('hex')
  return hashed
}

/** Uploads a recipe's source and waits until it is transcoded, or has failed. */
async function uploaded(owner: Dashboard, title: string, { targetQuality = '480p', ...source }: Recipe): Promise<string> {
  const bytes = new Uint8Array(await readFile(await sourceFile(source)))
  const id = await owner.upload(bytes, { filename: `${title}.mp4`, filetype: 'video/mp4', title, targetQuality })
  const status = async () => (await owner.query<{ status: string }>('video.get', { videoId: id })).status
  await expect.poll(status, { timeout: 480_000 }).toMatch(/COMPLETED|FAILED/)
  return id
}

async function withDatabase<Result>(dataDir: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const { url, stop } = await attachToEmbeddedPostgres(dataDir)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(async () => {
    await client.end()
    await stop()
  })
}

async function read(client: pg.Client, id: string): Promise<Rows> {
  const all = async <Row>(sql: string) => (await client.query<{ row: Row }>(sql, [id])).rows.map(({ row }) => row)
  const [video = {}] = await all<Record<string, unknown>>('SELECT to_jsonb(v) AS row FROM video v WHERE id = $1')
  const [media = {}] = await all<Record<string, unknown>>('SELECT to_jsonb(m) AS row FROM media m WHERE id = $1')
  const sealed = typeof media.content_key === 'string' ? Buffer.from(media.content_key.slice(2), 'hex') : undefined
  return {
    video,
    media,
    renditions: await all('SELECT to_jsonb(r) AS row FROM rendition r WHERE media_id = $1'),
    log: await all(`SELECT jsonb_build_object('step', step, 'message', message) AS row FROM video_log WHERE video_id = $1 ORDER BY id`),
    contentKey: sealed && openContentKey(sealed, id).toString('hex'),
  }
}

async function insert(client: pg.Client, own: { id: string; accountId: string; title: string }, rows: Rows): Promise<void> {
  const { id, accountId, title } = own
  const now = new Date().toISOString()
  const key = rows.contentKey && `\\x${sealContentKey(Buffer.from(rows.contentKey, 'hex'), id).toString('hex')}`
  const times = { created_at: now, completed_at: rows.video.completed_at && now }
  const video = { ...rows.video, ...times, id, media_id: id, account_id: accountId, title }
  const started = { ...times, started_at: now, source_key: `sources/${id}`, content_key: key }
  const media = { ...rows.media, ...started, id, video_id: id, account_id: accountId }
  await client.query('BEGIN')
  await client.query('INSERT INTO video SELECT * FROM jsonb_populate_record(NULL::video, $1)', [JSON.stringify(video)])
  await client.query('INSERT INTO media SELECT * FROM jsonb_populate_record(NULL::media, $1)', [JSON.stringify(media)])
  for (const rendition of rows.renditions) {
    const row = JSON.stringify({ ...rendition, media_id: id })
    await client.query('INSERT INTO rendition SELECT * FROM jsonb_populate_record(NULL::rendition, $1)', [row])
  }
  for (const { step, message } of rows.log)
    await client.query('INSERT INTO video_log (video_id, step, message) VALUES ($1, $2, $3)', [id, step, message])
  await client.query('COMMIT')
}
