import { Agent } from 'node:http'
import pg from 'pg'
import { makeAccount, makeKey } from '../server/testing/make.ts'
import { startChild } from './child.ts'
import { inTurn, p99 } from './filtered-list.ts'
import { keyed } from './load.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'

const CUES = 100_000
const CUES_OF_A_VIDEO = 100
/** Milliseconds in which a search is answered. */
const BOUND_MS = 100
const REQUESTS = 300
const WARM_UP = 30

/** Words that are said in one of so many cues. */
const SAID = { country: 10, glacier: 1_000, obsidian: 50_000 }

const SEARCHES: Record<string, string> = {
  'a word of every tenth cue': 'countries',
  'a word of every thousandth cue': 'glacier',
  'a word of two cues': 'obsidian',
  'two words': 'country glacier',
  'a word that nobody says': 'zeppelin',
}
const workOf = (what: string) => `search of ${CUES.toLocaleString('en-US')} spoken lines for ${what}: p99`

/** Creates an account with English captions of eight words a line, from a vocabulary in which some words are common. Returns its key. */
async function seedCues(superuserUrl: string): Promise<string> {
  const ctx = await makeAccount()
  const { value: key } = await makeKey(ctx)
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  const each = `generate_series(1, ${CUES / CUES_OF_A_VIDEO})`
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      `INSERT INTO video (id, account_id, title, status, target_quality) SELECT 'vid_said' || n, $1, 'Lesson ' || n, 'COMPLETED', '720p' FROM ${each} AS n`,
      [ctx.accountId],
    )
    await client.query(
      `INSERT INTO caption (video_id, language, label, name, cues, bytes, searchable)
       SELECT 'vid_said' || n, 'en', 'English', 'captions', ${CUES_OF_A_VIDEO}, 1, 'captions' FROM ${each} AS n`,
    )
    const rare = Object.entries(SAID).map(([word, every]) => `CASE WHEN n % ${every} = 0 THEN '${word} ' ELSE '' END`)
    await client.query(
      `INSERT INTO caption_cue (video_id, language, position, account_id, name, from_sec, to_sec, text, words)
       SELECT 'vid_said' || 1 + n / ${CUES_OF_A_VIDEO}, 'en', n % ${CUES_OF_A_VIDEO}, $1, 'captions', n % ${CUES_OF_A_VIDEO} * 3, n % ${CUES_OF_A_VIDEO} * 3 + 3,
         line, to_tsvector(spoken_language('en'), line)
       FROM generate_series(0, ${CUES - 1}) AS n CROSS JOIN LATERAL (
         SELECT ${rare.join(' || ')} || string_agg('word' || floor(5000 * random() ^ 3), ' ') AS line FROM generate_series(1, 8 + n * 0)) AS said`,
      [ctx.accountId],
    )
    await client.query('VACUUM ANALYZE video, caption, caption_cue')
  } finally {
    await client.end()
  }
  return key
}

/** Measures how long a page of the videos in which words are said takes, with the places, next to its bound. */
export async function spokenWords(env: Record<string, string>, superuserUrl: string): Promise<Row[]> {
  const wanted = Object.entries(SEARCHES).filter(([what]) => isWanted(workOf(what)))
  if (wanted.length === 0) return []
  const key = await seedCues(superuserUrl)
  const lane = await startChild('reelgate', { env })
  const agent = new Agent({ keepAlive: true })
  const rows: Row[] = []
  for (const [what, words] of wanted) {
    const target = keyed(lane.url, `/v1/video?limit=50&transcript=${encodeURIComponent(words)}`, key)
    await inTurn([target], agent, WARM_UP)
    const [times = []] = await inTurn([target], agent, REQUESTS)
    const rate = p99(times)
    rows.push({ work: workOf(what), baseline: 'bound', rate, ceiling: BOUND_MS, ratio: rate / BOUND_MS, reach: 1, below: true, unit: 'ms' })
  }
  agent.destroy()
  await lane.stop()
  return rows
}
