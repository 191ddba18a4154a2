import type { Usage } from '#server/modules/analytics/usage'

/** A UTC day of an account's traffic with its plays. */
export type UsageRow = Usage['points'][number] & { plays: number }
