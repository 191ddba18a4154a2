import { openUploads } from '../../server/modules/media/media-usage.ts'
import { finishMove, moveMedia, previewMove } from '../../server/modules/media/move-media.ts'
import { megabytes } from '../../server/platform/megabytes.ts'
import type { Command } from './command.ts'

export const mediaMove: Command = {
  name: 'media move',
  description: 'Copies all media to another storage while the service runs. After an interruption, run it again to continue.',
  options: {
    to: { type: 'string', description: 'The new storage: s3://…, file:///…, or disk for DATA_DIR/media.', conflicts: ['finish'] },
    'dry-run': { type: 'boolean', description: 'Only counts what it would copy.' },
    finish: { type: 'boolean', description: 'Ends the move, once you have restarted every process with the new STORAGE_URL.' },
  },
  async run({ options }, print) {
    const { signal } = new AbortController()
    if (options.finish) {
      const { source, target } = await finishMove({ signal, say: print })
      print(`The media is now at ${target}. The copy at ${source} is no longer used; you can delete it.`)
      return 0
    }
    if (typeof options.to !== 'string') throw new Error('Specify the new storage with --to, or end the move with --finish.')
    if (options.dryRun) {
      const { objects, bytes } = await previewMove(options.to)
      print(`${objects} objects, ${megabytes(bytes)} would be copied.`)
      return 0
    }
    const { objects, bytes, damaged } = await moveMedia(options.to, { signal, say: print })
    print(`${objects} objects, ${megabytes(bytes)} copied and verified.`)
    if (damaged.length > 0) print(`${damaged.length} objects are damaged: run media scrub --repair.`)
    const uploads = await openUploads()
    if (uploads > 0) print(`${uploads} uploads are unfinished. Any that do not finish before the restart must start over.`)
    print('Set the new STORAGE_URL for every process, restart them one by one, then run media move --finish.')
    return damaged.length > 0 ? 1 : 0
  },
}
