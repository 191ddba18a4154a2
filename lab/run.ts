import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { buildContainer } from '../server/services.ts'
import { benchAbuse } from './abuse.ts'
import { benchCells } from './cells.ts'
import { benchDuringEncoding } from './encoding.ts'
import { benchMedia, benchPlayable } from './media.ts'
import { benchObserve } from './observe.ts'
import { benchPages } from './pages.ts'
import { benchPlayer } from './player.ts'
import { benchPresets } from './presets.ts'
import { benchQuality } from './quality.ts'
import { type Row, reached, table } from './report.ts'
import { benchTenant } from './tenant.ts'
import { benchUploads } from './uploads.ts'
import { benchV1 } from './v1.ts'
import { benchWebhooks } from './webhooks.ts'
import { benchWorkers } from './workers.ts'

/**
 * `npm run bench [-- v1|media|playable|encoding|pages|player|webhooks|abuse|tenant|uploads|observe|cells|workers|quality|presets] [--json] [--long]
 * [--short] [--only TEXT]`: every figure with its ceiling in the same run. With `--only`, v1, media, playable, pages, workers and abuse measure only what has TEXT
 * in its name. Exits with 1 when one misses its bound.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const suites: Record<string, () => Promise<Row[]>> = {
  v1: benchV1,
  media: benchMedia,
  playable: benchPlayable,
  encoding: benchDuringEncoding,
  pages: benchPages,
  player: benchPlayer,
  webhooks: benchWebhooks,
  abuse: benchAbuse,
  tenant: benchTenant,
  uploads: benchUploads,
  observe: benchObserve,
  cells: benchCells,
  workers: benchWorkers,
  quality: benchQuality,
  presets: benchPresets,
}
const unknown = positionals.filter((name) => !(name in suites))
if (unknown.length > 0) {
  process.stderr.write(`Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(suites).join(', ')}.\n`)
  process.exit(2)
}
buildContainer()
// These need a folder of clips.
const WITH_CLIPS = ['quality', 'presets']
const selected = positionals.length > 0 ? positionals : Object.keys(suites).filter((name) => !WITH_CLIPS.includes(name))

process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})

const rows: Row[] = []
for (const name of selected) rows.push(...((await suites[name]?.()) ?? []))
const machine = { node: process.version, cpu: cpus()[0]?.model, cores: availableParallelism() }
process.stdout.write(
  values.json
    ? `${JSON.stringify({ machine, rows })}\n`
    : `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}\n\n${table(rows)}\n`,
)
process.exit(rows.every(reached) ? 0 : 1)
