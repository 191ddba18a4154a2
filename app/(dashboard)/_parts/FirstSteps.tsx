'use client'

import { Anchor, Button, CloseButton, Group } from '@mantine/core'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect, useRef, useState } from 'react'
import type { FirstSteps as Steps } from '#server/modules/dashboard/first-steps'
import { useTRPC } from '../../_trpc/client'
import { CodeBlock } from '../../_ui/CodeBlock'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { useDialog } from '../../_ui/use-dialog'
import { useMay } from './permissions'
import { SampleButton } from './SampleButton'
import { Step } from './Step'
import classes from './Step.module.css'
import { listSnippet, tokenSnippet } from './token-snippet'
import { UploadButton } from './UploadButton'

const FirstPlay = dynamic(() => import('./FirstPlay').then((module) => module.FirstPlay), { ssr: false })
const NewKeyDialog = dynamic(() => import('./keys/NewKeyDialog').then((module) => module.NewKeyDialog), { ssr: false })

/** The polling interval of the steps, while the page is visible. */
const POLL_MS = 2_000
const PLACEHOLDER = '<API_KEY>'

const allDone = ({ uploaded, key, called, played }: Steps) => uploaded && key && called && played

/** Lists the steps to a first play. Steps complete as their events arrive; a completed or dismissed list does not return. */
export function FirstSteps({ baseUrl }: { baseUrl: string }) {
  const mayMakeKeys = useMay('keys.change')
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: steps } = useSuspenseQuery(
    trpc.account.firstSteps.queryOptions(undefined, {
      staleTime: 0,
      refetchInterval: ({ state: { data } }) => (data?.shown && !allDone(data) ? POLL_MS : false),
    }),
  )
  // A visitor who sees the last step complete sees the whole list until they leave; the next visit shows nothing.
  const [watched] = useState(steps.shown && !allDone(steps))
  const [away, setAway] = useState(false)
  const { mutate } = useMutation(trpc.account.firstStepsDone.mutationOptions())
  const reported = useRef(false)
  useEffect(() => {
    if (!steps.shown || !allDone(steps) || reported.current) return
    reported.current = true
    mutate()
  }, [steps, mutate])

  const [making, make] = useDialog()
  // The value of a key created here, so that the calls can be pasted unchanged; not stored elsewhere.
  const [value, setValue] = useState<string>()
  if (away || !watched) return null

  const putAway = () => {
    setAway(true)
    client.setQueryData(trpc.account.firstSteps.queryKey(), { ...steps, shown: false })
    mutate()
  }
  const key = value ?? PLACEHOLDER
  return (
    <Panel
      title={allDone(steps) ? 'Setup complete: your first video has played' : 'Get your first video playing'}
      action={<CloseButton size="sm" aria-label="Dismiss setup guide" title="Dismiss setup guide" onClick={putAway} />}
      flush
    >
      <Step
        number={1}
        title="Upload a video"
        done={steps.uploaded}
        action={
          <Group gap="xs">
            <SampleButton />
            <UploadButton variant="default" />
          </Group>
        }
      >
        {steps.uploaded && !steps.playableVideoId
          ? 'Transcoding is in progress. You can continue with the next step.'
          : 'We transcode it into several qualities and encrypt it.'}
      </Step>
      <Step
        number={2}
        title="Generate an API key"
        done={steps.key}
        action={
          mayMakeKeys && (
            <Button variant="default" onClick={() => make()}>
              Generate key
            </Button>
          )
        }
      >
        Your backend uses the key to list videos and issue playback tokens.
      </Step>
      <Step number={3} title="Make your first API call" done={steps.called} waiting={steps.key}>
        Call the API from your backend or a terminal. Never expose the key in a web page or app.
        {!steps.called && <CodeBlock label="Shell" code={listSnippet(baseUrl, key)} />}
      </Step>
      <Step number={4} title="Play the video" done={steps.played} waiting={steps.called && steps.playableVideoId !== null}>
        {steps.playableVideoId ? 'Play it here, or as your viewers will: ' : 'As your viewers will: '}
        request a playback token and open its playerUrl within 5 minutes.
        {steps.playableVideoId && <FirstPlay videoId={steps.playableVideoId} done={steps.played} />}
        {!steps.played && <CodeBlock label="Shell" code={tokenSnippet(baseUrl, steps.playableVideoId ?? '<VIDEO_ID>', key)} />}
      </Step>
      {allDone(steps) && <NextSteps />}
      {making && <NewKeyDialog key={making.times} baseUrl={baseUrl} onMade={(made) => setValue(made.value)} {...making.props} />}
    </Panel>
  )
}

const NEXT = [
  { href: '/webhooks', title: 'Add a webhook', says: 'Your server learns when a video is ready.' },
  {
    href: '/docs/player#element',
    title: 'Embed the player',
    says: 'In React and other frameworks it is one element; an iframe works anywhere.',
  },
  { href: '/docs/limits', title: 'Plan your quota', says: 'How many tokens a key can issue per day, and how to get more.' },
]

/** Says what to do after the first play. */
function NextSteps() {
  return (
    <section className={classes.next} aria-label="What next">
      <h3 className={classes.title}>What next</h3>
      <ul>
        {NEXT.map(({ href, title, says }) => (
          <li key={href}>
            <Anchor component={Link} href={href} inherit>
              {title}
            </Anchor>
            <span className={classes.body}>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
