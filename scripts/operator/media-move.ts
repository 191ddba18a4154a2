import { openUploads } from '../../server/modules/media/media-usage.ts'
import { finishMove, moveMedia, previewMove } from '../../server/modules/media/move-media.ts'
import { megabytes } from '../../server/platform/megabytes.ts'
import type { Command } from './command.ts'

export const mediaMove: Command = {
  name: 'media move',
  description: 'Copies all media to another storage while the service runs; an interrupted copy continues when it is run again.',
  options: {
    to: { type: 'string', description: 'The new storage: s3://…, file:///…, or disk for DATA_DIR/media.', conflicts: ['finish'] },
    'dry-run': { type: 'boolean', description: 'Only counts what would be copied.' },
    finish: { type: 'boolean', description: 'Ends the move, after every process was restarted with the new STORAGE_URL.' },
  },
  async run({ options }, print) {
    const { signal } = new AbortController()
    if (options.finish) {
      const { source, target } = await finishMove({ signal, say: print })
      print(`The media is at ${target}. That at ${source} is no longer used and can be deleted.`)
      return 0
    }
    if (typeof options.to !== 'string') throw new Error('Give the new storage with --to, or --finish.')
    if (options.dryRun) {
      const { objects, bytes } = await previewMove(options.to)
      print(`${objects} objects, ${megabytes(bytes)} would be copied.`)
      return 0
    }
    const { objects, bytes, damaged } = await moveMedia(options.to, { signal, say: print })
    print(`${objects} objects, ${megabytes(bytes)} copied and verified.`)
    if (damaged.length > 0) print(`${damaged.length} objects are damaged: run media scrub --repair.`)
    const uploads = await openUploads()
    if (uploads > 0) print(`${uploads} uploads are unfinished. Those that are not complete before the restart begin again.`)
    print('Set the new STORAGE_URL for every process, restart one after another, then run media move --finish.')
    return damaged.length > 0 ? 1 : 0
  },
}
