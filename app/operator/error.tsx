'use client'

import { PageError } from '../_ui/PageError'

export default PageError
