'use client'

import { Anchor, Button, Tabs, Text } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { CodeBlock } from '../../../../_ui/CodeBlock'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { useShowsContent } from '../../../_parts/permissions'
import { elementSnippet, frameSnippet, tokenSnippet } from '../../../_parts/token-snippet'
import { useAskTask } from '../../../_parts/VideoMenus'

interface Props {
  video: DashboardVideo
  baseUrl: string
  sdkUrl: string
}

/** Shows code to paste: the request for a token, and the two ways to embed the player in a page. */
export function Snippets({ video, baseUrl, sdkUrl }: Props) {
  const ask = useAskTask()
  // The builder has a preview.
  const shows = useShowsContent()
  return (
    <Panel
      title="Play the video"
      action={
        shows && (
          <Button size="compact-sm" variant="default" leftSection={<IconAdjustments size={14} />} onClick={() => ask(video, 'embed')}>
            Customize embed
          </Button>
        )
      }
    >
      <Tabs defaultValue="token" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="token">Get a token</Tabs.Tab>
          <Tabs.Tab value="frame">iframe</Tabs.Tab>
          <Tabs.Tab value="element">Web component</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="token">
          <Text size="sm" c="dimmed" mb="sm">
            Your backend requests a playback token with its API key. The <code>playerUrl</code> in the response plays this video for anyone
            who opens it within 5 minutes.
          </Text>
          <CodeBlock label="Shell" code={tokenSnippet(baseUrl, video.id)} />
        </Tabs.Panel>
        <Tabs.Panel value="frame">
          <Text size="sm" c="dimmed" mb="sm">
            Embed the <code>playerUrl</code> in an iframe. Optional parameters: <code>&t=90</code>, <code>&autoplay</code>,{' '}
            <code>&muted</code>, <code>&loop</code>, <code>&title=0</code> and <code>&color=ff6600</code>.
          </Text>
          <CodeBlock label="HTML" code={frameSnippet(sdkUrl, video.id)} />
        </Tabs.Panel>
        <Tabs.Panel value="element">
          <Text size="sm" c="dimmed" mb="sm">
            The same player as a custom element with methods and events. See{' '}
            <Anchor component={Link} href="/docs/player" inherit underline="always">
              the player documentation
            </Anchor>
            .
          </Text>
          <CodeBlock label="HTML" code={elementSnippet(sdkUrl, video.id)} />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  )
}
