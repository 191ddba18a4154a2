import { notFound } from 'next/navigation'
import { editorInput } from '#server/modules/videos/captions/draft-schema'
import { Hydrate } from '../../../../../_trpc/server'
import { languageName } from '../../../../../_ui/language-name'
import { loadVideo, type VideoProps } from '../../_parts/load-video'
import { CaptionsPage } from './_parts/CaptionsPage'

interface Props {
  params: Promise<Awaited<VideoProps['params']> & { language: string }>
}

export async function generateMetadata({ params }: Props) {
  const [{ language }, { title }] = await Promise.all([params, loadVideo(params)])
  return { title: `${languageName(language)} captions · ${title}` }
}

export default async function CaptionsEditorPage({ params }: Props) {
  await loadVideo(params)
  const asked = editorInput.safeParse(await params)
  if (!asked.success) notFound()
  return (
    <Hydrate>
      <CaptionsPage {...asked.data} />
    </Hydrate>
  )
}
