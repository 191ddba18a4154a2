import { MissingPage } from '../_ui/page/MissingPage'

export default function NotFound() {
  return <MissingPage home="/" to="overview" />
}
