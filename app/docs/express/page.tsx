import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metadata } from 'next'
import { SDK_FILE } from '#server/platform/sdk-file'
import { Link } from '../../_ui/Link'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'A course site with Express' }

/** The program is read when the page is built; a test runs the same file. */
const PROGRAM = readFileSync(join(process.cwd(), 'docs/snippets/course-site.mjs'), 'utf8').trimEnd()

const INSTALL = `npm install express "$REELGATE_URL/${SDK_FILE}"`

const START = `export REELGATE_API_KEY=…   # with the scope video:read
export WEBHOOK_SECRET=…     # of an endpoint for https://your-site/hooks
export SESSION_SECRET=$(openssl rand -hex 32)
export STUDENT_PASSWORD=…
node course-site.mjs`

const LISTEN = `npx -p @reelgate/sdk reelgate listen --forward-to http://localhost:4000/hooks`

export default function Express() {
  return (
    <Guide
      href="/docs/express"
      title="A course site with Express"
      lead="One program with everything that a site with videos needs: sign-in, a list with posters, a page that plays, fresh tokens, and webhooks."
    >
      <Section id="start" title="Start it">
        <Snippet label="Shell" code={INSTALL} />
        <Snippet label="Shell" code={START} />
        <p>
          The list shows videos whose <Link href="/docs/managing#change">metadata</Link> has <code>course</code> with the value{' '}
          <code>physics</code>. Sign in as ada@example.com. During development, <code>listen</code> forwards webhooks to your machine and
          prints the value of <code>WEBHOOK_SECRET</code>.
        </p>
        <Snippet label="Shell" code={LISTEN} />
        <p>
          For Next.js, the folder <code>examples/course-site</code> of the source code has a larger site with uploads by teachers. One
          command starts it.
        </p>
      </Section>
      <Section id="how" title="How it works">
        <p>
          <strong>A list with posters</strong> is one request: <code>expand=pictures</code> adds a signed poster URL to each of up to 100
          videos. The URLs open for an hour or more, so the program keeps a list for 30 minutes.
        </p>
        <p>
          <strong>Each view gets its own token</strong>, after the program has checked that the student may watch the video. The API key
          remains on the server.
        </p>
        <p>
          <strong>A page that was left open</strong> plays: the player uses the token when the page loads, and renews its session for up to
          a day. A page that the browser shows again from its cache, such as a restored tab, has an expired token. The player reports{' '}
          <code>PLAYBACK_TOKEN_EXPIRED</code>, and the page fetches another token once.
        </p>
        <p>
          <strong>A webhook</strong> clears the list when a video is complete, so a new lesson appears at once. Its signature is of the raw
          body, so its route precedes all parsers.
        </p>
      </Section>
      <Section id="program" title="The program">
        <p>The whole server in one file, with the pages that it serves.</p>
        <Snippet label="course-site.mjs" code={PROGRAM} />
      </Section>
    </Guide>
  )
}
