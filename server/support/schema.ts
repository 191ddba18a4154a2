import { z } from 'zod'
import { email } from '../account/schema.ts'

export const staffEmailInput = z.object({ email })
export type StaffEmail = z.output<typeof staffEmailInput>
