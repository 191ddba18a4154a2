import { LIMIT_NAMES, LIMITS } from '../../../limits.ts'
import { env } from '../../../platform/config/config.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import type { StorageStatus } from './storage-status.ts'

/** A bound of the installation, or the default of one of each account. */
export interface InstallationLimit {
  /** null: support can change it for one account, and nothing for all. */
  setting: string | null
  title: string
  unit: 'count' | 'bytes'
  /** null: none is set for the whole installation, so that another bound holds. */
  value: number | null
  /** What is used of a bound of the whole installation; null for the default of an account. */
  used: number | null
}

/** Returns the limits of the installation and their use, and the defaults of accounts, which support can change for one account. */
export function readInstallationLimits({ stored }: StorageStatus): InstallationLimit[] {
  const { TOTAL_STORAGE_BYTES } = env()
  const total = stored.originals + stored.renditions + stored.unfinished
  return [
    { setting: 'TOTAL_STORAGE_BYTES', title: 'Storage of all accounts', unit: 'bytes', value: TOTAL_STORAGE_BYTES ?? null, used: total },
    ...LIMIT_NAMES.map((name) => {
      const { title, unit, ...limit } = LIMITS[name]
      return {
        setting: 'setting' in limit ? limit.setting : null,
        title: `${title}, each account`,
        unit,
        used: null,
        value: defaultLimit(name),
      }
    }),
  ]
}
