import type { Explanation } from '#server/modules/analytics/requests/explain'
import type { Permission } from '#server/permissions'
import { formatBytes } from '../../../_ui/format'

interface Refusal {
  /** Why this call was refused; undefined when the log says no more than the error's general cause. */
  cause?: string | undefined
  /** The page that resolves it, for members with the permission. */
  action?: { label: string; href: string; needs?: Permission } | undefined
}

/** Returns why this very call was refused, as far as the log says, and the page that resolves it. */
export function refusalOf({ error, key, videoId, videoTitle, videoDeletedAt, method, path, responseHeaders }: Explanation): Refusal {
  const details = (error?.details ?? {}) as Record<string, string | number | undefined>
  const named = key ? `The key “${key.name}”` : 'The key'
  const keyPage = key ? `/api-keys/${key.id}` : '/api-keys'
  const video = videoTitle === null ? 'The video' : `The video “${videoTitle}”`
  switch (error?.code) {
    case 'INSUFFICIENT_SCOPE':
      return {
        cause: `${named} lacks the scope ${details.needs}.`,
        action: { label: 'Add scope', href: `${keyPage}?open=scopes`, needs: 'keys.change' },
      }
    case 'IP_NOT_ALLOWED':
      return {
        cause: `${named} does not allow requests from ${details.address}.`,
        action: { label: 'Edit allowed addresses', href: `${keyPage}?open=limits`, needs: 'keys.change' },
      }
    case 'INVALID_API_KEY':
      return { action: key ? KEY_ACTIONS[key.state](keyPage) : undefined }
    case 'RATE_LIMIT_EXCEEDED':
      return exhausted(String(details.reason), named, keyPage, responseHeaders)
    case 'PLAYBACK_NOT_ALLOWED':
      return { cause: notAllowed(details) }
    case 'VIDEO_NOT_FOUND':
      if (videoDeletedAt) return { cause: 'This video is deleted.', action: { label: 'Open deleted video', href: `/videos/${videoId}` } }
      return { cause: `This account has no video ${videoId ?? 'with this ID'}.`, action: { label: 'View videos', href: '/videos' } }
    case 'VIDEO_NOT_READY':
      return {
        cause: `${video} ${details.status === 'FAILED' ? 'had failed to transcode' : `was still ${details.status}`}.`,
        action: videoTitle === null ? undefined : { label: 'Open video', href: `/videos/${videoId}` },
      }
    case 'DOWNLOADS_DISABLED':
      return {
        cause: 'Downloads are off in this account.',
        action: { label: 'Allow downloads', href: '/settings', needs: 'settings.change' },
      }
    case 'DOWNLOAD_TOO_LARGE':
      return { cause: `The MP4 has ${formatBytes(Number(details.sizeBytes))}; the limit is ${formatBytes(Number(details.limitBytes))}.` }
    case 'EXTERNAL_ID_IN_USE':
      return {
        cause: `Another video has this external ID: ${details.videoId}.`,
        action: { label: 'Open that video', href: `/videos/${details.videoId}` },
      }
    case 'INVALID_REQUEST':
      return { cause: invalid(error.details), action: { label: 'API reference', href: '/docs/reference' } }
    case 'NOT_FOUND':
      return { cause: `No endpoint has the path ${path}.`, action: { label: 'API reference', href: '/docs/reference' } }
    case 'METHOD_NOT_ALLOWED':
      return {
        cause: `${path} does not accept ${method}, only ${responseHeaders.Allow}.`,
        action: { label: 'API reference', href: '/docs/reference' },
      }
    default:
      return { cause: error?.said ?? undefined }
  }
}

type Action = NonNullable<Refusal['action']>
type KeyState = NonNullable<Explanation['key']>['state']

/** What resolves a refused key, by its present state. */
const KEY_ACTIONS: Record<KeyState, (page: string) => Action> = {
  ACTIVE: (href) => ({ label: 'Open key', href }),
  ROTATING_OUT: (href) => ({ label: 'See its replacement', href }),
  DISABLED: (href) => ({ label: 'Enable key', href, needs: 'keys.change' }),
  EXPIRED: (page) => ({ label: 'Extend key', href: `${page}?open=limits`, needs: 'keys.change' }),
  REVOKED: () => ({ label: 'Generate a new key', href: '/api-keys?open=new', needs: 'keys.change' }),
}

/** Returns which limit refused a playback token, and what lifts it. */
function exhausted(reason: string, named: string, keyPage: string, headers: Explanation['responseHeaders']): Refusal {
  const billing = (label: string, href: string): Action => ({ label, href, needs: 'billing.change' })
  switch (reason) {
    case 'OUT_OF_CREDIT':
      return {
        cause: `The balance was empty, and ${named.slice(0, 1).toLowerCase()}${named.slice(1)} had used its free quota.`,
        action: billing('Add credits', '/billing?open=top-up'),
      }
    case 'ACCOUNT_SPENDING_CAP':
      return { cause: 'The account had reached its monthly spending cap.', action: billing('Raise cap', '/billing/limits') }
    case 'KEY_SPENDING_CAP':
      return { cause: `${named} had reached its monthly spending cap.`, action: billing('Raise cap', `${keyPage}?open=cap`) }
    case 'ACCOUNT_FREE_QUOTA':
      return { cause: 'The keys of this account had together used its free tokens for the day.', action: billing('Upgrade', '/billing') }
    default: {
      const limit = headers['X-RateLimit-Limit']
      return {
        cause: `${named} had used its quota${limit ? ` of ${Number(limit).toLocaleString('en')} tokens` : ''} for the day (UTC).`,
        action: billing('Request quota', `${keyPage}?open=quota`),
      }
    }
  }
}

/** Returns what is wrong with a request, by the name of each value. */
function invalid(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined
  return (details as { in?: string; path?: string; message?: string }[])
    .map(({ in: where, path, message }) => `${path ? `${path} (${where})` : where}: ${message}`)
    .join(' ')
}

/** Says what the policy of a token excluded. The log does not name the viewer. */
function notAllowed({ reason, country, maxSessions }: Record<string, string | number | undefined>): string | undefined {
  switch (reason) {
    case 'COUNTRY':
      return country
        ? `The token allows other countries only, and the viewer is in ${country}.`
        : 'The token allows certain countries only, and the viewer’s is unknown.'
    case 'ADDRESS':
      return 'The token allows other networks only.'
    case 'SESSIONS':
      return `The viewer already has ${maxSessions} ${maxSessions === 1 ? 'session' : 'sessions'}, which is all that the token allows.`
    case 'HEIGHT':
      return 'The token allows lower renditions only.'
    default:
      return undefined
  }
}
