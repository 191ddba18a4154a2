import { scrubMedia as scrub } from '../../server/modules/transcoding/scrub.ts'
import type { Command } from './command.ts'

const FOUND = { changed: 'has another content than its name says', missing: 'is missing' } as const

export const scrubMedia: Command = {
  name: 'scrub-media',
  description: 'Reads all stored segments, pictures and captions, and reports those that are missing or whose content changed.',
  options: { video: { type: 'string', description: 'Only this video.' } },
  async run({ options }, print) {
    const videoId = options.video === undefined ? null : String(options.video)
    const { signal } = new AbortController()
    const { videos, objects, bytes, damaged } = await scrub({ videoId, signal }, ({ key, kind }) => print(`${key} ${FOUND[kind]}`))
    if (videoId !== null && videos === 0) throw new Error(`There is no transcoded video ${videoId}.`)
    print(`${videos} videos, ${objects} objects, ${(bytes / 1e6).toFixed(1)} MB read: ${damaged.length} damaged.`)
    return damaged.length > 0 ? 1 : 0
  },
}
