/** Levels of an announcement, in the order of their weight. */
export const ANNOUNCEMENT_LEVELS = {
  info: { title: 'Information', description: 'News, such as a new function.' },
  warning: { title: 'Warning', description: 'Planned work, or something that users should know soon.' },
  critical: { title: 'Incident', description: 'Something does not work now.' },
} as const
export type AnnouncementLevel = keyof typeof ANNOUNCEMENT_LEVELS
export const ANNOUNCEMENT_LEVEL_NAMES = Object.keys(ANNOUNCEMENT_LEVELS) as [AnnouncementLevel, ...AnnouncementLevel[]]
