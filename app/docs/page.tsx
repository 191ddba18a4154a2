import type { Metadata } from 'next'
import { Guide, Section } from './_parts/Guide'
import { REFERENCE } from './_parts/pages'
import { Snippet } from './_parts/Snippet'

export const metadata: Metadata = { title: 'Quick start' }

const SETTINGS = `export REELGATE_URL=https://video.example.com    # the address of your dashboard
export REELGATE_API_KEY=ak_live_…                 # shown once when you make the key`

const LIST = `curl -s "$REELGATE_URL/v1/video" -H "x-service-key: $REELGATE_API_KEY"`

const LISTED = `{
  "success": true,
  "data": [
    {
      "id": "vid_3kTMd9cXv0dRr1gB7JmQeA",
      "title": "Harbour at dawn",
      "description": null,
      "status": "COMPLETED",
      "durationSec": 214,
      "targetQuality": "1080p",
      "qualities": ["1080p", "720p", "480p", "360p", "240p"],
      "createdAt": "2026-11-21T09:00:00.000Z",
      "completedAt": "2026-11-21T09:03:12.000Z"
    }
  ]
}`

const TOKEN = `curl -s -X POST "$REELGATE_URL/v1/video/vid_3kTMd9cXv0dRr1gB7JmQeA/playback-token" \\
  -H "x-service-key: $REELGATE_API_KEY"`

const ISSUED = `{
  "success": true,
  "data": {
    "token": "pt_eyJhbGciOiJIUzI1NiIs…",
    "expiresIn": 300,
    "playerUrl": "https://video.example.com/embed/vid_3kTMd9cXv0dRr1gB7JmQeA?token=pt_eyJhbGciOiJIUzI1NiIs…"
  }
}`

const FRAME = `<iframe
  src="PLAYER_URL"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"
></iframe>`

export default function QuickStart() {
  return (
    <Guide href="/docs" title="Quick start" lead="From an uploaded video to a player on your page, in four steps.">
      <Section id="upload" title="1. Upload a video">
        <p>
          Sign in to the <a href="/">dashboard</a> and choose <b>Upload video</b>. It is playable once its status is <code>COMPLETED</code>.
        </p>
      </Section>
      <Section id="key" title="2. Make an API key">
        <p>
          Under <b>API Keys</b>, <b>Generate New Key</b>: a name, Live, and the scope <code>video:read</code>. The value is shown once. Keep
          it on your server.
        </p>
        <Snippet label="Shell" code={SETTINGS} />
      </Section>
      <Section id="list" title="3. Read your videos">
        <Snippet label="Shell" code={LIST} />
        <Snippet label="Answer" code={LISTED} />
        <p>
          Every answer is an envelope: <code>success</code> and <code>data</code>, or <code>success: false</code> and an{' '}
          <a href="/docs/errors">error</a>. After an upload, ask for the video every 10 to 30 seconds until its status is{' '}
          <code>COMPLETED</code> or <code>FAILED</code>.
        </p>
      </Section>
      <Section id="play" title="4. Let somebody watch">
        <p>
          Videos have no public address. For each viewer your server asks for a playback token, which lasts 5 minutes and opens one video.
        </p>
        <Snippet label="Shell" code={TOKEN} />
        <Snippet label="Answer" code={ISSUED} />
        <p>
          Put <code>playerUrl</code> into the page that this viewer gets:
        </p>
        <Snippet label="HTML" code={FRAME} />
        <p>
          The same in your language: <a href="/docs/playback">Playback from a backend</a>. Every endpoint and field:{' '}
          <a href={REFERENCE}>API reference</a>.
        </p>
      </Section>
    </Guide>
  )
}
