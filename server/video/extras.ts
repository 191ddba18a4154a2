import { sha256 } from '../infra/crypto.ts'
import { storage } from '../infra/storage/storage.ts'

/**
 * What stands beside a video's segments. `pictures/` holds what transcoding makes (poster candidates, storyboard sheets) and
 * clears what interrupted tries left; `extras/` what its owner gave (captions, a poster).
 */
export const picturePrefix = (videoId: string) => `pictures/${videoId}/`
export const pictureKey = (videoId: string, name: string) => `${picturePrefix(videoId)}${name}`
export const extraPrefix = (videoId: string) => `extras/${videoId}/`
export const extraKey = (videoId: string, name: string) => `${extraPrefix(videoId)}${name}`

/** Stores one and answers its name: 128 bits of its SHA-256, hexadecimal. What is stored twice stands once. */
export const storePicture = (videoId: string, body: Uint8Array): Promise<string> => store(pictureKey, videoId, body)
export const storeExtra = (videoId: string, body: Uint8Array): Promise<string> => store(extraKey, videoId, body)

async function store(keyOf: typeof extraKey, videoId: string, body: Uint8Array): Promise<string> {
  const name = sha256(body).subarray(0, 16).toString('hex')
  await storage().put(keyOf(videoId, name), body)
  return name
}

export async function readExtra(videoId: string, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of storage().read(extraKey(videoId, name))) parts.push(part)
  return Buffer.concat(parts)
}
