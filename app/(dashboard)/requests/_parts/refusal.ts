import type { Explanation } from '#server/modules/analytics/requests/explain'
import type { Permission } from '#server/permissions'
import { formatBytes } from '../../../_ui/format'

interface Refusal {
  /** Why this call was refused; undefined when the log says no more than the error's general cause. */
  cause?: string | undefined
  /** What to do about this very call; undefined when the error's general fix says it. */
  fix?: string | undefined
  /** The page that resolves it, for members with the permission. */
  action?: { label: string; href: string; needs?: Permission } | undefined
}

/** Returns why this very call was refused, as far as the log says, and the page that resolves it. */
export function refusalOf(explanation: Explanation): Refusal {
  const { error, key, videoId, videoTitle, videoDeletedAt, method, path, responseHeaders } = explanation
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
      return notAllowed(details, explanation)
    case 'PLAYBACK_TOKEN_EXPIRED':
      return details.reason === 'PLAYBACK_ENDED' ? ended(explanation) : { cause: error.said ?? undefined }
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
        cause: 'Downloads are off for this account.',
        action: { label: 'Allow downloads', href: '/settings', needs: 'settings.change' },
      }
    case 'DOWNLOAD_TOO_LARGE':
      return { cause: `The MP4 is ${formatBytes(Number(details.sizeBytes))}; the limit is ${formatBytes(Number(details.limitBytes))}.` }
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
        cause: `${path} accepts ${responseHeaders.Allow}, not ${method}.`,
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

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
/** Formats a rank: 1st, 2nd, 3rd, 11th. */
const ordinal = (rank: number) => `${rank}${ENDINGS[ORDINALS.select(rank)] ?? 'th'}`

const viewerOf = ({ viewer }: Explanation) => ({
  who: viewer?.id ?? 'the viewer',
  action: viewer ? { label: 'Open viewer', href: `/viewers/people/${viewer.reference}` } : undefined,
})

/** Says that a session had been ended. The log does not know by whom. */
function ended(explanation: Explanation): Refusal {
  const { who, action } = viewerOf(explanation)
  return {
    cause: `Refused: this session of ${who} had ended.`,
    fix: 'You ended it in the dashboard or through the API, its share link expired, or `onLimit: end-oldest` gave its place to another session. To let them watch again, issue a new token.',
    action,
  }
}

/** Says what the policy of a token excluded, and which of its fields to change. */
function notAllowed(details: Record<string, string | number | undefined>, explanation: Explanation): Refusal {
  const { address } = explanation
  const { who, action } = viewerOf(explanation)
  switch (details.reason) {
    case 'COUNTRY': {
      const { country } = details
      if (country)
        return {
          cause: `Refused: ${who} is in ${country}, which the token does not allow.`,
          fix: `To allow this country, add ${country} to \`countries\` in the token request.`,
          action,
        }
      return {
        cause: `Refused: the country of ${who} is unknown, and the token allows only certain countries.`,
        fix: 'To allow viewers from anywhere, omit `countries` from the token request.',
        action,
      }
    }
    case 'ADDRESS':
      return {
        cause: `Refused: ${who} has the address ${address ?? 'unknown'}, which the token does not allow.`,
        fix: 'To allow it, add the address or its network to `addresses` in the token request.',
        action,
      }
    case 'SESSIONS': {
      const most = Number(details.maxSessions)
      return {
        cause: `Refused: ${ordinal(Number(details.sessions ?? most) + 1)} session of ${who}, limit ${most}.`,
        fix: 'In the token request, raise `maxSessions` or set `onLimit` to `end-oldest`. A session stops counting when its player closes, or 60 seconds after its last request.',
        action,
      }
    }
    case 'HEIGHT':
      return {
        cause: `Refused: ${who} requested a higher rendition than the token allows.`,
        fix: 'To allow it, raise `maxHeight` in the token request.',
        action,
      }
    default:
      return {}
  }
}
