// Node 20.3 or later, with the package @reelgate/sdk and a key with viewer:write.
import { Reelgate, ReelgateError } from '@reelgate/sdk'

const reelgate = new Reelgate()

/** Ends what one of your users is watching. Returns the number of sessions: 0 for a user who has watched nothing. */
export async function endSessions(userId) {
  try {
    return (await reelgate.viewers.end(userId)).ended
  } catch (error) {
    if (error instanceof ReelgateError && error.code === 'VIEWER_NOT_FOUND') return 0
    throw error
  }
}

console.log(await endSessions('student-42'))
