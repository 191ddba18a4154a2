/**
 * Every bound that holds for one account as a whole: the one table. Verbs, the dashboard, support and the docs read it.
 * `setting` names the installation's default in server/infra/env.ts; a row of `account_limit` replaces it for one account.
 */
export const LIMITS = {
  freeTokens: {
    setting: 'ACCOUNT_FREE_TOKENS',
    unit: 'count',
    title: 'Free playback tokens a day',
    description: 'Free tokens of all keys in a UTC day, revoked and test keys included.',
  },
  quotaRequests: {
    setting: 'ACCOUNT_QUOTA_REQUESTS',
    unit: 'count',
    title: 'Quota requests a day',
    description: 'Requests for a higher quota in a UTC day, over all keys. Each is mailed to support staff.',
  },
} as const satisfies Record<string, { setting: string; unit: 'count' | 'bytes'; title: string; description: string }>

export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as [LimitName, ...LimitName[]]
