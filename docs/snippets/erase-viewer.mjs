// Node 20.3 or later, with the package @reelgate/sdk and a key with viewer:write.
import { writeFileSync } from 'node:fs'
import { Reelgate, ReelgateError } from '@reelgate/sdk'

const reelgate = new Reelgate()

/** Erases what Reelgate keeps about one of your users. Returns the signed receipt; undefined if it keeps nothing. */
export async function eraseUser(userId) {
  try {
    return await reelgate.viewers.erase(userId)
  } catch (error) {
    if (error instanceof ReelgateError && error.code === 'VIEWER_NOT_FOUND') return undefined
    throw error
  }
}

const receipt = await eraseUser('student-42')
if (receipt) writeFileSync('student-42.receipt.json', JSON.stringify(receipt))
console.log(receipt ? `Erased at ${receipt.receipt.erasedAt}` : 'Nothing to erase')
