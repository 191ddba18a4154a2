import { Secret, TOTP } from 'otpauth'
import pino from 'pino'
import type { AccountCtx } from '../context.ts'
import { SERVICE } from '../modules/audit/content-access.ts'
import { keyUrl } from '../modules/delivery/segments/key-url.ts'
import { signToken, verifyToken } from '../modules/delivery/tokens/token.ts'
import { sessionFromCookies } from '../modules/identity/sessions/session.ts'
import { deviceCookie, knownDevice } from '../modules/identity/sign-in/known-device.ts'
import { newTotp, stepOf } from '../modules/identity/sign-in/totp.ts'
import { openOwnId, viewerReference } from '../modules/identity/viewers/reference.ts'
import { newContentKey, openContentKey, sealContentKey, streamKey } from '../modules/transcoding/encode/content-key.ts'
import { sealSigningSecret, signingSecrets } from '../modules/webhooks/endpoints/secrets.ts'
import type { GivenSettings } from '../platform/config/config.ts'
import { services, setContainer } from '../platform/container.ts'
import { closeDb, db } from '../platform/database/database.ts'
import { buildContainer } from '../services.ts'
import { makeAccount, makeVideo, makeViewer } from './make.ts'
import { makeEndpoint } from './make-endpoint.ts'
import { cookieFor } from './sign-in.ts'

/** What an installation has stored, and has issued to browsers and players. */
export interface Made {
  accountId: string
  userId: string
  email: string
  videoId: string
  endpointId: string
  contentKey: string
  totp: string
  cookie: string
  device: string
  token: string
  keyUrl: string
  /** What the URL opens. */
  streamKey: string
}

const pair = (line: string) => line.slice(0, line.indexOf(';'))

async function make(): Promise<Made> {
  const ctx: AccountCtx = await makeAccount()
  const { userId, email } = ctx.actor as { userId: string; email: string }
  const key = newContentKey()
  const videoId = await makeVideo(ctx)
  await db().media.update({ where: { id: videoId }, data: { contentKey: sealContentKey(key, videoId) } })
  const rendition = {
    quality: '240p',
    width: 426,
    height: 240,
    bandwidth: 1,
    averageBandwidth: 1,
    codecs: 'avc1.4d401f',
    frameRate: 25,
    bytes: 1n,
  }
  await db().rendition.create({ data: { mediaId: videoId, ...rendition, segments: [['0'.repeat(32), 4]] } })
  const totp = newTotp(userId, email)
  await db().user.update({ where: { id: userId }, data: { totpSecret: totp.sealed, totpConfirmedAt: new Date() } })
  const { id: endpointId } = await makeEndpoint(ctx, 'https://hooks.example.com/one')
  await db().webhookEndpoint.update({ where: { id: endpointId }, data: { secret: sealSigningSecret('whsec_known', endpointId) } })
  await makeViewer(ctx, 'student-42')
  return {
    ...{ accountId: ctx.accountId, userId, email, videoId, endpointId, contentKey: key.toString('hex'), totp: totp.secret },
    cookie: await cookieFor(ctx),
    device: pair(deviceCookie(undefined, email)),
    token: signToken(SERVICE, { videoId, jti: 'one', iat: Math.floor(Date.now() / 1_000) }),
    keyUrl: keyUrl(videoId, undefined, rendition.quality),
    streamKey: Buffer.from(streamKey(key, rendition.quality)).toString('hex'),
  }
}

/** Returns whether a check succeeds; a failing check throws, or returns a falsy value. */
const holds = async (look: () => unknown) => {
  try {
    return Boolean(await look())
  } catch {
    return false
  }
}

async function check(made: Made): Promise<Record<string, boolean>> {
  const { accountId, userId, email, videoId, endpointId } = made
  const [played, user, endpoint] = await Promise.all([
    db().media.findUniqueOrThrow({ where: { id: videoId } }),
    db().user.findUniqueOrThrow({ where: { id: userId } }),
    db().webhookEndpoint.findUniqueOrThrow({ where: { id: endpointId } }),
  ])
  const code = new TOTP({ secret: Secret.fromBase32(made.totp) }).generate()
  return {
    session: await holds(() => sessionFromCookies(made.cookie)),
    device: await holds(() => knownDevice(made.device, email)),
    token: await holds(() => verifyToken(made.token)),
    media: await holds(() => openContentKey(played.contentKey as Buffer, videoId).toString('hex') === made.contentKey),
    totp: await holds(() => stepOf(code, user.totpSecret as Buffer, userId)),
    webhook: await holds(() => signingSecrets(endpoint).includes('whsec_known')),
    viewer: await holds(async () => {
      const id = await viewerReference(accountId, 'student-42')
      return openOwnId(id, (await db().viewer.findUniqueOrThrow({ where: { id } })).ownId) === 'student-42'
    }),
  }
}

/** Returns the cookies that the dashboard sets for a page request with these cookies. */
async function visit({ cookie, device }: Made): Promise<string[]> {
  const { contextFrom } = await import('../trpc/context.ts')
  const answer = new Headers()
  await contextFrom(new Headers({ cookie: `${cookie}; ${device}` }), answer)
  return answer.getSetCookie().map(pair)
}

const ACTIONS = {
  make,
  check,
  visit,
  /** Seals everything again under the first root secret. */
  async reseal(): Promise<void> {
    const { runners } = await import('../worker/runners.ts')
    await runners['key.rewrap']({}, new AbortController().signal)
  },
}
type Actions = typeof ACTIONS

/**
 * Performs an action under these settings, as a separate process does: with a new container, whose services know nothing of earlier ones.
 * Returns its result and its log.
 */
export async function underSecret<Name extends keyof Actions>(
  settings: GivenSettings,
  name: Name,
  ...given: Parameters<Actions[Name]>
): Promise<{ answer: Awaited<ReturnType<Actions[Name]>>; logged: string }> {
  const ofTest = services()
  const container = buildContainer(settings)
  const lines: string[] = []
  container.log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  try {
    const act = ACTIONS[name] as (...given: unknown[]) => Promise<unknown>
    const answer = (await act(...given)) as Awaited<ReturnType<Actions[Name]>>
    return { answer, logged: lines.join('') }
  } finally {
    await closeDb().finally(() => setContainer(ofTest))
  }
}
