import { MissingPage } from '../../../_ui/page/MissingPage'

export default function EndpointNotFound() {
  return (
    <MissingPage title="Endpoint not found" home="/webhooks" to="all webhooks">
      Check the URL. Someone may have deleted the endpoint, or it belongs to another account.
    </MissingPage>
  )
}
