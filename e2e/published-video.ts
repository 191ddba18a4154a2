import { Dashboard } from '../scripts/demo-dashboard.ts'
import { newEmail, newKey, PASSWORD } from './person.ts'
import { giveVideo, type Recipe } from './prepared-video.ts'

export interface PublishedVideo {
  videoId: string
  /** Signed in as its owner. */
  dashboard: Dashboard
  /** Their e-mail address. */
  email: string
  /** Issues a playback token, with a policy if one is given. */
  token(policy?: object): Promise<{ token: string; playerUrl: string }>
  /** Returns a fresh address of the player for it. */
  playerUrl(policy?: object): Promise<string>
}

interface Options {
  title?: string
  /** The server that publishes it, and its data folder when it is not the one under test. */
  service?: { base: string; dataDir: string }
}

/** Creates a user with a video that can be played. */
export async function publishVideo(base: string, recipe: Recipe, { title = 'Harbour', service }: Options = {}): Promise<PublishedVideo> {
  const at = service?.base ?? base
  const email = newEmail()
  const dashboard = await Dashboard.signUp(at, email, PASSWORD)
  const videoId = await giveVideo(dashboard, title, recipe, { base, ...(service && { dataDir: service.dataDir }) })
  const headers = { 'x-service-key': await newKey(dashboard, 'Site'), 'content-type': 'application/json' }
  const token = async (policy?: object) => {
    const body = policy && JSON.stringify(policy)
    const response = await fetch(`${at}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
    return ((await response.json()) as { data: { token: string; playerUrl: string } }).data
  }
  return { videoId, dashboard, email, token, playerUrl: async (policy) => (await token(policy)).playerUrl }
}
