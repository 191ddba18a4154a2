/** The levels of an announcement, the least serious first. */
export const ANNOUNCEMENT_LEVELS = {
  info: { title: 'Information', description: 'News, such as a new feature.' },
  warning: { title: 'Warning', description: 'Maintenance, or something users should know soon.' },
  critical: { title: 'Incident', description: 'Something is broken right now.' },
} as const
export type AnnouncementLevel = keyof typeof ANNOUNCEMENT_LEVELS
export const ANNOUNCEMENT_LEVEL_NAMES = Object.keys(ANNOUNCEMENT_LEVELS) as [AnnouncementLevel, ...AnnouncementLevel[]]
