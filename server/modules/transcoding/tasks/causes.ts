type Code = 'none' | 'upload' | 'operator'

/** What to do about a part that is being retried. */
export interface Advice {
  code: Code
  text: string
}

const CONTINUES: Advice = { code: 'none', text: 'Nothing to do. Processing continues automatically.' }
const LOWER: Advice = {
  code: 'upload',
  text: 'Retrying. If the video fails, upload it in a lower resolution, or ask the operator for more memory.',
}
const operator = (what: string): Advice => ({
  code: 'operator',
  text: `Retrying automatically. If this lasts, ask the operator to check ${what}.`,
})

/** Why a task, or a video's analysis, is being retried, by the code in `transcode_task.cause`, and what its owner can do. */
export const CAUSES = {
  failed: { reason: 'An internal error occurred.', advice: CONTINUES },
  lost: { reason: 'The worker stopped responding.', advice: CONTINUES },
  stopped: { reason: 'The worker was stopped.', advice: CONTINUES },
  disk: { reason: 'The worker ran out of disk space.', advice: operator('the disk space of the workers') },
  storage: { reason: 'The media storage did not respond.', advice: operator('the media storage') },
  source: { reason: 'The worker could not read the uploaded file from the media storage.', advice: operator('the media storage') },
  memory: { reason: 'The file needs more memory than a worker can use.', advice: LOWER },
  time: { reason: 'Encoding reached its time limit.', advice: CONTINUES },
  undecodable: {
    reason: 'Part of the file could not be decoded.',
    advice: { code: 'upload', text: 'Retrying. If the video fails, export the file again and upload the new one.' },
  },
} as const satisfies Record<string, { reason: string; advice: Advice }>
export type Cause = keyof typeof CAUSES

/** Returns the code of a stored cause. An unknown text, which may reveal internals, becomes `failed`. */
export const causeOf = (stored: string | null): Cause => (stored !== null && Object.hasOwn(CAUSES, stored) ? (stored as Cause) : 'failed')
