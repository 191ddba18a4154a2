'use client'

import { Button, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { IconSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { lazySchema } from '../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../_ui/form/use-form'
import classes from './People.module.css'

const schema = lazySchema(async () => (await import('#server/modules/dashboard/people/people-schema')).findPersonInput)

/** Opens the page of the person with a whole ID: IDs are stored encrypted, so no part of one can be searched for. */
export function FindPerson() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const [leaving, leave] = useTransition()
  const form = useForm({ initialValues: { id: '' }, validate: schemaResolver(schema) })
  const find = form.onSubmit(async ({ id }) => {
    try {
      const found = await client.fetchQuery({ ...trpc.viewing.findPerson.queryOptions({ id }), staleTime: 0, retry: false })
      if (found) leave(() => router.push(`/viewers/people/${found.reference}`))
      else form.setErrors({ id: 'No viewer has this ID. Enter it whole, exactly as in your token requests.' })
    } catch (error) {
      form.setErrors({ id: (error as Error).message })
    }
  })
  return (
    <form className={classes.find} onSubmit={find} noValidate>
      <TextInput
        aria-label="Find a viewer by their whole ID"
        placeholder="Whole viewer ID, such as student-42"
        leftSection={<IconSearch size={15} />}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('id')}
      />
      <Button type="submit" variant="default" loading={form.submitting || leaving}>
        Find
      </Button>
    </form>
  )
}
