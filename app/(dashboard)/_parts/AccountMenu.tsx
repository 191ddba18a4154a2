'use client'

import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconLogout, IconSelector } from '@tabler/icons-react'
import type { CurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { ROLES } from '#server/permissions'
import { DisplayMenu } from '../../_ui/DisplayMenu'
import classes from './AccountMenu.module.css'
import { signOut } from './sign-out'
import { useSwitchAccount } from './use-switch-account'

/** Shows the current account and user; offers theme and sign-out. */
export function AccountMenu({ me }: { me: CurrentUser }) {
  const tier = me.account.tier === 'FREE' ? 'Free tier' : 'Paid tier'
  const switchAccount = useSwitchAccount()
  return (
    <Menu position="bottom-start" width={232} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <VisuallyHidden>Account</VisuallyHidden>
          <span className={classes.initial} aria-hidden="true">
            {me.account.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.who}>
            <span className={classes.account}>{me.account.name}</span>
            <span className={classes.tier}>{tier}</span>
          </span>
          <IconSelector size={15} className={classes.selector} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as {ROLES[me.role].title}
          <div className={classes.email}>{me.email}</div>
        </Menu.Label>
        <Menu.Divider />
        {me.accounts.length > 1 && (
          <>
            <Menu.Label>Accounts</Menu.Label>
            <div className={classes.accounts}>
              {me.accounts.map(({ id, name, role }) => (
                <Menu.Item
                  key={id}
                  rightSection={id === me.account.id && <IconCheck size={14} aria-label="current" />}
                  onClick={() => id !== me.account.id && switchAccount(id)}
                >
                  <span className={classes.choice}>{name}</span>
                  <span className={classes.tier}>{ROLES[role].title}</span>
                </Menu.Item>
              ))}
            </div>
            <Menu.Divider />
          </>
        )}
        <DisplayMenu />
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
