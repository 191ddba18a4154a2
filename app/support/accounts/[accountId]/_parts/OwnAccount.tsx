import { Button } from '@mantine/core'
import { IconUserShield } from '@tabler/icons-react'
import { EmptyState } from '../../../../_ui/page/EmptyState'

/** Replaces an account's pages for staff who are members of it. */
export function OwnAccount() {
  return (
    <EmptyState
      framed
      icon={<IconUserShield size={20} />}
      title="You are a member of this account"
      action={
        <Button component="a" href="/">
          Go to dashboard
        </Button>
      }
    >
      Open it in your dashboard. For changes that only support can make, ask another staff member.
    </EmptyState>
  )
}
