import { Button } from '@mantine/core'
import { IconUserShield } from '@tabler/icons-react'
import { EmptyState } from '../../../../_ui/EmptyState'
import classes from './Lists.module.css'

/** Replaces an account's pages for staff who are members of it. */
export function OwnAccount() {
  return (
    <div className={classes.none}>
      <EmptyState
        icon={<IconUserShield size={20} />}
        title="You belong to this account"
        action={
          <Button component="a" href="/">
            Open your dashboard
          </Button>
        }
      >
        Look at it as its member. What only support can change here, another member of staff changes.
      </EmptyState>
    </div>
  )
}
