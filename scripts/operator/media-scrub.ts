import { paceOf, scrubMedia } from '../../server/modules/media/scrub.ts'
import { failedRepairs, recordFault } from '../../server/modules/videos/media-faults.ts'
import type { Command } from './command.ts'
import { readNumber } from './read-number.ts'

const FOUND = { changed: 'has changed since it was stored', missing: 'is missing' } as const

export const mediaScrub: Command = {
  name: 'media scrub',
  description: 'Reads all stored media and reports missing or changed objects. Exits with 1 if there are any.',
  options: {
    video: { type: 'string', description: 'Only this video.' },
    repair: { type: 'boolean', description: 'Has workers re-encode damaged videos from their originals.' },
    rate: { type: 'string', description: 'Maximum megabytes to read per second.' },
  },
  async run({ options }, print) {
    const videoId = options.video === undefined ? null : String(options.video)
    const { signal } = new AbortController()
    const rate = readNumber(options.rate, 'rate')
    const pace = rate === undefined ? {} : { pace: paceOf(rate * 1e6, signal) }
    const { media, objects, bytes, faults } = await scrubMedia({ videoId, signal, ...pace }, async ({ faults: found, objects: read }) => {
      const [first] = found
      if (!first) return
      print(`${first.mediaId}: ${found.length} of ${read} objects are damaged`)
      for (const fault of found) {
        print(`  ${fault.key} ${FOUND[fault.kind]}`)
        await recordFault(fault, { repair: options.repair === true, again: true })
      }
    })
    if (videoId !== null && media === 0) throw new Error(`There is no transcoded video ${videoId}.`)
    print(`${media} encodings, ${objects} objects, ${(bytes / 1e6).toFixed(1)} MB read: ${faults.length} damaged.`)
    for (const { videoId: failed, failure } of await failedRepairs()) print(`${failed} could not be repaired: ${failure}`)
    if (faults.length > 0)
      print(
        options.repair
          ? 'Workers are repairing them; run the command again later.'
          : 'Add --repair to re-encode them from their originals.',
      )
    return faults.length > 0 ? 1 : 0
  },
}
