#!/usr/bin/env node
// The command for working with a Reelgate service, for Node 20 and newer. `parseArgs` instead of a library, because the package
// has no dependencies, which its users would have to review and update.
import { createHmac } from 'node:crypto'
import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { importAll } from './import.mjs'
import { causeOf, messageOf, Stop } from './stop.mjs'
import { upload } from './upload.mjs'
import { cancelUploads, listUploads } from './uploads.mjs'
import { Refused, verifyReceipt } from './verify-receipt.mjs'
import { endViewer, eraseViewer, showViewer } from './viewer.mjs'
import { State } from './work-list.mjs'

const HELP = `reelgate <command>

  listen --forward-to <url>   Forwards your account’s events, signed, to a URL on this machine as they occur.
  upload <file…>              Uploads files, each as one video.
  import --from <source>      Imports the URLs of a CSV file, or the objects of s3://bucket/prefix.
  uploads                     Lists open uploads and imports, or others with --status.
  cancel <upload…>            Cancels uploads by ID.
  viewer show <id>            Prints what is kept about a viewer, by your own ID, as JSON.
  viewer end <id>             Ends the sessions of a viewer.
  viewer erase <id>           Erases a viewer and prints the signed receipt.
  trigger <type>              Sends a sample event to running listeners.
  verify-receipt <file>       Verifies a receipt downloaded from the dashboard and prints its content.

Options
  --api-key <key>      An API key with the scope webhook:read; video:write for upload, import, uploads, cancel; viewer:read for viewer show,
                       viewer:write for viewer end and viewer erase. Default: REELGATE_API_KEY.
  --url <url>          URL of your Reelgate service. Default: REELGATE_URL, otherwise http://localhost:3000.
  --secret <secret>    listen: signing secret. Default: WEBHOOK_SECRET, otherwise your account’s.
  --events <a,b>       listen: forward only these event types.
  --from <source>      import: a CSV file with the columns url, title, description, externalId, targetQuality, or s3://bucket/prefix.
  --parallel <n>       upload, import: how many at a time. Default: 4.
  --quality <height>   upload, import: the highest rendition, such as 720p.
  --state <file>       upload, import: records progress, so that another run does only the rest. Default: .reelgate-state.json
  --status <a,b>       uploads: list those in these states: waiting, uploading, completed, expired, failed.
  --jwks <file|url>    verify-receipt: the public keys. A file works offline. Default: fetched from the issuer.
  --issuer <url>       verify-receipt: reject receipts of any other issuer.
  --help

Event types: video.created, video.processing.started, video.processing.completed, video.playable, video.processing.failed,
video.captions.ready, video.captions.failed, video.deleted, video.restored, upload.failed, wallet.low_balance, wallet.refilled,
playback.token.exhausted, quota.threshold_reached, spend.threshold_reached, storage.threshold_reached, viewing.progress,
viewing.completed, viewer.sessions_exceeded
`

const WAIT_SEC = 20
/** Longest pause between attempts to reach the service. */
const LONGEST_PAUSE_MS = 15_000

const options = {
  'forward-to': { type: 'string' },
  'api-key': { type: 'string', default: process.env.REELGATE_API_KEY },
  url: { type: 'string', default: process.env.REELGATE_URL ?? 'http://localhost:3000' },
  secret: { type: 'string', default: process.env.WEBHOOK_SECRET },
  events: { type: 'string' },
  from: { type: 'string' },
  parallel: { type: 'string', default: '4' },
  quality: { type: 'string' },
  status: { type: 'string' },
  state: { type: 'string', default: '.reelgate-state.json' },
  jwks: { type: 'string' },
  issuer: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
}

/** Calls the service. Throws Stop for errors that a retry does not fix. */
async function call(given, path, method = 'GET') {
  const response = await fetch(new URL(path, given.url), {
    method,
    headers: { 'x-service-key': given['api-key'] },
    signal: AbortSignal.timeout((WAIT_SEC + 15) * 1_000),
  })
  const body = await response.json().catch(() => undefined)
  if (body?.success) return body
  if (!body?.error) {
    const message = `${given.url} did not return a Reelgate response (status ${response.status}).`
    throw response.status >= 500 ? new Error(message) : new Stop(`${message} Check --url.`)
  }
  const { status, requestId } = body.error
  const text = `${messageOf(body.error)} (${requestId})`
  throw status >= 500 || status === 429 ? new Error(text) : new Stop(text)
}

function signature(secret, body) {
  const time = Math.floor(Date.now() / 1_000)
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`
}

const clock = () => new Date().toLocaleTimeString('en-GB')

async function forward(to, secret, event) {
  const body = JSON.stringify(event)
  const headers = { 'content-type': 'application/json', 'user-agent': 'Reelgate-Webhooks', 'x-service-signature': signature(secret, body) }
  const label = `${clock()}  ${event.eventType}  ${event.eventId}`
  const began = performance.now()
  try {
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    await response.arrayBuffer()
    console.log(`${label}  → ${response.status}  ${Math.round(performance.now() - began)} ms`)
  } catch (error) {
    console.log(`${label}  → ${error.name === 'TimeoutError' ? 'no response within 10 s' : causeOf(error)}`)
  }
}

async function listen(given) {
  const to = given['forward-to']
  if (!to || !URL.canParse(to)) throw new Stop('Specify a URL to forward to: --forward-to http://localhost:4000/hooks')
  listening = true
  let { secret } = given
  const wanted = given.events?.split(',').map((type) => type.trim())
  let cursor = ''
  let failures = 0
  for (;;) {
    try {
      const began = performance.now()
      const { data, pagination, listenSecret } = await call(
        given,
        `/v1/event?wait=${cursor ? WAIT_SEC : 0}${cursor && `&cursor=${cursor}`}`,
      )
      if (!cursor) {
        console.log(`Listening to ${given.url}, forwarding to ${to}`)
        secret ??= listenSecret
        console.log(given.secret ? 'Signed with the secret you gave.' : `Signing secret (always the same for this account): ${secret}`)
      } else if (failures > 0) console.log(`${clock()}  reconnected`)
      failures = 0
      for (const event of data) if (!wanted || wanted.includes(event.eventType)) await forward(to, secret, event)
      // An immediate empty response means that the service accepts no further waiting requests.
      if (cursor && data.length === 0 && performance.now() - began < 1_000) await wait(1_000)
      cursor = pagination.position
    } catch (error) {
      if (error instanceof Stop) throw error
      if (failures++ === 0) console.error(`${clock()}  ${given.url} cannot be reached (${causeOf(error)}); retrying`)
      await wait(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures))
    }
  }
}

async function trigger(given, type) {
  if (!type) throw new Stop('Specify an event type: reelgate trigger video.processing.completed')
  const { data } = await call(given, `/v1/event/${encodeURIComponent(type)}/sample`, 'POST')
  console.log(JSON.stringify(data, null, 2))
}

async function checkReceipt(given, file) {
  if (!file) throw new Stop('Specify a file: reelgate verify-receipt receipt.json')
  const { receipt, kid, keysFrom } = await verifyReceipt(file, given).catch((error) => {
    throw error instanceof Refused ? new Stop(`NOT VALID: ${error.message}`) : error
  })
  console.log(`Valid. Signed by ${receipt.iss} at ${new Date(receipt.iat * 1_000).toISOString()}, key ${kid} of ${keysFrom}.`)
  console.log(JSON.stringify(receipt, null, 2))
}

async function manage(given, command, files) {
  const parallel = Number(given.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 32) throw new Stop('--parallel must be a number from 1 to 32.')
  const state = new State(given.state, new URL(given.url).origin)
  const failures = await (command === 'upload' ? upload(given, files, { parallel, state }) : importAll(given, { parallel, state }))
  if (failures > 0) process.exitCode = 1
}

/** The scope that each command requires, by its first words. */
const SCOPES = {
  listen: 'webhook:read',
  trigger: 'webhook:read',
  upload: 'video:write',
  import: 'video:write',
  uploads: 'video:write',
  cancel: 'video:write',
  'viewer show': 'viewer:read',
  'viewer end': 'viewer:write',
  'viewer erase': 'viewer:write',
}

async function main() {
  const { values: given, positionals } = parseArgs({ options, allowPositionals: true })
  const [first, ...others] = positionals
  const [command, rest] = first === 'viewer' ? [positionals.slice(0, 2).join(' '), others.slice(1)] : [first, others]
  if (given.help || !first) return process.stdout.write(HELP)
  if (command === 'verify-receipt') return checkReceipt(given, rest[0])
  const scope = Object.hasOwn(SCOPES, command) && SCOPES[command]
  if (!scope) throw new Stop(`Unknown command "${command}". See reelgate --help.`)
  if (!URL.canParse(given.url)) throw new Stop('--url is not a valid URL.')
  if (!given['api-key']) throw new Stop(`Specify an API key with the scope ${scope} with --api-key or REELGATE_API_KEY.`)
  const request = (path, method) => call(given, path, method)
  if (command === 'uploads') return listUploads(request, given)
  if (command === 'cancel') return cancelUploads(request, rest)
  if (command === 'viewer show') return showViewer(request, rest[0])
  if (command === 'viewer end') return endViewer(request, rest[0])
  if (command === 'viewer erase') return eraseViewer(request, rest[0])
  if (command === 'listen') return listen(given)
  return command === 'trigger' ? trigger(given, rest[0]) : manage(given, command, rest)
}

/** Only a signal ends `listen`. Any other command that one ends is not done, which a script must notice. */
let listening = false
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(listening ? 0 : 128 + constants.signals[signal]))
main().catch((error) => {
  const known = error instanceof Stop || error.code?.startsWith('ERR_PARSE_ARGS')
  console.error(known ? error.message : `${error.message}${error.cause?.code ? ` (${error.cause.code})` : ''}`)
  process.exit(1)
})
