/** The kinds of events in an account's timeline, and how its filter names them. */
export const TIMELINE_KINDS = {
  'sign-ins': 'Sign-ins and security',
  account: 'Account and team',
  keys: 'API keys',
  videos: 'Videos',
  webhooks: 'Webhooks',
  billing: 'Billing',
  quotas: 'Quotas and limits',
  measures: 'Suspensions and takedowns',
  support: 'Support access',
  notes: 'Notes',
} as const
export type TimelineKind = keyof typeof TIMELINE_KINDS
export const TIMELINE_KIND_NAMES = Object.keys(TIMELINE_KINDS) as [TimelineKind, ...TimelineKind[]]
