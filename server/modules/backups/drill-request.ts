import type { BackupPlace } from '../../platform/backup/backup-url.ts'
import { env, type GivenSettings } from '../../platform/config/config.ts'
import { roots } from '../../platform/config/secrets.ts'
import type { StorageLocation } from '../../platform/storage/storage-url.ts'
import type { Proof } from './prove.ts'

/** What a drill's process receives. */
export interface DrillRequest {
  backupId: string
  place: BackupPlace
  segments: number
  /** The installation's media, for backups that only list it: a bucket, or a folder. */
  media: { bucket: StorageLocation } | { folder: string }
  /** The process's settings: the installation's secrets, and a throwaway folder. */
  settings: GivenSettings
}

/** What it replies: its result, or why it could not run. */
export type DrillAnswer = { proof: Proof } | { error: string }

const keyring = (keys: { kid: string; secret: string }[] | undefined) => keys?.map(({ kid, secret }) => `${kid}:${secret}`).join(',') ?? ''

/** Returns a drill's settings: this process's secrets and programs, with all data in `folder`. */
export function drillSettings(folder: string): GivenSettings {
  const { BASE_URL, MASTER_KEYS, PLAYBACK_TOKEN_SECRETS, FFMPEG_PATH, FFMPEG_READS } = env()
  const [root, previous] = roots()
  return {
    DATA_DIR: folder,
    REELGATE_SECRET: root,
    REELGATE_SECRET_PREVIOUS: previous ?? '',
    MASTER_KEYS: keyring(MASTER_KEYS),
    PLAYBACK_TOKEN_SECRETS: keyring(PLAYBACK_TOKEN_SECRETS),
    ...{ BASE_URL, SDK_URL: '', CDN_URL: '', CDN_ORIGIN: 'proxy', CDN_PURGE_URL: '' },
    ...{
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      DATABASE_OWNER_URL: '',
      DATABASE_READ_URL: '',
      DATABASE_POOL: '4',
    },
    ...{ STORAGE_URL: '', BACKUP_URL: '', SMTP_URL: '', LOG_LEVEL: 'error' },
    FFMPEG_PATH: FFMPEG_PATH ?? '',
    FFMPEG_READS: FFMPEG_READS.join(','),
  }
}
