import { randomUUID } from 'node:crypto'
import { type Attack, ask, send } from './target.ts'

/** Changes the title of one video of its own: each change takes the lock on its row. */
export const titleChanges = (connections: number): Attack => ({
  name: `title of one video, ${connections} connections`,
  workers: connections,
  once: async (target, at, signal) => (await send(target, 'PATCH', `/v1/video/${target.videoId}`, { title: `Title ${at}` }, signal)).status,
})

const NAMES = 45
const CHARACTERS = 500

/** Changes 45 values of metadata at once, each as long as it may be. */
export const metadataChanges: Attack = {
  name: `${NAMES} values of metadata, 64 connections`,
  workers: 64,
  async once(target, at, signal) {
    const names = Array.from({ length: NAMES }, (_, number) => `name-${number}`)
    const metadata = Object.fromEntries(names.map((name) => [name, `${at} `.padEnd(CHARACTERS, name)]))
    return (await send(target, 'PATCH', `/v1/video/${target.videoId}`, { metadata }, signal)).status
  },
}

/** Creates collections and deletes them: each takes the lock on its account. */
export const collectionChurn: Attack = {
  name: 'collections, 64 connections',
  workers: 64,
  async once(target, _at, signal) {
    const { status, body } = await send(target, 'POST', '/v1/collection', { name: randomUUID() }, signal)
    if (status !== 201) return status
    const { data } = JSON.parse(body) as { data: { id: string } }
    return (await ask(target, `/v1/collection/${data.id}`, { method: 'DELETE' }, signal)).status
  },
}
