'use client'

import { useForm as useMantineForm } from '@mantine/form'
import { useLayoutEffect } from 'react'
import { enteredIn, useFromServer } from './entered'

/**
 * Returns a form of Mantine that keeps what was entered before the page was live. React leaves it in the fields and does not tell their
 * state, which would replace it at the next change.
 */
export const useForm = ((input: Parameters<typeof useMantineForm>[0]) => {
  const form = useMantineForm(input)
  const fromServer = useFromServer()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, before anything replaces the values of the fields
  useLayoutEffect(() => {
    if (!fromServer) return
    for (const [path, initial] of Object.entries(form.getInitialValues() as object)) {
      const field = form.getInputNode(path)
      const entered = field ? enteredIn(field, initial) : undefined
      if (entered !== undefined) form.setFieldValue(path, entered as never)
    }
  }, [])
  return form
}) as typeof useMantineForm
