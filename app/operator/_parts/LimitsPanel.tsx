import { Anchor } from '@mantine/core'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { formatBytes, formatCount } from '../../_ui/format'
import { LimitBar } from '../../_ui/LimitBar'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { type Fact, FactList } from './FactList'
import classes from './Status.module.css'

const MODES: Record<string, string> = {
  open: 'Open to all users',
  invitation: 'Invited users only',
  domains: 'Users with an email address at these domains',
  sso: 'Through single sign-on only',
  off: 'Off',
}

/** Shows the limits of the installation, those of new accounts, and who can sign up. Each is a setting. */
export function LimitsPanel({ limits, signUp: { mode, domains } }: Pick<InstallationStatus, 'limits' | 'signUp'>) {
  const formatOf = (unit: 'count' | 'bytes') => (unit === 'bytes' ? formatBytes : formatCount)
  return (
    <Panel
      title="Limits and sign-up"
      action={
        <Anchor component={Link} href="/operator/settings" fz="sm">
          Settings
        </Anchor>
      }
    >
      <div className={classes.bars}>
        {limits.map(
          ({ setting, title, unit, value, used }) =>
            used !== null && value !== null && <LimitBar key={setting} title={title} used={used} limit={value} format={formatOf(unit)} />,
        )}
      </div>
      <h3 className={classes.subtitle}>Each account, unless support set another limit</h3>
      <FactList
        facts={limits.flatMap(({ title, unit, value, used }): Fact[] =>
          used === null ? [{ title: title.replace(', each account', ''), value: value === null ? 'None' : formatOf(unit)(value) }] : [],
        )}
      />
      <h3 className={classes.subtitle}>Sign-up</h3>
      <FactList facts={[{ title: 'Mode', value: [MODES[mode] ?? mode, ...domains].join(domains.length ? ', ' : '') }]} />
      <p className={classes.how}>
        These come from the environment of the processes. Change <code>SIGN_UP</code> or the setting of a limit there, and start the
        processes again, one after the other. Support can set limits of one account at once, on its page.{' '}
        <Anchor component={Link} href="/operator/guides/sign-in#who-may-sign-up" inherit underline="always">
          Who may sign up
        </Anchor>
      </p>
    </Panel>
  )
}
