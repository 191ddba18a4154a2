import { makeAccount, makeKey, makeVideo } from './make.ts'
import { shortClip } from './media/media-files.ts'
import { transcodedVideo } from './media/transcoded.ts'

/** Input of the conformance kit, in its own terms. */
export interface WholeAccount {
  key: string
  bareKey: string
  testKey: string
  billingKey: string
  writeKey: string
  viewerKey: string
  /** COMPLETED, with real media. */
  video: string
  foreignVideo: string
}

/** Creates an account with videos of every kind, one of them with real media, and keys of every kind. */
export async function wholeAccount(): Promise<WholeAccount> {
  const owner = await makeAccount()
  const createdAt = new Date(Date.now() - 60_000)
  const fresh = { createdAt, qualities: [], durationSec: 0, completedAt: null }
  for (const fields of [{ createdAt }, { status: 'PENDING', ...fresh }, { status: 'FAILED', ...fresh }] as const) {
    await makeVideo(owner, { ...fields })
  }
  const video = await transcodedVideo(owner, await shortClip(), { targetQuality: '360p' })
  return {
    key: (await makeKey(owner)).value,
    bareKey: (await makeKey(owner, { scopes: ['billing:read'] })).value,
    billingKey: (await makeKey(owner, { scopes: ['billing:read'] })).value,
    writeKey: (await makeKey(owner, { scopes: ['video:read', 'video:write'] })).value,
    viewerKey: (await makeKey(owner, { scopes: ['video:read', 'viewer:read', 'viewer:write'] })).value,
    testKey: (await makeKey(owner, { environment: 'TEST' })).value,
    video,
    foreignVideo: await makeVideo(await makeAccount()),
  }
}
