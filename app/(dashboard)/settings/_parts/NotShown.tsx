import { IconEyeOff } from '@tabler/icons-react'
import { EmptyState } from '../../../_ui/page/EmptyState'

/** Replaces a page about the sign-in of a user while support staff view the account as its owner. */
export function NotShown() {
  return (
    <EmptyState wholePage framed icon={<IconEyeOff size={20} />} title="Not shown in this view">
      Sign-in methods and sessions belong to the user, so you cannot see them while you view an account as its owner.
    </EmptyState>
  )
}
