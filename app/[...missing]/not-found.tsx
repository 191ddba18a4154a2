import { MissingPage } from '../_ui/MissingPage'

export default function NotFound() {
  return <MissingPage home="/" to="overview" />
}
