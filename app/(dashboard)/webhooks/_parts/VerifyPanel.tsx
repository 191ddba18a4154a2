'use client'

import { Anchor, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'

/** Shows a receiver that verifies signatures, in several languages, to copy. */
export function VerifyPanel({ receivers }: { receivers: { language: string; code: string }[] }) {
  return (
    <Panel title="Verify signatures">
      <Text size="sm" c="dimmed" mb="sm">
        Verify the <code>X-Service-Signature</code> header to make sure that a request comes from Reelgate. Stripe’s webhook libraries also
        work.{' '}
        <Anchor component={Link} href="/docs/webhooks#signatures" inherit underline="always">
          Learn more
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
