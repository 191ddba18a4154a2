import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metadata } from 'next'
import type { ViewingReport } from '#server/modules/analytics/viewing-schema'
import { RETENTION_PARTS, viewingReport } from '#server/modules/analytics/viewing-schema'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Viewer analytics' }

/** Does not compile while a field of the schema is missing. */
const REPORT_FIELDS: Record<keyof Required<ViewingReport>, string> = {
  permit: 'The part of the address of a playlist before the name of its file: of /cdn/hls/VIDEO_ID/PERMIT/master.m3u8, PERMIT.',
  session: '32 hexadecimal digits, random for each viewing, the same in all of its reports.',
  startupMs: 'Milliseconds from the command to play until the first picture. Once in a viewing; that report counts the play.',
  watchMs: 'Milliseconds in which the picture moved, up to 3,600,000.',
  rebufferMs: 'Milliseconds in which playback waited for data, up to 3,600,000.',
  rebuffers: 'How often it waited, up to 1,000. Waits after a seek do not count.',
  errors: 'Errors that were shown, up to 1,000.',
  height: 'Height of the picture that is shown, in pixels.',
  watched: 'Of watchMs, the milliseconds by height: a list of up to 12 pairs of height and milliseconds.',
  page: 'Host of the page around the player, such as www.example.com; (direct) without one, (unknown) where it is hidden.',
  reached: `Parts of the video that were shown for the first time: numbers from 0 to ${RETENTION_PARTS - 1}, of ${RETENTION_PARTS} equal parts. May be empty.`,
}
const isRequired = (field: string) => !viewingReport.shape[field as keyof ViewingReport].isOptional()

/** Read when the page is built; a test runs the same file. */
const REPORT = readFileSync(join(process.cwd(), 'docs/snippets/report-viewing.js'), 'utf8').trimEnd()

const COUNTED = [
  {
    what: 'Play',
    when: 'Once for each viewing: when the first picture is shown after the page was loaded. Playing again after a reload is another play.',
  },
  { what: 'Minutes watched', when: 'While the picture moves. Pauses, waits for data and skipped parts do not count.' },
  { what: 'Country', when: 'Of the IP address of the first report. It is looked up in a database on the server, and then discarded.' },
  {
    what: 'Device, browser, system',
    when: 'From the User-Agent header. An iPad that asks for the desktop version of a site counts as a computer with macOS.',
  },
  {
    what: 'Embedding page',
    when: 'The domain of the outermost page around the player, without path and query. “Opened directly”: the player is a page of its own.',
  },
  { what: 'Quality watched', when: 'Minutes by the rendition whose picture was shown.' },
  { what: 'Completion', when: 'Viewings that played the part at a quarter, half and three quarters of the video, and its last twentieth.' },
  { what: 'Watching now', when: 'Playback sessions that were active in the last minute, in any player.' },
]

export default function ViewerAnalytics() {
  return (
    <Guide
      href="/docs/viewers"
      title="Viewer analytics"
      lead="The dashboard shows how many people watch your videos, where, on which devices, and how far, without cookies and without storing who they are."
    >
      <Section id="where" title="Where to find it">
        <p>
          <a href="/viewers">Viewers</a> shows all videos of the account, with the most played ones and those that are watched now. The same
          numbers for one video are on its page, under <b>Viewing</b>. Each period is compared with the period of the same length before it.
          You can export the page as CSV. Every member can see it.
        </p>
      </Section>
      <Section id="counted" title="What is counted, and when">
        <Table
          label="What is counted, and when"
          rows={COUNTED}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Number', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Counted', cell: ({ when }) => when, phone: 'wide' },
          ]}
        />
        <p>
          Days are in UTC. A viewing that goes on past midnight is a play of the day on which it began; its minutes count for the days on
          which they were watched. The player reports at the start, every 30 seconds, when it pauses and when the page is left. Reports are
          written once per second. A process that is killed loses those of its last second.
        </p>
        <p>
          Of a video, 100 embedding pages a day are counted by name, and 500 of an account; further ones are shown as “Other pages”. The
          sums include them.
        </p>
      </Section>
      <Section id="excluded" title="What is not counted">
        <ul>
          <li>Previews in the dashboard.</li>
          <li>
            Playback with tokens of a <a href="/docs/testing">test key</a>.
          </li>
          <li>
            Other players than the embed player: they send no reports. They are included in <b>Watching now</b> while they request playlists
            and keys, and their tokens in <a href="/docs/request-log#usage">Usage</a>. Your own player can{' '}
            <a href="#reports">send the same reports</a>.
          </li>
          <li>Viewers whose browser or network blocks the reports.</li>
        </ul>
      </Section>
      <Section id="reports" title="Reports of your own player">
        <p>
          A player of yours can report as the embed player does: <code>POST /embed/VIDEO_ID/beacon</code> with JSON of at most 2 KB, under
          any content type, from any origin and without a key. Report after the first picture, every 30 seconds, at a pause and when the
          page is left. The numbers are those since the previous report of the viewing.
        </p>
        <Snippet label="JavaScript" code={REPORT} />
        <Table
          label="Fields of a report"
          rows={Object.entries(REPORT_FIELDS)}
          keyOf={([field]) => field}
          columns={[
            { title: 'Field', cell: ([field]) => <code>{field}</code> },
            { title: 'Required', cell: ([field]) => (isRequired(field) ? 'yes' : 'no') },
            { title: 'Value', cell: ([, value]) => <span style={{ whiteSpace: 'normal' }}>{value}</span>, phone: 'wide' },
          ]}
        />
        <p>
          The response is 204. <a href="/docs/errors#INVALID_REQUEST">INVALID_REQUEST</a> is for another field or value,{' '}
          <a href="/docs/errors#PLAYBACK_TOKEN_INVALID">PLAYBACK_TOKEN_INVALID</a> or{' '}
          <a href="/docs/errors#PLAYBACK_TOKEN_EXPIRED">PLAYBACK_TOKEN_EXPIRED</a> for the permit, and{' '}
          <a href="/docs/errors#TOO_MANY_ATTEMPTS">TOO_MANY_ATTEMPTS</a> for too many reports from one address.
        </p>
      </Section>
      <Section id="privacy" title="Privacy">
        <p>
          The player sets no cookie and stores no identifier of a viewer in the browser. It generates a random number each time the page is
          loaded, so that a viewing counts once. A hash of it is stored for a day, without any other data. IP address and User-Agent are
          used to find country, device, browser and system while a report is received, and are not stored with it. What is stored are sums
          by day: “14 plays from Germany”. No row belongs to one viewer, unless a day has only one.
        </p>
        <p>
          Sums are deleted with the video or the account, and after the retention period that the operator has set. The total of plays and
          the sums of an account include videos that were deleted since.
        </p>
        <p>
          Countries are found with the IP to Country Lite database by <a href="https://db-ip.com">DB-IP</a>, licensed under CC BY 4.0. It is
          part of the service; no address is sent to anyone. Operators can use a newer one: the file <code>countries.mmdb</code> in{' '}
          <code>DATA_DIR</code>, also one of MaxMind GeoLite2 Country. Countries of mobile networks and VPNs can be wrong.
        </p>
      </Section>
    </Guide>
  )
}
