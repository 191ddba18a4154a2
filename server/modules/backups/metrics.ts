import { gaugesFromDatabase } from '../../platform/observe/metric-readings.ts'
import { backupTimes } from './records.ts'

const unixSeconds = (time: Date | null) => (time ? time.getTime() / 1_000 : undefined)

export const BACKUP_METRICS = gaugesFromDatabase(
  {
    reelgate_backup_last_success_timestamp_seconds: 'Time of the newest complete backup. Absent if there is none.',
    reelgate_backup_last_proven_timestamp_seconds: 'Time of the newest backup whose last restore drill passed. Absent if there is none.',
  },
  async () => {
    const { lastSuccess, lastProven } = await backupTimes()
    return {
      reelgate_backup_last_success_timestamp_seconds: unixSeconds(lastSuccess),
      reelgate_backup_last_proven_timestamp_seconds: unixSeconds(lastProven),
    }
  },
)
