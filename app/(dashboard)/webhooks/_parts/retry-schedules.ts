import { attemptsOf, DEFAULT_SCHEDULE, RETRY_SCHEDULES, type RetrySchedule } from '#server/modules/webhooks/endpoints/state'

const TITLES: Record<RetrySchedule, string> = { standard: '13 minutes', day: 'About a day', threeDays: 'About three days' }

/** Returns a schedule in words: how long it retries, and with how many attempts. */
export const scheduleTitle = (schedule: RetrySchedule): string => `${TITLES[schedule]} (${attemptsOf(schedule)} attempts)`

/** The schedules as options of a select. */
export const SCHEDULES = (Object.keys(RETRY_SCHEDULES) as RetrySchedule[]).map((value) => ({
  value,
  label: value === DEFAULT_SCHEDULE ? `${scheduleTitle(value)}, the default` : scheduleTitle(value),
}))
