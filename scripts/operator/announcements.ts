import { announce, endAnnouncement, listAnnouncements } from '../../server/modules/backoffice/operator/announcements.ts'
import { operatorCommand } from '../../server/modules/backoffice/operator/roles.ts'
import { announceInput, announcementIdInput } from '../../server/modules/backoffice/operator/schema.ts'
import type { Command } from './command.ts'

const minute = (date: Date) => `${date.toISOString().slice(0, 16)}Z`

export const makeAnnouncement: Command = {
  name: 'announce',
  takes: ['message'],
  description: 'Shows a message in every account’s dashboard. Users can dismiss it.',
  options: {
    level: { type: 'string', description: 'info (default), warning or critical.' },
    from: { type: 'string', description: 'When to start showing it, such as 2027-01-31T20:00Z. Default: now.' },
    until: { type: 'string', description: 'When to stop showing it. Default: when you end it.' },
  },
  async run({ args: { message }, options: { level, from, until } }, print) {
    const { announcementId } = await announce(operatorCommand(), announceInput.parse({ level, message, startsAt: from, endsAt: until }))
    print(`${announcementId} created. End it with: npm run operator -- end-announcement ${announcementId}`)
    return 0
  },
}

export const endAnnouncementNow: Command = {
  name: 'end-announcement',
  takes: ['announcement'],
  description: 'Ends an announcement now. ANNOUNCEMENT is its ID.',
  async run({ args: { announcement } }, print) {
    await endAnnouncement(operatorCommand(), announcementIdInput.parse({ announcementId: announcement }))
    print(`${announcement} is no longer shown.`)
    return 0
  },
}

export const listAllAnnouncements: Command = {
  name: 'list-announcements',
  description: 'Lists the announcements, newest first.',
  async run(_parsed, print) {
    const all = await listAnnouncements(operatorCommand())
    if (all.length === 0) print('There are no announcements.')
    for (const { id, state, level, message, startsAt, endsAt } of all)
      print(`${id}  ${state}  ${level}  from ${minute(startsAt)}${endsAt ? ` until ${minute(endsAt)}` : ''}  ${message}`)
    return 0
  },
}
