'use client'

import { TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useState } from 'react'
import { fieldErrors } from './form-errors'

/** The field for a two-factor code. `description` says what requires it. */
export const SecondFactorField = (props: ComponentProps<typeof TextInput>) => (
  <TextInput label="Authentication code or recovery code" autoComplete="one-time-code" {...props} />
)

/** Returns whether the server has asked for a two-factor code, which it does of a member who has one, and a function that reads its refusals. */
export function useCodeRequest(): { needsCode: boolean; noteRefusal: (error: Parameters<typeof fieldErrors>[0]) => void } {
  const [needsCode, setNeedsCode] = useState(false)
  return { needsCode, noteRefusal: (error) => fieldErrors(error)?.code && setNeedsCode(true) }
}
