import { adoptStorage } from '../../server/platform/storage/claim-storage.ts'
import { allowOrigins, tryStorage } from '../../server/platform/storage/try-storage.ts'
import type { Command } from './command.ts'

export const checkStorage: Command = {
  name: 'check-storage',
  description: 'Stores, reads and deletes a test object in the media storage, and reports the bucket’s CORS rules.',
  options: { cors: { type: 'boolean', description: 'Replaces the bucket’s CORS rules so that any origin may read.' } },
  needsDatabase: () => false,
  async run({ options }, print) {
    if (options.cors) await allowOrigins()
    let failed = false
    for await (const { step, fault, note } of tryStorage()) {
      failed ||= fault !== undefined
      print(`${fault === undefined ? 'ok    ' : 'FAILED'}  ${step}${fault ? `: ${fault}` : ''}${note ? `: ${note}` : ''}`)
    }
    return failed ? 1 : 0
  },
}

export const adoptMediaStorage: Command = {
  name: 'adopt-storage',
  description: 'Claims the media storage for this installation, after you moved or restored media on purpose.',
  async run(_parsed, print) {
    await adoptStorage()
    print('The media storage now belongs to this installation.')
    return 0
  },
}
