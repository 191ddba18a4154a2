import { countReencodes, requestReencodes, withdrawReencodes } from '../../server/modules/transcoding/tasks/reencode.ts'
import type { Command } from './command.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/

export const reencode: Command = {
  name: 'media reencode',
  description:
    'Re-encodes videos from their originals while nothing else is being transcoded. Keeps the new version only if it is smaller.',
  options: {
    video: { type: 'string', description: 'Only this video.' },
    account: { type: 'string', description: 'Only videos of this account.', conflicts: ['video'] },
    all: { type: 'boolean', description: 'All videos.', conflicts: ['video', 'account'] },
    before: { type: 'string', description: 'Only videos completed before this day (YYYY-MM-DD, UTC).' },
    cancel: { type: 'boolean', description: 'Withdraws all waiting requests.', conflicts: ['video', 'account', 'all', 'before'] },
  },
  async run({ options }, print) {
    if (options.cancel) {
      print(`${await withdrawReencodes()} requests withdrawn. A re-encode that is already running continues.`)
      return undefined
    }
    const [videoId, accountId, day] = [options.video, options.account, options.before].map((value) => value && String(value))
    if (!videoId && !accountId && !options.all) {
      print(`${await countReencodes()} videos are waiting to be re-encoded. Use --video, --account or --all to request more.`)
      return undefined
    }
    const before = day && DATE.test(day) ? new Date(`${day}T00:00:00Z`) : undefined
    if (day && (!before || Number.isNaN(before.getTime()))) throw new Error('--before is a day such as 2026-11-25.')
    const requested = await requestReencodes({ videoId: videoId || undefined, accountId: accountId || undefined, before })
    if (videoId && requested === 0) throw new Error(`${videoId} is not a completed video, or is already waiting.`)
    print(`${requested} videos requested, ${await countReencodes()} waiting. Workers start one when nothing else is being transcoded.`)
    return undefined
  },
}
