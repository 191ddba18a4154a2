import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readSettings } from '../server/platform/config/config.ts'
import { freePort } from '../server/platform/config/free-port.ts'
import { services } from '../server/platform/container.ts'
import { db } from '../server/platform/database/database.ts'
import { type Bystander, makeBystander, makeTarget } from './abuse/accounts.ts'
import type { Statuses } from './abuse/attacker.ts'
import { ATTACKS } from './abuse/attacks.ts'
import { growth, LONG_TURNS, REFUSED, readCounters } from './abuse/counters.ts'
import { KINDS, type Samples } from './abuse/kinds.ts'
import { type Attacker, type Main, smallFolder, startAttacker, startBystander, startMain } from './abuse/service.ts'
import { soundWait } from './abuse/sound-wait.ts'
import type { Attack, Target } from './abuse/target.ts'
import { subtitledVideos } from './abuse/transcode-queue.ts'
import { add, judge, memoryRow, noSamples, p95, quantile, type Trial, unmeasured } from './abuse/verdict.ts'
import { withDatabase } from './database.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'

const has = (option: string) => process.argv.includes(option)
/** Rounds of an attack, each with a measurement without it. `--short` shows that the attacks work; its figures prove little. */
const ROUNDS = has('--short') ? 1 : has('--long') ? 5 : 2
const ROUND_MS = has('--short') ? 2_500 : has('--long') ? 6_000 : 4_000
/** Before the first attack: the service and the bystander compile their hot paths. */
const WARM_UP_ROUNDS = has('--short') ? 1 : 3
const WARM_UP_MS = 1_000
/** After the start of an attack: from then on, all its connections are busy. */
const RISE_MS = 300
const CALM_MS = 500
/** The time limit for work that an attack leaves behind. */
const SETTLE_MS = 60_000
const MEMORY_EVERY_MS = 100

/**
 * Measures what each attack by one account, or by a visitor with many addresses, costs another account's customer: every kind of its
 * requests without and during the attack in the same run. `--only TEXT` runs the attacks with TEXT in their names, `--short` each briefly.
 */
export const benchAbuse = () =>
  withDatabase(async (database) => {
    const { folder, isSmall, remove } = smallFolder()
    const [port, adminPort] = [await freePort(), await freePort()]
    const base = `http://127.0.0.1:${port}`
    const settings = {
      ...{ ...database, DATA_DIR: folder, PORT: `127.0.0.1:${port}`, BASE_URL: base, ADMIN_PORT: String(adminPort) },
      // Visitors' addresses are what a proxy reports.
      ...{ TRUST_PROXY: 'true', SEGMENT_MEMORY_MB: '1', STORAGE_RESERVE_BYTES: String(16 * 1024 ** 2) },
    }
    services().settings = readSettings(settings)
    const main = await startMain(settings)
    const stops: (() => Promise<void>)[] = [main.stop]
    try {
      const fileOf = (name: string, value: object) => {
        const file = join(folder, `${name}.json`)
        writeFileSync(file, JSON.stringify(value))
        return file
      }
      const target = await makeTarget(base, folder, isSmall)
      const seen = await makeBystander(base)
      const attacker = await startAttacker(fileOf('attacker', target))
      stops.unshift(attacker.stop)
      const bystander = await startBystander(fileOf('bystander', seen))
      stops.unshift(bystander.stop)
      return await tryAll({ main, adminPort, target, attacker, seen, measure: bystander.measure })
    } finally {
      for (const stop of stops) await stop()
      remove()
    }
  })

interface Scene {
  main: Main
  adminPort: number
  target: Target
  attacker: Attacker
  /** The bystander's account, and its measurement for this many milliseconds. */
  seen: Bystander
  measure(ms: number): Promise<Samples>
}

async function tryAll(scene: Scene): Promise<Row[]> {
  const { main, target, attacker, seen, measure } = scene
  let first = await measure(ROUND_MS)
  for (let round = 1; round < WARM_UP_ROUNDS; round++) first = await measure(ROUND_MS)
  const before = main.memory()
  const rest = async () => {
    await settle(target)
    await untilCalm(() => measure(CALM_MS), first)
  }
  const rows: Row[] = []
  for (const attack of ATTACKS.filter(({ name }) => isWanted(name))) {
    const lack = attack.lacks?.(target)
    if (lack) process.stderr.write(`Skipped: ${attack.name}, because ${lack}.\n`)
    else
      rows.push(
        ...(await tried(scene, attack, rest).then(judge, (error: Error) => {
          process.stderr.write(`${attack.name}: ${error.message}\n`)
          return [unmeasured(attack.name, error)]
        })),
      )
  }
  if (isWanted(subtitledVideos.name)) rows.push(await soundWait(target, seen, attacker, () => settle(target)))
  rows.push(memoryRow('the rest after all attacks', { quiet: before, during: main.memory() }))
  return rows
}

async function tried({ main, adminPort, attacker, measure }: Scene, attack: Attack, rest: () => Promise<void>): Promise<Trial> {
  const trial = { quiet: noSamples(), during: noSamples(), memory: { quiet: 0, during: 0 } }
  // The first requests of a kind compile the code that serves them, on either side, once in a process's lifetime.
  await Promise.all([attacker.attack(attack.name, WARM_UP_MS), measure(WARM_UP_MS)])
  await rest()
  const statuses: Statuses = {}
  let begun = 0
  let longTurns: number | undefined
  const refused = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await highest(main, () => measure(ROUND_MS))
    requireNone(alone.result)
    add(trial.quiet, alone.result)
    const before = await readCounters(adminPort)
    const over = attacker.attack(attack.name, RISE_MS + ROUND_MS)
    await wait(RISE_MS)
    const hit = await highest(main, () => measure(ROUND_MS))
    add(trial.during, hit.result)
    const answered = await over
    const after = await readCounters(adminPort)
    begun += answered.begun
    for (const [status, times] of Object.entries(answered.statuses)) statuses[Number(status)] = (statuses[Number(status)] ?? 0) + times
    for (const [queue, times] of growth(REFUSED, before, after) ?? []) refused.set(queue, (refused.get(queue) ?? 0) + times)
    const turns = growth(LONG_TURNS, before, after)
    if (turns) longTurns = (longTurns ?? 0) + [...turns.values()].reduce((sum, more) => sum + more, 0)
    trial.memory.quiet = Math.max(trial.memory.quiet, alone.bytes)
    trial.memory.during = Math.max(trial.memory.during, hit.bytes)
    await rest()
  }
  if (begun === 0) throw new Error(`The attack ${attack.name} did not start.`)
  tell({ attack: attack.name, longTurns, ...trial }, { begun, statuses, refused })
  return { attack: attack.name, longTurns, ...trial }
}

/** Reports what the attack did, and p95 of every kind without and during it. */
function tell(
  { attack, quiet, during, memory, longTurns }: Trial,
  { begun, statuses, refused }: { begun: number; statuses: Statuses; refused: Map<string, number> },
): void {
  const list = (all: [string, number][]) => all.map(([name, times]) => `${times} × ${name}`).join(', ')
  const kinds = KINDS.map((kind) => `${kind} ${Math.round(p95(quiet[kind].took))}→${Math.round(p95(during[kind].took))}`)
  const memories = [memory.quiet, memory.during].map((bytes) => Math.round(bytes / 1024 ** 2)).join('→')
  const lines = [
    `${attack}: ${begun} begun; ended with ${list(Object.entries(statuses)) || 'nothing'}`,
    ...(refused.size > 0 ? [`refused turns: ${list([...refused])}`] : []),
    `p95 in ms: ${kinds.join(', ')}; MB ${memories}; long turns ${longTurns ?? 'not counted'}`,
  ]
  process.stderr.write(`${lines.join('\n  ')}\n`)
}

/** Runs `work`. Returns its result, and the most bytes that the service held in that time. */
async function highest<Result>({ memory }: Main, work: () => Promise<Result>): Promise<{ result: Result; bytes: number }> {
  let bytes = memory()
  const timer = setInterval(() => (bytes = Math.max(bytes, memory())), MEMORY_EVERY_MS)
  try {
    return { result: await work(), bytes }
  } finally {
    clearInterval(timer)
  }
}

/** A bystander whose requests fail without an attack measures nothing. */
function requireNone(samples: Samples): void {
  for (const kind of KINDS)
    if (samples[kind].failed.length > 0) throw new Error(`${kind} failed without an attack: ${samples[kind].failed[0]}`)
}

/** Waits until reads take as long as before all attacks: work left by one must not affect the next measurement without it. */
async function untilCalm(read: () => Promise<Samples>, quiet: Samples): Promise<void> {
  const until = performance.now() + SETTLE_MS
  const isCalm = (now: Samples) =>
    (['GET video', 'segment'] as const).every((one) => quantile(now[one].took, 0.5) < 2 * quantile(quiet[one].took, 0.5))
  while (!isCalm(await read()))
    if (performance.now() > until) throw new Error('The service did not recover from an attack within a minute.')
}

/** Waits until the attacker's videos are transcoded or deleted; deletes what is left after a minute. */
async function settle({ ctx: { accountId } }: Target): Promise<void> {
  const open = { accountId, status: { in: ['PENDING', 'PROCESSING'] as ('PENDING' | 'PROCESSING')[] } }
  const until = performance.now() + SETTLE_MS
  while ((await db().video.count({ where: open })) > 0 && performance.now() < until) await wait(250)
  await db().video.deleteMany({ where: open })
  await db().collection.deleteMany({ where: { accountId } })
}
