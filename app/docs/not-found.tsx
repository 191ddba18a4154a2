import { MissingPage } from '../_ui/page/MissingPage'

export default function NotFound() {
  return (
    <main id="content" tabIndex={-1} style={{ paddingTop: '12vh' }}>
      <MissingPage home="/docs" to="quick start" />
    </main>
  )
}
