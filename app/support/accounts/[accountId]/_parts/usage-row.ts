import type { Usage } from '#server/traffic/usage'

/** A UTC day of an account's traffic with its plays. */
export type UsageRow = Usage['points'][number] & { plays: number }
