import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Attack, mutate, upload } from './target.ts'

const PART = 4 * 1024 ** 2

/** Starts uploads until the volume is full, and makes the changes in the dashboard that must still succeed then. */
export const fullVolume: Attack = {
  name: 'full volume',
  most: 60,
  workers: 4,
  lacks: ({ isSmall }) => (isSmall ? undefined : 'no small volume could be mounted (root is needed)'),
  async once(target, at, signal) {
    await upload(target, 'clip.mp4', Buffer.alloc(PART, 1), 10 * PART, signal)
    const input = { name: `Full ${at}`, environment: 'TEST', scopes: ['video:read'] }
    const { status, data } = await mutate<{ id: string }>(target, 'key.create', input, signal)
    return data ? (await mutate(target, 'key.revoke', { keyId: data.id }, signal)).status : status
  },
  async clean({ dataDir }) {
    const folder = join(dataDir, 'uploads')
    for (const name of await readdir(folder).catch(() => [])) await rm(join(folder, name), { force: true })
  },
}
