'use client'

import { Button } from '@mantine/core'
import { z } from 'zod'
import { secondFactorInput } from '#server/modules/identity/sign-in/schema'
import { SecondFactorField } from '../../../../_ui/form/SecondFactorField'
import { schemaErrors } from '../../../../_ui/form/schema-errors'
import { useForm } from '../../../../_ui/form/use-form'
import classes from './Console.module.css'

/** Asks for the two-factor code that creates the key of a console. `problem` is the refusal of the last code. */
export function AskCode({ problem, onCode }: { problem: string | undefined; onCode: (code: string) => void }) {
  const form = useForm({
    initialValues: { code: '' },
    validate: (values) => schemaErrors(z.object(secondFactorInput.shape).safeParse(values)),
  })
  const field = form.getInputProps('code')
  return (
    <form onSubmit={form.onSubmit(({ code }) => onCode(code))} noValidate className={classes.key}>
      <SecondFactorField description="Required to create the console’s test key." {...field} error={field.error ?? problem} />
      <Button type="submit" size="compact-sm" variant="default">
        Create key
      </Button>
    </form>
  )
}
