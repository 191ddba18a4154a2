// Node 24 or later, with the packages express and @reelgate/sdk.
import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { Reelgate, ReelgateError, webhooks } from '@reelgate/sdk'
import express from 'express'

// Reads REELGATE_URL and REELGATE_API_KEY, a key with the scope video:read.
const reelgate = new Reelgate()
const { REELGATE_URL, WEBHOOK_SECRET, SESSION_SECRET, STUDENT_PASSWORD, PORT = 4000 } = process.env
if (!WEBHOOK_SECRET || !SESSION_SECRET || !STUDENT_PASSWORD) throw new Error('Set WEBHOOK_SECRET, SESSION_SECRET and STUDENT_PASSWORD.')

// Your database: students, and the courses they may watch.
const hash = (password, salt) => scryptSync(password, salt, 32)
const salt = randomBytes(16)
const students = new Map([['ada@example.com', { salt, hash: hash(STUDENT_PASSWORD, salt), courses: ['physics'] }]])

const html = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const page = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${html(title)}</title><h1>${html(title)}</h1>${body}</html>`

const app = express()

// Webhooks first: the signature covers the raw body, which a parser would replace.
app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  const event = await webhooks.constructEvent(request.body, request.get('x-service-signature'), WEBHOOK_SECRET).catch(() => undefined)
  if (!event) return response.sendStatus(400)
  if (event.eventType === 'video.processing.completed') lists.clear()
  response.sendStatus(204)
})

// The cookie: the student and an expiry, signed. SameSite=Lax keeps other sites from sending it with a POST.
const sign = (text) => createHmac('sha256', SESSION_SECRET).update(text).digest('base64url')
function isSigned(text, signature) {
  const [expected, given] = [Buffer.from(sign(text)), Buffer.from(signature)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
function studentOf(request) {
  const [, name = '', expiry = '', signature = ''] = /(?:^|; )session=([^.;]+)\.(\d+)\.([^;]+)/.exec(request.get('cookie') ?? '') ?? []
  return Number(expiry) > Date.now() && isSigned(`${name}.${expiry}`, signature)
    ? students.get(Buffer.from(name, 'base64url').toString())
    : undefined
}

app.get('/login', (_request, response) => {
  const fields =
    '<p><label>Email <input name="email" type="email"></label><p><label>Password <input name="password" type="password"></label>'
  response.send(page('Sign in', `<form method="post">${fields}<p><button>Sign in</button></form>`))
})
app.post('/login', express.urlencoded(), (request, response) => {
  const { email = '', password = '' } = request.body ?? {}
  const student = students.get(String(email))
  // Hashes the password even if there is no such student, so that the time does not reveal who has an account.
  if (!timingSafeEqual(hash(String(password), student?.salt ?? salt), student?.hash ?? randomBytes(32)))
    return response.status(403).send(page('Sign in', '<p>Wrong email or password. <a href="/login">Try again</a>'))
  const session = `${Buffer.from(String(email)).toString('base64url')}.${Date.now() + 8 * 3_600_000}`
  response.set('Set-Cookie', `session=${session}.${sign(session)}; HttpOnly; SameSite=Lax; Path=/`).redirect(303, '/')
})

app.use((request, response, next) => {
  response.locals.student = studentOf(request)
  if (response.locals.student) return next()
  request.method === 'GET' ? response.redirect(303, '/login') : response.sendStatus(401)
})

// One request returns the list of a course with all posters. Poster URLs work for an hour or more: keep a list for less.
const lists = new Map()
async function videosOf(course) {
  const kept = lists.get(course)
  if (kept && kept.until > Date.now()) return kept.videos
  const query = { 'metadata[course]': course, status: 'COMPLETED', expand: 'pictures', limit: 100 }
  const { videos } = await reelgate.listVideoPage(query)
  lists.set(course, { videos, until: Date.now() + 30 * 60_000 })
  return videos
}
const videosFor = async ({ courses }) => (await Promise.all(courses.map(videosOf))).flat()

app.get('/', async (_request, response) => {
  const items = (await videosFor(response.locals.student)).map(
    ({ id, title, pictures }) =>
      `<li><a href="/watch/${id}"><img src="${html(pictures?.poster ?? '')}" alt="" width="320" loading="lazy"> ${html(title)}</a>`,
  )
  response.send(page('Lessons', `<ul>${items.join('')}</ul>`))
})

// Students get tokens for their own videos only.
async function tokenFor(request, response, next) {
  const video = (await videosFor(response.locals.student)).find(({ id }) => id === request.params.id)
  if (!video) return response.status(404).send(page('Not found', '<p><a href="/">Lessons</a>'))
  const { token } = await reelgate.createPlaybackToken(video.id)
  Object.assign(response.locals, { video, token })
  next()
}

app.get('/watch/:id', tokenFor, (_request, response) => {
  const { video, token } = response.locals
  const player = `<script async src="${REELGATE_URL}/player/reelgate-player.js"></script>
<reelgate-player token="${html(token)}"></reelgate-player>
<script>
  // A page that the browser restores from its cache has an expired token: fetch one new token.
  const player = document.querySelector('reelgate-player')
  let isRenewed = false
  player.addEventListener('ready', () => (isRenewed = false))
  player.addEventListener('error', async ({ detail }) => {
    if (detail.code !== 'PLAYBACK_TOKEN_EXPIRED' || isRenewed) return
    isRenewed = true
    const response = await fetch('/token/${video.id}', { method: 'POST' })
    if (response.ok) player.setAttribute('token', (await response.json()).token)
    else location.reload()
  })
</script>`
  response.send(page(video.title, `${player}<p><a href="/">Lessons</a>`))
})
app.post('/token/:id', tokenFor, (_request, response) => response.json({ token: response.locals.token }))

app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const isBusy = error instanceof ReelgateError && error.retryAfter !== undefined
  console.error(error instanceof ReelgateError ? `${error.code} (${error.requestId})` : error)
  if (isBusy) response.set('Retry-After', String(error.retryAfter))
  response.status(isBusy ? 503 : 502).send(page('Not available', '<p>The video service does not answer now. Try again soon.'))
})

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${server.address().port}`))
