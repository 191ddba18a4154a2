import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'
import { Languages } from '../_parts/Languages'
import { Snippet } from '../_parts/Snippet'
import { PROGRAMS, readProgram } from './_parts/programs'

export const metadata: Metadata = { title: 'Playback from a backend' }

const FRAME = `<iframe
  src="PLAYER_URL"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"
></iframe>`

const EXCHANGE = `curl -s "$REELGATE_URL/v1/video/playback/manifest/$TOKEN"`

const MANIFEST = `{
  "success": true,
  "data": {
    "masterPlaylistUrl": "https://cdn.example.com/cdn/hls/vid_3kTMd9cXv0dRr1gB7JmQeA/PERMIT/master.m3u8",
    "qualities": ["1080p", "720p", "480p", "360p", "240p"],
    "encrypted": true,
    "expiresAt": "2026-11-21T10:05:00.000Z",
    "sessionExpiresAt": "2026-11-21T16:00:00.000Z"
  }
}`

export default function Playback() {
  const programs = PROGRAMS.map(({ language, file }) => ({
    language,
    program: <Snippet label={file} code={readProgram(file)} />,
  }))
  return (
    <Guide
      href="/docs/playback"
      title="Playback from a backend"
      lead="Your server authorizes the viewer and requests a token. The viewer’s browser receives only the token."
    >
      <Section id="flow" title="How it works">
        <ol>
          <li>A viewer opens your page. Your server checks that the viewer is allowed to watch the video.</li>
          <li>Your server requests a playback token with its API key.</li>
          <li>
            Your page embeds <code>playerUrl</code> in an iframe, or passes the token to your own player.
          </li>
          <li>The player exchanges the token for the manifest and plays the video.</li>
        </ol>
        <p>
          Request one token for each viewing, when the viewer opens the page. Do not store a page with a token in a shared cache. Do not
          send the API key to a browser: browsers cannot read the responses to requests with an API key.
        </p>
      </Section>
      <Section id="server" title="On your server">
        <p>
          Set <code>REELGATE_URL</code>, <code>REELGATE_API_KEY</code> and <code>VIDEO_ID</code>; each program prints a player URL.
        </p>
        <Languages programs={programs} />
        <p>
          For TypeScript, you can use the <a href="/docs/sdk">client</a>.
        </p>
      </Section>
      <Section id="page" title="On your page">
        <Snippet label="HTML" code={FRAME} />
        <p>
          The player shows a message when a token is expired or not valid. To continue, issue a new token and reload the page, or set a new{' '}
          <code>src</code>. For parameters, events and the custom element, see <a href="/docs/player">The player</a>.
        </p>
      </Section>
      <Section id="own-player" title="Use your own player">
        <p>
          You can use any HLS player, such as hls.js, Video.js, Shaka, AVPlayer or ExoPlayer. Exchange the token in the browser or on your
          server, and pass <code>masterPlaylistUrl</code> to the player.
        </p>
        <Snippet label="Shell" code={EXCHANGE} />
        <Snippet label="Response" code={MANIFEST} />
        <ul>
          <li>
            The exchange accepts requests from any origin. With <code>?videoId=</code>, it rejects tokens of other videos.
          </li>
          <li>
            Playlists are valid until <code>sessionExpiresAt</code>, which allows for the length of the video and pauses. Content key URLs
            in a playlist are valid for a few minutes. A session that uses one in that time can use it until the session ends. Players that
            reload the playlist get new URLs.
          </li>
          <li>
            Sound is a group of tracks (<code>EXT-X-MEDIA</code>) with language and name. <code>master-audio-only.m3u8</code> next to the
            master playlist has a last variant of sound without picture, for slow connections. The renditions of videos from earlier
            versions contain their sound.
          </li>
          <li>
            A complete video has an I-frame playlist of its lowest rendition (<code>EXT-X-I-FRAME-STREAM-INF</code>), for scanning and
            thumbnails. Captions in the picture of the file (CEA-608) are declared with their channels; players show them as further tracks.
          </li>
          <li>
            Playlists are compressed with gzip, and an <code>ETag</code> avoids repeated transfers. Players may send CMCD data (CTA-5004) in
            the query or in headers.
          </li>
          <li>
            To play longer, request <code>session.json</code> from the folder of the master playlist. <code>renewed</code> contains the next{' '}
            <code>masterPlaylistUrl</code> of the same session and its <code>lifetimeSec</code>. You can renew a session for one day after
            the exchange, also shortly after it expired.
          </li>
          <li>
            <code>session.json</code> also contains what a player displays: <code>title</code>, <code>durationSec</code>,{' '}
            <code>poster</code>, <code>storyboard</code>, <code>captions</code> and <code>chapters</code>, a list of <code>startSec</code>,{' '}
            <code>endSec</code> and <code>title</code>. Files are in the same folder.
          </li>
          <li>
            <code>chapters.vtt</code> in that folder has the chapters as WebVTT, for <code>&lt;track kind=&quot;chapters&quot;&gt;</code>. A
            video without chapters has no such file (404).
          </li>
          <li>
            If the owner ends a session, requests for its playlists, content keys and <code>session.json</code> fail with{' '}
            <a href="/docs/errors#PLAYBACK_TOKEN_EXPIRED">PLAYBACK_TOKEN_EXPIRED</a> and <code>details.reason</code> is{' '}
            <code>PLAYBACK_ENDED</code>. Do not exchange the token again automatically.
          </li>
          <li>
            Segments are encrypted with AES-128, which all HLS players support. Do not store URLs from a manifest: they are valid for one
            playback session.
          </li>
        </ul>
      </Section>
      <Section id="viewers" title="See viewers and end sessions">
        <p>
          The page of a video shows how many viewers watch it now, with a list of its playback sessions, and the overview shows the viewers
          of all videos. A session counts as a viewer if it was active in the last minute: it requested a playlist or the content key, or
          its player sent a <a href="/docs/player#reports">viewing report</a>. Segments name no session, so a player that sends no reports
          is counted only while it requests playlists and keys. Previews in the dashboard are not counted.
        </p>
        <p>
          Owners and developers can end one session or all sessions of a video there. Requests for its playlists and content keys are
          refused at once, and the player shows a message within 30 seconds. A token that has not expired can start another session: to
          prevent that, stop issuing tokens to the viewer first and wait 5 minutes. The audit log names who ended the session.
        </p>
      </Section>
      <Section id="early" title="Play during processing">
        <p>
          A video can be watched as soon as its beginning is transcoded. Its status is still <code>PROCESSING</code>, and tokens are issued
          for it. The event <a href="/docs/webhooks">video.playable</a> reports that moment. <code>COMPLETED</code> means that all
          renditions are ready.
        </p>
        <p>
          The playlists of such a video grow: their type is <code>EVENT</code> without an end, and they start at the beginning. Players
          reload them until the video is complete. An owner can switch this off under <b>Settings</b>; sessions that are open continue.
        </p>
      </Section>
      <Section id="tracks" title="Captions and chapters of the file">
        <p>
          Text subtitles inside the uploaded file (SubRip, ASS, WebVTT, MP4 text) become captions when the video is <code>COMPLETED</code>:
          up to 40 tracks with 16 MB of text in total, which are read within 5 minutes. Those beyond these limits are listed in the{' '}
          <code>warnings</code> of the video. Further tracks of a language get tags such as <code>en-x-2</code> for changes through the API;
          in the master playlist they state the same language and differ by name. Forced subtitles and pictures of text (DVD, Blu-ray) are
          left out. Captions keep bold and italic text and a place at the top or in the middle; drawings of ASS are not shown. Captions that
          you uploaded in the same language are kept. The log of the video names each track that could not be used.
        </p>
        <p>
          Chapters of the file, up to 200, are listed in the player as soon as the video can be watched. Chapters without a title are
          numbered.
        </p>
      </Section>
      <Section id="refusals" title="Handle errors">
        <ul>
          <li>
            <a href="/docs/errors#VIDEO_NOT_READY">VIDEO_NOT_READY</a>: The video is still being transcoded, and its beginning cannot be
            watched yet. Show a message and try again later.
          </li>
          <li>
            <a href="/docs/errors#VIDEO_NOT_FOUND">VIDEO_NOT_FOUND</a>: The video was deleted or is not in your account.
          </li>
          <li>
            <a href="/docs/errors#RATE_LIMIT_EXCEEDED">RATE_LIMIT_EXCEEDED</a>: The quota of the key is used up until midnight UTC. Do not
            retry before.
          </li>
          <li>
            <a href="/docs/errors#SERVICE_UNAVAILABLE">SERVICE_UNAVAILABLE</a>: Retry after <code>Retry-After</code> seconds, with an{' '}
            <a href="/docs/limits#retries">Idempotency-Key</a>.
          </li>
        </ul>
      </Section>
    </Guide>
  )
}
