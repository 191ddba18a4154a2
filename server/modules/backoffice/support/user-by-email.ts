import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'

/** Returns the id of the user with this e-mail address (lower case). Errors: NOT_FOUND, with a message for the operator. */
export async function userByEmail(email: string): Promise<string> {
  const user = await db().user.findUnique({ where: { email }, select: { id: true } })
  if (!user) throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email}. Sign up at /sign-up first.` })
  return user.id
}
