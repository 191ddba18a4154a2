'use client'

import { Anchor, Tabs, Text } from '@mantine/core'
import Link from 'next/link'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { Panel } from '../../../_ui/Panel'

/** Shows a receiver that verifies signatures, in several languages, to copy. */
export function VerifyPanel({ receivers }: { receivers: { language: string; code: string }[] }) {
  return (
    <Panel title="Check signatures">
      <Text size="sm" c="dimmed" mb="sm">
        Anybody can send a request to your address. <code>X-Service-Signature</code> tells which are from us: check it before you believe
        one. What Stripe publishes for its own webhooks works as well.{' '}
        <Anchor component={Link} href="/docs/webhooks#signatures" inherit underline="always">
          How it works
        </Anchor>
      </Text>
      <Tabs defaultValue={receivers[0]?.language} keepMounted={false}>
        <Tabs.List mb="sm">
          {receivers.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {receivers.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock label={language} code={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  )
}
