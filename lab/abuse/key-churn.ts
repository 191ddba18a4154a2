import { type Attack, ask, mutate } from './target.ts'

/** Creates a key and a few tokens, revokes the key, and repeats. */
export const keyChurn: Attack = {
  name: 'key churn',
  most: 200,
  workers: 4,
  async once(target, at, signal) {
    const input = { name: `Churn ${at}`, environment: at % 2 ? 'LIVE' : 'TEST', scopes: ['video:read'] }
    const { status, data: made } = await mutate<{ id: string; value: string }>(target, 'key.create', input, signal)
    if (!made) return status
    const headers = { 'x-service-key': made.value }
    const issue = () => ask(target, `/v1/video/${target.videoId}/playback-token`, { method: 'POST', headers }, signal)
    await Promise.all(Array.from({ length: 10 }, issue))
    return (await mutate(target, 'key.revoke', { keyId: made.id }, signal)).status
  },
}
