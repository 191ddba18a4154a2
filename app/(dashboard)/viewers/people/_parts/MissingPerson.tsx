import { MissingPage } from '../../../../_ui/page/MissingPage'

/** Says that no viewer has this address. */
export const MissingPerson = () => (
  <MissingPage title="Viewer not found" home="/viewers/people" to="all people">
    Check the URL. The viewer may belong to another account, or may have been erased.
  </MissingPage>
)
