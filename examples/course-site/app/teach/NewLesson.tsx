'use client'

import { sendFile } from '@reelgate/sdk'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'

/** Sends a video straight from the browser to Reelgate. This site only creates the upload. */
export function NewLesson() {
  const router = useRouter()
  const [share, setShare] = useState<number>()
  const [problem, setProblem] = useState('')

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const file = form.get('file') as File
    setProblem('')
    setShare(0)
    try {
      const response = await fetch('/api/lessons', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: form.get('title'), bytes: file.size }),
      })
      const { uploadUrl, message } = await response.json()
      if (!response.ok) throw new Error(message)
      // Retries failed requests, and continues from the last byte that arrived.
      await sendFile(uploadUrl, file, { onProgress: ({ bytesSent, bytesTotal }) => setShare(bytesSent / bytesTotal) })
      router.push('/')
    } catch (error) {
      setShare(undefined)
      setProblem(error instanceof Error ? error.message : 'The lesson could not be added.')
    }
  }

  return (
    <form onSubmit={submit} className="fields">
      {problem && <p role="alert">{problem}</p>}
      <label>
        Title
        <input name="title" required maxLength={200} />
      </label>
      <label>
        Video
        <input name="file" type="file" accept="video/*,.mkv" required />
      </label>
      {share !== undefined && <progress value={share} aria-label="Upload" />}
      <button type="submit" disabled={share !== undefined}>
        Add lesson
      </button>
    </form>
  )
}
