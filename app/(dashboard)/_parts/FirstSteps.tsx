'use client'

import { Button, CloseButton } from '@mantine/core'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect, useRef, useState } from 'react'
import type { FirstSteps as Steps } from '#server/modules/dashboard/first-steps'
import { useTRPC } from '../../_trpc/client'
import { CodeBlock } from '../../_ui/CodeBlock'
import { Panel } from '../../_ui/Panel'
import { useDialog } from '../../_ui/use-dialog'
import { useMay } from './permissions'
import { Step } from './Step'
import { listSnippet, tokenSnippet } from './token-snippet'
import { UploadButton } from './UploadButton'

const NewKeyDialog = dynamic(() => import('./keys/NewKeyDialog').then((module) => module.NewKeyDialog), { ssr: false })

/** The polling interval of the steps, while the page is visible. */
const POLL_MS = 2_000
const PLACEHOLDER = '<API_KEY>'

const allDone = ({ uploaded, key, called, played }: Steps) => uploaded && key && called && played

/** Lists the steps to a first play. Steps complete as their events arrive; a completed or dismissed list does not return. */
export function FirstSteps({ baseUrl }: { baseUrl: string }) {
  const mayMakeKeys = useMay('keys.change')
  const mayUpload = useMay('videos.change')
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
      title={allDone(steps) ? 'Setup complete: your first video was played' : 'Get your first video playing'}
      action={<CloseButton size="sm" aria-label="Dismiss setup guide" title="Dismiss setup guide" onClick={putAway} />}
      flush
    >
      <Step number={1} title="Upload a video" done={steps.uploaded} action={mayUpload && <UploadButton variant="default" />}>
        {steps.uploaded && !steps.playableVideoId
          ? 'Transcoding is in progress. You can continue with the next step.'
          : 'Videos are transcoded into several qualities and encrypted.'}
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
        The response contains a playerUrl. Open it in a browser within 5 minutes.
        {!steps.played && <CodeBlock label="Shell" code={tokenSnippet(baseUrl, steps.playableVideoId ?? '<VIDEO_ID>', key)} />}
      </Step>
      {making && <NewKeyDialog key={making.times} baseUrl={baseUrl} onMade={(made) => setValue(made.value)} {...making.props} />}
    </Panel>
  )
}
