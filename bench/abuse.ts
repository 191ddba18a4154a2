import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { signToken } from '../server/modules/playback/token.ts'
import { SERVICE } from '../server/modules/signing/content-access.ts'
import { readSettings } from '../server/platform/config.ts'
import { services } from '../server/platform/container.ts'
import { db } from '../server/platform/database.ts'
import { freePort } from '../server/platform/free-port.ts'
import { makeMediaFile } from '../server/testing/media-files.ts'
import { cookieFor } from '../server/testing/sign-in.ts'
import { ATTACKS } from './abuse/attacks.ts'
import { bystand, type Latencies, quantile, storeSegments } from './abuse/bystander.ts'
import { smallFolder, startAttacker, startMain } from './abuse/service.ts'
import type { Attack, Target } from './abuse/target.ts'
import { withDatabase } from './database.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

const ROUNDS = 5
/** Before the first attack: the service and the bystander compile their hot paths. */
const WARM_UP_ROUNDS = 4
const WARM_UP_MS = 1_000
const CALM_MS = 500
const ROUND_MS = 3_000
/** The bound: the slowest hundredth takes at most this many times as long during an attack. */
const WITHIN = 3
/** The time limit for work that an attack has left behind. */
const SETTLE_MS = 60_000

/**
 * Measures what each attack by one account, or by a stranger, costs clients that only read: latencies during the attack over those without
 * it in the same run.
 */
export const benchAbuse = () =>
  withDatabase(async (database) => {
    const { folder, isSmall, remove } = smallFolder()
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const settings = { ...database, DATA_DIR: folder, PORT: String(port), HOST: '127.0.0.1', BASE_URL: base, SEGMENT_MEMORY_MB: '1' }
    services().settings = readSettings(settings)
    const stop = await startMain(settings)
    try {
      const target = await makeTarget(base, folder, isSmall)
      const file = join(folder, 'target.json')
      const texts = { picture: target.picture.toString('base64'), clip: target.clip.toString('base64') }
      writeFileSync(file, JSON.stringify({ ...target, ...texts }))
      const attacker = await startAttacker(file)
      const rows = await tryAll(target, attacker)
      await attacker.stop()
      return rows
    } finally {
      await stop()
      remove()
    }
  })

async function makeTarget(base: string, dataDir: string, isSmall: boolean): Promise<Target> {
  const { ctx, key, videoId } = await seedAccount(2)
  const picture = await makeMediaFile('abuse.png', ['-f', 'lavfi', '-i', 'color=white:size=7000x7000', '-frames:v', '1'])
  const clip = await makeMediaFile('abuse.mp4', [
    ...[
      '-f',
      'lavfi',
      '-i',
      'color=black:size=1920x1080:rate=60:duration=6',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-pix_fmt',
      'yuv420p',
    ],
  ])
  return {
    ...{ base, ctx, key, videoId, dataDir, isSmall },
    cookie: await cookieFor(ctx),
    deadToken: signToken(SERVICE, { videoId, jti: 'tok_dead', iat: Math.floor(Date.now() / 1_000) - 3_600 }),
    picture: await readFile(picture),
    clip: await readFile(clip),
  }
}

async function tryAll(target: Target, attacker: Awaited<ReturnType<typeof startAttacker>>): Promise<Row[]> {
  const { key, videoId } = await seedAccount(2)
  const segments = await storeSegments(videoId)
  const measure = () => bystand(target.base, key, videoId, segments, ROUND_MS)
  let quiet = await measure()
  for (let round = 1; round < WARM_UP_ROUNDS; round++) quiet = await measure()
  const calm = () => untilCalm(() => bystand(target.base, key, videoId, segments, CALM_MS), quiet)
  const rows: Row[] = []
  for (const attack of ATTACKS) {
    const lack = attack.lacks?.(target)
    if (lack) {
      process.stderr.write(`Skipped: ${attack.name}, because ${lack}.\n`)
      continue
    }
    const alone: Latencies[] = []
    const during: Latencies[] = []
    // The first requests of a kind compile the code that serves them, on either side, once in a process's lifetime.
    await Promise.all([attacker.attack(attack.name, WARM_UP_MS), measure()])
    await settle(target)
    await calm()
    let begun = 0
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await measure())
      const over = attacker.attack(attack.name, ROUND_MS)
      during.push(await measure())
      begun += (await over).begun
      await settle(target)
      await calm()
    }
    if (begun === 0) throw new Error(`The attack ${attack.name} did not start.`)
    rows.push(...(['video', 'segment'] as const).map((read) => row(attack, begun, read, all(alone, read), all(during, read))))
  }
  return rows
}

const all = (rounds: readonly Latencies[], read: keyof Latencies) => rounds.flatMap((one) => one[read])
const TITLES = { video: 'GET video', segment: 'segment' } as const

function row({ name }: Attack, begun: number, read: keyof Latencies, alone: number[], during: number[]): Row {
  const [p99, without] = [quantile(during, 0.99), quantile(alone, 0.99)]
  return {
    work: `p99 of ${TITLES[read]} in ${name} (${begun})`,
    baseline: 'without it',
    rate: p99,
    ceiling: without,
    ratio: p99 / without,
    reach: WITHIN,
    below: true,
    unit: 'ms',
    p50: Number(quantile(during, 0.5).toFixed(1)),
    p99: Number(p99.toFixed(1)),
  }
}

/** Waits until reads take as long as before all attacks: work left by one must not affect the next measurement without it. */
async function untilCalm(read: () => Promise<Latencies>, quiet: Latencies): Promise<void> {
  const until = performance.now() + SETTLE_MS
  const isCalm = (now: Latencies) =>
    (['video', 'segment'] as const).every((one) => quantile(now[one], 0.5) < 1.5 * quantile(quiet[one], 0.5))
  while (!isCalm(await read()))
    if (performance.now() > until) throw new Error('The service did not recover from an attack within a minute.')
}

/** Waits until the attacker's videos are transcoded or deleted; deletes what is left after a minute. */
async function settle({ ctx: { accountId } }: Target): Promise<void> {
  const open = { accountId, status: { in: ['PENDING', 'PROCESSING'] as ('PENDING' | 'PROCESSING')[] } }
  const until = performance.now() + SETTLE_MS
  while ((await db().video.count({ where: open })) > 0 && performance.now() < until) await wait(250)
  await db().video.deleteMany({ where: open })
}
