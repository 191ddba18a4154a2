import { countReencodes, requestReencodes, withdrawReencodes } from '../../server/modules/transcoding/tasks/reencode.ts'
import type { Command } from './command.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/

export const reencode: Command = {
  name: 'media reencode',
  description:
    'Encodes videos again from their originals while nothing else is being transcoded. A video that does not become smaller stays as it is.',
  options: {
    video: { type: 'string', description: 'Only this video.' },
    account: { type: 'string', description: 'Only videos of this account.', conflicts: ['video'] },
    all: { type: 'boolean', description: 'All videos.', conflicts: ['video', 'account'] },
    before: { type: 'string', description: 'Only videos that were completed before this day (YYYY-MM-DD, UTC).' },
    cancel: { type: 'boolean', description: 'Withdraws all requests that wait.', conflicts: ['video', 'account', 'all', 'before'] },
  },
  async run({ options }, print) {
    if (options.cancel) {
      print(`${await withdrawReencodes()} requests withdrawn. A video that is being re-encoded now goes on.`)
      return undefined
    }
    const [videoId, accountId, day] = [options.video, options.account, options.before].map((value) => value && String(value))
    if (!videoId && !accountId && !options.all) {
      print(`${await countReencodes()} videos wait to be re-encoded. Name --video, --account or --all to request more.`)
      return undefined
    }
    const before = day && DATE.test(day) ? new Date(`${day}T00:00:00Z`) : undefined
    if (day && (!before || Number.isNaN(before.getTime()))) throw new Error('--before is a day such as 2026-11-25.')
    const requested = await requestReencodes({ videoId: videoId || undefined, accountId: accountId || undefined, before })
    if (videoId && requested === 0) throw new Error(`${videoId} is no completed video, or waits already.`)
    print(`${requested} videos requested, ${await countReencodes()} wait. Workers begin one when nothing else is being transcoded.`)
    return undefined
  },
}
