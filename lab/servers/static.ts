import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

/** Serves files unchanged and without a cache: the work of a plain web server. */
const { root } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as { root: string }
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.ts': 'video/mp2t',
}

const server = createServer((req, res) => {
  const path = join(root, new URL(req.url ?? '/', 'http://x').pathname)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) return void res.writeHead(404).end()
  res.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', 'Content-Length': found.size })
  createReadStream(path).pipe(res)
})
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
