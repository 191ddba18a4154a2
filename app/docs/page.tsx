import type { Metadata } from 'next'
import { Guide, Section } from './_parts/Guide'
import { REFERENCE } from './_parts/pages'
import { Snippet } from './_parts/Snippet'

export const metadata: Metadata = { title: 'Quick start' }

const SETTINGS = `export REELGATE_URL=https://video.example.com   # URL of your dashboard
export REELGATE_API_KEY=ak_live_…               # shown once`

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
    "token": "pt_TOKEN",
    "expiresIn": 300,
    "playerUrl": "https://video.example.com/embed/vid_3kTMd9cXv0dRr1gB7JmQeA?token=pt_TOKEN"
  }
}`

const FRAME = `<iframe
  src="PLAYER_URL"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"
></iframe>`

export default function QuickStart() {
  return (
    <Guide href="/docs" title="Quick start" lead="Upload a video and play it on your page in four steps.">
      <Section id="upload" title="1. Upload a video">
        <p>
          Sign in to the <a href="/">dashboard</a> and select <b>Upload video</b>. The video can be played when its status is{' '}
          <code>COMPLETED</code>.
        </p>
      </Section>
      <Section id="key" title="2. Create an API key">
        <p>
          Under <b>API Keys</b>, select <b>Generate New Key</b>. Enter a name, and choose the environment Live and the scope{' '}
          <code>video:read</code>. The key is shown once. Store it on your server.
        </p>
        <Snippet label="Shell" code={SETTINGS} />
      </Section>
      <Section id="list" title="3. List your videos">
        <Snippet label="Shell" code={LIST} />
        <Snippet label="Response" code={LISTED} />
        <p>
          Every response is a JSON object with <code>success</code> and <code>data</code>, or with <code>success: false</code> and an{' '}
          <a href="/docs/errors">error</a>. After an upload, poll the video every 10 to 30 seconds until its status is{' '}
          <code>COMPLETED</code> or <code>FAILED</code>. <a href="/docs/processing">Processing of a video</a> describes what happens until
          then.
        </p>
      </Section>
      <Section id="play" title="4. Play the video">
        <p>
          Videos have no public URL. For each viewer, your server requests a playback token. A token is valid for one video and 5 minutes.
        </p>
        <Snippet label="Shell" code={TOKEN} />
        <Snippet label="Response" code={ISSUED} />
        <p>
          Embed <code>playerUrl</code> in the page that you send to this viewer:
        </p>
        <Snippet label="HTML" code={FRAME} />
        <p>
          For examples in other languages, see <a href="/docs/playback">Playback from a backend</a>. For all endpoints and fields, see the{' '}
          <a href={REFERENCE}>API reference</a>.
        </p>
      </Section>
    </Guide>
  )
}
