import { Anchor, Text } from '@mantine/core'
import { Link } from '../../../_ui/Link'

/** Names the source of the countries, which its licence (CC BY 4.0) requires, and the guide that says what is counted. */
export function DatabaseCredit() {
  return (
    <Text c="dimmed" fz="xs" mt="md">
      The embed player counts without cookies, and we store no IP address.{' '}
      <Anchor component={Link} href="/docs/viewers" inherit underline="always">
        What is counted, and when
      </Anchor>
      .{' '}
      <Anchor href="https://db-ip.com" target="_blank" rel="noreferrer" inherit underline="always">
        IP Geolocation by DB-IP
      </Anchor>
      .
    </Text>
  )
}
