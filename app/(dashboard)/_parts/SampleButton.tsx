'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useMay } from './permissions'
import { useUploads } from './uploads/uploads'

/** Uploads a short video that the service ships; renders nothing for users who may not upload. */
export function SampleButton() {
  const { add } = useUploads()
  const { mutate, isPending } = useMutation({
    async mutationFn() {
      const response = await fetch('/sample.mp4')
      if (!response.ok) throw new Error('The sample could not be loaded. Try again, or upload a video of your own.')
      const file = new File([await response.blob()], 'sample.mp4', { type: 'video/mp4', lastModified: 0 })
      add([{ file, details: { title: 'Sample video', description: '', targetQuality: '720p', captions: '', encrypted: 'true' } }])
    },
    onError: ({ message }) => notifications.show({ color: 'red', title: 'Something went wrong', message }),
  })
  if (!useMay('videos.change')) return null
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      Use a sample video
    </Button>
  )
}
