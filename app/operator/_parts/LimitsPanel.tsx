import { Anchor } from '@mantine/core'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { FactList } from '../../_parts/staff/FactList'
import { formatBytes, formatCount } from '../../_ui/format'
import { LimitBar } from '../../_ui/LimitBar'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import classes from './Status.module.css'

const MODES: Record<string, string> = {
  open: 'Open to everyone',
  invitation: 'Invited users only',
  domains: 'Email addresses at these domains',
  sso: 'Single sign-on only',
  off: 'Off',
}

/** Shows the limits of the installation, the default limits of accounts, and who can sign up. Each is a setting. */
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
      <h3 className={classes.subtitle}>Default limits of an account</h3>
      <FactList
        facts={limits
          .filter(({ used }) => used === null)
          .map(({ title, unit, value }) => [title.replace(', each account', ''), value === null ? 'None' : formatOf(unit)(value)])}
      />
      <h3 className={classes.subtitle}>Sign-up</h3>
      <FactList facts={[['Mode', [MODES[mode] ?? mode, ...domains].join(domains.length ? ', ' : '')]]} />
      <p className={classes.how}>
        To change these, change <code>SIGN_UP</code> or the limit’s setting in the environment and restart the processes one by one. Support
        can set the limits of a single account on its page, without a restart.{' '}
        <Anchor component={Link} href="/operator/guides/sign-in#who-may-sign-up" inherit underline="always">
          Who may sign up
        </Anchor>
      </p>
    </Panel>
  )
}
