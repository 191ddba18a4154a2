import { Button } from '@mantine/core'
import { IconUserShield } from '@tabler/icons-react'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import classes from './Lists.module.css'

/** Replaces an account's pages for staff who are members of it. */
export function OwnAccount() {
  return (
    <div className={classes.none}>
      <EmptyState
        icon={<IconUserShield size={20} />}
        title="You are a member of this account"
        action={
          <Button component="a" href="/">
            Go to dashboard
          </Button>
        }
      >
        View this account in your dashboard. For changes that only support can make, ask another member of staff.
      </EmptyState>
    </div>
  )
}
